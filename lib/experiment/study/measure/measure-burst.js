/** A burst: many requests at once, and how fast a target that does nothing else completes them. */

import { findPhase } from '../../../analysis/load/measurement-window.js';
import { valueAt } from '../../../analysis/read/cpu.js';
import { Sums } from '../../../analysis/read/load/counters.js';
import { ofKind } from '../../../run/ndjson.js';
import { MEASURED } from '../../choose-load.js';
import { addUp } from './measure-probes.js';

/** @import { RunRecords } from '../../../analysis/read/read-run.js' */
/** @import { CellFigures } from '../../../run/facts/study-records.d.ts' */
/** @import { ProbePoint } from './measure-probes.js' */
/** @import { Plateau } from '../../../analysis/load/measurement-window.js' */

/**
 * Rates cover the middle part: at the start connections are made and workers wake up, at the end there is
 * too little work for all of them.
 */
const FIRST = 0.1;
const LAST = 0.9;
/** Parts of the curve of responses. */
const QUANTILES = 100;
/** A counter with fewer readings in the middle has no rate. */
const LEAST_LOOKS = 3;

/**
 * @typedef {object} Burst
 * @property {Plateau} plateau its window is the middle of the completed work
 * @property {number} perSec completed per second in the middle
 * @property {number} answersPerSec in the middle of the responses
 * @property {NonNullable<CellFigures['burst']>} burst
 */

/**
 * @param {RunRecords} records
 * @param {{size: number, counted: ProbePoint[] | null}} options `counted`: what counts instead of responses
 * @returns {Burst | null} null where it ended before its middle could be measured
 */
export function measureBurst(records, { size, counted }) {
  const found = findPhase(records, MEASURED);
  if (!found) return null;
  const { t: startMs } = found.phase;
  const seconds = ofKind(found.test.records, 'second').filter(
    ({ fromMs }) => fromMs > startMs - 1000,
  );
  const answers = listAnswers(seconds, startMs);
  const points = counted ? countFrom(counted, startMs) : answers;
  const done = Math.min(size, countOf(points));
  const [middle, ofAnswers] = [findMiddle(points, done), findMiddle(answers, countOf(answers))];
  if (!middle || middle.looks < LEAST_LOOKS) return null;
  const { startMs: from, endMs: to, perSec } = middle;
  const endMs = timeOf(points, done) ?? to;
  return {
    plateau: { ...found, window: { startMs: from, endMs: to }, seconds },
    perSec,
    // all at the same moment
    answersPerSec:
      ofAnswers?.perSec ?? (countOf(answers) * 1000) / Math.max(1, lastOf(answers) - startMs),
    burst: {
      size,
      done,
      // rejected work is never completed
      drainSec: done === size ? (endMs - startMs) / 1000 : null,
    },
  };
}

/** @param {ProbePoint[]} points */
const countOf = points => points.at(-1)?.value ?? 0;

/** @param {ProbePoint[]} points */
const lastOf = points => points.at(-1)?.t ?? 0;

/** Responses over time: all requests were due at once. @param {Plateau['seconds']} seconds @param {number} startMs @returns {ProbePoint[]} */
function listAnswers(seconds, startMs) {
  const times = Sums.of(seconds).sketch('http.total_from_intended');
  return Array.from({ length: QUANTILES + 1 }, (_, n) => n / QUANTILES).map(part => ({
    t: startMs + (part > 0 && times.count > 0 ? (times.quantile(part) ?? 0) : 0),
    value: part * times.count,
  }));
}

/** @param {ProbePoint[]} counted @param {number} startMs @returns {ProbePoint[]} growth since then */
function countFrom(counted, startMs) {
  const total = addUp(counted);
  const before = valueAt(total, startMs);
  const after = total.filter(({ t }) => t > startMs);
  return [{ t: startMs, value: 0 }, ...after.map(({ t, value }) => ({ t, value: value - before }))];
}

/** @param {ProbePoint[]} points @param {number} all */
function findMiddle(points, all) {
  const [startMs, endMs] = [timeOf(points, FIRST * all), timeOf(points, LAST * all)];
  if (startMs === null || endMs === null || endMs <= startMs) return null;
  const looks = points.filter(({ t }) => t > startMs && t < endMs).length;
  return { startMs, endMs, looks, perSec: ((LAST - FIRST) * all * 1000) / (endMs - startMs) };
}

/** When the wanted number was reached, interpolated linearly between readings. @param {ProbePoint[]} points @param {number} wanted */
function timeOf(points, wanted) {
  const at = points.findIndex(({ value }) => value >= wanted);
  const [before, after] = [points[at - 1], points[at]];
  if (!before || !after) return null;
  const part = (wanted - before.value) / (after.value - before.value);
  return before.t + part * (after.t - before.t);
}
