/** From what a reader picked to every number that depends on it: pure. */

import { selectSamples } from '../../../sample-table/select.js';
import { wilsonInterval } from '../../../wilson.js';
import { isNarrowed } from '../state/store.js';
import { countEndpoints, measureTimes } from './count-endpoints.js';
import { scaleEstimate } from './scale-estimate.js';
import { sumWindows } from './sums.js';

/** @import { Estimate } from '../../../analysis/report.d.ts' */
/** @import { SampleCounts, Selection } from '../../../sample-table/sample-table.d.ts' */
/** @import { EndpointRow } from './count-endpoints.js' */
/** @import { PageState } from '../state/page-state.d.ts' */
/** @import { Model } from './model.js' */

/**
 * @typedef {object} Computed
 * @property {PageState} state
 * @property {boolean} isWhole nothing is left out: the Report's own numbers hold
 * @property {{from: number, to: number}} windows
 * @property {number | null} lengthMs of the windows
 * @property {SampleCounts | null} counts of the selection; null while unpacking, and without a profile
 * @property {number} activeSamples of the same windows and workers, whatever else was picked
 * @property {number | null} requests of the picked endpoints in the windows
 * @property {number | null} errors
 * @property {number | null} cpuMs of the picked workers in the windows
 * @property {(samples: number, of?: number) => Estimate} estimateShare of the selection's samples, with interval
 * @property {(samples: number) => Estimate | null} estimateCost CPU-ms per request; null where it can't be told
 * @property {ReturnType<typeof measureTimes>} times of the picked endpoints in the windows
 * @property {EndpointRow[]} endpoints
 */

/** @param {Model} model @param {PageState} state @returns {Computed} */
export function compute(model, state) {
  const { report, samples, edgesMs, windowCount } = model;
  const windows = state.windows ?? { from: 0, to: windowCount };
  const selection = toSelection(model, state);
  const counts = samples && selectSamples(samples, selection);
  const base = samples && counts && selectBase(model, selection, counts);
  const isWhole = !isNarrowed(state);
  const designEffect = report.profile?.table?.designEffect ?? 1;
  const requests = countOf(model, state, windows, 'requests');
  const cpuMs = isWhole
    ? (report.profile?.cpu.workersMs ?? null)
    : sumCpu(model, state.workers, windows);
  const activeSamples = base?.total ?? report.profile?.samples.active ?? 0;
  /** @param {number} count @param {number} [of] @returns {Estimate} */
  const estimateShare = (count, of = counts?.total ?? 0) => ({
    value: of > 0 ? count / of : 0,
    ...wilsonInterval(count / designEffect, of / designEffect),
  });
  const perRequest = state.workers ? null : costPerRequest(model, isWhole, cpuMs, requests);
  /** @param {number} count */
  const estimateCost = count =>
    perRequest === null ? null : scaleEstimate(estimateShare(count, activeSamples), perRequest);
  return {
    state,
    isWhole,
    windows,
    lengthMs: edgesMs ? (edgesMs[windows.to] ?? 0) - (edgesMs[windows.from] ?? 0) : null,
    counts,
    activeSamples,
    requests,
    errors: countOf(model, state, windows, 'errors'),
    cpuMs,
    estimateShare,
    estimateCost,
    times: measureTimes(model, { windows, picked: state.endpoints }),
    endpoints: countEndpoints(model, {
      windows,
      isWhole,
      counts: base,
      cpuMs: state.workers ? null : cpuMs,
      estimateShare: count => estimateShare(count, activeSamples),
    }),
  };
}

/** @param {Model} model @param {PageState} state @returns {Selection} by index */
function toSelection(model, { windows, workers, endpoints, categories, search }) {
  const table = model.report.profile?.table;
  /** @type {Selection} */
  const selection = {};
  if (windows) selection.windows = windows;
  if (workers && table) selection.workers = indexesOf(table.workers, workers);
  if (endpoints) {
    selection.endpoints = endpoints
      .map(name => model.tableIndex[model.endpoints.indexOf(name)] ?? -1)
      .filter(index => index >= 0);
  }
  if (categories && table)
    selection.categories = indexesOf(
      table.categories.map(({ id }) => id),
      categories,
    );
  if (search) selection.search = search;
  return selection;
}

/** @template T @param {T[]} all @param {T[]} some */
function indexesOf(all, some) {
  return some.map(entry => all.indexOf(entry)).filter(index => index >= 0);
}

/**
 * Samples of the same windows and workers: what the CPU time of the processes is divided by.
 * @param {Model} model @param {Selection} selection @param {SampleCounts} counts
 */
function selectBase({ samples }, { windows, workers, endpoints, categories, search }, counts) {
  if (!samples || !(endpoints || categories || search)) return counts;
  return selectSamples(samples, { ...(windows && { windows }), ...(workers && { workers }) });
}

/** @param {Model} model @param {PageState} state @param {{from: number, to: number}} windows @param {'requests' | 'errors'} what */
function countOf({ report, endpoints, loadIndex }, state, windows, what) {
  const { load, timeline } = report;
  if (!load) return null;
  if (!state.windows && !state.endpoints && what === 'requests') return load.http.requests;
  if (!timeline?.load) return null;
  if (!state.endpoints) return sumWindows(timeline.load[what], windows);
  let sum = 0;
  for (const name of state.endpoints) {
    const own = timeline.load.endpoints[loadIndex[endpoints.indexOf(name)] ?? -1];
    sum += sumWindows(own?.[what], windows) ?? 0;
  }
  return sum;
}

/** @param {Model} model @param {number[] | null} pids @param {{from: number, to: number}} windows */
function sumCpu({ report }, pids, windows) {
  const known = (report.timeline?.workers ?? []).flatMap(({ pid, cpuMs }) =>
    !pids || pids.includes(pid) ? (sumWindows(cpuMs, windows) ?? []) : [],
  );
  return known.length > 0 ? known.reduce((sum, ms) => sum + ms, 0) : null;
}

/** @param {Model} model @param {boolean} isWhole @param {number | null} cpuMs @param {number | null} requests */
function costPerRequest({ report }, isWhole, cpuMs, requests) {
  if (isWhole) return report.profile?.cpu.perRequest?.value ?? null;
  return cpuMs !== null && requests ? cpuMs / requests : null;
}
