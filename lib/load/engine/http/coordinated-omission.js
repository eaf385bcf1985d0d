/**
 * How much later than scheduled a user began: its first request is late by that, and latency from the schedule counts it
 * (coordinated omission, `docs/terminology.md`). What the user does before (pauses, hooks, a socket) does not count.
 */

const LATENESS = Symbol('lateness of the first request');

/** @param {any} context @param {{intendedAtMs: number} | undefined} arrival of the user; none in a closed loop */
export function noteLateness(context, arrival) {
  context[LATENESS] = arrival ? performance.now() - arrival.intendedAtMs : 0;
}

/** @param {any} context @returns {number} ms; 0 after the first request */
export function takeLatenessMs(context) {
  const latenessMs = context[LATENESS];
  context[LATENESS] = 0;
  return latenessMs;
}
