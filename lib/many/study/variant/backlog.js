/** Whether more comes in than gets done: what waits before a stage grows, and how fast. */
import { studentTwoSidedQuantile } from '../../../math/distributions.js';
import { mean, standardError } from '../../../math/summary.js';
import { findTrend } from '../../../math/trend.js';

/** @import { Estimate } from '../../../facts/estimate.d.ts' */

/** Fewer say nothing about how the series wanders; more are too short to be free of each other. */
const PARTS = 8;
const LEAST_PER_PART = 2;
/**
 * Means of neighbouring parts of a random walk share the walk inside them: their differences have 2/3
 * of the variance that the walk itself gains in that time.
 */
const WALK = 3 / 2;

/**
 * The slope is Theil's and Sen's (`trend.js`). A backlog is a sum of arrivals minus departures, so
 * what was there a moment ago is there still: an interval that takes its points for independent would
 * be many times too narrow. This one comes from how much the backlog changes between eighths of the
 * time, as if it were a random walk with a drift.
 * @param {{t: number, value: number}[]} series `t` in epoch ms, ascending
 * @returns {Estimate | null} per second; null for fewer than sixteen points
 */
export function backlogSlope(series) {
  const points = series.map(({ t, value }) => ({ x: t / 1000, y: value }));
  const [first] = points;
  const last = points.at(-1);
  const trend = findTrend(points.map(({ x, y }) => ({ x: x - (first?.x ?? 0), y })));
  if (!first || !last || !trend || points.length < PARTS * LEAST_PER_PART) return null;
  const partSec = (last.x - first.x) / PARTS;
  const parts = Map.groupBy(points, ({ x }) =>
    Math.min(PARTS - 1, Math.floor((x - first.x) / partSec)),
  );
  const means = Array.from({ length: PARTS }, (_, part) => parts.get(part) ?? []).map(part => ({
    x: mean(part.map(({ x }) => x)),
    y: mean(part.map(({ y }) => y)),
  }));
  const speeds = means.slice(1).flatMap(({ x, y }, index) => {
    const before = means[index];
    const speed = before ? (y - before.y) / (x - before.x) : Number.NaN;
    return Number.isFinite(speed) ? [speed] : [];
  });
  const dof = speeds.length - 1;
  if (dof < 2) return null;
  const error = Math.sqrt(WALK) * standardError(speeds);
  const half = studentTwoSidedQuantile(0.05, dof) * error;
  return { value: trend.slope, low: trend.slope - half, high: trend.slope + half };
}
