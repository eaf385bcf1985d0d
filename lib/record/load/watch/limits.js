/** How many processors this process may really use: affinity, and the CPU quota of its cgroups. */
import os from 'node:os';
import { findCpuCgroups, readQuota } from '../../../cgroups.js';

/**
 * @param {object} [options]
 * @param {string} [options.root] where `/proc` and the cgroups are
 * @param {number} [options.processors] that affinity allows
 * @returns {number} may have a fraction: half a processor is 0.5
 */
export function usableCpus({ root = '/', processors = os.availableParallelism() } = {}) {
  return Math.min(processors, readCpuQuota(root) ?? Infinity);
}

/**
 * The least of all quotas from the process's own cgroup up to the highest that it can see.
 * @param {string} [root]
 * @returns {number | null} processors; null without a quota
 */
export function readCpuQuota(root = '/') {
  const quotas = findCpuCgroups('self', root).flatMap(cgroup => readQuota(cgroup) ?? []);
  return quotas.length > 0 ? Math.min(...quotas) : null;
}
