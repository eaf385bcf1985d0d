/** How often a container ran into its CPU quota, as its own cgroup tells it. */
import { parseThrottling } from '../../process/cgroups.js';

/** @import { Cluster } from './connect.js' */
/** @import { Place } from './exec.js' */

/** Where a container sees its own: cgroup v2, and v1 by the names of its controllers. */
const FILES = ['', 'cpu/', 'cpu,cpuacct/'].map(folder => `/sys/fs/cgroup/${folder}cpu.stat`);

/**
 * @param {Cluster} cluster
 * @param {Place} place
 * @returns {Promise<import('../../process/cgroups.js').Throttling | null>} null where it does not say, or has no `cat`
 * @throws {LoadflameError} KUBE_…
 */
export async function readCpuStat({ exec }, place) {
  const { stdout } = await exec.run(place, ['cat', ...FILES]);
  return parseThrottling(stdout);
}
