/** How far the figures of a load test can be trusted. */
import { formatMs, formatNumberOf, formatPercent, formatRate } from '../format.js';
import { compareStarts } from './intended-start.js';
import { checkRequests, checkUsers } from './littles-law.js';

/** Below this, whole milliseconds are a coarse measure. */
const COARSE_MS = 10;
/** Difference between the sum of the seconds and the generator's own count. */
const COUNT_TOLERANCE = 0.005;
/** @typedef {import('./report.d.ts').LoadReport} LoadReport */
/** @typedef {import('./quality.js').Add} Add */

/**
 * @param {LoadReport} load
 * @param {number | null} totalRequests
 * @param {Add} add
 */
export function judgeLoad(load, totalRequests, add) {
  const { requests } = load.http;
  if (totalRequests !== null) {
    const off = Math.abs(totalRequests - requests) / Math.max(1, totalRequests);
    add(
      'counts-agree',
      off > COUNT_TOLERANCE ? 'warn' : 'ok',
      `Requests per second add up to ${requests}; the load generator's own total is ${totalRequests}.`,
    );
  }
  judgeGenerator(load, add);
  judgeSchedule(load, add);
  judgeLittlesLaw(load, add);
  const median = load.http.timeToFirstByte?.p50Ms ?? null;
  if (load.engine === 'artillery' && median !== null && median < COARSE_MS) {
    add(
      'coarse-clock',
      'warn',
      `Half of the answers came within ${formatMs(median)}, and Artillery's engine times them in whole milliseconds: differences of a few milliseconds mean nothing.`,
    );
  }
}

/** Was it the generator that could not keep up? @param {LoadReport} load @param {Add} add */
function judgeGenerator({ generator, engine }, add) {
  if (!generator) {
    const why =
      engine === 'artillery'
        ? "Artillery's engine does not watch itself, and its timer keeps a core busy even when there is little to do"
        : 'No record tells how busy it was';
    add(
      'generator-unknown',
      'warn',
      `Whether the load generator was the limit is not known. ${why}.`,
    );
    return;
  }
  for (const { isLimit, text } of generator.signs) {
    if (isLimit) {
      add(
        'generator-limit',
        'bad',
        `Doubtful: the load generator was the limit: ${text}. Times and rates are its own as much as the target's.`,
      );
    } else {
      add(
        'generator-paused',
        'warn',
        `The load generator's ${text}: such pauses are in the times.`,
      );
    }
  }
  if (generator.signs.length > 0) return;
  const busiest = Math.max(...generator.workers.map(({ utilization }) => utilization));
  const parts = [
    `its busiest worker was at work ${formatPercent(busiest)} of the time`,
    generator.cores !== null && `all together used ${generator.cores.toFixed(2)} cores`,
    generator.lag &&
      `99 % of the users started within ${formatMs(generator.lag.p99Ms)} of their time`,
  ];
  add('generator', 'ok', `The load generator kept up: ${parts.filter(Boolean).join(', ')}.`);
}

/** @param {LoadReport} load @param {Add} add */
function judgeSchedule({ http }, add) {
  const starts = compareStarts(http);
  if (!starts) return;
  const { percent, intendedMs, actualMs, matters } = starts;
  add(
    'intended-start',
    matters ? 'warn' : 'ok',
    `Counted from the moment that the schedule meant, p${percent} of the total time is ${formatMs(intendedMs)}; from when requests were really sent, ${formatMs(actualMs)}${matters ? ': some were sent late, and the first figure is what users would have felt' : ''}.`,
  );
}

/** @param {LoadReport} load @param {Add} add */
function judgeLittlesLaw(load, add) {
  const requests = checkRequests(load);
  if (requests) {
    const { windowSec, windows, worst, holds } = requests;
    add(
      'littles-law',
      holds ? 'ok' : 'warn',
      `Little's law for requests, in ${formatNumberOf(windows, 'window')} of ${windowSec} s: at most ${worst.inFlight.toFixed(2)} were under way (rate × time) for ${worst.users.toFixed(1)} users at work${holds ? '' : ': more than there were users, so rate, times or users are wrong, or the script sends in parallel'}.`,
    );
  }
  const users = checkUsers(load);
  if (users) {
    const { perSec, sessionSec, expected, holds } = users;
    add(
      'littles-law-users',
      holds ? 'ok' : 'warn',
      `Little's law for users: ${formatRate(perSec)} × ${sessionSec.toFixed(2)} s = ${expected.toFixed(1)}, and ${users.users.toFixed(1)} were at work on average${holds ? '' : ': users were lost or counted twice'}.`,
    );
  }
}
