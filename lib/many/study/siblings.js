/** Which variants differ in one factor only. */

/** @import { Factor } from '../../facts/study-file.d.ts' */

/** @typedef {{id: string, factors: Record<string, string>}} Placed */

/** With more values than these every one is compared with the first alone. */
const MOST_IN_PAIRS = 4;

/**
 * Pairs of variants that differ in one factor: neighbours where its values are numbers, else each with
 * each.
 * @template {Placed} V
 * @param {V[]} variants @param {Factor[]} factors
 * @returns {{factor: string, before: V, after: V}[]}
 */
export function listPairs(variants, factors) {
  return factors.flatMap(factor =>
    groupByOthers(variants, factor.name).flatMap(group => {
      const ordered = sortByFactor(group, factor);
      const isNumeric = ordered.every(({ factors: own }) => isNumber(own[factor.name]));
      return ordered.flatMap((after, index) =>
        ordered.slice(0, index).flatMap((before, at) => {
          const isAsked = isNumeric
            ? at === index - 1
            : at === 0 || ordered.length <= MOST_IN_PAIRS;
          return isAsked ? [{ factor: factor.name, before, after }] : [];
        }),
      );
    }),
  );
}

/**
 * Variants that are the same but for one factor.
 * @template {Placed} V
 * @param {V[]} variants @param {string} factor
 * @returns {V[][]}
 */
export function groupByOthers(variants, factor) {
  const keyOf = (/** @type {V} */ { factors }) =>
    JSON.stringify(Object.entries(factors).filter(([name]) => name !== factor));
  return [...Map.groupBy(variants, keyOf).values()];
}

/** Numbers by size, else in the order of the study file. @template {Placed} V @param {V[]} variants @param {Factor} factor */
function sortByFactor(variants, { name, values }) {
  const labels = values.map(({ label }) => label);
  const isNumeric = labels.every(isNumber);
  return variants.toSorted((a, b) => {
    const [left, right] = [a.factors[name] ?? '', b.factors[name] ?? ''];
    return isNumeric ? Number(left) - Number(right) : labels.indexOf(left) - labels.indexOf(right);
  });
}

/** @param {string | undefined} label */
function isNumber(label) {
  return label !== undefined && label.trim() !== '' && Number.isFinite(Number(label));
}
