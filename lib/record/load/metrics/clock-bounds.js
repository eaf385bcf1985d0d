/** How far the target's clock can be from ours, from the Date headers of its answers. */
import { findHeader } from '../engine/http/headers.js';

/** @import { Exchange } from '../engine/http/connection/exchange.js' */

/** One record per so long: clocks drift. */
const RECORD_MS = 10_000;
/** A Date header has whole seconds. */
const CUT_OFF_MS = 1000;
/** Our own stamps: whole milliseconds of the wall clock, beside the finer one of `performance`. */
const OWN_MS = 1;

/**
 * A line of `load/metrics.ndjson` of kind `clock`, without `t` and `worker`.
 * @typedef {object} ClockRecord
 * @property {number} lowMs the target's clock is ahead of ours by at least this
 * @property {number} highMs and by at most this; below `lowMs` where answers contradict each other
 * @property {number} answers
 */

/**
 * An answer's Date was true at some moment between the request written and its headers read, and up to
 * a second is cut off. What all answers have in common is about as narrow as the quickest was.
 * @param {(record: ClockRecord) => void} write
 * @param {{now?: () => number}} [options]
 */
export function createClockBounds(write, { now = Date.now } = {}) {
  let lowMs = Number.NEGATIVE_INFINITY;
  let highMs = Number.POSITIVE_INFINITY;
  let answers = 0;
  let sinceMs = now();
  let lastText = '';
  let lastDateMs = Number.NaN;
  return {
    /** @param {Pick<Exchange, 'rawHeaders' | 'headersMs' | 'sentMs' | 'connectedMs'>} exchange */
    note({ rawHeaders, headersMs, sentMs, connectedMs }) {
      const text = findHeader(rawHeaders, 'date');
      if (text === null) return;
      if (text !== lastText) {
        lastText = text;
        lastDateMs = Date.parse(text);
      }
      if (Number.isNaN(lastDateMs)) return;
      const wallMs = now() - performance.now();
      lowMs = Math.max(lowMs, lastDateMs - (wallMs + headersMs + OWN_MS));
      highMs = Math.min(highMs, lastDateMs + CUT_OFF_MS - (wallMs + (sentMs || connectedMs)));
      answers += 1;
    },
    /** Writes what there is when it is time, or at the end. @param {{all?: boolean}} [options] */
    flush({ all = false } = {}) {
      if (!all && now() - sinceMs < RECORD_MS) return;
      if (answers > 0) write({ lowMs: Math.floor(lowMs), highMs: Math.ceil(highMs), answers });
      lowMs = Number.NEGATIVE_INFINITY;
      highMs = Number.POSITIVE_INFINITY;
      answers = 0;
      sinceMs = now();
    },
  };
}

/** @typedef {ReturnType<typeof createClockBounds>} ClockBounds */
