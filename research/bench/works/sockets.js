/** What socket.io connections cost: memory while they are idle, CPU while they emit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startNodeServer } from '../servers/start-node-server.js';
import { measureWindow, waitUntil, withGenerator } from '../with-generator.js';

const SAMPLE_INTERVAL_MS = 1000;
const CONNECT_TIMEOUT_MS = 180_000;
const IDLE_USERS = 5000;
const QUICK_IDLE_USERS = 500;
const CONNECTS_PER_SEC = 250;
/** After the last connect: garbage is collected, buffers have shrunk. */
const SETTLE_SEC = 10;
const EMITTING_USERS = 100;
const WARM_UP_SEC = 3;
const WINDOW_SEC = 15;
const QUICK_WINDOW_SEC = 5;
const LONG_SEC = 600;

/**
 * @param {import('../bench.d.ts').Tool} tool
 * @param {import('../bench.d.ts').Setting} setting
 * @param {{shape: 'sockets-idle' | 'sockets-emit', users: number, perSec: number}} load
 */
function describe(tool, setting, load) {
  const startServer = () => startNodeServer('socketio-server.js', { core: setting.cores.server });
  return {
    tool,
    setting,
    startServer,
    load: { ...load, durationSec: LONG_SEC },
    sampleIntervalMs: SAMPLE_INTERVAL_MS,
  };
}

/**
 * @param {{ask: (path: string) => Promise<any>}} server
 * @returns {Promise<{connections: number, acknowledged: number}>}
 */
const readCounts = server => server.ask('/counts');

/** @type {import('../bench.d.ts').Work['measure']} */
function measureIdle(tool, setting) {
  const users = setting.quick ? QUICK_IDLE_USERS : IDLE_USERS;
  const options = describe(tool, setting, {
    shape: 'sockets-idle',
    users,
    perSec: CONNECTS_PER_SEC,
  });
  return withGenerator(options, async ({ server, generator, watch }) => {
    const has = (/** @type {number} */ wanted) => async () =>
      (await readCounts(server)).connections >= wanted;
    await waitUntil(generator, has(1));
    const before = watch.sample();
    await waitUntil(generator, has(users), CONNECT_TIMEOUT_MS);
    const connected = watch.sample();
    await sleep(SETTLE_SEC * 1000);
    const after = watch.sample();
    const { connections } = await readCounts(server);
    if (connections < users) throw new Error(`only ${connections} of ${users} stayed connected`);
    return {
      kbEach: (after.memoryBytes - before.memoryBytes) / 1024 / users,
      connections,
      cpuMsPerConnect: (connected.cpuMs - before.cpuMs) / users,
      memoryMb: after.memoryBytes / 2 ** 20,
    };
  });
}

/** @type {import('../bench.d.ts').Work['measure']} */
function measureEmits(tool, setting) {
  const windowSec = setting.quick ? QUICK_WINDOW_SEC : WINDOW_SEC;
  const users = EMITTING_USERS;
  const options = describe(tool, setting, { shape: 'sockets-emit', users, perSec: users });
  return withGenerator(options, async ({ server, generator, watch }) => {
    const areThere = async () => (await readCounts(server)).connections >= users;
    await waitUntil(generator, areThere, CONNECT_TIMEOUT_MS);
    await sleep(WARM_UP_SEC * 1000);
    const countEmits = async () => (await readCounts(server)).acknowledged;
    return measureWindow(watch, countEmits, windowSec);
  });
}

/** @type {import('../bench.d.ts').Work[]} */
export const SOCKETS = [
  {
    name: 'sockets-idle',
    title: 'Idle socket.io connections',
    explanation: `${IDLE_USERS} users connect, ${CONNECTS_PER_SEC} a second, emit once and stay, all on one worker, over WebSocket. Memory is the generator's growth per connection until ${SETTLE_SEC} s after the last, without the kernel's buffers.`,
    tools: ['loadflame', 'artillery'],
    columns: [
      { key: 'kbEach', title: 'KB each', digits: 1 },
      { key: 'connections', title: 'connections' },
      { key: 'cpuMsPerConnect', title: 'CPU for each connect, ms', digits: 2 },
      { key: 'memoryMb', title: 'memory in all, MB' },
    ],
    measure: measureIdle,
  },
  {
    name: 'sockets-emit',
    title: 'Acknowledged socket.io emits',
    explanation: `${EMITTING_USERS} users emit again as soon as the previous emit is acknowledged, over WebSocket. The server counts for ${WINDOW_SEC} s.`,
    tools: ['loadflame', 'artillery'],
    columns: [
      { key: 'perCpuSec', title: 'emits per CPU-second' },
      { key: 'perSec', title: 'emits/s' },
      { key: 'cpuShare', title: 'generator, CPU', digits: 2 },
      { key: 'peakMemoryMb', title: 'peak memory, MB' },
    ],
    ratioOf: 'perCpuSec',
    measure: measureEmits,
  },
];
