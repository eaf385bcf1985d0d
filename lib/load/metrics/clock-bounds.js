/** Bounds the offset of the target's clock from ours, by the companion's time or else the Date headers of responses. */

/** @import { RawHeaders } from '../engine/http/raw-headers.js' */
/** @import { ServerTiming } from '../../run/facts/whole-request.d.ts' */

/** Interval of records: clocks drift. */
const RECORD_MS = 10_000;
/** A Date header has whole seconds, rounded down. */
const CUT_OFF_MS = 1000;
/** Resolution of our own times: the wall clock has whole milliseconds, `performance` is finer. */
const OWN_MS = 1;

/**
 * A line of `load/metrics.ndjson` of kind `clock`, without `t` and `worker`.
 * @typedef {object} ClockRecord
 * @property {'companion' | 'date'} from source of the time; a proxy may set its own Date in a response
 * @property {number} lowMs the target's clock is ahead of ours by at least this
 * @property {number} highMs and by at most this; below `lowMs` if responses contradict each other
 * @property {number} answers
 * @property {number} [backMs] for Dates: how much older one was than a Date received before its request was sent
 */

/**
 * A response's time was correct at some moment between writing the request and reading the headers; a Date is rounded
 * down by up to a second. The intersection of all responses is about as narrow as the fastest response.
 * @param {(record: ClockRecord) => void} write
 * @param {{now?: () => number}} [options]
 */
export function createClockBounds(write, { now = Date.now } = {}) {
  let bounds = { companion: createBounds(), date: createBounds() };
  let sinceMs = now();
  let lastText = '';
  let lastDateMs = Number.NaN;
  let latest = { dateMs: Number.NEGATIVE_INFINITY, readMs: 0 };
  return {
    /**
     * @param {{rawHeaders: RawHeaders, headersMs: number, sentMs: number, connectedMs: number}} exchange of a
     *   request, by `performance.now()`
     * @param {ServerTiming | null} [reported] from the companion
     */
    note({ rawHeaders, headersMs, sentMs, connectedMs }, reported) {
      // Other work may come between two readings: each bound takes the reading that leaves it too wide.
      const [beforeMs, wallMs] = [performance.now(), now()];
      const readMs = wallMs + OWN_MS - (beforeMs - headersMs);
      const writtenMs = wallMs - (performance.now() - (sentMs || connectedMs));
      if (reported?.nowMs) {
        const takenMs = reported.nowMs - reported.totalMs + OWN_MS;
        narrow(bounds.companion, reported.nowMs - readMs, takenMs - writtenMs);
        return;
      }
      const text = rawHeaders.find('date');
      if (text === null) return;
      if (text !== lastText) {
        lastText = text;
        lastDateMs = Date.parse(text);
      }
      if (Number.isNaN(lastDateMs)) return;
      if (lastDateMs > latest.dateMs) latest = { dateMs: lastDateMs, readMs };
      else if (writtenMs > latest.readMs)
        bounds.date.backMs = Math.max(bounds.date.backMs, latest.dateMs - lastDateMs);
      narrow(bounds.date, lastDateMs - readMs, lastDateMs + CUT_OFF_MS - writtenMs);
    },
    /** Writes the bounds if a record is due, or at the end (`all`). @param {{all?: boolean}} [options] */
    flush({ all = false } = {}) {
      if (!all && now() - sinceMs < RECORD_MS) return;
      for (const from of /** @type {const} */ (['companion', 'date'])) {
        const { lowMs, highMs, answers, backMs } = bounds[from];
        const reported = { from, lowMs: Math.floor(lowMs), highMs: Math.ceil(highMs), answers };
        if (answers > 0) write({ ...reported, ...(from === 'date' && { backMs }) });
      }
      bounds = { companion: createBounds(), date: createBounds() };
      sinceMs = now();
    },
  };
}

const createBounds = () => ({ lowMs: -Infinity, highMs: Infinity, answers: 0, backMs: 0 });

/**
 * @param {ReturnType<typeof createBounds>} bounds
 * @param {number} lowMs
 * @param {number} highMs
 */
function narrow(bounds, lowMs, highMs) {
  bounds.lowMs = Math.max(bounds.lowMs, lowMs);
  bounds.highMs = Math.min(bounds.highMs, highMs);
  bounds.answers += 1;
}

/** @typedef {ReturnType<typeof createClockBounds>} ClockBounds */
