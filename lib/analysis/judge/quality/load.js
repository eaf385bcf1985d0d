/** How far to trust the figures of a load test. */

import { checkRequests } from '../../load/littles-law.js';
import { qualityItem } from '../statements.js';
import { listOwnMetrics, sendsNothing } from './validity.js';

/** @import { LoadReport } from '../../../run/facts/load-report.d.ts' */
/** @import { QualityItem, QualityTable } from '../../../run/facts/quality.d.ts' */

/** Below this, whole milliseconds are a coarse measure. */
const COARSE_MS = 10;
/** Allowed difference between the sum of the seconds and the generator's own count. */
const COUNT_TOLERANCE = 0.005;
/** Share of the arrivals. */
const MANY_DROPPED = 0.01;
/** Fewer responses show that a target responds, and not how it does under load. */
export const ENOUGH_RESPONSES = 30;
/** Responses above a percentile that make it more than luck. */
const LEAST_ABOVE = 10;

/**
 * @param {LoadReport} load
 * @param {number | null} totalRequests
 * @returns {QualityItem[]}
 */
export function judgeLoad(load, totalRequests) {
  const requests = checkRequests(load);
  const own = listOwnMetrics(load);
  return [
    ...(load.steered ? [qualityItem('steered', 'warn', { turns: load.steered })] : []),
    ...(load.trustsAnyone ? [qualityItem('trusts-anyone', 'warn', {})] : []),
    ...(sendsNothing(load) && own.length > 0 ? [qualityItem('own-metrics', 'warn', { own })] : []),
    ...judgeCounts(load, totalRequests),
    ...judgeGenerator(load),
    ...judgeTimes(load),
    ...(requests ? [qualityItem('littles-law', requests.holds ? 'ok' : 'warn', requests)] : []),
    ...judgeSize(load),
  ];
}

/** @param {LoadReport} load @param {number | null} totalRequests */
function judgeCounts({ http: { requests } }, totalRequests) {
  if (totalRequests === null) return [];
  const off = Math.abs(totalRequests - requests) / Math.max(1, totalRequests);
  return [
    qualityItem('counts-agree', off > COUNT_TOLERANCE ? 'warn' : 'ok', { requests, totalRequests }),
  ];
}

/** Did the generator fail to keep up? @param {LoadReport} load */
function judgeGenerator({ generator }) {
  if (!generator) return [];
  if (generator.signs.length > 0)
    return generator.signs.map(sign =>
      sign.isLimit
        ? qualityItem('generator-limit', 'bad', { sign })
        : qualityItem('generator-paused', 'warn', { sign }),
    );
  const utilizationMax = Math.max(...generator.workers.map(({ utilization }) => utilization));
  const lagP99Ms = generator.lag?.p99Ms ?? null;
  return [qualityItem('generator', 'ok', { utilizationMax, cores: generator.cores, lagP99Ms })];
}

/** @param {LoadReport} load */
function judgeTimes({ http, engine }) {
  const starts = compareStarts(http);
  const medianMs = http.timeToFirstByte?.p50Ms ?? null;
  const isCoarse = engine === 'artillery' && medianMs !== null && medianMs < COARSE_MS;
  return [
    ...(starts
      ? [qualityItem('coordinated-omission', starts.matters ? 'warn' : 'ok', starts)]
      : []),
    ...(isCoarse ? [qualityItem('coarse-clock', 'warn', { medianMs })] : []),
  ];
}

/** @param {LoadReport} load */
function judgeSize({ users, http }) {
  const arrivals = users.created + users.skipped;
  const items = [];
  if (users.skipped > 0) {
    const isMany = users.skipped > arrivals * MANY_DROPPED;
    items.push(
      qualityItem('dropped-arrivals', isMany ? 'warn' : 'ok', { dropped: users.skipped, arrivals }),
    );
  }
  const count = (http.totalTime ?? http.timeToFirstByte)?.count ?? 0;
  if (count === 0) return items;
  if (count < ENOUGH_RESPONSES) items.push(qualityItem('few-responses', 'warn', { count }));
  const above = (/** @type {number} */ percent) => Math.floor((count * (100 - percent)) / 100);
  const isFew = above(99) < LEAST_ABOVE;
  items.push(
    qualityItem('responses', isFew ? 'warn' : 'ok', {
      count,
      aboveP99: above(99),
      aboveP95: above(95),
      leastAbove: isFew ? LEAST_ABOVE : null,
    }),
  );
  return items;
}

/**
 * Coordinated omission (Tene, "How NOT to measure latency"): a generator that sends late because it,
 * or the target, fell behind measures less than a user would have waited.
 */

/** Latency from the intended start may exceed the other by this much before it counts, like a lag (generator-signs.js). */
const TOLERANCE = 0.1;
const TOLERANCE_MS = 10;
/** With fewer responses, fewer than ten lie above p99, and a hiccup at the start sets it. */
const ENOUGH_FOR_P99 = 1000;

/**
 * Compares the total time from the intended start with the time from the actual sending.
 * @param {LoadReport['http']} http
 * @returns {QualityTable['coordinated-omission'] | null} null without a schedule, where the engine does
 *   not know it, and with too few responses
 */
export function compareStarts({ totalTime, totalFromIntended }) {
  if (!totalTime || !totalFromIntended) return null;
  const percent = totalTime.count < ENOUGH_FOR_P99 ? 95 : 99;
  const actualMs = totalTime[`p${percent}Ms`];
  const intendedMs = totalFromIntended[`p${percent}Ms`];
  if (actualMs === null || intendedMs === null) return null;
  const matters = intendedMs - actualMs > Math.max(TOLERANCE_MS, actualMs * TOLERANCE);
  return { percent, intendedMs, actualMs, matters };
}
