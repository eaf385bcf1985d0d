/** Counts the idle samples of a selection by what they wait for. */

import { selectSamples } from '../../../analysis/sample-table/select.js';
import { sum } from '../../../base/math/summary.js';
import { findPicked, sumWindows } from './sums.js';

/** @import { SampleCounts } from '../../../run/facts/sample-table.d.ts' */
/** @import { PageState } from '../state.js' */
/** @import { Model } from './compute.js' */

/**
 * @typedef {object} Waiting
 * @property {SampleCounts} counts of the selected kinds, or of all named kinds if none is selected
 * @property {number[] | null} picked kinds
 * @property {number} rounds how often each worker was sampled in the windows
 * @property {number | null} msPerSample waiting per request that a sample stands for; null if
 *   unknown
 * @property {boolean} hasUnnamed the selection includes samples at places that no rule names
 * @property {number} unnamed samples of the selection, without its search, at places that no rule names
 * @property {number} unattributed without an endpoint, if endpoints are selected
 * @property {number} ran share of the run's samples at named places that were running
 * @property {boolean} isInRange a part of the time is selected
 * @property {boolean} isTimed samples count in the half-second in which their request began
 * @property {boolean} ignoresCategories
 */

/**
 * @param {Model} model
 * @param {PageState} state
 * @param {{from: number, to: number}} windows
 * @returns {Waiting | null} null if not shown or not recorded
 */
export function countWaiting({ waiting: samples, report }, state, windows) {
  const { waits } = report.profile ?? {};
  if (!samples || !waits || state.flame !== 'waiting') return null;
  const { categories, endpoints, workers, rounds, msPerRound, isTimed } = waits.table;
  const other = categories.length - 1;
  const scope = {
    ...(state.windows && { windows }),
    ...(state.workers && { workers: findPicked(workers, state.workers) }),
  };
  const of = state.endpoints && findPicked(endpoints, state.endpoints);
  const ids = categories.map(({ id }) => id);
  const picked = state.kinds && findPicked(ids, state.kinds);
  const all = selectSamples(samples, scope);
  const counts = selectSamples(samples, {
    ...scope,
    ...(of && { endpoints: of }),
    categories: picked ?? [...categories.keys()].slice(0, other),
    ...(state.search && { search: state.search }),
  });
  const looked = sumWindows(rounds, windows) ?? 0;
  const requests = state.workers ? null : countLooked(report, state, { windows, rounds });
  const hasSockets = categories.some(({ id }, kind) => id === 'socket' && counts.categories[kind]);
  return {
    counts,
    picked,
    hasUnnamed: picked?.includes(other) ?? false,
    rounds: looked,
    // An open WebSocket belongs to no request.
    msPerSample: requests && !hasSockets ? msPerRound / requests : null,
    unnamed: of
      ? sum(of.map(at => all.endpointCategories[at * categories.length + other] ?? 0))
      : (all.categories[other] ?? 0),
    unattributed: of ? all.unattributed : 0,
    ran: waits.ran,
    isInRange: state.windows !== null,
    isTimed,
    ignoresCategories: state.categories !== null,
  };
}

/**
 * Requests while workers were sampled.
 * @param {Model['report']} report
 * @param {PageState} state
 * @param {{windows: {from: number, to: number}, rounds: number[]}} looked
 */
function countLooked({ timeline }, { endpoints }, { windows, rounds }) {
  const series = endpoints
    ? timeline?.load?.endpoints.filter(({ name }) => endpoints.includes(name))
    : timeline?.load && [timeline.load];
  const during = series?.map(({ requests }) =>
    Array.from(requests, (count, window) => (rounds[window] ? count : 0)),
  );
  return during?.reduce((sum, counts) => sum + (sumWindows(counts, windows) ?? 0), 0) ?? null;
}
