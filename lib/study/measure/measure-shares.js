/** How evenly the work spread over workers, instances and users. */
import { measureBalance, readBackends } from '../../analysis/balance.js';
import { measureProcesses } from '../../analysis/cpu.js';

/** @typedef {import('../study-records.d.ts').CellFigures['shares'][number]} Share */

/**
 * @param {import('./find-plateau.js').Plateau} plateau
 * @param {Pick<import('../../analysis/read-run.js').RunRecords, 'processes' | 'manifest'>} records
 * @returns {Share[]} only of what is more than one
 */
export function measureShares(plateau, { processes, manifest }) {
  const { seconds, window } = plateau;
  const workers = measureProcesses(processes, [window])
    .filter(({ role, lastMs, firstMs }) => {
      const livedThrough = firstMs <= window.startMs && lastMs >= window.endMs;
      return role === 'worker' && livedThrough;
    })
    .map(({ pid, cpuMs }) => ({ pid, cpuMs, startedInRun: false, endedInRun: false }));
  // Backends that answered nothing are known only if the user said how many there are.
  const backends = readBackends(manifest.settings);
  const balance = measureBalance({ records: seconds, workers, backends });
  return [
    toShare('workers', balance?.workers ?? null),
    toShare('backends', balance?.backends ?? null),
    countUsers(plateau),
  ].flatMap(share => (share && share.counts.length > 1 ? [share] : []));
}

/**
 * @param {Share['of']} of
 * @param {import('../../analysis/costs.d.ts').BalanceGroup | null} group
 * @returns {Share | null}
 */
function toShare(of, group) {
  if (!group) return null;
  const isCpu = group.members.every(({ requests }) => requests === null);
  return {
    of,
    unit: isCpu ? 'cpuMs' : 'answers',
    counts: group.members.map(({ requests, cpuMs }) => requests ?? cpuMs ?? 0),
  };
}

/**
 * Scenarios that each closed-loop user completed in the whole phase.
 * @param {import('./find-plateau.js').Plateau} plateau
 * @returns {Share | null}
 */
function countUsers({ test, phase }) {
  const records = test.records.filter(
    ({ kind, index }) => kind === 'users' && index === phase.index,
  );
  const counts = records.flatMap(({ ended, failed }) =>
    ended.map((/** @type {number} */ n, /** @type {number} */ at) => n - (failed?.[at] ?? 0)),
  );
  return counts.length > 0 ? { of: 'users', unit: 'scenarios', counts } : null;
}
