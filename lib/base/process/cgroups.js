/** CPU quotas of cgroups, v2 and v1: how much CPU a process may use, and how often its quota ran out. */
import path from 'node:path';
import { readText } from './process-table.js';

/** A period usually lasts 100 ms. @typedef {{periods: number, throttled: number, throttledMs: number}} Throttling */
/** @typedef {{folder: string, v2: boolean}} CpuCgroup */

/**
 * The cgroups that limit the CPU of a process: its own first, then its parents. Limits above a container's own
 * cgroup namespace are not visible from inside.
 * @param {number | 'self'} pid
 * @param {string} [root] folder with `/proc` and the cgroups
 * @returns {CpuCgroup[]} empty if the process does not exist, or on other systems
 */
export function findCpuCgroups(pid, root = '/') {
  const cgroups = parseCgroups(readOrEmpty(path.join(root, `proc/${pid}/cgroup`)));
  return parseCgroupMounts(readOrEmpty(path.join(root, 'proc/self/mountinfo'))).flatMap(mount => {
    const own = mount.v2 ? cgroups.get('') : cgroups.get('cpu');
    if (own === undefined) return [];
    const folders = listFolders(mount, own).map(folder => path.join(root, folder));
    return folders.map(folder => ({ folder, v2: mount.v2 }));
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

/** @param {CpuCgroup} cgroup @returns {Throttling | null} null if not available */
export function readThrottling({ folder }) {
  return parseThrottling(readOrEmpty(path.join(folder, 'cpu.stat')));
}

/**
 * Counted since the cgroup was created.
 * @param {string} text of `cpu.stat`
 * @returns {Throttling | null} null if not available
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
 * @returns {Map<string, string>} controller → path; v2 has the empty name
 */
function parseCgroups(text) {
  const lines = [...text.matchAll(/^\d+:([^:]*):(.+)$/gm)];
  return new Map(
    lines.flatMap(([, names = '', place = '/']) => names.split(',').map(name => [name, place])),
  );
}

/**
 * @typedef {object} CgroupMount
 * @property {boolean} v2
 * @property {string} from the mounted path of the hierarchy
 * @property {string} at
 */

/**
 * @param {string} text of `/proc/<pid>/mountinfo` (proc_pid_mountinfo(5))
 * @returns {CgroupMount[]} of cgroup v2, and of the v1 hierarchy with the `cpu` controller
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
 * A cgroup's folder and its parents in the mount.
 * @param {CgroupMount} mount
 * @param {string} own path of the cgroup in its hierarchy
 */
function listFolders({ from, at }, own) {
  const inside = path.posix.relative(from, own);
  // A container that sees its path from outside: the mount is its own cgroup.
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

/** Empty if the file does not exist: another system, or a kernel without that hierarchy. @param {string} file */
const readOrEmpty = file => readText(file) ?? '';
