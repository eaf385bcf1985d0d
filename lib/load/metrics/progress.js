/** Computes the progress of a load test from the records of its workers. */
import { countErrors } from '../../base/math/counters.js';
import { mergeSketches } from '../../base/math/sketch.js';
import { sum } from '../../base/math/summary.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { SketchJson } from '../../base/math/sketch.js' */
/** @import { LoadProgress } from '../messages.js' */

const LOOK_BACK_MS = 5000;

/**
 * @param {number} phases number of phases
 * @param {{recordMs?: number}} [options] `recordMs`: length that a record covers
 */
export function createProgress(phases, { recordMs = 1000 } = {}) {
  let [started, requests, responses, errors] = [0, 0, 0, 0];
  let phaseIndex = -1;
  let phaseName = 'starting';
  let startedAtMs = 0;
  /** @type {{fromMs: number, usersActive?: number | null, sent?: number, times?: SketchJson}[]} */
  let recent = [];

  return {
    /** @param {{index: number, name?: string}} phase */
    startPhase({ index, name }) {
      startedAtMs ||= Date.now();
      phaseIndex = index;
      phaseName = name ?? `phase ${index + 1}`;
    },
    /** @param {Pick<RecordOf<'metrics', 'second'>, 'fromMs' | 'counters' | 'sketches' | 'usersActive'>} record of a worker */
    addSecond({ fromMs, usersActive, counters = {}, sketches = {} }) {
      const count = (/** @type {string} */ name) => counters[name] ?? 0;
      requests += count('http.requests');
      responses += count('http.responses');
      started += count('vusers.created') + count('vusers.skipped');
      errors += countErrors(counters);
      const times = sketches['http.response_time'];
      recent.push({ fromMs, usersActive, sent: counters['http.requests'], times });
    },
    /** @returns {LoadProgress} */
    read() {
      const newest = Math.max(0, ...recent.map(({ fromMs }) => fromMs));
      recent = recent.filter(({ fromMs }) => fromMs > newest - LOOK_BACK_MS);
      const latency = mergeSketches(recent.flatMap(({ times }) => times ?? []));
      // A second counts once all workers have sent theirs; otherwise users of some would be missing.
      const bySecond = Map.groupBy(recent, ({ fromMs }) => fromMs);
      const workers = Math.max(0, ...[...bySecond.values()].map(({ length }) => length));
      const whole = [...bySecond.values()].filter(({ length }) => length === workers);
      const latest = whole.toSorted(([a], [b]) => (b?.fromMs ?? 0) - (a?.fromMs ?? 0))[0] ?? [];
      const lengthSec = (bySecond.size * recordMs) / 1000;
      return {
        phaseIndex,
        phaseName,
        phases,
        elapsedMs: startedAtMs ? Date.now() - startedAtMs : 0,
        usersActive: sum(latest.map(({ usersActive }) => usersActive ?? 0)),
        started,
        requests,
        inFlight: Math.max(0, requests - responses - errors),
        requestsPerSec: lengthSec ? sum(recent.map(({ sent = 0 }) => sent)) / lengthSec : 0,
        p95Ms: latency.quantile(0.95),
        errors,
      };
    },
  };
}
