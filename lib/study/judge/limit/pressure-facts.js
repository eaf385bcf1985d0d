/** Whether the load wants more than it gets, and whether it is the generator that is at its end. */
import { meanOf } from '../estimate.js';
import { findGeneratorLimit } from '../generator-limit.js';

/** @import { Point, Saturation } from '../../study-report.d.ts' */
/** @import { Cell } from '../collect-cells.js' */
/** @import { StudyLimitFacts } from './limit-facts.d.ts' */

/**
 * Throughput that grows by less than this part of what the load grows by rises hardly: whether something
 * stops it is not known then.
 */
const RISES = 0.25;

/** @param {Saturation} saturation @param {Point[]} points @param {Point | null} point */
export function findPressure({ state }, points, point) {
  if (state === 'reached') return true;
  if (point && point.skippedRate > 0.01) return true;
  if (state !== 'not-reached') return null;
  const [before, last] = points.slice(-2);
  if (!before || !last) return false;
  const gain = Math.log(last.throughputPerSec.value / before.throughputPerSec.value);
  return gain / Math.log(last.step / before.step) >= RISES ? false : null;
}

/** In-flight numbers that are this near to each other are one. */
const STUCK = 1.15;
/** With so many times the users. */
const MORE_USERS = 1.8;

/**
 * In a closed loop as many are under way as there are users. Where it stays the same with more of them,
 * the others wait before they are let in.
 * @param {'closed' | 'open'} model @param {Point[]} points @returns {number | null}
 */
export function findStuckInFlight(model, points) {
  const last = points.at(-1);
  const most = last?.inFlight ?? null;
  if (model !== 'closed' || !last || most === null) return null;
  const isNear = (/** @type {Point} */ { inFlight }) =>
    inFlight !== null && inFlight <= most * STUCK && inFlight >= most / STUCK;
  const own = points.slice(points.findLastIndex(point => !isNear(point)) + 1);
  const [first] = own;
  if (!first || last.step < first.step * MORE_USERS || most * MORE_USERS > last.step) return null;
  return meanOf(own.map(({ inFlight }) => inFlight ?? most));
}

/**
 * Only where it hides what the target can do: not when throughput had levelled off below it.
 * @param {Cell[]} cells @param {Point[]} points @param {Saturation} saturation
 * @returns {StudyLimitFacts['sign']}
 */
export function findSign(cells, points, saturation) {
  const limited = points.find(({ isGeneratorLimit }) => isGeneratorLimit);
  if (!limited || saturation.state === 'reached') return null;
  const sign = cells
    .filter(({ step }) => step === limited.step)
    .map(({ figures }) => figures && findGeneratorLimit(figures))
    .find(found => found !== null);
  return { step: limited.step, text: sign ?? 'it could not send more' };
}
