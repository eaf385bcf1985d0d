/** Whether something rises, and how fast; robust against outliers, without a model of the noise. */
import { normalCdf } from './distributions.js';
import { median } from './summary.js';

/** The pairs of these points suffice; more add no precision. */
const MOST_POINTS = 240;

/**
 * @typedef {object} Trend
 * @property {number} slope per unit of x: H. Theil (1950) and P. K. Sen, "Estimates of the regression
 *   coefficient based on Kendall's tau", JASA 63 (1968)
 * @property {number} start the line's value at the first x
 * @property {number} end the line's value at the last x
 * @property {number} p probability of this rise by chance (one-sided): H. B. Mann, "Nonparametric tests against
 *   trend", Econometrica 13 (1945), with the correction for ties
 */

/**
 * @param {{x: number, y: number}[]} points in order of x; thinned if there are very many
 * @returns {Trend | null} null for fewer than four points, or if all have the same x
 */
export function findTrend(points) {
  const step = Math.ceil(points.length / MOST_POINTS);
  const kept = points.filter((_, index) => index % step === 0);
  const first = kept[0];
  const last = kept.at(-1);
  if (!first || !last || kept.length < 4 || last.x === first.x) return null;
  /** @type {number[]} */
  const slopes = [];
  let score = 0;
  for (const [index, a] of kept.entries()) {
    for (const b of kept.slice(index + 1)) {
      score += Math.sign(b.y - a.y);
      if (b.x > a.x) slopes.push((b.y - a.y) / (b.x - a.x));
    }
  }
  const slope = median(slopes);
  const base = median(kept.map(({ x, y }) => y - slope * x));
  return {
    slope,
    start: base + slope * first.x,
    end: base + slope * last.x,
    p: chanceOfRise(score, kept),
  };
}

/** @param {number} score @param {{y: number}[]} points */
function chanceOfRise(score, points) {
  const n = points.length;
  const term = (/** @type {number} */ m) => m * (m - 1) * (2 * m + 5);
  const ties = [...Map.groupBy(points, ({ y }) => y).values()];
  const variance = (term(n) - ties.reduce((sum, { length }) => sum + term(length), 0)) / 18;
  if (variance <= 0) return 1;
  return normalCdf(-(score - Math.sign(score)) / Math.sqrt(variance));
}
