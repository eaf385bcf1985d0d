/** How far a load test is, from the records of its workers. */
import { mergeSketches } from '../../../math/sketch.js';

/** @import { LoadProgress } from '../messages.js' */

const LOOK_BACK_MS = 5000;

/**
 * @param {number} phases how many there are
 * @param {{recordMs?: number}} [options] `recordMs`: what a record covers
 */
export function createProgress(phases, { recordMs = 1000 } = {}) {
  let requests = 0;
  let errors = 0;
  let phaseIndex = -1;
  let phaseName = 'starting';
  let startedAtMs = 0;
  /** @type {Record<string, any>[]} */
  let recent = [];

  return {
    /** @param {{index: number, name?: string}} phase */
    startPhase({ index, name }) {
      startedAtMs ||= Date.now();
      phaseIndex = index;
      phaseName = name ?? `phase ${index + 1}`;
    },
    /** @param {Record<string, any>} record of a worker */
    addSecond(record) {
      for (const [name, count] of Object.entries(record.counters)) {
        if (name === 'http.requests') requests += count;
        else if (isErrorCounter(name)) errors += count;
      }
      recent.push(record);
    },
    /** @returns {LoadProgress} */
    read() {
      const newest = Math.max(0, ...recent.map(({ fromMs }) => fromMs));
      recent = recent.filter(({ fromMs }) => fromMs > newest - LOOK_BACK_MS);
      const latency = mergeSketches(
        recent.flatMap(({ sketches }) => sketches['http.response_time'] ?? []),
      );
      const sum = (/** @type {(record: Record<string, any>) => number | undefined} */ of) =>
        recent.reduce((total, record) => total + (of(record) ?? 0), 0);
      const lengthSec = (new Set(recent.map(({ fromMs }) => fromMs)).size * recordMs) / 1000;
      return {
        phaseIndex,
        phaseName,
        phases,
        elapsedMs: startedAtMs ? Date.now() - startedAtMs : 0,
        usersActive: sum(record => (record.fromMs === newest ? record.usersActive : 0)),
        requests,
        requestsPerSec: lengthSec ? sum(record => record.counters['http.requests']) / lengthSec : 0,
        p95Ms: latency.quantile(0.95),
        errors,
      };
    },
  };
}

/** @param {string} name */
function isErrorCounter(name) {
  return /^(errors\.|http\.codes\.[45]|socketio\.connect_error$)/.test(name);
}
