/**
 * Finds where a series of runs changes, with E-divisive: D. Matteson, N. James, "A nonparametric approach for multiple change
 * point analysis of multivariate data", Journal of the American Statistical Association 109 (2014), with α = 1 and the
 * whole rest of a stretch as its right side, as MongoDB (D. Daly et al., ICPE 2020) and Apache Otava, formerly Hunter
 * (M. Fleming et al., ICPE 2023), do. They test each measure alone. Here all measures are one series: its statistic is
 * the largest of any measure, in units of that measure's mean distance, and a permutation moves whole runs. So the
 * error rate holds for all measures together.
 */
import { createRandom, shuffle } from '../../base/math/random.js';
import { squaresAroundMean, sum } from '../../base/math/summary.js';

/** Error rate: how often a series without a change shows one. It takes at least five runs a side. */
export const ALPHA = 0.01;
/** Two slow runs are not a change. */
const LEAST_SIDE = 3;
const PERMUTATIONS = 9999;
/** Enough if none of them is as clear. */
const CLEAR_PERMUTATIONS = 999;
/** 95 % quantile of the likelihood ratio of a place: B. Hansen, Econometrica 68 (2000), table 1. */
const LIKELY_PLACES = 7.35;

/** A stretch, `to` is the first run after it. @typedef {{from: number, to: number}} Stretch */
/** `at`: the first run after it. @typedef {{at: number, measure: number, p: number}} ChangePoint */

/**
 * @param {(number | null)[][]} measures the values of each, oldest first; null: not known
 * @returns {ChangePoint[]} in order
 */
export function findChangePoints(measures) {
  const scaled = measures.map(toComparable);
  // If most runs have no errors, the few with errors stand out too easily and would hide the other measures.
  const families = [false, true].map(isSparse =>
    [...scaled.keys()].filter(index => hasCommonValue(scaled[index] ?? []) === isSparse),
  );
  const random = createRandom(1);
  /** @type {ChangePoint[]} */
  const found = [];
  for (;;) {
    const edges = [0, ...found.map(({ at }) => at).sort((a, b) => a - b), measures[0]?.length ?? 0];
    const stretches = edges.slice(1).map((to, index) => ({ from: edges[index] ?? 0, to }));
    const next = families
      .map(family => testFamily(family, scaled, stretches, random))
      .find(one => one !== null);
    if (!next) return found.sort((a, b) => a.at - b.at);
    found.push(next);
  }
}

/** Compares ratios: takes logarithms if all values are positive. @param {(number | null)[]} values @returns {Float64Array} NaN: not known */
function toComparable(values) {
  const hasLogs = values.every(value => value === null || value > 0);
  return Float64Array.from(values, value => {
    if (value === null) return Number.NaN;
    return hasLogs ? Math.log(value) : value;
  });
}

/** @param {ArrayLike<number>} values */
function hasCommonValue(values) {
  const known = Array.from(values).filter(value => !Number.isNaN(value));
  const counts = Map.groupBy(known, value => value);
  return [...counts.values()].some(({ length }) => length > known.length / 2);
}

/**
 * The clearest change of any stretch, if permutations are rarely as clear.
 * @param {number[]} family indexes of measures
 * @param {Float64Array[]} measures
 * @param {Stretch[]} stretches
 * @param {() => number} random
 * @returns {ChangePoint | null}
 */
function testFamily(family, measures, stretches, random) {
  const order = Uint32Array.from(measures[0] ?? [], (_, run) => run);
  const find = () => {
    let best = { clarity: 0, at: 0, measure: 0 };
    for (const measure of family)
      for (const stretch of stretches) {
        const split = findSplit(measures[measure] ?? new Float64Array(), order, stretch);
        if (split.clarity > best.clarity) best = { ...split, measure };
      }
    return best;
  };
  const { clarity, at, measure } = find();
  if (clarity === 0) return null;
  const most = ALPHA * (PERMUTATIONS + 1) - 1;
  let asClear = 0;
  let permutations = 0;
  while (permutations < PERMUTATIONS && asClear <= most) {
    for (const { from, to } of stretches) shuffle(order, random, from, to);
    permutations++;
    if (find().clarity >= clarity * (1 - 1e-9)) asClear++;
    if (asClear === 0 && permutations === CLEAR_PERMUTATIONS) break;
  }
  return asClear <= most ? { at, measure, p: (asClear + 1) / (permutations + 1) } : null;
}

/**
 * The split with the largest Q = mn / (m + n) · E of Matteson and James, in mean distances.
 * @param {Float64Array} values
 * @param {Uint32Array} order
 * @param {Stretch} stretch
 * @returns {{clarity: number, at: number}} 0: none
 */
function findSplit(values, order, { from, to }) {
  const runs = order.subarray(from, to).filter(run => !Number.isNaN(values[run]));
  const count = runs.length;
  let best = { clarity: 0, at: 0 };
  if (count < 2 * LEAST_SIDE) return best;
  // Sums of the distances from a run to all earlier ones, and to all later ones.
  const back = new Float64Array(count);
  const ahead = new Float64Array(count);
  for (let right = 1; right < count; right++) {
    const value = values[runs[right] ?? 0] ?? 0;
    for (let left = 0; left < right; left++) {
      const distance = Math.abs(value - (values[runs[left] ?? 0] ?? 0));
      back[right] = (back[right] ?? 0) + distance;
      ahead[left] = (ahead[left] ?? 0) + distance;
    }
  }
  const all = sum(back);
  const scale = all / countPairs(count);
  if (scale === 0) return best;
  let within = 0;
  let beyond = all;
  for (let m = 1; m <= count - LEAST_SIDE; m++) {
    within += back[m - 1] ?? 0;
    beyond -= ahead[m - 1] ?? 0;
    if (m < LEAST_SIDE) continue;
    const n = count - m;
    const between = (2 * (all - within - beyond)) / (m * n);
    const energy = between - within / countPairs(m) - beyond / countPairs(n);
    const clarity = ((m * n) / count) * (energy / scale);
    if (clarity > best.clarity) best = { clarity, at: runs[m] ?? 0 };
  }
  return best;
}

/** @param {number} count */
const countPairs = count => (count * (count - 1)) / 2;

/**
 * Where the change may be, by the measure that shows it most: all places that explain its values nearly as well as the
 * best one.
 * @param {(number | null)[]} values of the stretches on both sides of it
 * @param {number} at the place found
 * @returns {{first: number, last: number}} earliest and latest first run after the change
 */
export function findRange(values, at) {
  const scaled = toComparable(values);
  const known = [...scaled.keys()].filter(run => !Number.isNaN(scaled[run]));
  const residuals = known.map((_, m) => {
    const [before, after] = [known.slice(0, m), known.slice(m)];
    const isSplit = before.length >= LEAST_SIDE && after.length >= LEAST_SIDE;
    const squares = [before, after].map(side =>
      squaresAroundMean(side.map(run => scaled[run] ?? 0)),
    );
    return isSplit ? sum(squares) : Infinity;
  });
  const best = Math.min(...residuals);
  const likely = known.filter(
    (_, m) => known.length * ((residuals[m] ?? 0) - best) <= LIKELY_PLACES * best,
  );
  return { first: Math.min(at, ...likely), last: Math.max(at, ...likely) };
}
