/** A run of 8 users that wait all the time, whose predictions are known. */
import { makeWaits } from '../facts.js';

/**
 * At 20 requests/s.
 * @param {any} [changes] @returns {any}
 */
export function makeFacts(changes = {}) {
  return {
    pressure: { id: 'waiting', facts: { users: 8, share: 1 } },
    throughputPerSec: 20,
    workers: { processes: 1, cores: 0.02, busiestCores: 0.02 },
    generatorCores: 0.02,
    host: { cores: 0.1, cpus: 4 },
    loopWaits: null,
    waits: makeWaits({ lock: 0.875, sleep: 0.125 }, { slots: 16, busy: 8 }),
    paths: [],
    ...changes,
  };
}
/** @type {any} */
export const HOLDER = {
  of: 'lock',
  function: 'reserve',
  file: 'shop.py',
  threads: 1,
  doing: { id: 'sleep', share: 1 },
};
/** @param {number} value */
export const wide = value => ({ value, low: value - 0.05, high: value + 0.05 });

/** @param {number} value @param {number | null | undefined} other */
export const isNear = (value, other) => Math.abs(value / (other ?? 0) - 1) < 0.03;
