import { matchesFactors } from './matches-factors.js';

/** @import { Factor, Study } from '../study-file.d.ts' */
/** @import { Variant } from '../study-records.d.ts' */

/** How many combinations the factors have, before any is left out. @param {Factor[]} factors */
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
    return `${label} ${label === '1' ? name.slice(0, -1) : name}`;
  });
  return parts.join(', ') || 'all';
}
