/** CPU quotas that ran out, from the `cgroup` records of `resources/processes.ndjson`, and of pods. */
import { sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { measureGrowth } from '../read/cpu.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */

/**
 * @typedef {object} Throttled
 * @property {number} share of the quota's periods (usually 100 ms) inside the windows in which it ran out
 * @property {number} throttledMs how long processes were held back, over all CPUs
 * @property {number} quotaCores
 * @property {{of: number, most: {name: string, share: number}} | null} [pods] for the separate quotas of a cluster's
 *   pods: their number, and the most throttled one
 */

/** @typedef {{generator: Throttled | null, target: Throttled | null}} Throttling null: no quota */

/**
 * @param {RecordOf<'processes'>[]} records
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows
 * @returns {Throttling} with several cgroups for a role, the most throttled one
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
 * Each pod has its own quota, but a load needs all pods: they count together.
 * @param {import('../../run/facts/cluster.d.ts').ClusterReport | null} cluster
 * @returns {Throttled | null} null where no pod has a quota, or where unknown
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
 * Every cgroup with a quota.
 * @param {RecordOf<'processes'>[]} records
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows
 * @returns {(Throttled & {roles: string[]})[]} `roles`: of the processes in it
 */
export function listThrottled(records, windows) {
  return [...Map.groupBy(ofKind(records, 'cgroup'), ({ path }) => path).values()].flatMap(
    series => measureGroup(series, windows) ?? [],
  );
}

/** @param {RecordOf<'processes', 'cgroup'>[]} series @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows */
function measureGroup(series, windows) {
  series.sort((a, b) => a.t - b.t);
  const keys = /** @type {const} */ (['periods', 'throttled', 'throttledMs']);
  const [periods = 0, throttled = 0, throttledMs = 0] = measureGrowth(series, windows, keys);
  if (periods <= 0) return null;
  const roles = [...new Set(series.flatMap(record => record.roles))].sort();
  const quotaCores = Number(series.at(-1)?.quotaCores);
  return { roles, share: throttled / periods, throttledMs, quotaCores };
}
