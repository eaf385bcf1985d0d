/** What a study file expands to: variants (combinations of factors), steps of load, servers, names of variables. */

/** @import { Factor, FactorMatch, Gunicorn, Load, Study } from '../../../run/facts/study-file.d.ts' */
/** @import { Variant } from '../../../run/facts/study-records.d.ts' */

/** Number of combinations of the factors, before exclusions. @param {Factor[]} factors */
export function countCombinations(factors) {
  return factors.reduce((product, { values }) => product * values.length, 1);
}

/**
 * All combinations that are not excluded; the last factor changes fastest.
 * @param {Pick<Study, 'factors' | 'exclude'>} study
 * @returns {Variant[]}
 */
export function listVariants({ factors, exclude }) {
  /** @type {Record<string, string>[]} */
  let combinations = [{}];
  for (const { name, values } of factors) {
    combinations = combinations.flatMap(before =>
      values.map(({ label }) => ({ ...before, [name]: label })),
    );
  }
  return combinations
    .filter(combination => !exclude.some(match => matchesFactors(match, combination)))
    .map(combination => ({
      id: nameVariant(combination),
      label: labelVariant(combination),
      factors: combination,
    }));
}

/** `workers=2,cache=redis` @param {Record<string, string>} factors */
function nameVariant(factors) {
  const parts = Object.entries(factors).map(([name, label]) => `${name}=${label}`);
  return parts.join(',') || 'all';
}

/** `2 workers, cache redis` @param {Record<string, string>} factors */
function labelVariant(factors) {
  const parts = Object.entries(factors).map(([name, label]) => {
    if (!name.endsWith('s') || !/^\d+$/.test(label)) return `${name} ${label}`;
    return `${label} ${label === '1' ? name.replace(/(?<=ss|x)es$|s$/, '') : name}`;
  });
  return parts.join(', ') || 'all';
}

/**
 * @param {FactorMatch | null} match factor → labels; null matches all
 * @param {Record<string, string>} factors of a variant
 * @returns {boolean} all factors of the match have one of its labels
 */
export function matchesFactors(match, factors) {
  return Object.entries(match ?? {}).every(
    ([factor, labels]) => Object.hasOwn(factors, factor) && labels.includes(factors[factor] ?? ''),
  );
}

/**
 * The steps of a load in their order; with *until saturated*, up to the last possible one. Users and bursts are whole
 * numbers, arrivals have up to two decimals.
 * @param {Pick<Load, 'model' | 'steps'>} load
 * @returns {number[]} ascending, without duplicates; the highest is always the last
 */
export function listSteps({ model, steps }) {
  if (Array.isArray(steps)) return steps;
  const { from, factor, most } = steps;
  const unit = hasParts(model) ? 0.01 : 1;
  /** @type {number[]} */
  const list = [];
  for (let step = from; step < most; step *= factor) {
    const rounded = Number((Math.round(step / unit) * unit).toFixed(2));
    if (rounded < most && rounded !== list.at(-1)) list.push(rounded);
  }
  return [...list, most];
}

/** Arrivals are per second and may be fractional; users and bursts are whole. @param {Load['model']} model */
export const hasParts = model => model === 'open' || model === 'spike';

/** @param {Study['target']} target @returns {Gunicorn[]} */
export function listServers({ gunicorn }) {
  return [gunicorn ?? []].flat();
}

/** `keep-alive`, `option` → `STUDY_KEEP_ALIVE_OPTION` @param {...string} parts */
export function nameVariable(...parts) {
  return ['STUDY', ...parts].join('_').replace(/\W+/g, '_').toUpperCase();
}
