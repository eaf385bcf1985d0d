/** What `/proc` says of a process. Everything returns `null` where there is no such process or no `/proc`. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';

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
 * @property {number} childCpuMs the same of its children that have ended and were waited for, and of theirs
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
  // The second field is the command in parentheses and may itself hold spaces and parentheses.
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

/** @param {number} pid @returns {string[] | null} the command line, one entry an argument */
export function readCommandLine(pid) {
  const text = readProc(pid, 'cmdline');
  return text === null ? null : text.split('\0').filter(Boolean);
}

/**
 * The program that a process runs.
 * @param {number} pid
 * @returns {string | null} its path; null where we may not look, or where it is not in our file system
 */
export function readProgram(pid) {
  const file = readLink(`/proc/${pid}/exe`);
  return file !== null && existsSync(file) ? file : null;
}

/**
 * CPU time of a thread, and how long it waited for a core while it was runnable, since its start.
 * @typedef {object} ThreadTimes
 * @property {number} tid
 * @property {number} runMs
 * @property {number} queuedMs
 * @property {number} slices how often it got a core
 */

/**
 * The scheduler's own account of all threads of a process that live now (`schedstat`).
 * @param {number} pid
 * @returns {ThreadTimes[]} none where the kernel does not keep it
 */
export function readThreadTimes(pid) {
  return listNumbers(`/proc/${pid}/task`).flatMap(tid => {
    const [run, queued, slices] = readProc(pid, `task/${tid}/schedstat`)?.split(' ') ?? [];
    if (slices === undefined) return [];
    const [runMs, queuedMs] = [Number(run) / 1e6, Number(queued) / 1e6];
    return { tid: Number(tid), runMs, queuedMs, slices: Number(slices) };
  });
}

/**
 * Proportional set size: a page that several processes share is divided among them, so that sizes add
 * up. The kernel walks all pages for it (1 ms for 100 MB).
 * @param {number} pid
 * @returns {number | null} bytes; null where we may not read it, or the kernel does not know
 */
export function readPssBytes(pid) {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readProc(pid, 'smaps_rollup') ?? '')?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** Alive, and not a zombie that no one has waited for. @param {number} pid */
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
 * The process of then, and not a later one with its number.
 * @param {number} pid
 * @param {number | null} startTicks of then; null where there is no `/proc`
 */
export function isSameProcess(pid, startTicks) {
  return isProcessAlive(pid) && readStartTicks(pid) === startTicks;
}

/**
 * Is it a loadflame of this user? What a folder says of a process is a claim.
 * @param {number} pid
 */
export function isLoadflame(pid) {
  if (process.platform !== 'linux') return true;
  const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
  const names = readCommandLine(pid)?.map(word => path.basename(word)) ?? [];
  return owner === process.geteuid?.() && names.some(name => /^loadflame(\.js)?$/.test(name));
}

/** All processes that can be seen. @returns {ProcessStat[]} */
export function listProcesses() {
  return listPids().flatMap(pid => readStat(pid) ?? []);
}

/** Of all processes that can be seen. */
export function listPids() {
  return listNumbers('/proc').map(Number);
}

/** @param {string} folder @returns {string[]} entries of it that are numbers; none where we may not look */
export function listNumbers(folder) {
  try {
    return readdirSync(folder).filter(name => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** A small file, such as those of `/proc`. @param {string} file @returns {string | null} null where it cannot be read */
export function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** @param {string} place @returns {string | null} where a link leads; null where it cannot be read */
export function readLink(place) {
  try {
    return readlinkSync(place);
  } catch {
    return null;
  }
}

/** @param {number} pid @param {string} name */
const readProc = (pid, name) => readText(`/proc/${pid}/${name}`);

/**
 * A variable of the environment that a process was started with.
 * @param {number} pid
 * @param {string} name
 * @returns {string | null | undefined} undefined: it is not set; null: we may not look
 */
export function readVariable(pid, name) {
  const text = readProc(pid, 'environ');
  if (text === null) return null;
  const entry = text.split('\0').find(one => one.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}
