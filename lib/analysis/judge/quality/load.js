/** How far to trust the figures of a load test. */

import { listPresent } from '../../../base/files/maps.js';
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
export const MANY_DROPPED = 0.01;
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
  const starts = compareStarts(load.http);
  return listPresent(
    load.steered && qualityItem('steered', 'warn', { turns: load.steered }),
    load.trustsAnyone && qualityItem('trusts-anyone', 'warn', {}),
    sendsNothing(load) && own.length > 0 && qualityItem('own-metrics', 'warn', { own }),
    judgeCounts(load, totalRequests),
    ...judgeGenerator(load),
    starts && qualityItem('coordinated-omission', starts.matters ? 'warn' : 'ok', starts),
    judgeClock(load),
    requests && qualityItem('littles-law', requests.holds ? 'ok' : 'warn', requests),
    ...judgeSize(load),
  );
}

/** @param {LoadReport} load @param {number | null} totalRequests */
function judgeCounts({ http: { requests } }, totalRequests) {
  if (totalRequests === null) return null;
  const off = Math.abs(totalRequests - requests) / Math.max(1, totalRequests);
  const level = off > COUNT_TOLERANCE ? 'warn' : 'ok';
  return qualityItem('counts-agree', level, { requests, totalRequests });
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
function judgeClock({ http, engine }) {
  const medianMs = http.timeToFirstByte?.p50Ms ?? null;
  const isCoarse = engine === 'artillery' && medianMs !== null && medianMs < COARSE_MS;
  return isCoarse && qualityItem('coarse-clock', 'warn', { medianMs });
}

/** @param {LoadReport} load */
function judgeSize({ users, http }) {
  const { created, skipped: dropped } = users;
  const arrivals = created + dropped;
  const isMany = dropped > arrivals * MANY_DROPPED;
  const count = (http.totalTime ?? http.timeToFirstByte)?.count ?? 0;
  const [aboveP99, aboveP95] = [Math.floor(count / 100), Math.floor((count * 5) / 100)];
  const leastAbove = aboveP99 < LEAST_ABOVE ? LEAST_ABOVE : null;
  const level = leastAbove ? 'warn' : 'ok';
  return listPresent(
    dropped > 0 && qualityItem('dropped-arrivals', isMany ? 'warn' : 'ok', { dropped, arrivals }),
    count > 0 && count < ENOUGH_RESPONSES && qualityItem('few-responses', 'warn', { count }),
    count > 0 && qualityItem('responses', level, { count, aboveP99, aboveP95, leastAbove }),
  );
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
