/** Whether the latency that a generator reports is the one that the server took. */
import { startNodeServer } from '../servers/start-node-server.js';
import { waitForEnd, withGenerator } from '../with-generator.js';

const QUICK_DURATION_SEC = 20;
/** Start-up and report besides the load itself. */
const SPARE_MS = 90_000;

const EXPLANATION =
  "*True* is the server's own time of the same requests. Artillery reports time to first byte, the others total time.";

/**
 * @param {{durationSec: number, users: number, perSec: number, keepConnections: boolean}} load
 * @param {number[]} server its arguments
 * @returns {import('../bench.d.ts').Work['measure']}
 */
function measureLatency(load, server) {
  return async (tool, setting) => {
    const durationSec = setting.seconds ?? (setting.quick ? QUICK_DURATION_SEC : load.durationSec);
    const { readLatency } = tool;
    if (!readLatency) return null;
    return withGenerator(
      {
        tool,
        setting,
        load: { ...load, shape: 'rate', durationSec },
        startServer: () =>
          startNodeServer('slow-server.js', { core: setting.cores.server, args: server }),
      },
      async ({ server, generator, job }) => {
        await waitForEnd(generator, durationSec * 1000 + SPARE_MS);
        return compare(readLatency(job, generator.output()), await server.ask('/truth'));
      },
    );
  };
}

/**
 * @param {import('../bench.d.ts').Latency} told
 * @param {{p50: number, p95: number, p99: number, count: number}} truth
 */
function compare({ p50, p95, p99 }, truth) {
  return {
    p50: p50 ?? Number.NaN,
    trueP50: truth.p50,
    p95: p95 ?? Number.NaN,
    trueP95: truth.p95,
    p99: p99 ?? Number.NaN,
    trueP99: truth.p99,
    offP50Percent: p50 === null ? Number.NaN : (p50 / truth.p50 - 1) * 100,
    offP99Percent: p99 === null ? Number.NaN : (p99 / truth.p99 - 1) * 100,
    requests: truth.count,
  };
}

/** @type {import('../bench.d.ts').Column[]} */
const COLUMNS = [
  { key: 'p50', title: 'p50, ms', digits: 2 },
  { key: 'trueP50', title: 'true', digits: 2 },
  { key: 'p95', title: 'p95, ms', digits: 2 },
  { key: 'trueP95', title: 'true', digits: 2 },
  { key: 'p99', title: 'p99, ms', digits: 2 },
  { key: 'trueP99', title: 'true', digits: 2 },
  { key: 'offP50Percent', title: 'p50 off, %', digits: 1 },
  { key: 'offP99Percent', title: 'p99 off, %', digits: 1 },
  { key: 'requests', title: 'requests' },
];

const TOOLS = ['loadflame', 'artillery', 'locust', 'autocannon', 'floor'];

/** @type {import('../bench.d.ts').Work[]} */
export const LATENCY = [
  {
    name: 'latency',
    title: 'Reported latency at a true 20 ms, 1,000 requests/s',
    explanation: `${EXPLANATION} One stall of the machine decides a p99.`,
    tools: TOOLS,
    columns: COLUMNS,
    ratioOf: 'p99',
    measure: measureLatency(
      { durationSec: 30, users: 50, perSec: 1000, keepConnections: true },
      [20],
    ),
  },
  {
    name: 'stall',
    title: 'Reported latency with a stall of 1 s in every 10, 200 requests/s',
    explanation: `${EXPLANATION} The server takes 3 ms and stalls for the first second of every 10. With open arrivals the true p99 is about 900 ms.`,
    tools: TOOLS,
    columns: COLUMNS,
    measure: measureLatency(
      { durationSec: 40, users: 300, perSec: 200, keepConnections: false },
      [3, 10_000, 1000],
    ),
  },
];
