/** CPU quotas that ran out, from the `cgroup` records of `resources/processes.ndjson`, and of pods. */
import { sum } from '../../math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { measureGrowth } from '../read/cpu.js';

/** @import { RecordOf } from '../../facts/records.d.ts' */

/**
 * @typedef {object} Throttled
 * @property {number} share of the quota's periods (100 ms as a rule) inside the windows in which it ran out
 * @property {number} throttledMs for how long something was held back, over all CPUs
 * @property {number} quotaCores
 * @property {{of: number, most: {name: string, share: number}} | null} [pods] of a cluster whose quotas these are,
 *   each its own, and the one that was held back the most
 */

/** @typedef {{generator: Throttled | null, target: Throttled | null}} Throttling null: no quota */

/**
 * @param {RecordOf<'processes'>[]} records
 * @param {import('../../facts/estimate.d.ts').TimeRange[]} windows
 * @returns {Throttling} of several cgroups of a role, the one that was held back the most
 */
export function measureThrottling(records, windows) {
  const groups = listThrottled(records, windows);
  const worst = (/** @type {string} */ role) =>
    groups
      .filter(({ roles }) => roles.includes(role))
      .map(({ roles, ...found }) => found)
      .sort((a, b) => b.share - a.share)[0] ?? null;
  return { generator: worst('generator'), target: worst('target') };
}

/**
 * Quotas of pods are their own, but a load wants all of them: they count together.
 * @param {import('../../facts/cluster.d.ts').ClusterReport | null} cluster
 * @returns {Throttled | null} null where none has a quota, or it is not known
 */
export function measurePodThrottling(cluster) {
  const all = (cluster?.pods ?? []).flatMap(({ name, throttling }) =>
    throttling ? [{ name, ...throttling }] : [],
  );
  const [first] = all.toSorted((a, b) => b.share - a.share);
  const periods = sum(all.map(one => one.periods));
  if (!first || periods === 0) return null;
  return {
    share: sum(all.map(one => one.share * one.periods)) / periods,
    throttledMs: sum(all.map(one => one.throttledMs)),
    quotaCores: first.quotaCores,
    pods: { of: all.length, most: { name: first.name, share: first.share } },
  };
}

/**
 * Every cgroup that has a quota.
 * @param {RecordOf<'processes'>[]} records
 * @param {import('../../facts/estimate.d.ts').TimeRange[]} windows
 * @returns {(Throttled & {roles: string[]})[]} `roles`: who is in it
 */
export function listThrottled(records, windows) {
  return [...Map.groupBy(ofKind(records, 'cgroup'), ({ path }) => path).values()].flatMap(
    series => measureGroup(series, windows) ?? [],
  );
}

/** @param {RecordOf<'processes', 'cgroup'>[]} series @param {import('../../facts/estimate.d.ts').TimeRange[]} windows */
function measureGroup(series, windows) {
  series.sort((a, b) => a.t - b.t);
  const keys = /** @type {const} */ (['periods', 'throttled', 'throttledMs']);
  const [periods = 0, throttled = 0, throttledMs = 0] = measureGrowth(series, windows, keys);
  if (periods <= 0) return null;
  const roles = [...new Set(series.flatMap(record => record.roles))].sort();
  const quotaCores = Number(series.at(-1)?.quotaCores);
  return { roles, share: throttled / periods, throttledMs, quotaCores };
}
