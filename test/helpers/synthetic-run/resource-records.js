/** The records of `resources/processes.ndjson`. */
import { MASTER_PID, pidAt } from './worker-lives.js';

/** @import { RawRecord } from '../../../lib/run/ndjson.js' */

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */
/** @typedef {import('./simulate.js').Second} Second */

const GENERATOR_PID = 4100;
const PY_SPY_PID = 4150;
const LOADFLAME_PID = 4000;
/** Of the recorder's clock, after the full second. */
const OFFSET_MS = 3;
/** What a worker used before the recording began. */
const FIRST_CPU_MS = 400;

/**
 * @param {CompleteSpec} spec
 * @param {Second[]} seconds
 * @param {import('./worker-lives.js').Life[]} lives
 */
export function buildResourceRecords(spec, seconds, lives) {
  /** @type {RawRecord[]} */
  const records = [];
  /** @type {Map<number, number>} CPU of each process until now */
  const used = new Map();
  let busyMs = 1e6;
  const generatorMs =
    1000 * spec.generator.workers * (spec.generator.cores ?? spec.generator.utilization);
  const write = (/** @type {number} */ t, /** @type {number} */ second) => {
    const add = (
      /** @type {number} */ pid,
      /** @type {string} */ role,
      /** @type {number} */ rssBytes,
      /** @type {number} */ startTicks,
    ) =>
      records.push({
        t,
        kind: 'sample',
        pid,
        role,
        // the system counts in ticks of 10 ms
        cpuMs: Math.floor((used.get(pid) ?? 0) / 10) * 10,
        rssBytes: Math.round(rssBytes),
        threads: role === 'worker' ? spec.threads + 1 : 1,
        startTicks,
      });
    add(MASTER_PID, 'master', 60e6, 1000);
    for (const { pid, fromMs, toMs } of lives) {
      if (t < fromMs || t >= toMs) continue;
      const age = fromMs === -Infinity ? second : (t - fromMs) / 1000;
      const { startBytes, bytesPerSec } = spec.memory;
      add(pid, 'worker', startBytes + bytesPerSec * age + 2e5 * spec.random.normal(), 1000 + pid);
    }
    add(GENERATOR_PID, 'generator', 150e6, 900);
    if (spec.profile) add(PY_SPY_PID, 'py-spy', 20e6, 910);
    add(LOADFLAME_PID, 'loadflame', 90e6, 800);
    const elapsedMs = (second + 1000) * 1000 * spec.cpus;
    records.push({
      t,
      kind: 'host',
      busyMs: Math.round(busyMs),
      totalMs: elapsedMs,
      cpus: spec.cpus,
    });
  };
  const spend = (/** @type {number} */ pid, /** @type {number} */ ms) => {
    used.set(pid, (used.get(pid) ?? 0) + ms);
    busyMs += ms;
  };
  for (const { pid, fromMs } of lives) if (fromMs === -Infinity) used.set(pid, FIRST_CPU_MS);
  write(spec.startMs - 1000 + OFFSET_MS, -1);
  write(spec.startMs + OFFSET_MS, 0);
  for (const [at, { fromMs, workerMs }] of seconds.entries()) {
    for (const [worker, ms] of workerMs.entries()) spend(pidAt(lives, worker, fromMs), ms);
    spend(MASTER_PID, 1);
    spend(GENERATOR_PID, generatorMs);
    spend(LOADFLAME_PID, 20);
    if (spec.profile) spend(PY_SPY_PID, spec.rateHz);
    busyMs += 1000 * spec.otherCores;
    write(spec.startMs + (at + 1) * 1000 + OFFSET_MS, at + 1);
  }
  write(spec.startMs + (seconds.length + 1) * 1000 + OFFSET_MS, seconds.length + 1);
  return records;
}
