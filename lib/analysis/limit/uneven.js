/** Traffic that does not spread: one rule for the limit and for the finding. */

/** @typedef {import('../costs.d.ts').BalanceGroup} BalanceGroup */

/**
 * Workers race for connections, so some unevenness is normal: what counts is a member that does half
 * as much again as the mean, and an index that says the rest is not even either.
 */
const MOST_OF_MEAN = 1.5;
const JAIN = 0.85;
/** By chance alone a member with so many requests on average is hardly ever 50 % above it (5 σ). */
const LEAST_MEAN_REQUESTS = 100;
const LEAST_MEAN_CPU_MS = 1000;

/** @param {BalanceGroup | null | undefined} group */
export function isUneven(group) {
  if (!group || group.members.length < 2 || group.jain > JAIN) return false;
  const least = group.basis === 'process-cpu' ? LEAST_MEAN_CPU_MS : LEAST_MEAN_REQUESTS;
  return group.mean >= least && group.max >= group.mean * MOST_OF_MEAN;
}

/** Members with next to nothing. @param {BalanceGroup} group */
export function countIdle({ members, mean }) {
  return members.filter(({ requests, cpuMs }) => (requests ?? cpuMs ?? 0) < mean * 0.1).length;
}
