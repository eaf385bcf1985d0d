/**
 * How certain a single run's own figures are: a block bootstrap over its time. Neighbouring seconds are correlated,
 * so stretches of them are drawn, and only within their phase: a ramp is not chance.
 * H. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of
 * Statistics 17 (1989); blocks of ∛n windows: P. Hall, J. Horowitz, B. Jing, Biometrika 82 (1995).
 * It says nothing about what another run would give.
 */

import { unpackLatency } from '../../analysis/sample-table/sketches.js';
import { studentTwoSidedQuantile } from '../../base/math/distributions.js';
import { Z95 } from '../../base/math/intervals.js';
import { createRandom } from '../../base/math/random.js';
import { valueOfBin } from '../../base/math/sketch.js';
import { dot, standardDeviation, sum } from '../../base/math/summary.js';
import { COMPARED_PERCENTILES, MEASURES } from '../../run/facts/measures.js';
import { keyOfFigure } from './figures.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Timeline } from '../../run/facts/timeline.d.ts' */
/** @import { LatencySketch } from '../../analysis/sample-table/sketches.js' */
/** @import { Change, MeasureId } from '../../run/facts/compare-report.d.ts' */
/** @import { WithinRun } from './compare-values.js' */

const RESAMPLES = 200;
/** With fewer blocks, a bootstrap says next to nothing. */
const LEAST_BLOCKS = 4;

/**
 * @param {Report} report
 * @param {number} alpha
 * @returns {Promise<Map<string, WithinRun>>} by `keyOfFigure`; figures without a known error are absent
 */
export async function estimateWithinRun(report, alpha) {
  /** @type {Map<string, WithinRun>} */
  const errors = new Map();
  for (const own of report.profile?.categories ?? [])
    addPart(errors, { scope: 'category', name: own.id }, own);
  for (const own of report.profile?.packages ?? [])
    addPart(errors, { scope: 'package', name: own.name }, own);
  for (const { loadEndpoint, cpuMsPerRequest } of report.costs?.endpoints ?? []) {
    if (loadEndpoint === null) continue;
    const at = /** @type {const} */ ({ scope: 'endpoint', name: loadEndpoint });
    addEstimate(errors, keyOfFigure({ ...at, measure: 'cpuMsPerRequest' }), cpuMsPerRequest);
  }
  const blocks = await readBlocks(report);
  if (!blocks || blocks.strata.length < LEAST_BLOCKS) return errors;
  const draws = drawBlocks(blocks.strata);
  const dof = Math.max(1, blocks.strata.length - new Set(blocks.strata).size);
  const t = studentTwoSidedQuantile(alpha, dof) * Math.sqrt((dof + 1) / dof);
  for (const { key, statistic } of blocks.statistics) {
    const values = draws.map(statistic).filter(value => Number.isFinite(value));
    if (values.length < RESAMPLES / 2) continue;
    const logs = values.every(value => value > 0) ? values.map(Math.log) : null;
    errors.set(key, {
      error: standardDeviation(values),
      logError: logs && standardDeviation(logs),
      t,
    });
  }
  return errors;
}

/**
 * @param {Map<string, WithinRun>} errors @param {Pick<Change, 'scope' | 'name'>} at
 * @param {{share: Estimate, cpuMsPerRequest: Estimate | null}} own
 */
function addPart(errors, at, { share, cpuMsPerRequest }) {
  addEstimate(errors, keyOfFigure({ ...at, measure: 'cpuShare' }), share);
  addEstimate(errors, keyOfFigure({ ...at, measure: 'cpuMsPerRequest' }), cpuMsPerRequest);
}

/**
 * @param {Map<string, WithinRun>} errors @param {string} key
 * @param {Estimate | null} estimate
 */
function addEstimate(errors, key, estimate) {
  if (!estimate || estimate.low === null || estimate.high === null) return;
  const { low, high } = estimate;
  errors.set(key, {
    error: (high - low) / (2 * Z95),
    logError: low > 0 ? Math.log(high / low) / (2 * Z95) : null,
    t: Z95,
  });
}

