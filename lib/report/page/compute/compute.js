/** Calculates every number that depends on the reader's selection. Pure. */

import { selectSamples } from '../../../analysis/sample-table/select.js';
import {
  CLEAR,
  scaleEstimate,
  widenInterval,
  wilsonInterval,
} from '../../../base/math/intervals.js';
import { isNarrowed } from '../state.js';
import { countCalls } from './count-calls.js';
import { countEndpoints, measureTimes } from './count-endpoints.js';
import { countWaiting } from './count-waiting.js';
import { findPicked, sumWindows } from './sums.js';

/** @import { Estimate } from '../../../base/math/estimate.d.ts' */
/** @import { SampleCounts, Samples, Selection } from '../../../run/facts/sample-table.d.ts' */
/** @import { LatencySketch } from '../../../analysis/sample-table/sketches.js' */
/** @import { WordedReport as Report } from '../../../text/worded-report.d.ts' */
/** @import { PageState } from '../state.js' */
/** @import { EndpointRow } from './count-endpoints.js' */

/**
 * The data that selections are counted from.
 * @typedef {object} Model
 * @property {Report} report
 * @property {number[] | null} edgesMs of the windows; null if nothing was measured over time
 * @property {number} windowCount
 * @property {string[]} endpoints names that can be picked: of the load test, then of samples alone
 * @property {number[]} loadIndex per endpoint, its place in `load.endpoints`; −1 for none
 * @property {number[]} tableIndex per endpoint, its place in the sample table; −1 for none
 * @property {Samples | null} samples null until unpacked, and without a profile
 * @property {Samples | null} waiting idle samples of request threads; null until unpacked, and if
 *   they were not recorded
 * @property {({timeToFirstByte: LatencySketch | null, total: LatencySketch | null}[])[] | null} latency
 *   per endpoint of the load test, per window
 * @property {import('../../../run/facts/calls.d.ts').CallGroup[] | null} calls null until unpacked, and if none were recorded
 */

const NO_REQUESTS = { requests: null, answered: null };

/** @param {Report} report @returns {Model} */
export function makeModel(report) {
  const { timeline = null, load, profile, costs = null } = report;
  const edgesMs = timeline?.edgesMs ?? profile?.table?.edgesMs ?? null;
  const loadNames = load?.endpoints.map(({ name }) => name) ?? [];
  const rowNames = profile?.table?.endpoints ?? costs?.endpoints.map(({ name }) => name) ?? [];
  const tableNames = rowNames.map((name, index) => costs?.endpoints[index]?.loadEndpoint ?? name);
  const waitNames = profile?.waits?.table.endpoints ?? [];
  const endpoints = [...new Set([...loadNames, ...tableNames, ...waitNames])];
  return {
    report,
    edgesMs,
    windowCount: edgesMs ? edgesMs.length - 1 : 1,
    endpoints,
    loadIndex: endpoints.map(name => loadNames.indexOf(name)),
    tableIndex: endpoints.map(name => tableNames.lastIndexOf(name)),
    samples: null,
    waiting: null,
    latency: null,
    calls: null,
  };
}

/**
 * Indexes of the selected endpoints in the load test; null: all.
 * @param {Model} model
 * @param {PageState} state
 */
export function pickedInLoad({ endpoints, loadIndex }, state) {
  return state.endpoints?.map(name => loadIndex[endpoints.indexOf(name)] ?? -1) ?? null;
}

/**
 * @typedef {object} Computed
 * @property {PageState} state
 * @property {boolean} isWhole everything is selected: use the report's own numbers
 * @property {{from: number, to: number}} windows
 * @property {SampleCounts | null} counts of the selection; null while unpacking, and without a profile
 * @property {SampleCounts | null} base the same of all endpoints and categories: process CPU time is divided among these
 * @property {number | null} requests of the picked endpoints in the windows
 * @property {number | null} cpuMs of the picked workers in the windows
 * @property {(samples: number, of?: number) => Estimate} estimateShare of the selection's samples, with interval
 * @property {(samples: number) => Estimate | null} estimateCost CPU-ms per request; null if unknown
 * @property {ReturnType<typeof measureTimes>} times of the picked endpoints in the windows
 * @property {EndpointRow[]} endpoints
 * @property {ReturnType<typeof countCalls>} calls of the selection; null: those of the whole run
 * @property {import('./count-waiting.js').Waiting | null} waiting null if the flamegraph does not show it
 */

