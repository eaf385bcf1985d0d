/** Whether memory stays what it is while a generator works at its limit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { medianPerMinute } from '../median-per-minute.js';
import { startNginx } from '../servers/nginx.js';
import { relativeRange } from '../statistics.js';
import { waitForLoad, withGenerator } from '../with-generator.js';

const SAMPLE_INTERVAL_MS = 1000;
const QUICK_SEC = 20;
/** The load goes on until after the last look; it is stopped then. */
const SPARE_SEC = 10;
const USERS = 50;

/** @type {import('../bench.d.ts').Work} */
export const MEMORY = {
  name: 'memory',
  title: 'Memory at saturation',
  explanation: `${USERS} users at a time of ten GETs each. The range is that of the minutes' medians without the first minute, as a share of their median.`,
  tools: ['loadflame', 'artillery'],
  columns: [
    { key: 'peakMemoryMb', title: 'peak, MB' },
    { key: 'firstMinuteMb', title: 'first minute, MB' },
    { key: 'lastMinuteMb', title: 'last minute, MB' },
    { key: 'rangePercent', title: 'range, %', digits: 1 },
    { key: 'minutes', title: 'minutes' },
    { key: 'requests', title: 'requests' },
  ],
  measure(tool, setting) {
    const lengthSec = setting.quick ? QUICK_SEC : setting.minutes * 60;
    const durationSec = lengthSec + SPARE_SEC;
    const load = {
      shape: /** @type {const} */ ('users-of-10'),
      durationSec,
      users: USERS,
      perSec: 0,
    };
    const startServer = () => startNginx(setting);
    const options = { tool, setting, startServer, load, sampleIntervalMs: SAMPLE_INTERVAL_MS };
    return withGenerator(options, async ({ server, generator, watch }) => {
      await waitForLoad(generator, server);
      await sleep(lengthSec * 1000);
      if (!generator.isAlive()) throw new Error(`it ended too early\n${generator.tail()}`);
      const medians = medianPerMinute(watch.samples).map(bytes => bytes / 2 ** 20);
      return {
        peakMemoryMb: watch.peakMemoryBytes() / 2 ** 20,
        firstMinuteMb: medians[0] ?? Number.NaN,
        lastMinuteMb: medians.at(-1) ?? Number.NaN,
        rangePercent: medians.length > 2 ? relativeRange(medians.slice(1)) * 100 : Number.NaN,
        minutes: lengthSec / 60,
        requests: await server.countRequests(),
      };
    });
  },
};
