/** How work spread, what held it back, and what failed, of several cells together. */
import { isUneven } from '../../../analysis/limit/uneven.js';
import { listShares } from '../list-shares.js';

/** @import { CellFigures } from '../../study-records.d.ts' */
/** @import { StudyLimitFacts } from './limit-facts.d.ts' */

/** The group that was held back most. @param {CellFigures[]} at @returns {StudyLimitFacts['quota']} */
export function findQuota(at) {
  const groups = Map.groupBy(
    at.flatMap(({ throttled }) => throttled),
    ({ roles }) => roles.join(' '),
  );
  const means = [...groups.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const share = group.reduce((sum, one) => sum + one.share, 0) / at.length;
    return [{ roles: first.roles, quotaCores: first.quotaCores, share }];
  });
  const target = means.filter(({ roles }) => roles.some(role => role !== 'generator'));
  return target.sort((a, b) => b.share - a.share)[0] ?? null;
}

/**
 * Of all cells of the plateau together, the largest first: cells are aligned by rank, for ids of
 * processes differ between them.
 * @param {CellFigures[]} all @returns {StudyLimitFacts['uneven']}
 */
export function findUneven(all) {
  for (const of of /** @type {const} */ (['backends', 'workers'])) {
    const groups = all.flatMap(figures => listShares(figures).filter(share => share.of === of));
    const length = Math.max(0, ...groups.map(({ counts }) => counts.length));
    const counts = Array.from({ length }, (_, rank) =>
      groups.reduce((sum, group) => sum + (group.counts.toSorted((a, b) => b - a)[rank] ?? 0), 0),
    );
    if (groups[0] && isUnevenCount(counts, groups[0].unit)) return { of, counts };
  }
  return null;
}

/** @param {number[]} counts @param {CellFigures['shares'][number]['unit']} unit */
function isUnevenCount(counts, unit) {
  const sum = counts.reduce((total, count) => total + count, 0);
  const squares = counts.reduce((total, count) => total + count * count, 0);
  return isUneven({
    basis: unit === 'cpuMs' ? 'process-cpu' : 'companion',
    expected: null,
    members: counts.map((count, index) =>
      unit === 'cpuMs'
        ? { id: String(index), requests: null, cpuMs: count }
        : { id: String(index), requests: count, cpuMs: null },
    ),
    min: Math.min(...counts),
    mean: sum / counts.length,
    median: 0,
    max: Math.max(...counts),
    jain: squares > 0 ? (sum * sum) / (counts.length * squares) : 1,
  });
}

/** Names of errors that mean: there was no connection to be had. */
const NO_CONNECTION = /ECONNREFUSED|ECONNRESET|EADDRNOTAVAIL|EMFILE|CONNECT|ETIMEDOUT|\b503\b/i;

/** @param {CellFigures[]} all @returns {StudyLimitFacts['connectionErrors']} */
export function findConnectionErrors(all) {
  const requests = all.reduce((sum, figures) => sum + figures.requests, 0);
  const own = sumErrors(all).filter(({ name }) => NO_CONNECTION.test(name));
  const [most] = own;
  if (!most || requests === 0) return null;
  return { share: own.reduce((sum, { count }) => sum + count, 0) / requests, name: most.name };
}

/** @param {CellFigures[]} all @returns {{name: string, count: number}[]} the most first */
export function sumErrors(all) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { name, count } of all.flatMap(({ errorNames }) => errorNames))
    sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}
