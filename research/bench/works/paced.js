/** What a small, steady load costs from the command's start to its end. */
import { startNginx } from '../servers/nginx.js';
import { waitForEnd, waitForLoad, withGenerator } from '../with-generator.js';

const PER_SEC = 150;
const DURATION_SEC = 60;
const QUICK_DURATION_SEC = 10;
const SAMPLE_INTERVAL_MS = 1000;
/** Of the load: compilers have settled, and the end has not come. */
const MIDDLE = { from: 0.25, to: 0.95 };
/** To end by itself after the load: reports, 10 s periods. */
const END_TIMEOUT_MS = 60_000;

/** @type {import('../bench.d.ts').Work} */
export const PACED = {
  name: 'paced',
  title: `${PER_SEC} requests/s for ${DURATION_SEC} s`,
  explanation:
    "Artillery's scripts use a new user and connection for each request; the other tools keep connections. CPU is that of the whole command; ratios compare a second in the middle of the load.",
  tools: [
    'loadflame',
    'artillery',
    'loadflame --engine artillery',
    'locust',
    'autocannon',
    'floor',
  ],
  columns: [
    { key: 'cpuSec', title: 'CPU-s, all', digits: 2 },
    { key: 'startUpCpuSec', title: 'of these before the first request', digits: 2 },
    { key: 'middleMsPerSec', title: 'CPU-ms for each second in the middle', digits: 1 },
    { key: 'requests', title: 'requests' },
    { key: 'peakMemoryMb', title: 'peak memory, MB' },
  ],
  ratioOf: 'middleMsPerSec',
  measure(tool, setting) {
    const durationSec = setting.seconds ?? (setting.quick ? QUICK_DURATION_SEC : DURATION_SEC);
    const load = { shape: /** @type {const} */ ('rate'), durationSec, users: 10, perSec: PER_SEC };
    const startServer = () => startNginx(setting);
    const options = { tool, setting, startServer, load, sampleIntervalMs: SAMPLE_INTERVAL_MS };
    return withGenerator(options, async ({ server, generator, watch }) => {
      await waitForLoad(generator, server);
      const startUpCpuSec = watch.sample().cpuMs / 1000;
      const beganMs = performance.now();
      await waitForEnd(generator, durationSec * 1000 + END_TIMEOUT_MS);
      const isMiddle = (/** @type {number} */ atMs) =>
        atMs >= beganMs + MIDDLE.from * durationSec * 1000 &&
        atMs <= beganMs + MIDDLE.to * durationSec * 1000;
      const middle = watch.samples.filter(({ atMs }) => isMiddle(atMs));
      const [first, last] = [middle[0], middle.at(-1)];
      return {
        middleMsPerSec:
          first && last
            ? ((last.usage.cpuMs - first.usage.cpuMs) * 1000) / (last.atMs - first.atMs)
            : Number.NaN,
        cpuSec: (await generator.totalCpuMs()) / 1000,
        startUpCpuSec,
        requests: await server.countRequests(),
        peakMemoryMb: watch.peakMemoryBytes() / 2 ** 20,
      };
    });
  },
};
