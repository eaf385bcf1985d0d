/**
 * The target's clock minus ours, estimated from the times in its responses. Each time was read at some moment between
 * the request's last byte and the response's first; a Date header cuts off up to a second. So each response gives an
 * interval, and the intersection of all is as narrow as that of the quickest response (the idea of K. Marzullo's
 * intersection in NTP, RFC 5905 11.2.1).
 */

import { least, most, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { valueAt } from '../read/cpu.js';

/**
 * How far the responses of ten seconds may contradict each other. Servers that build a Date once a second send one
 * that is up to that old (uvicorn). A clock that is being corrected gains or loses half a millisecond a second
 * (adjtimex).
 */
const SLACK_MS = { date: 1000, companion: 5 };
/** The second that a Date cuts off, plus the second for which a server keeps it. */
const OLD_DATE_MS = 2000;

/** @typedef {import('../../run/facts/records.d.ts').RecordOf<'metrics'>} MetricsRecord */
/** @typedef {Pick<Extract<MetricsRecord, {kind: 'clock'}>, 't' | 'lowMs' | 'highMs'>} Bounds of ten seconds */

/** @typedef {'companion' | 'date'} ClockSource the companion's own time, or Date headers */

/**
 * @param {MetricsRecord[]} all of a load
 * @returns {{from: ClockSource, answers: number, offsetAt: (ourMs: number) => number, uncertaintyMs: number} | null}
 *   null where no response has a time, or where the times contradict each other
 */
export function followClock(all) {
  const { from, records, bounds } = readBounds(all);
  const spans = findSpans(from, records, bounds);
  if (spans.length === 0) return null;
  const points = spans.map(({ t, lowMs, highMs }) => ({ t, value: (lowMs + highMs) / 2 }));
  return {
    from,
    answers: sum(records.map(record => record.answers)),
    offsetAt: ourMs => valueAt(points, ourMs),
    uncertaintyMs: most(spans.map(({ lowMs, highMs }) => (highMs - lowMs) / 2)),
  };
}

/**
 * One span for the whole load, or one per ten seconds where a clock drifts.
 * @param {ClockSource} from @param {Bounds[]} records @param {Bounds[]} bounds
 * @returns {Bounds[]} empty where they contradict each other
 */
function findSpans(from, records, bounds) {
  if (areOld(from, records)) {
    const lowMs = most(records.map(record => record.lowMs));
    return [{ t: 0, lowMs, highMs: lowMs + OLD_DATE_MS }];
  }
  const common = {
    lowMs: most(bounds.map(({ lowMs }) => lowMs)),
    highMs: least(bounds.map(({ highMs }) => highMs)),
  };
  if (bounds.length > 0 && common.lowMs <= common.highMs) return [{ t: 0, ...common }];
  if (bounds.some(({ lowMs, highMs }) => lowMs > highMs)) return [];
  return bounds.toSorted((a, b) => a.t - b.t);
}

/**
 * A server that builds its Date once a second (uvicorn) sends old ones while its event loop is blocked, but never
 * one older than the one before. Only the lower bounds of old ones hold.
 * @param {ClockSource} from @param {(Bounds & {backMs?: number})[]} records
 */
function areOld(from, records) {
  return (
    from === 'date' &&
    records.some(({ lowMs, highMs }) => lowMs > highMs) &&
    records.every(({ backMs = Number.POSITIVE_INFINITY }) => backMs <= SLACK_MS.date)
  );
}

/** The companion's time is the API's own; a Date may come from a proxy in front of it. @param {MetricsRecord[]} all */
function readBounds(all) {
  const clocks = ofKind(all, 'clock');
  const own = clocks.filter(record => record.from === 'companion');
  /** @type {ClockSource} */
  const from = own.length > 0 ? 'companion' : 'date';
  const records = own.length > 0 ? own : clocks;
  const bounds = records.map(({ t, lowMs, highMs }) => {
    return { t, lowMs, highMs: lowMs > highMs ? highMs + SLACK_MS[from] : highMs };
  });
  return { from, records, bounds };
}
