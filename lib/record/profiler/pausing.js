/**
 * Does py-spy record better with or without pauses here? A pause often takes effect late, at the next entry into the
 * kernel, and samples pile up there; on a busy machine, threads that it woke look active. Without pauses, py-spy cannot
 * see before Python 3.11 which threads sleep. A loop with a cheap system call, whose share is known by its thread's
 * clock, beside threads that sleep shows both.
 */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { wilsonInterval } from '../../math/intervals.js';
import { sum } from '../../math/summary.js';
import { inheritEnvironment } from '../../process/bare-environment.js';
import { listNumbers, readThreadTimes } from '../../process/process-table.js';
import { makeTempFolder } from '../../process/temp-folder.js';
import { runLook } from './privileges.js';

/** @import { PySpy } from './find-py-spy.js' */

const RATE_HZ = 200;
const LENGTH_SEC = 1;
const LOOP = path.join(import.meta.dirname, 'known-loop.py');
/** Samples may be off by this share. */
const TOLERANCE = 0.03;

/**
 * @typedef {object} Sampled the loop, in one way
 * @property {number} told share of the system call in the samples of its thread
 * @property {number} asleep samples of the sleeping threads, as a share of all
 */

/**
 * @typedef {Sampled & {truth: number, pauses: boolean, isHonest: boolean, other: Sampled | null}} Pausing
 *   the way to record; `truth`: the system call's share by the clock of its thread; `other`: the way that is further
 *   from it, where it was tried
 */

/** @typedef {Omit<Pausing, 'other'>} Measured */

/**
 * Takes 1 s for each way.
 * @param {PySpy} pySpy
 * @param {string} python an interpreter
 * @param {{mayPause: boolean}} how not: py-spy sees which threads sleep, or cannot pause the process
 * @returns {Promise<Pausing | null>} null where py-spy cannot record it
 */
export async function choosePausing(pySpy, python, { mayPause }) {
  const paused = mayPause ? await sampleLoop(pySpy, python, true) : null;
  const knowsWhoSlept = !mayPause || readThreadTimes(process.pid).length > 0;
  return chooseNearer(paused, knowsWhoSlept ? await sampleLoop(pySpy, python, false) : null);
}

/**
 * Pauses cost the target throughput. They are better only where they show who sleeps, and are nearer to the truth by more
 * than the tolerance. Without them, the scheduler knows who sleeps.
 * @param {Measured | null} paused
 * @param {Measured | null} free
 * @returns {Pausing | null}
 */
export function chooseNearer(paused, free) {
  const offBy = (/** @type {Measured} */ way) => Math.abs(way.told - way.truth);
  const isPaused =
    paused && (!free || (paused.asleep <= TOLERANCE && offBy(paused) + TOLERANCE < offBy(free)));
  const [best, other] = isPaused ? [paused, free] : [free, paused];
  return best && { ...best, other: other && { told: other.told, asleep: other.asleep } };
}

/** @param {PySpy} pySpy @param {string} python @param {boolean} pauses @returns {Promise<Measured | null>} */
async function sampleLoop(pySpy, python, pauses) {
  const folder = makeTempFolder();
  const file = path.join(folder, 'loop.raw');
  const args = ['record', '--format', 'raw', '--rate', `${RATE_HZ}`, '--duration', `${LENGTH_SEC}`];
  if (!pauses) args.push('--nonblocking');
  try {
    const { execa } = await import('execa');
    const { stdout } = await execa(
      pySpy.path,
      [...args, '--output', file, '--', python, '-I', '-S', LOOP],
      { stdin: 'ignore', timeout: 15_000, ...inheritEnvironment() },
    );
    const truth = Number(/^0\.\d+$/m.exec(stdout)?.[0]);
    const { calls, working, asleep } = countSamples(readFileSync(file, 'utf8'));
    if (!(truth > 0) || working === 0) return null;
    const isHonest = wilsonInterval(calls, working).low <= truth + TOLERANCE;
    return {
      ...{ told: calls / working, asleep: asleep / (working + asleep) },
      ...{ truth, pauses, isHonest },
    };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the loop alone, without what its clock was read in. @param {string} raw collapsed stacks */
function countSamples(raw) {
  const lines = raw.split('\n').filter(line => !/(^|;)true_share /.test(line));
  const count = (/** @type {RegExp} */ stack) =>
    sum(lines.map(line => (stack.test(line) ? Number(/\d*$/.exec(line)?.[0]) : 0)));
  const asleep = count(/(^|;)asleep /);
  return { calls: count(/(^|;)call /), asleep, working: count(/./) - asleep };
}

/** py-spy does not always find the native id of a thread that runs: of 60 looks at two busy threads 17 missed them. */
const TRIES = 5;

/**
 * Without pauses py-spy knows threads by their addresses here; the scheduler knows native ids. A look with a pause says
 * which is which.
 * @param {PySpy} pySpy
 * @param {boolean} sudo
 * @param {() => number[]} listPids
 * @returns {() => Promise<import('./command-lines.js').TidOf>} of threads that live now; looks at processes with new
 *   ones. Never rejects
 */
export function createThreadIds(pySpy, sudo, listPids) {
  /** @type {Map<number, {tasks: Set<string>, ids: Map<string, number>}>} */
  const known = new Map();
  return async () => {
    for (const pid of listPids()) {
      const tasks = new Set(listNumbers(`/proc/${pid}/task`));
      if (tasks.isSubsetOf(known.get(pid)?.tasks ?? new Set())) continue;
      /** @type {Map<string, number>} */
      const ids = new Map();
      for (let [tries, isWhole] = [0, false]; tries < TRIES && !isWhole; tries++) {
        const how = { pauses: true, sudo, format: ['--json'] };
        const { stdout, failed } = await runLook(pySpy, pid, how);
        /** @type {{thread_id: number, os_thread_id: number | null}[]} */
        const threads = failed ? [] : JSON.parse(stdout);
        for (const { thread_id: id, os_thread_id: tid } of threads)
          if (tid !== null) ids.set(`0x${id.toString(16).toUpperCase()}`, tid);
        isWhole = threads.length > 0 && ids.size >= threads.length;
      }
      if (ids.size > 0) known.set(pid, { tasks, ids });
    }
    return (pid, address) => known.get(pid)?.ids.get(address);
  };
}