/** @param {Model} model @param {PageState} state @returns {Computed} */
export function compute(model, state) {
  const { report, samples, windowCount } = model;
  const { cpu, profile } = report;
  const windows = state.windows ?? { from: 0, to: windowCount };
  const selection = toSelection(model, state);
  const counts = samples && selectSamples(samples, selection);
  const base = samples && counts && selectBase(samples, selection, counts);
  const isWhole = !isNarrowed(state);
  const designEffect = profile?.table?.designEffect ?? 1;
  const { requests, answered } = countRequests(model, state, windows);
  const cpuMs = isWhole ? (cpu?.workersMs ?? null) : sumCpu(report, state.workers, windows);
  const activeSamples = base?.total ?? profile?.samples.active ?? 0;
  /** @param {number} count @param {number} [of] @returns {Estimate} */
  const estimateShare = (count, of = counts?.total ?? 0) => ({
    value: of > 0 ? count / of : 0,
    ...widenInterval(
      wilsonInterval(count / designEffect, of / designEffect),
      profile?.samples ?? CLEAR,
    ),
  });
  const measured = cpuMs !== null && answered ? cpuMs / answered : null;
  const whole = isWhole ? (cpu?.perRequest?.value ?? null) : measured;
  // If samples hold much CPU outside of requests, neither paths nor parts of the run have a cost per request.
  const hasCosts = profile?.categories.some(({ cpuMsPerRequest }) => cpuMsPerRequest !== null);
  const perRequest = hasCosts ? whole : null;
  const picked = pickedInLoad(model, state);
  const endpoints = countEndpoints(model, {
    windows,
    isWhole,
    counts: base,
    cpuMs: state.workers || !(isWhole || hasCosts) ? null : cpuMs,
    estimateShare: count => estimateShare(count, activeSamples),
  });
  return {
    state,
    isWhole,
    windows,
    ...{ base, counts, requests, cpuMs, estimateShare },
    // what a worker serves is not known
    estimateCost: count =>
      perRequest === null || state.workers
        ? null
        : scaleEstimate(estimateShare(count, activeSamples), perRequest),
    times: measureTimes(model, { windows, picked }),
    endpoints,
    calls: countCalls(model, state, endpoints),
    waiting: countWaiting(model, state, windows),
  };
}

/** @param {{id: string}} one */
const idOf = ({ id }) => id;

/** @param {Model} model @param {PageState} state @returns {Selection} by index */
function toSelection(model, { windows, workers, endpoints, categories, search }) {
  const table = model.report.profile?.table;
  return {
    // Samples from a file without times belong to no part of the time.
    ...(windows && { windows: table?.edgesMs === null ? { from: 0, to: 0 } : windows }),
    ...(workers && table && { workers: findPicked(table.workers, workers) }),
    ...(endpoints && {
      endpoints: findPicked(model.endpoints, endpoints)
        .map(index => model.tableIndex[index] ?? -1)
        .filter(index => index >= 0),
    }),
    ...(categories && table && { categories: findPicked(table.categories.map(idOf), categories) }),
    ...(search && { search }),
  };
}

/**
 * @param {Samples} samples
 * @param {Selection} selection
 * @param {SampleCounts} counts of it
 */
function selectBase(samples, { windows, workers, endpoints, categories, search }, counts) {
  if (!(endpoints || categories || search)) return counts;
  return selectSamples(samples, { ...(windows && { windows }), ...(workers && { workers }) });
}

/**
 * @param {Model} model
 * @param {PageState} state
 * @param {{from: number, to: number}} windows
 */
function countRequests(model, state, windows) {
  const { load, timeline } = model.report;
  if (!load) return NO_REQUESTS;
  const picked = pickedInLoad(model, state);
  const { requests, responses } = load.http;
  if (!state.windows && !picked) return { requests, answered: responses };
  if (!timeline?.load) return NO_REQUESTS;
  const own = picked ? picked.map(at => timeline.load?.endpoints[at]) : [timeline.load];
  const count = (/** @type {'requests' | 'answered'} */ what) =>
    own.reduce((sum, of) => sum + (sumWindows(of?.[what] ?? of?.requests, windows) ?? 0), 0);
  return { requests: count('requests'), answered: count('answered') };
}

/**
 * @param {Report} report
 * @param {number[] | null} pids
 * @param {{from: number, to: number}} windows
 */
function sumCpu({ timeline }, pids, windows) {
  const known = (timeline?.workers ?? []).flatMap(({ pid, cpuMs }) =>
    !pids || pids.includes(pid) ? (sumWindows(cpuMs, windows) ?? []) : [],
  );
  return known.length > 0 ? known.reduce((sum, ms) => sum + ms, 0) : null;
}
