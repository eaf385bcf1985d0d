/** Errors that came together: by code and endpoint, over seconds. */
import { poissonTail } from '../../../base/math/distributions.js';
import { least, most, sum } from '../../../base/math/summary.js';
import { SECOND_MS } from '../../read/load/build-grid.js';
import { addUp, NEARLY_ALL, sumOf } from '../../read/load/error-series.js';

/** @import { Counts, ErrorSeries } from '../../read/load/error-series.js' */

/** Lengths of the windows in which errors are counted together; a burst may be sharp or drawn out. */
const SCALES_SEC = [1, 3, 10, 30];
/** Fewer errors are no burst, however rare they are otherwise. */
const LEAST_ERRORS = 3;
/** Chance of this many errors by accident, at the rate of the rest of the run. */
const ACCIDENT = 1e-4;
/** Seconds without an error inside a burst. */
const PAUSE_SEC = 2;
/** Rounds of removing bursts from the rate that they are compared with. */
const ROUNDS = 3;
/** Errors of a kind outside of bursts that make it steady. */
const STEADY_ERRORS = 5;
const STEADY_SHARE = 0.1;
const MOST_ENDPOINTS = 5;
const MOST_BURSTS = 20;

/** @typedef {Omit<import('../../../run/facts/logs.d.ts').ErrorBurst, 'log' | 'answeredBy'>} Burst */

/**
 * A scan of Poisson counts (Naus, "The distribution of the size of the maximum cluster of points on a
 * line", JASA 60, 1965, in its simplest form): windows that hold more errors than the requests in them
 * make likely at the rate of the rest.
 * @param {ErrorSeries} series
 * @returns {Burst[]} oldest first; at most 20, the largest
 */
export function findBursts(series) {
  const requests = addUp(series.requests.values());
  const seconds = [
    ...requests.keys(),
    ...series.codes().flatMap(code => [...series.countsOf(code).keys()]),
  ];
  const range = { firstSec: least(seconds), lastSec: most(seconds) };
  return series
    .codes()
    .flatMap(code => findOfCode(series, code, requests, range))
    .sort((a, b) => b.errors - a.errors)
    .slice(0, MOST_BURSTS)
    .sort((a, b) => a.startMs - b.startMs);
}

/**
 * @param {ErrorSeries} series
 * @param {string} code
 * @param {Counts} requests of all endpoints
 * @param {{firstSec: number, lastSec: number}} range
 * @returns {Burst[]}
 */
function findOfCode(series, code, requests, range) {
  const errors = series.countsOf(code);
  /** @type {Set<number>} */
  let hot = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    const next = markHot(errors, requests, hot, range);
    if (next.size === hot.size) break;
    hot = next;
  }
  const places = series.placesOf(code);
  const describe = (/** @type {number[]} */ seconds, /** @type {boolean} */ isSteady) => {
    const [first = 0, last = 0] = [seconds[0], seconds.at(-1)];
    const n = sumOf(errors, seconds);
    const endpoints = places
      .map(([name, own]) => ({ name, errors: sumOf(own, seconds) }))
      .filter(own => own.errors > 0)
      .sort((a, b) => b.errors - a.errors);
    const [top] = endpoints;
    const time = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const asked = endpoints.map(({ name }) => sumOf(series.requests.get(name) ?? new Map(), time));
    return {
      startMs: first * SECOND_MS,
      endMs: (last + 1) * SECOND_MS,
      code,
      endpoint: top && top.errors >= n * NEARLY_ALL ? top.name : null,
      endpoints: endpoints.slice(0, MOST_ENDPOINTS),
      errors: n,
      requests: asked.length > 0 ? sum(asked) : null,
      isSteady,
    };
  };
  const bursts = groupSeconds([...hot].sort((a, b) => a - b))
    .map(seconds => describe(seconds, false))
    .filter(burst => burst.errors >= LEAST_ERRORS);
  const rest = [...errors.keys()].filter(second => !hot.has(second)).sort((a, b) => a - b);
  const left = sumOf(errors, rest);
  const hasSteady = left >= STEADY_ERRORS && left >= sumOf(errors, errors.keys()) * STEADY_SHARE;
  return hasSteady ? [...bursts, describe(rest, true)] : bursts;
}

/**
 * Seconds with errors inside of windows that hold too many.
 * @param {Map<number, number>} errors
 * @param {Map<number, number>} requests
 * @param {Set<number>} taken out of the rate
 * @param {{firstSec: number, lastSec: number}} range
 */
function markHot(errors, requests, taken, { firstSec, lastSec }) {
  let [restErrors, restRequests] = [0, 0];
  for (let second = firstSec; second <= lastSec; second++) {
    if (taken.has(second)) continue;
    restErrors += errors.get(second) ?? 0;
    // Requests without errors count as one at least, so that a silent second counts as time too.
    restRequests += Math.max(1, requests.get(second) ?? 0);
  }
  const rate = restErrors / Math.max(1, restRequests);
  /** @type {Set<number>} */
  const hot = new Set(taken);
  for (const scale of SCALES_SEC) {
    if (scale > (lastSec - firstSec + 1) / 2) break;
    let [inside, asked] = [0, 0];
    for (let second = firstSec; second <= lastSec; second++) {
      inside += errors.get(second) ?? 0;
      asked += Math.max(1, requests.get(second) ?? 0);
      const gone = second - scale;
      if (gone >= firstSec) {
        inside -= errors.get(gone) ?? 0;
        asked -= Math.max(1, requests.get(gone) ?? 0);
      }
      if (inside < LEAST_ERRORS || poissonTail(inside, rate * asked) >= ACCIDENT) continue;
      for (let at = Math.max(firstSec, gone + 1); at <= second; at++) {
        if (errors.get(at)) hot.add(at);
      }
    }
  }
  return hot;
}

/** @param {number[]} seconds ascending @returns {number[][]} */
function groupSeconds(seconds) {
  /** @type {number[][]} */
  const groups = [];
  for (const second of seconds) {
    const last = groups.at(-1);
    if (last && second - (last.at(-1) ?? 0) <= PAUSE_SEC + 1) last.push(second);
    else groups.push([second]);
  }
  return groups;
}
