/** Is the capacity enough, and if not, how many are needed? Compares the study's objective with each variant. */
import { matchesFactors } from './matrix.js';
import { boundP95 } from './variant/points.js';
import { saturatedSteps } from './variant/saturation.js';

/** @import { Estimate } from '../../../base/math/estimate.d.ts' */
/** @import { Objective, Study } from '../../../run/facts/study-file.d.ts' */
/** @import { CapacityAnswer, Point, VariantCapacity, VariantReport } from '../../../run/facts/study-report.d.ts' */

/** @typedef {Pick<VariantReport, 'id' | 'label' | 'factors' | 'points' | 'saturation' | 'bottleneck'>} CapacityVariant */

/**
 * @param {Pick<Study, 'objective' | 'scaleOver' | 'factors'>} study
 * @param {CapacityVariant[]} variants
 * @param {string} throughputLabel `requests/s`
 * @returns {CapacityAnswer | null} null without an objective
 */
export function judgeCapacity({ objective, scaleOver, factors }, variants, throughputLabel) {
  if (!objective) return null;
  const { p95Ms, errors, headroom, when = null } = objective;
  const ratePerSec = rateOf(objective);
  const judged = variants
    .filter(variant => matchesFactors(when, variant.factors))
    .map(variant => ({ ...variant, capacity: judgeVariant(variant, objective, ratePerSec) }));
  const capacities = judged.map(({ capacity }) => capacity);
  const isRefused = capacities.every(
    ({ enough, capacityPerSec }) => !capacityPerSec && enough === null,
  );
  return {
    state: isRefused ? 'refused' : 'answered',
    ratePerSec,
    p95Ms,
    headroom,
    variants: capacities,
    answer: findAnswer(),
  };

  /** @returns {CapacityAnswer['answer']} */
  function findAnswer() {
    const asked = { ratePerSec, p95Ms, errors, headroom, throughputLabel };
    const usableOf = (/** @type {Judged} */ { capacity }) => capacity.usablePerSec ?? 0;
    // of the numeric factor over which scaling is judged: less is cheaper
    const sizeOf = (/** @type {Judged} */ own) => Number(own.factors[scaleOver ?? '']) || 0;
    const known = judged
      .filter(({ capacity }) => capacity.capacityPerSec)
      .sort((a, b) => usableOf(b) - usableOf(a));
    const [cheapest] = known
      .filter(({ capacity }) => capacity.enough)
      .sort((a, b) => sizeOf(a) - sizeOf(b));
    const chosen = cheapest ?? known[0];
    if (!chosen) return { id: 'capacity-unknown', facts: { ...asked, variants: capacities } };
    const { label, points, saturation, capacity } = chosen;
    const { id, component } = chosen.bottleneck;
    const plateau = saturatedSteps(points, saturation);
    const named = {
      ...asked,
      // a study without factors has one variant, whose label says nothing
      variant: factors.length > 0 ? label : null,
      bottleneck: { id, component },
      // capacity beside the generator is a lower bound on a saturated machine
      isShared: plateau.some(({ generatorCores }) => generatorCores),
    };
    const facts = { ...named, usablePerSec: usableOf(chosen) };
    if (cheapest) return { id: 'capacity-enough', facts };
    if (ratePerSec === null) return { id: 'capacity-most', facts: { ...named, capacity } };
    const needed = capacity.needed ?? 1;
    const isAtMost = capacity.enough === null;
    return { id: 'capacity-not-enough', facts: { ...facts, needed, isAtMost } };
  }
}

/** @typedef {CapacityVariant & {capacity: VariantCapacity}} Judged */

/**
 * @param {CapacityVariant} variant
 * @param {Objective} objective
 * @param {number | null} rate
 * @returns {VariantCapacity}
 */
function judgeVariant(variant, objective, rate) {
  const { capacityPerSec, step, basis, broken } = measureCapacity(variant, objective);
  const usablePerSec = capacityPerSec ? capacityPerSec.value * (1 - objective.headroom) : null;
  return {
    variant: variant.id,
    capacityPerSec,
    usablePerSec,
    enough: rate === null ? null : isEnough(usablePerSec, rate, basis),
    needed:
      rate === null || usablePerSec === null ? null : Math.max(1, Math.ceil(rate / usablePerSec)),
    step,
    basis,
    broken: broken && {
      step: broken.step,
      p95Ms: broken.latency?.p95Ms ?? null,
      errorRate: broken.errorRate,
    },
  };
}

/**
 * @param {number | null} usablePerSec
 * @param {number} rate
 * @param {VariantCapacity['basis']} basis
 */
function isEnough(usablePerSec, rate, basis) {
  if (basis === 'none') return false;
  if (usablePerSec === null) return null;
  // a lower bound can say yes, but not no
  return usablePerSec >= rate || (basis === 'at-least' ? null : false);
}

/**
 * The most that a variant does within the objective.
 * @param {Pick<CapacityVariant, 'points' | 'saturation'>} variant
 * @param {Pick<Objective, 'p95Ms' | 'errors'>} objective
 * @returns {{capacityPerSec: Estimate | null, step: number | null, basis: VariantCapacity['basis'], broken: Point | null}}
 *   `step`: the highest measured one within the objective; `broken`: the first one outside of it
 */
function measureCapacity({ points, saturation }, objective) {
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

/** A step that serves nothing meets no objective. @param {Point} point @param {Pick<Objective, 'p95Ms' | 'errors'>} objective */
function isWithin({ latency, errorRate, throughputPerSec }, { p95Ms, errors }) {
  return (
    throughputPerSec.value > 0 &&
    (p95Ms === null || latency === null || boundP95(latency) <= p95Ms) &&
    (errors === null || errorRate <= errors)
  );
}

/**
 * Throughput where p95 crosses the objective, interpolated on straight lines of logarithms between the two steps.
 * Errors start suddenly, not gradually: a step that fails because of them says nothing about what lies
 * before it.
 * @param {Point} inside @param {Point} outside @param {Pick<Objective, 'p95Ms' | 'errors'>} objective
 * @returns {Estimate | null}
 */
function interpolate(inside, outside, { p95Ms, errors }) {
  if (p95Ms === null || !inside.latency || !outside.latency) return null;
  if (errors !== null && outside.errorRate > errors) return null;
  const [low, high] = [boundP95(inside.latency), boundP95(outside.latency)];
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

/**
 * Clients that come once per interval make a rate: clients ÷ interval.
 * @param {Objective} objective
 * @returns {number | null} per second; null where the objective has neither
 */
function rateOf({ ratePerSec, clients, intervalSec }) {
  if (ratePerSec !== null) return ratePerSec;
  return clients !== null && intervalSec ? clients / intervalSec : null;
}
