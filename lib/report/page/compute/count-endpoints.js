/** Rows of the endpoint table for a stretch of windows. */
import { latencyAt, mergeLatency } from '../../../sample-table/sketches.js';
import { scaleEstimate } from './scale-estimate.js';
import { sumWindows } from './sums.js';

/** @import { CostBasis } from '../../../analysis/costs.d.ts' */
/** @import { Estimate } from '../../../analysis/report.d.ts' */
/** @import { SampleCounts } from '../../../sample-table/sample-table.d.ts' */
/** @import { LatencySketch } from '../../../sample-table/sketches.js' */
/** @import { Model } from './model.js' */

/** @typedef {{p50Ms: number | null, p95Ms: number | null, p99Ms: number | null, maxMs: number | null}} Times */

/**
 * @typedef {object} EndpointRow
 * @property {string} name
 * @property {CostBasis | null} basis how samples were tied to it
 * @property {number | null} requests
 * @property {number | null} errors
 * @property {number | null} ratePerSec
 * @property {(which: 'total' | 'timeToFirstByte') => Times | null} times merged when asked for; total:
 *   from the wish to send to the last byte
 * @property {number | null} samples
 * @property {Estimate | null} shareOfCpu
 * @property {Estimate | null} cpuMsPerRequest
 * @property {{id: string, label: string, color: string, share: number}[]} byCategory biggest first
 * @property {number | null} threadCpuMsPerRequest measured in the worker; of the whole run
 */

/**
 * @param {Model} model
 * @param {object} context
 * @param {{from: number, to: number}} context.windows
 * @param {boolean} context.isWhole take the Report's own numbers
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

/** @param {Model} model @param {number} at @param {Parameters<typeof countEndpoints>[1]} context */
function loadOf({ report, latency, edgesMs }, at, { windows, isWhole }) {
  const { load, timeline } = report;
  const whole = load?.endpoints[at];
  const nothing = { requests: null, errors: null, ratePerSec: null, times: () => null };
  if (!load || !whole) return nothing;
  if (isWhole) {
    const seconds = (load.window.endMs - load.window.startMs) / 1000;
    return {
      requests: whole.requests,
      errors: whole.errors,
      ratePerSec: seconds > 0 ? whole.requests / seconds : null,
      /** @type {EndpointRow['times']} */
      times: which => (which === 'total' ? whole.totalTime : whole.timeToFirstByte),
    };
  }
  const own = timeline?.load?.endpoints[at];
  if (!own || !edgesMs) return nothing;
  const seconds = ((edgesMs[windows.to] ?? 0) - (edgesMs[windows.from] ?? 0)) / 1000;
  const requests = sumWindows(own.requests, windows);
  return {
    requests,
    errors: sumWindows(own.errors, windows),
    ratePerSec: requests !== null && seconds > 0 ? requests / seconds : null,
    /** @type {EndpointRow['times']} */
    times: which => timesOf(mergeEndpoint(latency, at, windows, which)),
  };
}

/** @param {Model['latency']} latency @param {number} at @param {{from: number, to: number}} windows @param {'total' | 'timeToFirstByte'} which */
function mergeEndpoint(latency, at, { from, to }, which) {
  return mergeLatency((latency?.[at] ?? []).slice(from, to).map(own => own[which]));
}

/**
 * Times of the picked endpoints together.
 * @param {Model} model
 * @param {{windows: {from: number, to: number}, picked: string[] | null}} context `picked`: null for all
 * @returns {Times | null} of what the timeline shows: total, or to the first byte
 */
export function measureTimes({ report, latency, endpoints, loadIndex }, { windows, picked }) {
  const { load, timeline } = report;
  if (!load || !timeline?.load) return null;
  const which = timeline.load.latencyOf === 'total' ? 'total' : 'timeToFirstByte';
  const isAll = windows.from === 0 && windows.to === timeline.edgesMs.length - 1;
  if (!picked && isAll) return which === 'total' ? load.http.totalTime : load.http.timeToFirstByte;
  const places = (picked ?? endpoints).map(name => loadIndex[endpoints.indexOf(name)] ?? -1);
  return timesOf(mergeLatency(places.map(at => mergeEndpoint(latency, at, windows, which))));
}

/** @param {LatencySketch} merged @returns {Times | null} */
function timesOf(merged) {
  if (merged.count === 0) return null;
  return {
    p50Ms: latencyAt(merged, 0.5),
    p95Ms: latencyAt(merged, 0.95),
    p99Ms: latencyAt(merged, 0.99),
    maxMs: merged.maxMs,
  };
}

/** @param {Model} model @param {number} index @param {Parameters<typeof countEndpoints>[1]} context */
function costsOf(model, index, { isWhole, counts, cpuMs, windows, estimateShare }) {
  const { report, tableIndex, loadIndex } = model;
  const at = tableIndex[index] ?? -1;
  const whole = report.costs?.endpoints[at];
  const categories = report.profile?.table?.categories ?? [];
  const common = {
    basis: whole?.basis ?? null,
    threadCpuMsPerRequest: whole?.threadCpuMsPerRequest ?? null,
  };
  if (at < 0 || !whole)
    return { ...common, samples: null, shareOfCpu: null, cpuMsPerRequest: null, byCategory: [] };
  if (isWhole || !counts) {
    return {
      ...common,
      samples: whole.samples,
      shareOfCpu: whole.shareOfCpu,
      cpuMsPerRequest: whole.cpuMsPerRequest,
      byCategory: whole.byCategory.map(({ category, share }) => ({
        ...describe(categories.find(({ id }) => id === category)),
        share,
      })),
    };
  }
  const samples = counts.endpoints[at] ?? 0;
  const shareOfCpu = estimateShare(samples);
  const requests = sumWindows(
    report.timeline?.load?.endpoints[loadIndex[index] ?? -1]?.requests,
    windows,
  );
  return {
    ...common,
    samples,
    shareOfCpu,
    cpuMsPerRequest:
      cpuMs !== null && requests
        ? scaleEstimate(shareOfCpu, (cpuMs * (report.costs?.cpuScale ?? 1)) / requests)
        : null,
    byCategory: categories
      .map((category, n) => ({
        ...describe(category),
        share:
          samples > 0 ? (counts.endpointCategories[at * categories.length + n] ?? 0) / samples : 0,
      }))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share),
  };
}

/** @param {{id: string, label: string, color: string} | undefined} category */
function describe(category) {
  return category ?? { id: 'unknown', label: 'not attributed', color: '' };
}
