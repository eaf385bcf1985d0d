/** Requests for a second of the generator's CPU time, with generator and server at their limit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { measureTree } from '../measure-tree.js';
import { startNginx } from '../servers/nginx.js';
import { measureWindow, waitForLoad, withGenerator } from '../with-generator.js';

const SAMPLE_INTERVAL_MS = 500;
/** Compilers and connections have settled; Artillery's first aggregation is behind it. */
const WARM_UP_SEC = 3;
const WINDOW_SEC = 15;
const QUICK = { warmUpSec: 2.5, windowSec: 4 };
/** The load goes on until after the window; it is stopped then. */
const SPARE_SEC = 5;
const USERS = 50;

/** @type {import('../bench.d.ts').Column[]} */
const COLUMNS = [
  { key: 'perCpuSec', title: 'requests per CPU-second' },
  { key: 'cpuShare', title: 'generator, CPU', digits: 2 },
  { key: 'serverCpuShare', title: 'nginx, CPU', digits: 2 },
  { key: 'peakMemoryMb', title: 'peak memory, MB' },
];

/** @type {(shape: import('../bench.d.ts').Shape, serverOptions?: {tls: boolean}) => import('../bench.d.ts').Work['measure']} */
const measureShape = (shape, serverOptions) => (tool, setting) => {
  const { warmUpSec, windowSec } = setting.quick
    ? QUICK
    : { warmUpSec: WARM_UP_SEC, windowSec: WINDOW_SEC };
  const durationSec = Math.ceil(warmUpSec + windowSec + SPARE_SEC);
  const load = { shape, durationSec, users: USERS, perSec: 0 };
  const startServer = () => startNginx(setting, serverOptions);
  const options = { tool, setting, startServer, load, sampleIntervalMs: SAMPLE_INTERVAL_MS };
  return withGenerator(options, async ({ server, generator, watch }) => {
    await waitForLoad(generator, server);
    const startUpCpuSec = watch.sample().cpuMs / 1000;
    await sleep(warmUpSec * 1000);
    const readServerCpu = () => measureTree(server.pid).cpuMs;
    const before = readServerCpu();
    const measured = await measureWindow(watch, server.countRequests, windowSec);
    const serverCpuShare = (readServerCpu() - before) / measured.lengthMs;
    if (!generator.isAlive()) throw new Error(`it ended too early\n${generator.tail()}`);
    return { ...measured, serverCpuShare, startUpCpuSec };
  });
};

const OF_SHORT_USERS = ['loadflame', 'artillery', 'autocannon', 'floor'];

/** @type {import('../bench.d.ts').Work[]} */
export const THROUGHPUT = [
  {
    name: 'closed-loop',
    title: 'Closed loop, keep-alive GET',
    explanation: `${USERS} users, each on one connection, send a GET as soon as the previous response has arrived.`,
    tools: [
      'loadflame',
      'loadflame (users: N)',
      'artillery',
      'loadflame --engine artillery',
      'locust',
      'autocannon',
      'wrk',
      'floor',
    ],
    measure: measureShape('closed'),
  },
  {
    name: 'ten-gets',
    title: 'Ten GETs per user',
    explanation: `${USERS} users at a time; each opens a connection, sends 10 GETs and leaves.`,
    tools: OF_SHORT_USERS,
    measure: measureShape('users-of-10'),
  },
  {
    name: 'one-get',
    title: 'One GET per user, on a new connection',
    explanation: `${USERS} users at a time; each opens a connection, sends one GET and leaves.`,
    tools: OF_SHORT_USERS,
    measure: measureShape('users-of-1'),
  },
  {
    name: 'https',
    title: 'Closed loop, keep-alive GET over TLS',
    explanation: 'As the closed loop; no tool checks the certificate.',
    tools: ['loadflame', 'artillery', 'autocannon', 'wrk', 'floor'],
    measure: measureShape('closed', { tls: true }),
  },
  {
    name: 'https-one-get',
    title: 'One GET per user over TLS, on a new connection',
    explanation: `${USERS} users at a time; each makes a full handshake, sends one GET and leaves.`,
    tools: OF_SHORT_USERS,
    measure: measureShape('users-of-1', { tls: true }),
  },
  {
    name: 'workers',
    title: 'Several workers on one processor',
    explanation:
      'What workers cost each other: requests per CPU-second of 1 to 8 that share one processor.',
    tools: [
      'loadflame (users: N)',
      'loadflame on 2 workers',
      'loadflame on 4 workers',
      'loadflame on 8 workers',
    ],
    ratioOf: undefined,
    measure: measureShape('closed'),
  },
].map(work => ({ columns: COLUMNS, ratioOf: 'perCpuSec', ...work }));
