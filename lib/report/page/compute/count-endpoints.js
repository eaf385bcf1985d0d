/** Rows of the endpoint table for a range of windows. */

import { mergeLatency } from '../../../analysis/sample-table/sketches.js';
import { meanOverTime, scaleEstimate } from '../../../base/math/intervals.js';
import { sumWindows } from './sums.js';

/** @import { Estimate } from '../../../base/math/estimate.d.ts' */
/** @import { SampleCounts } from '../../../run/facts/sample-table.d.ts' */
/** @import { Sketch } from '../../../base/math/sketch.js' */
/** @import { Model } from './compute.js' */
/** @import { Timeline } from '../../../run/facts/timeline.d.ts' */

/** @typedef {NonNullable<import('../../../text/document/run-endpoints.js').EndpointRow['times']>} Times */

/** @typedef {import('../../../text/document/run-endpoints.js').EndpointRow & {samples: number | null, byCategory: {category: string, label: string, color: string, share: number}[]}} EndpointRow `byCategory`: biggest first */

/**
 * @param {Model} model
 * @param {object} context
 * @param {{from: number, to: number}} context.windows
 * @param {boolean} context.isWhole use the report's own numbers
 * @param {SampleCounts | null} context.counts of the windows and workers, all endpoints and categories
 * @param {number | null} context.cpuMs
 * @param {(samples: number) => Estimate} context.estimateShare
 * @returns {EndpointRow[]} in the model's order
 */
export function countEndpoints(model, context) {
  return model.endpoints.map((name, index) => ({
    name,
    ...loadOf(model, model.loadIndex[index] ?? -1, context),
    ...costsOf(model, index, context),
  }));
}

/**
 * @param {Model} model
 * @param {number} at
 * @param {Parameters<typeof countEndpoints>[1]} context
 */
function loadOf(model, at, { windows, isWhole }) {
  const { edgesMs } = model;
  const { load, timeline } = model.report;
  const whole = load?.endpoints[at];
  const own = isWhole ? whole : timeline?.load?.endpoints[at];
  if (!load || !whole || !own || !(edgesMs || isWhole))
    return { requests: null, errors: null, ratePerSec: null, means: {}, times: null };
  const { startMs, endMs } = load.window;
  const lengthMs = isWhole
    ? endMs - startMs
    : (edgesMs?.[windows.to] ?? 0) - (edgesMs?.[windows.from] ?? 0);
  const [requests = null, errors = null] = [own.requests, own.errors].map(count =>
    typeof count === 'number' ? count : sumWindows(count, windows),
  );
  return {
    requests,
    errors,
    means: isWhole ? (whole.means ?? {}) : meansOf(timeline?.load?.endpoints[at], windows),
    ratePerSec: requests !== null && lengthMs > 0 ? (requests * 1000) / lengthMs : null,
    times: isWhole
      ? (whole.totalTime ?? (load.http.totalTime ? null : whole.timeToFirstByte))
      : timesOf(mergeLatency(latencyOf(model.latency, at, windows, latencyKind(model)))),
  };
}

/**
 * @param {NonNullable<Timeline['load']>['endpoints'][number] | undefined} endpoint
 * @param {{from: number, to: number}} windows
 * @returns {Record<string, number>} sums over responses ÷ responses
 */
function meansOf(endpoint, windows) {
  const responses = sumWindows(endpoint?.answered ?? endpoint?.requests, windows) || 1;
  const means = Object.entries(endpoint?.sums ?? {}).map(([id, amounts]) => [
    id,
    (sumWindows(amounts, windows) ?? 0) / responses,
  ]);
  return Object.fromEntries(means);
}

/**
 * @param {Model['latency']} latency
 * @param {number} at
 * @param {{from: number, to: number}} windows
 * @param {'total' | 'timeToFirstByte'} which
 */
function latencyOf(latency, at, { from, to }, which) {
  return (latency?.[at] ?? []).slice(from, to).map(own => own[which]);
}

/** What the timeline shows: total times, or those to the first byte. @param {Model} model */
function latencyKind({ report }) {
  return report.timeline?.load?.latencyOf === 'total' ? 'total' : 'timeToFirstByte';
}

/**
 * Latency of the picked endpoints, window by window; null while it is unpacked.
 * @param {Model} model
 * @param {number[] | null} picked indexes in the load test; null: all
 */