/**
 * How often each block is in each resample; a block is replaced only by one of its own stratum.
 * @param {number[]} strata per block
 * @returns {Float64Array[]}
 */
function drawBlocks(strata) {
  const random = createRandom(1);
  const members = Map.groupBy(strata.keys(), block => strata[block] ?? 0);
  return Array.from({ length: RESAMPLES }, () => {
    const times = new Float64Array(strata.length);
    for (const blocks of members.values()) {
      for (let draw = 0; draw < blocks.length; draw++) {
        const block = blocks[Math.floor(random() * blocks.length)] ?? 0;
        times[block] = (times[block] ?? 0) + 1;
      }
    }
    return times;
  });
}

/**
 * @typedef {object} RunBlocks
 * @property {number[]} strata per block: its phase
 * @property {{key: string, statistic: (times: Float64Array) => number}[]} statistics `key` is from
 *   `keyOfFigure`; each takes how often each block counts
 */

/**
 * @param {Report} report
 * @returns {Promise<RunBlocks | null>} null where the run lacks its load over time
 */
async function readBlocks({ load, timeline }) {
  if (!load || !timeline?.load) return null;
  const { blockOf, strata } = cutBlocks(timeline, load.phases);
  const addUp = (/** @type {(ArrayLike<number | null> | undefined)[]} */ ...lists) => {
    const sums = new Float64Array(strata.length);
    for (const [window, block] of blockOf.entries())
      sums[block] = (sums[block] ?? 0) + sum(lists.map(own => own?.[window] ?? 0));
    return sums;
  };
  const lengthsMs = addUp(blockOf.map((_, window) => lengthOf(timeline, window)));
  /** @type {RunBlocks['statistics']} */
  const statistics = [];
  /**
   * @param {{scope: Change['scope'], name: string}} at
   * @param {{requests: number[], errors: number[]}} counts
   */
  const addRates = (at, counts) => {
    const requests = addUp(counts.requests);
    const errors = addUp(counts.errors);
    const good = requests.map((count, block) => count - (errors[block] ?? 0));
    const add = (
      /** @type {MeasureId} */ measure,
      /** @type {(times: Float64Array) => number} */ statistic,
    ) => statistics.push({ key: keyOfFigure({ ...at, measure }), statistic });
    add('throughputPerSec', times => (1000 * dot(good, times)) / dot(lengthsMs, times));
    add('errorRate', times => dot(errors, times) / dot(requests, times));
    if (at.scope === 'overall' && timeline.workers.length > 0) {
      const cpuMs = addUp(...timeline.workers.map(worker => worker.cpuMs));
      add('cpuMsPerRequest', times => dot(cpuMs, times) / dot(requests, times));
    }
  };
  const overall = /** @type {const} */ ({ scope: 'overall', name: '' });
  addRates(overall, timeline.load);
  addMeans(overall, timeline.load.endpoints);
  for (const endpoint of timeline.load.endpoints) {
    const at = /** @type {const} */ ({ scope: 'endpoint', name: endpoint.name });
    addRates(at, endpoint);
    addMeans(at, [endpoint]);
  }
  if (timeline.load.latency) {
    const { endpoints, latency } = timeline.load;
    const sketches = await unpackLatency(latency, endpoints.length, blockOf.length);
    for (const time of /** @type {const} */ (['total', 'timeToFirstByte'])) {
      const all = sketches.map(windows => windows.map(sketch => sketch[time]));
      for (const [index, { name }] of endpoints.entries())
        statistics.push(
          ...latencyStatistics({ scope: 'endpoint', name }, time, [all[index] ?? []]),
        );
      statistics.push(...latencyStatistics(overall, time, all));
    }
  }
  return { strata, statistics };

  /**
   * Means per response of a measure with known amounts.
   * @param {{scope: Change['scope'], name: string}} at
   * @param {NonNullable<Timeline['load']>['endpoints']} endpoints
   */
  function addMeans(at, endpoints) {
    const answers = addUp(...endpoints.map(({ answered, requests }) => answered ?? requests));
    for (const { id } of MEASURES.filter(({ isCompared }) => isCompared)) {
      const amounts = addUp(...endpoints.map(({ sums }) => sums?.[id]));
      const key = keyOfFigure({ ...at, measure: /** @type {MeasureId} */ (id) });
      if (amounts.some(Boolean))
        statistics.push({ key, statistic: times => dot(amounts, times) / dot(answers, times) });
    }
  }

  /**
   * @param {{scope: Change['scope'], name: string}} at
   * @param {'total' | 'timeToFirstByte'} time
   * @param {(LatencySketch | null)[][]} series per endpoint, per window
   */
  function latencyStatistics(at, time, series) {
    const quantile = readQuantiles(series, blockOf, strata.length);
    return COMPARED_PERCENTILES.map(({ field, q }) => ({
      key: keyOfFigure({ ...at, measure: /** @type {MeasureId} */ (`${time}.${field}`) }),
      statistic: (/** @type {Float64Array} */ times) => quantile(times, q),
    }));
  }
}

