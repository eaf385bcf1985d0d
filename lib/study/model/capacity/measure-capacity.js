/** `measureCapacity(variant, objective)`: the most that a variant does within the objective. */

/** @typedef {import('../../study-report.d.ts').Point} Point */
/** @typedef {import('../../study-report.d.ts').Saturation} Saturation */
/** @typedef {import('../../study-file.d.ts').Objective} Objective */
/** @typedef {import('../../../analysis/report.d.ts').Estimate} Estimate */

/**
 * @typedef {object} Capacity
 * @property {Estimate | null} capacityPerSec null: refused, or nothing lies within the objective
 * @property {number | null} step the highest measured one within the objective
 * @property {'measured' | 'interpolated' | 'at-least' | 'none' | 'generator-limited' | 'unknown'} basis
 *   `at-least`: the highest step is within the objective, and throughput still rises there
 * @property {Point | null} broken the first step outside of the objective
 */

/**
 * @param {object} variant
 * @param {Point[]} variant.points
 * @param {Saturation} variant.saturation
 * @param {Pick<Objective, 'p95Ms' | 'errors'>} objective
 * @returns {Capacity}
 */
export function measureCapacity({ points, saturation }, objective) {
  const ascending = points.toSorted((a, b) => a.step - b.step);
  const limited = ascending.findIndex(({ isGeneratorLimit }) => isGeneratorLimit);
  const usable = limited < 0 ? ascending : ascending.slice(0, limited);
  const outside = usable.findIndex(point => !isWithin(point, objective));
  const broken = usable[outside] ?? null;
  const within = outside < 0 ? usable : usable.slice(0, outside);
  const last = within.at(-1);
  const none = { capacityPerSec: null, step: null, broken };
  if (ascending.length === 0) return { ...none, basis: 'unknown' };
  if (!last) return { ...none, basis: broken ? 'none' : 'generator-limited' };
  const isReached = saturation.state === 'reached';
  if (!broken && !isReached && limited >= 0) return { ...none, basis: 'generator-limited' };
  const best = within.reduce((most, point) =>
    point.throughputPerSec.value > most.throughputPerSec.value ? point : most,
  );
  if (!broken) {
    const highest = isReached ? (saturation.throughputPerSec ?? best.throughputPerSec) : null;
    return {
      capacityPerSec: highest ?? best.throughputPerSec,
      step: last.step,
      basis: highest ? 'measured' : 'at-least',
      broken,
    };
  }
  const crossing = interpolate(last, broken, objective);
  return crossing && crossing.value > best.throughputPerSec.value
    ? { capacityPerSec: crossing, step: last.step, basis: 'interpolated', broken }
    : { capacityPerSec: best.throughputPerSec, step: best.step, basis: 'measured', broken };
}

/** @param {Point} point @param {Pick<Objective, 'p95Ms' | 'errors'>} objective */
function isWithin({ latency, errorRate }, { p95Ms, errors }) {
  return (
    (p95Ms === null || latency === null || latency.p95Ms <= p95Ms) &&
    (errors === null || errorRate <= errors)
  );
}

/**
 * Throughput where p95 crosses the objective, on straight lines of logarithms between the two steps.
 * Errors begin at once and not by and by: a step that fails because of them says nothing about what
 * lies before it.
 * @param {Point} inside @param {Point} outside @param {Pick<Objective, 'p95Ms' | 'errors'>} objective
 * @returns {Estimate | null}
 */
function interpolate(inside, outside, { p95Ms, errors }) {
  if (p95Ms === null || !inside.latency || !outside.latency) return null;
  if (errors !== null && outside.errorRate > errors) return null;
  const [low, high] = [inside.latency.p95Ms, outside.latency.p95Ms];
  if (!(low > 0 && high > low)) return null;
  const part = Math.log(p95Ms / low) / Math.log(high / low);
  const between = (/** @type {number | null} */ a, /** @type {number | null} */ b) =>
    a !== null && b !== null && a > 0 && b > 0 ? a * (b / a) ** part : null;
  const value = between(inside.throughputPerSec.value, outside.throughputPerSec.value);
  if (value === null) return null;
  return {
    value,
    low: between(inside.throughputPerSec.low, outside.throughputPerSec.low),
    high: between(inside.throughputPerSec.high, outside.throughputPerSec.high),
  };
}
