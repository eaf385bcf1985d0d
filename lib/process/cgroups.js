/** CPU quotas of cgroups, v2 and v1: how much a process may have, and how often it ran out. */
import path from 'node:path';
import { readText } from './process-table.js';

/** A period usually lasts 100 ms. @typedef {{periods: number, throttled: number, throttledMs: number}} Throttling */
/** @typedef {{folder: string, v2: boolean}} CpuCgroup */

/**
 * The cgroups that limit the CPU of a process, its own first and then all above it, as far as they can
 * be seen: limits above a container's own cgroup namespace can't be seen from inside.
 * @param {number | 'self'} pid
 * @param {string} [root] where `/proc` and the cgroups are
 * @returns {CpuCgroup[]} none where there is no such process, or another system
 */
export function findCpuCgroups(pid, root = '/') {
  const cgroups = parseCgroups(readOrEmpty(path.join(root, `proc/${pid}/cgroup`)));
  return parseCgroupMounts(readOrEmpty(path.join(root, 'proc/self/mountinfo'))).flatMap(mount => {
    const own = mount.v2 ? cgroups.get('') : cgroups.get('cpu');
    if (own === undefined) return [];
    return listFolders(mount, own).map(folder => ({
      folder: path.join(root, folder),
      v2: mount.v2,
    }));
  });
}

/** @param {CpuCgroup} cgroup @returns {number | null} processors; null without a quota */
export function readQuota({ folder, v2 }) {
  if (v2) {
    const [quota, period] = readOrEmpty(path.join(folder, 'cpu.max')).trim().split(' ').map(Number);
    return toCpus(quota, period);
  }
  const read = (/** @type {string} */ file) =>
    Number(readOrEmpty(path.join(folder, file)) || Number.NaN);
  return toCpus(read('cpu.cfs_quota_us'), read('cpu.cfs_period_us'));
}

/** @param {CpuCgroup} cgroup @returns {Throttling | null} null where it does not say */
export function readThrottling({ folder }) {
  return parseThrottling(readOrEmpty(path.join(folder, 'cpu.stat')));
}

/**
 * Counted since the cgroup was made.
 * @param {string} text of `cpu.stat`
 * @returns {Throttling | null} null where it does not say
 */
export function parseThrottling(text) {
  const read = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const periods = read('nr_periods');
  const throttled = read('nr_throttled');
  // v2 counts microseconds, v1 nanoseconds.
  const v2Ms = read('throttled_usec') / 1e3;
  const throttledMs = Number.isNaN(v2Ms) ? read('throttled_time') / 1e6 : v2Ms;
  return Number.isNaN(periods + throttled + throttledMs)
    ? null
    : { periods, throttled, throttledMs: Math.round(throttledMs) };
}

/**
 * @param {string} text of `/proc/<pid>/cgroup`
 * @returns {Map<string, string>} controller → path; that of v2 under the empty name
 */
function parseCgroups(text) {
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
function parseCgroupMounts(text) {
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
const readOrEmpty = file => readText(file) ?? '';
