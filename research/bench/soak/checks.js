/** What a long load must have kept to. */
import { sum } from '../../../lib/base/math/summary.js';
import { medianPerMinute } from '../median-per-minute.js';

/** @typedef {{name: string, isGood: boolean, detail: string}} Check */

/** Memory is judged over these; the ones before may still fill caches. */
const LAST_MINUTES = 10;
const MOST_GROWTH = 0.05;

/**
 * @param {{http: {requests: number, responses: number, codes: {code: string, count: number}[]}}} load
 *   of the report
 * @param {import('./read-seconds.js').Seconds} seconds
 * @param {Record<string, number>} server its own count, by status
 * @returns {Check[]}
 */
export function checkTotals({ http }, seconds, server) {
  const told = Object.fromEntries(http.codes.map(({ code, count }) => [code, count]));
  const all = sum(Object.values(server));
  const inSeconds = sum([...seconds.requests.values()]);
  const totals = { requests: http.requests, responses: http.responses, 'in seconds': inSeconds };
  const named = { ...totals, 'at the end': seconds.aggregate };
  return [
    {
      name: "totals are the server's own",
      isGood: all > 0 && Object.values(named).every(count => count === all),
      detail: `server ${all}; ${list(named)}`,
    },
    {
      name: "statuses are the server's own",
      isGood: list(told) === list(server),
      detail: `server ${list(server)}; report ${list(told)}`,
    },
  ];
}

/**
 * Every second between the start and the end of the load has its record, and so has every second
 * of every worker.
 * @param {import('./read-seconds.js').Seconds} seconds @param {number} plannedSec
 * @returns {Check}
 */
export function checkSeconds({ requests, watched, phaseStartMs, phaseEndMs }, plannedSec) {
  const first = Math.floor(phaseStartMs / 1000) + 1;
  const last = Math.floor(phaseEndMs / 1000) - 1;
  const starts = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * 1000);
  const lost = starts.filter(start => !requests.get(start));
  const unwatched = [...watched.values()].flatMap(own => starts.filter(start => !own.has(start)));
  const lengthSec = (phaseEndMs - phaseStartMs) / 1000;
  return {
    name: 'no second is lost',
    isGood:
      lost.length === 0 &&
      unwatched.length === 0 &&
      watched.size > 0 &&
      Math.abs(lengthSec - plannedSec) < 1,
    detail: `${starts.length} full seconds in a phase of ${lengthSec.toFixed(1)} s, ${lost.length} without requests, ${unwatched.length} without the generator's own record`,
  };
}

/**
 * By how much the median of a minute is above that of the first one judged: a leak only ever adds to it. Less
 * memory is no loss; V8 gives what the start took back after a minute or three without much to do. The first
 * minute is not judged, and what is left over after the last full one, which holds the report, neither.
 * @param {Parameters<typeof medianPerMinute>[0]} samples
 * @returns {Check}
 */
export function checkMemory(samples) {
  const minutes = medianPerMinute(samples).map(bytes => bytes / 2 ** 20);
  const last = minutes.slice(1).slice(-LAST_MINUTES);
  const [first = Number.NaN] = last;
  const growth = Math.max(...last) / first - 1;
  const peakMb = Math.max(...samples.map(({ usage }) => usage.memoryBytes)) / 2 ** 20;
  if (last.length < 2) {
    return {
      name: 'memory',
      isGood: true,
      detail: `peak ${peakMb.toFixed(0)} MB; too short to judge`,
    };
  }
  return {
    name: `memory does not grow over the last ${last.length} minutes`,
    isGood: growth <= MOST_GROWTH,
    detail: `at most ${(growth * 100).toFixed(1)} % above the first of these minutes (medians ${last.map(mb => mb.toFixed(0)).join(', ')} MB), peak ${peakMb.toFixed(0)} MB`,
  };
}

/** @param {Record<string, unknown>} counts */
function list(counts) {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .toSorted()
    .join(', ');
}
