/** How many processors this process may really use: affinity, and the CPU quota of its cgroups. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

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
 * The least of all quotas from the process's own cgroup up to the highest that it can see, in cgroup
 * v2 and v1. Limits above a container's own cgroup namespace can't be seen from inside.
 * @param {string} [root]
 * @returns {number | null} processors; null without a quota
 */
export function readCpuQuota(root = '/') {
  const cgroups = parseCgroups(readText(path.join(root, 'proc/self/cgroup')));
  const mounts = parseCgroupMounts(readText(path.join(root, 'proc/self/mountinfo')));
  /** @type {number[]} */
  const quotas = [];
  for (const mount of mounts) {
    const own = mount.v2 ? cgroups.get('') : cgroups.get('cpu');
    if (own === undefined) continue;
    for (const folder of listFolders(mount, own)) {
      const quota = (mount.v2 ? readV2 : readV1)(path.join(root, folder));
      if (quota !== null) quotas.push(quota);
    }
  }
  return quotas.length > 0 ? Math.min(...quotas) : null;
}

/**
 * @param {string} text of `/proc/<pid>/cgroup`
 * @returns {Map<string, string>} controller → path; that of v2 under the empty name
 */
export function parseCgroups(text) {
  /** @type {Map<string, string>} */
  const paths = new Map();
  for (const line of text.split('\n')) {
    const match = /^\d+:([^:]*):(.+)$/.exec(line);
    if (!match) continue;
    for (const controller of (match[1] ?? '').split(',')) paths.set(controller, match[2] ?? '/');
  }
  return paths;
}

/**
 * @typedef {object} CgroupMount
 * @property {boolean} v2
 * @property {string} from the path inside the hierarchy that is mounted
 * @property {string} at
 */

/**
 * @param {string} text of `/proc/<pid>/mountinfo` (proc_pid_mountinfo(5))
 * @returns {CgroupMount[]} of cgroup v2, and of the v1 hierarchy that has the `cpu` controller
 */
export function parseCgroupMounts(text) {
  return text.split('\n').flatMap(
    /** @returns {CgroupMount[]} */ line => {
      const [left = '', right] = line.split(' - ');
      const [, , , from, at] = left.split(' ').map(unescapeOctal);
      const [fstype, , options = ''] = right?.split(' ') ?? [];
      if (from === undefined || at === undefined) return [];
      if (fstype === 'cgroup2') return [{ v2: true, from, at }];
      const isCpu = fstype === 'cgroup' && options.split(',').includes('cpu');
      return isCpu ? [{ v2: false, from, at }] : [];
    },
  );
}

/**
 * A cgroup's folder and all above it, as far as the mount shows them.
 * @param {CgroupMount} mount
 * @param {string} own path of the cgroup in its hierarchy
 */
function listFolders({ from, at }, own) {
  const inside = path.posix.relative(from, own);
  // Of a container that sees its path from outside: the mount is its own cgroup.
  let folder = inside.startsWith('..') ? at : path.posix.join(at, inside);
  const folders = [folder];
  while (folder !== at) {
    folder = path.posix.dirname(folder);
    folders.push(folder);
  }
  return folders;
}

/** @param {string} folder */
function readV2(folder) {
  const [quota, period] = readText(path.join(folder, 'cpu.max')).trim().split(' ').map(Number);
  return toCpus(quota, period);
}

/** @param {string} folder */
function readV1(folder) {
  const read = (/** @type {string} */ file) =>
    Number(readText(path.join(folder, file)) || Number.NaN);
  return toCpus(read('cpu.cfs_quota_us'), read('cpu.cfs_period_us'));
}

/**
 * `max` (v2) and −1 (v1) are no quota.
 * @param {number | undefined} quotaUs
 * @param {number | undefined} periodUs
 */
function toCpus(quotaUs = Number.NaN, periodUs = Number.NaN) {
  return quotaUs > 0 && periodUs > 0 ? quotaUs / periodUs : null;
}

/** @param {string} text */
function unescapeOctal(text) {
  return text.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
}

/** Empty where there is no such file: another system, or a kernel without that hierarchy. @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
