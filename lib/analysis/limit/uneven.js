/** Traffic that does not spread: one rule for the limit and for the finding. */

/** @typedef {import('../costs.d.ts').BalanceGroup} BalanceGroup */

/**
 * Workers race for connections, so some unevenness is normal: what counts is a member that does half
 * as much again as the mean, and an index that says the rest is not even either.
 */
const MOST_OF_MEAN = 1.5;
const JAIN = 0.85;
/** By chance alone a member is hardly ever so many standard deviations (√mean) above the mean. */
const SIGMAS = 5;
/** CPU time is no count: a member's must be large enough to be told from what it does when idle. */
const LEAST_MEAN_CPU_MS = 1000;

/** @param {BalanceGroup | null | undefined} group */
export function isUneven(group) {
  if (!group || group.members.length < 2 || group.jain > JAIN) return false;
  const isChance =
    group.basis === 'process-cpu'
      ? group.mean < LEAST_MEAN_CPU_MS
      : group.max < group.mean + SIGMAS * Math.sqrt(group.mean);
  return !isChance && group.max >= group.mean * MOST_OF_MEAN;
}

/** Members with next to nothing. @param {BalanceGroup} group */
export function countIdle({ members, mean }) {
  return members.filter(({ requests, cpuMs }) => (requests ?? cpuMs ?? 0) < mean * 0.1).length;
}
