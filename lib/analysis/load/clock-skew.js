/**
 * The target's clock minus ours, from what its answers tell of it. Each was true at some moment between the
 * request's last byte and the answer's first; of a Date header up to a second is cut off. So each answer gives
 * an interval, and what all of them have in common is as narrow as the quickest of them was (the idea of K.
 * Marzullo's intersection in NTP, RFC 5905 11.2.1).
 */

import { least, most } from '../../math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { valueAt } from '../read/cpu.js';

/**
 * By which the answers of ten seconds may contradict each other: servers that make a Date once a second send an
 * old one up to so long (uvicorn), and a clock that is being set right gains or loses half a millisecond a
 * second (adjtimex).
 */
const SLACK_MS = { date: 1000, companion: 5 };
/** The second that a Date cuts off, and the one for which a server keeps it. */
const OLD_DATE_MS = 2000;

/** @typedef {import('../../facts/records.d.ts').RecordOf<'metrics'>} MetricsRecord */
/** @typedef {Pick<Extract<MetricsRecord, {kind: 'clock'}>, 't' | 'lowMs' | 'highMs'>} Bounds of ten seconds */

/** @typedef {'companion' | 'date'} ClockSource the companion's own time, or Date headers */

/**
 * @param {MetricsRecord[]} all of a load
 * @returns {{from: ClockSource, answers: number, offsetAt: (ourMs: number) => number, uncertaintyMs: number} | null}
 *   null where no response has a time, or where they contradict each other
 */
export function followClock(all) {
  const { from, records, bounds } = readBounds(all);
  const spans = findSpans(from, records, bounds);
  if (spans.length === 0) return null;
  const points = spans.map(({ t, lowMs, highMs }) => ({ t, value: (lowMs + highMs) / 2 }));
  return {
    from,
    answers: records.reduce((sum, record) => sum + record.answers, 0),
    offsetAt: ourMs => valueAt(points, ourMs),
    uncertaintyMs: most(spans.map(({ lowMs, highMs }) => (highMs - lowMs) / 2)),
  };
}

/**
 * One for the whole load; those of ten seconds each where a clock drifts.
 * @param {ClockSource} from @param {Bounds[]} records @param {Bounds[]} bounds
 * @returns {Bounds[]} none where they contradict each other
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
 * While its event loop is blocked, a server that makes its Date once a second (uvicorn) sends old ones, and
 * never one that is older than the one before. Of these only the lower bounds hold.
 * @param {ClockSource} from @param {(Bounds & {backMs?: number})[]} records
 */
function areOld(from, records) {
  return (
    from === 'date' &&
    records.some(({ lowMs, highMs }) => lowMs > highMs) &&
    records.every(({ backMs = Number.POSITIVE_INFINITY }) => backMs <= SLACK_MS.date)
  );
}

/** The companion's time is that of the API itself; a Date may be of a proxy before it. @param {MetricsRecord[]} all */
function readBounds(all) {
  const clocks = ofKind(all, 'clock');
  const own = clocks.filter(record => record.from === 'companion');
  /** @type {ClockSource} */
  const from = own.length > 0 ? 'companion' : 'date';
  const records = own.length > 0 ? own : clocks;
  const bounds = records.map(({ t, lowMs, highMs }) => ({
    ...{ t, lowMs, highMs: lowMs > highMs ? highMs + SLACK_MS[from] : highMs },
  }));
  return { from, records, bounds };
}
