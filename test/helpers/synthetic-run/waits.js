/** The files of the slow profiler that looks at all threads: what requests wait for. */
import { sum, workOf } from './simulate.js';
import { MASTER_PID, pidAt } from './worker-lives.js';
import { buildStack, IDLE_STACK, IDLE_THREAD, MASTER_STACK, WAITS } from './works.js';

/** @import { RawRecord } from '../../../lib/run/ndjson.js' */

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */
/** @typedef {import('./simulate.js').Second} Second */

const RATE_HZ = 5;
const PER_FILE = 20;
/** Between two requests a thread is free for a moment. */
const ALL_TAKEN = 0.97;

/**
 * @param {CompleteSpec} spec
 * @param {Second[]} seconds
 * @param {import('./worker-lives.js').Life[]} lives
 * @param {(pid: number, thread: number) => string} prefixes frames of process and thread
 * @param {(file: string, text: string) => void} write takes each file as it is made
 * @returns {RawRecord[]} lines of `profile/segments.ndjson`
 */
export function buildWaits(spec, seconds, lives, prefixes, write) {
  const { random } = spec;
  const states = listStates(spec);
  const most = Math.max(...spec.workerShares);
  const isFullest = (/** @type {number} */ worker) => (spec.workerShares[worker] ?? 0) > most * 0.9;
  /** @type {RawRecord[]} */
  const records = [];
  for (let first = 0; first < seconds.length; first += PER_FILE) {
    /** @type {Map<string, number>} */
    const lines = new Map();
    let samples = 0;
    const add = (/** @type {string} */ line) => {
      lines.set(line, (lines.get(line) ?? 0) + 1);
      samples++;
    };
    const part = seconds.slice(first, first + PER_FILE);
    for (const second of part)
      for (let look = 0; look < RATE_HZ; look++) {
        add(`process ${MASTER_PID}:"gunicorn";thread (${MASTER_PID}): MainThread;${MASTER_STACK}`);
        for (let worker = 0; worker < spec.workers; worker++)
          lookAt(worker, pidAt(lives, worker, second.fromMs), second, add);
      }
    const file = `waits-${String(first / PER_FILE + 1).padStart(5, '0')}.raw`;
    write(file, [...lines].map(([line, count]) => `${line} ${count}\n`).join(''));
    const startMs = spec.startMs + first * 1000;
    const endMs = startMs + part.length * 1000;
    records.push(
      { t: startMs, kind: 'waits-start', file, startMs, rateHz: RATE_HZ },
      { t: endMs + 30, kind: 'waits', file, startMs, endMs, rateHz: RATE_HZ, samples, errors: 0 },
    );
  }
  return records;

  /** @param {number} worker @param {number} pid @param {Second} second @param {(line: string) => void} add */
  function lookAt(worker, pid, second, add) {
    add(`${prefixes(pid, 0)}${IDLE_STACK.join(';')}`);
    const served = sum(second.requests.map(counts => counts[worker] ?? 0));
    const busy = sum(
      spec.endpoints.map(
        ({ cpuSumMs, waitSumMs }, e) =>
          ((second.requests[e]?.[worker] ?? 0) * (cpuSumMs + waitSumMs)) / 1000,
      ),
    );
    // A full worker's threads are all taken, also those that wait for the interpreter.
    const isFull = second.isSaturated && served > 0 && isFullest(worker);
    const share = isFull ? ALL_TAKEN : Math.min(1, busy / spec.threads);
    for (let thread = 1; thread <= spec.threads; thread++) {
      const stack = random.uniform() < share ? pickStack(states, random.uniform()) : IDLE_THREAD;
      add(`${prefixes(pid, thread)}${stack}`);
    }
  }
}

/** Where a thread inside a request may be, and how much of the time. @param {CompleteSpec} spec */
function listStates(spec) {
  const markers = (/** @type {string} */ name) =>
    spec.companion ? [`${name} (<loadflame route>)`] : [];
  const states = spec.endpoints.flatMap(endpoint => [
    ...endpoint.works.map(({ work, ms }) => ({
      weight: ms * endpoint.ratePerSec,
      stack: buildStack(workOf(work), endpoint, 0, markers(endpoint.name)).join(';'),
    })),
    ...Object.entries(endpoint.waitMs ?? {}).map(([kind, ms]) => ({
      weight: ms * endpoint.ratePerSec,
      stack: buildStack(waitOf(kind), endpoint, 0, markers(endpoint.name)).join(';'),
    })),
  ]);
  const total = sum(states.map(({ weight }) => weight));
  return states.map(({ weight, stack }) => ({ share: weight / total, stack }));
}

/** @param {{share: number, stack: string}[]} states @param {number} at 0 … 1 */
function pickStack(states, at) {
  let left = at;
  const found = states.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  return found?.stack ?? states.at(-1)?.stack ?? IDLE_THREAD;
}

/** @param {string} kind */
function waitOf(kind) {
  const found = WAITS[kind];
  if (!found) throw new Error(`There is no wait ${kind}: ${Object.keys(WAITS).join(', ')}`);
  return found;
}
