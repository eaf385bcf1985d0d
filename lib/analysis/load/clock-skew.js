/**
 * The target's clock minus ours, from the Date headers of its answers. Such a header has whole seconds:
 * it was true at some moment between the request's last byte and the answer's first, and up to a second
 * is cut off. So each answer gives an interval, wider than a second, and what all of them have in common
 * is as narrow as the quickest of them was (the idea of K. Marzullo's intersection in NTP, RFC 5905
 * 11.2.1).
 */

import { least, most } from '../../math/summary.js';

/** @import { ClockSkew } from '../quality/quality.d.ts' */

/** Servers that make the header once a second send an old one up to so long (uvicorn). */
const KEPT_MS = 1000;

/**
 * @param {Record<string, any>[]} all records of a load; those of kind `clock` count
 * @returns {ClockSkew | null} null where no answer told its time
 */
export function measureClockSkew(all) {
  const records = all.filter(({ kind }) => kind === 'clock');
  if (records.length === 0) return null;
  const lows = records.map(record => Number(record.lowMs));
  const highs = records.map(record => Number(record.highMs));
  const answers = records.reduce((sum, record) => sum + record.answers, 0);
  const common = { lowMs: most(lows), highMs: least(highs), answers };
  if (common.lowMs <= common.highMs) return { ...common, state: 'agree' };
  if (records.every(({ lowMs, highMs }) => lowMs <= highMs))
    return { lowMs: least(lows), highMs: most(highs), answers, state: 'drift' };
  const highMs = common.highMs + KEPT_MS;
  return common.lowMs <= highMs
    ? { ...common, highMs, state: 'agree' }
    : { ...common, state: 'contradict' };
}