/**
 * Neighbouring windows of one phase form a block: ∛n of them if they are seconds.
 * @param {Timeline} timeline
 * @param {{startMs: number, endMs: number | null}[]} phases
 */
function cutBlocks(timeline, phases) {
  const windows = timeline.edgesMs.length - 1;
  // segments and periods are already several seconds long
  const length = timeline.basis === 'seconds' ? Math.ceil(Math.cbrt(windows)) : 1;
  /** @type {number[]} */
  const strata = [];
  /** @type {number[]} */
  const blockOf = [];
  let inBlock = 0;
  for (let window = 0; window < windows; window++) {
    const middle = (timeline.edgesMs[window] ?? 0) + lengthOf(timeline, window) / 2;
    const phase = phases.findLastIndex(({ startMs }) => startMs <= middle);
    if (strata.length === 0 || strata.at(-1) !== phase || inBlock === length) {
      strata.push(phase);
      inBlock = 0;
    }
    blockOf.push(strata.length - 1);
    inBlock++;
  }
  return { blockOf, strata };
}

/** @param {Timeline} timeline @param {number} window */
function lengthOf({ edgesMs }, window) {
  return (edgesMs[window + 1] ?? 0) - (edgesMs[window] ?? 0);
}

/**
 * @param {(LatencySketch | null)[][]} series
 * @param {number[]} blockOf per window
 * @param {number} blocks
 * @returns {(times: Float64Array, q: number) => number} ms; NaN without values
 */
function readQuantiles(series, blockOf, blocks) {
  const all = series.flat().flatMap(sketch => (sketch ? Array.from(sketch.keys) : []));
  const keys = [...new Set(all)].sort((a, b) => a - b);
  const place = new Map(keys.map((key, index) => [key, index]));
  const counts = keys.map(() => new Float64Array(blocks));
  for (const windows of series) {
    for (const [window, sketch] of windows.entries()) {
      const block = blockOf[window] ?? -1;
      if (!sketch || block < 0) continue;
      for (let bin = 0; bin < sketch.keys.length; bin++) {
        const own = counts[place.get(sketch.keys[bin] ?? 0) ?? 0];
        if (own) own[block] = (own[block] ?? 0) + (sketch.counts[bin] ?? 0);
      }
    }
  }
  // running totals: a quantile is then found by bisection
  for (const [bin, own] of counts.entries())
    for (let block = 0; bin > 0 && block < blocks; block++)
      own[block] = (own[block] ?? 0) + (counts[bin - 1]?.[block] ?? 0);
  const below = (/** @type {Float64Array} */ times, /** @type {number} */ bin) =>
    dot(times, counts[bin] ?? []);
  return (times, q) => {
    const total = below(times, keys.length - 1);
    if (!(total > 0)) return Number.NaN;
    let [low, high] = [0, keys.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (below(times, middle) > q * (total - 1)) high = middle;
      else low = middle + 1;
    }
    return valueOfBin(keys[low] ?? 0);
  };
}
