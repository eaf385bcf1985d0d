/** The part of a variant's steps at which it gives the most. */

/** @import { Point, Saturation } from '../study-report.d.ts' */

/** As in `find-saturation.js`: from there on throughput falls. */
const FALL = 0.075;

/**
 * Where the generator was not the limit: the steps of the plateau; without one, the step with the
 * highest throughput alone.
 * @param {Point[]} points ascending @param {Saturation} saturation
 * @returns {Point[]} ascending; none where nothing was good
 */
export function findPlateau(points, saturation) {
  const limited = points.findIndex(({ isGeneratorLimit }) => isGeneratorLimit);
  const own = (limited < 0 ? points : points.slice(0, limited)).filter(
    ({ throughputPerSec }) => throughputPerSec.value > 0,
  );
  const best = findBest(own);
  if (!best) return [];
  if (saturation.state !== 'reached' || saturation.step === null) return [best];
  const from = saturation.step;
  const least = best.throughputPerSec.value * (1 - FALL);
  const end = own.findLastIndex(({ throughputPerSec }) => throughputPerSec.value >= least) + 1;
  return own.slice(0, end).filter(({ step }) => step >= from);
}

/** The step with the highest throughput. @param {Point[]} points @returns {Point | null} */
export function findBest(points) {
  return points.reduce(
    (/** @type {Point | null} */ best, point) =>
      best && best.throughputPerSec.value >= point.throughputPerSec.value ? best : point,
    null,
  );
}
