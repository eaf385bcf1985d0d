/** Reads processes from `/proc`. Everything returns `null` if the process or `/proc` does not exist. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { tryOr } from '../files/try-or.js';

/** Kernel clock ticks per second as `/proc` counts them; 100 on every Linux that Node runs on. */
const TICKS_PER_SEC = 100;
const PAGE_BYTES = 4096;

/**
 * @typedef {object} ProcessStat
 * @property {number} pid
 * @property {number} ppid
 * @property {number} pgid id of its process group
 * @property {string} state one letter; Z is a zombie
 * @property {number} cpuMs user + system time since its start
 * @property {number} childCpuMs the same of its descendants that ended and were waited for
 * @property {number} threads
 * @property {number} startTicks start time, in ticks since boot
 * @property {number} rssBytes
 */

/** @param {number} pid @returns {ProcessStat | null} */
export function readStat(pid) {
  const text = readProc(pid, 'stat');
  return text === null ? null : parseStat(text);
}

/** @param {string} text of `/proc/<pid>/stat` @returns {ProcessStat} */
export function parseStat(text) {
  // The second field is the command in parentheses, which may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (/** @type {number} */ n) => Number(fields[n - 3]);
  return {
    pid: Number.parseInt(text, 10),
    ppid: at(4),
    pgid: at(5),
    state: fields[0] ?? '?',
    cpuMs: ((at(14) + at(15)) * 1000) / TICKS_PER_SEC,
    childCpuMs: ((at(16) + at(17)) * 1000) / TICKS_PER_SEC,
    threads: at(20),
    startTicks: at(22),
    rssBytes: at(24) * PAGE_BYTES,
  };
}

/** @param {number} pid */
export function readStartTicks(pid) {
  return readStat(pid)?.startTicks ?? null;
}

/** @param {number} pid @returns {number | null} epoch */
export function readStartMs(pid) {
  const ticks = readStartTicks(pid);
  if (ticks === null) return null;
  const uptimeSec = Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
  return Date.now() + (ticks / TICKS_PER_SEC - uptimeSec) * 1000;
}

/** @param {number} pid @returns {string[] | null} the arguments of its command line */
export function readCommandLine(pid) {
  const text = readProc(pid, 'cmdline');
  return text === null ? null : text.split('\0').filter(Boolean);
}

/**
 * The program that a process runs.
 * @param {number} pid
 * @returns {string | null} its path; null if not readable, or not in our file system
 */
export function readProgram(pid) {
  const file = readLink(`/proc/${pid}/exe`);
  return file !== null && existsSync(file) ? file : null;
}

/**
 * CPU time of a thread since its start, and how long it waited for a core while it was runnable.
 * @typedef {object} ThreadTimes
 * @property {number} tid
 * @property {number} runMs
 * @property {number} queuedMs
 * @property {number} slices how often it got a core
 */

/**
 * The scheduler's statistics of all live threads of a process (`schedstat`), but for the companion's own.
 * @param {number} pid
 * @returns {ThreadTimes[]} empty if the kernel does not record them
 */
export function readThreadTimes(pid) {
  return listNumbers(`/proc/${pid}/task`).flatMap(tid => {
    const [run, queued, slices] = readProc(pid, `task/${tid}/schedstat`)?.split(' ') ?? [];
    if (slices === undefined || readProc(pid, `task/${tid}/comm`) === 'loadflame\n') return [];
    const [runMs, queuedMs] = [Number(run) / 1e6, Number(queued) / 1e6];
    return { tid: Number(tid), runMs, queuedMs, slices: Number(slices) };
  });
}

/**
 * Proportional set size: shared pages are divided among their processes, so that sizes add up. The kernel walks all
 * pages for it (1 ms for 100 MB).
 * @param {number} pid
 * @returns {number | null} bytes; null if not readable
 */
export function readPssBytes(pid) {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readProc(pid, 'smaps_rollup') ?? '')?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** Alive, and not a zombie. @param {number} pid */
export function isProcessAlive(pid) {
  const stat = readStat(pid);
  if (stat) return stat.state !== 'Z' && stat.state !== 'X';
  if (process.platform === 'linux') return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Whether it is still the same process, not a later one with its number.
 * @param {number} pid
 * @param {number | null} startTicks as read before; null without `/proc`
 */
export function isSameProcess(pid, startTicks) {
  return isProcessAlive(pid) && readStartTicks(pid) === startTicks;
}

/**
 * Whether it is a loadflame of this user. A folder may only claim so.
 * @param {number} pid
 */
export function isLoadflame(pid) {
  if (process.platform !== 'linux') return true;
  const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
  const names = readCommandLine(pid)?.map(word => path.basename(word)) ?? [];
  return owner === process.geteuid?.() && names.some(name => /^loadflame(\.js)?$/.test(name));
}

/** All visible processes. @returns {ProcessStat[]} */
export function listProcesses() {
  return listPids().flatMap(pid => readStat(pid) ?? []);
}

/** Pids of all visible processes. */
export function listPids() {
  return listNumbers('/proc').map(Number);
}

/** @param {string} folder @returns {string[]} its entries that are numbers; empty if not readable */
export function listNumbers(folder) {
  return tryOr([], () => readdirSync(folder)).filter(name => /^\d+$/.test(name));
}

/** @param {string} file a small one, as in `/proc` @returns {string | null} null if not readable */
export function readText(file) {
  return tryOr(null, () => readFileSync(file, 'utf8'));
}

/** @param {string} place @returns {string | null} the target of a link; null if not readable */
export function readLink(place) {
  return tryOr(null, () => readlinkSync(place));
}

/** @param {number} pid @param {string} name */
const readProc = (pid, name) => readText(`/proc/${pid}/${name}`);

/**
 * A variable of the environment that a process was started with.
 * @param {number} pid
 * @param {string} name
 * @returns {string | null | undefined} undefined: not set; null: not readable
 */
export function readVariable(pid, name) {
  const text = readProc(pid, 'environ');
  if (text === null) return null;
  const entry = text.split('\0').find(one => one.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}
