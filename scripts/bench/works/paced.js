/** What a small, steady load costs from the command's start to its end. */
import { startNginx } from '../servers/nginx.js';
import { waitForEnd, waitForLoad, withGenerator } from '../with-generator.js';

const PER_SEC = 150;
const DURATION_SEC = 60;
const QUICK_DURATION_SEC = 10;
const SAMPLE_INTERVAL_MS = 1000;
/** To end by itself after the load: reports, 10 s periods. */
const END_TIMEOUT_MS = 60_000;

/** @type {import('../bench.d.ts').Work} */
export const PACED = {
  name: 'paced',
  title: `${PER_SEC} requests/s for ${DURATION_SEC} s`,
  explanation: `${PER_SEC} requests begin per second: each by a user of its own on a connection of its own where Artillery's scripts run, on kept connections with the other tools. CPU is that of the whole command: its start-up, the load, the report at the end.`,
  tools: [
    'loadflame',
    'artillery',
    'loadflame --engine artillery',
    'k6',
    'locust',
    'autocannon',
    'floor',
  ],
  columns: [
    { key: 'cpuSec', title: 'CPU-s, all', digits: 2 },
    { key: 'startUpCpuSec', title: 'of these before the first request', digits: 2 },
    { key: 'requests', title: 'requests' },
    { key: 'peakMemoryMb', title: 'peak memory, MB' },
  ],
  ratioOf: 'cpuSec',
  measure(tool, setting) {
    const durationSec = setting.quick ? QUICK_DURATION_SEC : DURATION_SEC;
    const load = { shape: /** @type {const} */ ('rate'), durationSec, users: 10, perSec: PER_SEC };
    const startServer = () => startNginx(setting);
    const options = { tool, setting, startServer, load, sampleIntervalMs: SAMPLE_INTERVAL_MS };
    return withGenerator(options, async ({ server, generator, watch }) => {
      await waitForLoad(generator, server);
      const startUpCpuSec = watch.sample().cpuMs / 1000;
      await waitForEnd(generator, durationSec * 1000 + END_TIMEOUT_MS);
      return {
        cpuSec: (await generator.totalCpuMs()) / 1000,
        startUpCpuSec,
        requests: await server.countRequests(),
        peakMemoryMb: watch.peakMemoryBytes() / 2 ** 20,
      };
    });
  },
};