export function mergeWindows(model, picked) {
  const { latency, windowCount } = model;
  const kind = latencyKind(model);
  const lists = picked ? picked.map(index => latency?.[index] ?? []) : (latency ?? []);
  return Array.from({ length: windowCount }, (_, window) =>
    mergeLatency(lists.map(list => list[window]?.[kind] ?? null)),
  );
}

/**
 * Times of the picked endpoints together.
 * @param {Model} model
 * @param {{windows: {from: number, to: number}, picked: number[] | null}} context `picked`: indexes in the load test; null: all
 * @returns {Times | null}
 */
export function measureTimes(model, { windows, picked }) {
  const { load, timeline } = model.report;
  if (!load || !timeline?.load) return null;
  const kind = latencyKind(model);
  const isAll = windows.from === 0 && windows.to === timeline.edgesMs.length - 1;
  if (!picked && isAll) return kind === 'total' ? load.http.totalTime : load.http.timeToFirstByte;
  const places = picked ?? model.loadIndex;
  return timesOf(mergeLatency(places.flatMap(at => latencyOf(model.latency, at, windows, kind))));
}

/** @param {Sketch} merged @returns {Times | null} */
function timesOf(merged) {
  if (merged.count === 0) return null;
  return {
    p50Ms: merged.quantile(0.5),
    p95Ms: merged.tailQuantile(0.95),
    p99Ms: merged.tailQuantile(0.99),
    maxMs: merged.max,
  };
}

const UNATTRIBUTED = { label: 'not attributed', color: '' };
const NO_COST = { isMeasured: null, samples: null, shareOfCpu: null, cpuMsPerRequest: null };

/**
 * @param {Model} model
 * @param {number} index
 * @param {Parameters<typeof countEndpoints>[1]} context
 */
function costsOf(model, index, { isWhole, counts, cpuMs, windows, estimateShare }) {
  const { report, tableIndex, loadIndex } = model;
  const at = tableIndex[index] ?? -1;
  const whole = report.costs?.endpoints[at];
  const categories = report.profile?.table?.categories ?? [];
  const { isMeasured = false, leastMsPerRequest } = whole ?? {};
  const isKnown = leastMsPerRequest === undefined;
  if (!whole) return { ...NO_COST, byCategory: [] };
  const own = report.timeline?.load?.endpoints[loadIndex[index] ?? -1];
  const timed = isMeasured && isKnown && own?.measured;
  const inside = (/** @type {number[]} */ values) => values.slice(windows.from, windows.to);
  const measured = timed ? meanOverTime(inside(timed.cpuMs), inside(timed.answers)) : null;
  if (isWhole || !counts) {
    const { samples } = whole;
    const isAllTime = windows.from === 0 && windows.to === model.windowCount;
    // Without a profile the share covers the whole run, and does not hold for a part of it.
    const shareOfCpu = report.profile || isAllTime ? whole.shareOfCpu : null;
    const cpuMsPerRequest = (isWhole ? null : measured) ?? whole.cpuMsPerRequest;
    const byCategory = whole.byCategory.map(({ category, share }) => {
      const { label, color } = categories.find(({ id }) => id === category) ?? UNATTRIBUTED;
      return { category, label, color, share };
    });
    return { isMeasured, samples, shareOfCpu, cpuMsPerRequest, leastMsPerRequest, byCategory };
  }
  const samples = counts.endpoints[at] ?? 0;
  const answered = sumWindows(own?.answered ?? own?.requests, windows);
  const perShare = cpuMs && answered && !report.costs?.tying.later ? cpuMs / answered : null;
  // a sample represents the same CPU time as in the whole run
  const ofAll = whole.samples / (report.profile?.samples.active || 1);
  const share = scaleEstimate(estimateShare(samples), whole.shareOfCpu.value / (ofAll || 1));
  return {
    isMeasured,
    samples,
    shareOfCpu: measured && perShare ? scaleEstimate(measured, 1 / perShare) : share,
    leastMsPerRequest,
    cpuMsPerRequest: perShare && isKnown ? (measured ?? scaleEstimate(share, perShare)) : null,
    byCategory: categories
      .map(({ id: category, label, color }, index) => {
        const count = counts.endpointCategories[at * categories.length + index] ?? 0;
        return { category, label, color, share: count / Math.max(1, samples) };
      })
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share),
  };
}
