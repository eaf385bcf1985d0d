/**
 * How many runs a side would show a difference, and what difference the runs at hand could show: the
 * exact test itself, on simulated runs that spread normally. (G. Noether's formula, JASA 82 (1987), is
 * for large samples: it asks for six runs a side where four are enough.)
 */
import { studentTwoSidedQuantile } from './distributions.js';
import { createRandom } from './random.js';
import { countRankSums, smallestP } from './rank-tests.js';
import { sum } from './summary.js';

/** How often a real difference shall be found. */
const POWER = 0.8;
/** No one measures more than this; the difference is then smaller than what runs differ by chance. */
const MOST_RUNS = 50;
const SIMULATIONS = 400;

/** @type {Map<string, number>} by runs and alpha */
const seenShifts = new Map();

/**
 * Runs a side so that the test finds a shift four times of five.
 * @param {object} facts
 * @param {number} facts.shift between the sides, in the unit of the spread
 * @param {number} facts.spread standard deviation of runs of one side
 * @param {number} facts.alpha
 * @param {number} facts.questions among how many figures it has to stand out (step-down)
 * @returns {number | null} null when more than 50 would be needed
 */
export function findRunsNeeded({ shift, spread, alpha, questions }) {
  const wanted = Math.abs(shift);
  if (wanted === 0) return null;
  const isSeen = (/** @type {number} */ runs) =>
    Math.max(findSeenShift(runs, alpha), findStandingOut(runs, alpha / questions)) * spread <=
    wanted;
  let [low, high] = [findLeastRuns(alpha), MOST_RUNS];
  if (low > high || !isSeen(high)) return null;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSeen(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** About the shift whose Student's t stands out among all figures, four times of five. @param {number} runs a side @param {number} alpha of one of them */
function findStandingOut(runs, alpha) {
  const quantileOfPower = 0.84;
  return (studentTwoSidedQuantile(alpha, 2 * runs - 2) + quantileOfPower) * Math.sqrt(2 / runs);
}

/** Runs a side with which the test can be significant at all: 4 for alpha = 0.05. @param {number} alpha */
export function findLeastRuns(alpha) {
  let runs = 1;
  while (smallestP(runs, runs) > alpha) runs++;
  return runs;
}

/**
 * The shift that this number of runs a side finds four times of five.
 * @param {{runs: number, spread: number, alpha: number}} facts
 * @returns {number | null} in the unit of the spread; null for too few runs
 */
export function findDetectableShift({ runs, spread, alpha }) {
  if (smallestP(runs, runs) > alpha) return null;
  return findSeenShift(Math.min(runs, MOST_RUNS), alpha) * spread;
}

/** @param {number} runs a side @param {number} alpha @returns {number} in standard deviations */
function findSeenShift(runs, alpha) {
  const key = `${runs} ${alpha}`;
  const known = seenShifts.get(key);
  if (known !== undefined) return known;
  const pairs = drawPairs(runs);
  const distance = findCriticalDistance(runs, alpha);
  let [low, high] = [0, 8];
  for (let step = 0; step < 12; step++) {
    const shift = (low + high) / 2;
    const found = pairs.filter(pair => rankDistance(pair, shift) >= distance).length;
    if (found >= POWER * SIMULATIONS) high = shift;
    else low = shift;
  }
  seenShifts.set(key, high);
  return high;
}

/** @typedef {{before: number[], after: number[]}} Pair ascending */

/** The same draws for every shift and alpha: more runs and larger shifts never find less by luck. @param {number} runs @returns {Pair[]} */
function drawPairs(runs) {
  const random = createRandom(runs);
  // G. Box, M. Muller, Annals of Mathematical Statistics 29 (1958)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const draw = () => Array.from({ length: runs }, normal).sort((a, b) => a - b);
  return Array.from({ length: SIMULATIONS }, () => ({ before: draw(), after: draw() }));
}

/** How far U of a pair lies from its middle. @param {Pair} pair @param {number} shift */
function rankDistance({ before, after }, shift) {
  let above = 0;
  let below = 0;
  for (const value of after) {
    while (below < before.length && value + shift > (before[below] ?? 0)) below++;
    above += below;
  }
  return Math.abs(above - (before.length * after.length) / 2);
}

/** From this distance of U on, the two-sided p-value is at most alpha. @param {number} runs @param {number} alpha */
function findCriticalDistance(runs, alpha) {
  const ranks = Array.from({ length: 2 * runs }, (_, index) => index + 1);
  const counts = countRankSums(ranks, runs);
  const all = sum(counts);
  const least = (runs * (runs + 1)) / 2;
  let below = 0;
  for (let u = 0; u < (runs * runs) / 2; u++) {
    below += counts[least + u] ?? 0;
    if ((2 * below) / all > alpha) return (runs * runs) / 2 - u + 1;
  }
  return 0;
}
