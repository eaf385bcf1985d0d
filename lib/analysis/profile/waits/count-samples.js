/** Samples that fell into a single request: those of its endpoint and worker, in its half-seconds. */
import { entryOf } from '../../../base/files/maps.js';
import { addAmounts } from '../../read/load/counters.js';
import { HALF_SECOND_MS } from '../../stacks/markers.js';
import { classifyWaits } from './wait-kinds.js';

/** @import { SampleCounter } from '../../../run/facts/slow-requests.d.ts' */
/** @import { Profile } from '../../stacks/profile.d.ts' */
/** @import { Classification, Rules } from '../../../run/facts/rules.d.ts' */

/**
 * Other requests of the endpoint in the same worker and half-seconds count, too.
 * @param {{looks: Profile, classification: Classification, rules: Rules}} recorded samples of all threads
 * @returns {SampleCounter} null: there is none, or the request's time on its server is not known
 */
export function createSampleCounter(recorded) {
  /** @type {ReturnType<typeof countAll> | null} */
  let counts = null;
  return (endpoint, { worker, nowMs, totalMs }) => {
    if (nowMs === null) return null;
    counts ??= countAll(recorded);
    const pid = worker.split('.').at(-1);
    const sums = { count: 0, locks: 0 };
    const last = Math.floor(nowMs / HALF_SECOND_MS);
    for (let at = Math.floor((nowMs - totalMs) / HALF_SECOND_MS); at <= last; at++)
      addAmounts(sums, counts.get(`${at} ${pid} ${endpoint}`) ?? {});
    return sums.count > 0 ? sums : null;
  };
}

/** By half-second, process and route. @param {Parameters<typeof createSampleCounter>[0]} recorded */
function countAll({ looks, classification, rules }) {
  const { rows, routes, processes } = looks;
  const classes = classifyWaits(looks, classification, rules);
  /** @type {Map<string, {count: number, locks: number}>} */
  const counts = new Map();
  rows.node.forEach((node, row) => {
    const pid = processes[rows.process[row] ?? -1]?.pid;
    const route = routes[rows.route[row] ?? -1];
    if (route === undefined || classes.request[node] !== 1) return;
    const key = `${rows.halfSecond[row]} ${pid} ${route}`;
    const own = entryOf(counts, key, () => ({ count: 0, locks: 0 }));
    const weight = rows.weight[row] ?? 0;
    own.count += weight;
    if (classes.kindOf(node) === 'lock') own.locks += weight;
  });
  return counts;
}
