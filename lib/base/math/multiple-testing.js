/** Multiple testing: by chance alone, one in twenty comparisons looks like a difference. */
import { studentTwoSidedP } from './distributions.js';
import { createRandom } from './random.js';
import { countChoices } from './rank-tests.js';
import { dot, mean, squaresAroundMean } from './summary.js';

/**
 * Adjusts the p-values of many tests so that calling all below alpha yields, on average, at most a share alpha of
 * false calls. Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical
 * Society B 57 (1995).
 * @param {number[]} ps
 * @returns {number[]} adjusted, in the same order
 */
export function adjustForMany(ps) {
  const order = ps.map((_, index) => index).sort((a, b) => (ps[b] ?? 1) - (ps[a] ?? 1));
  const adjusted = new Array(ps.length).fill(1);
  let least = 1;
  for (const [place, index] of order.entries()) {
    least = Math.min(least, ((ps[index] ?? 1) * ps.length) / (ps.length - place));
    adjusted[index] = least;
  }
  return adjusted;
}

/** Up to this many assignments of runs to sides, all are counted; above it, this many random ones. */
const MOST_DEALS = 2000;

/**
 * One test of all figures together: if runs were assigned to the two sides at random, how often would some figure
 * differ as much as the most striking one here? A comparison tests many figures, and by chance alone one in twenty
 * looks like a difference; this test says whether there is any difference at all, and is exact for correlated
 * figures. It is a permutation test of the maximum statistic (P. Westfall, S. Young, "Resampling-based multiple
 * testing", 1993). The statistic of a figure is Student's t; every family of figures has the same weight, regardless
 * of its size.
 * @param {{figures: number[][], doubt: number}[]} families a figure has a value per run, all in the
 *   same order, those of `before` first; `doubt`: how many times as striking a figure of this family
 *   has to be as one of a family with 1
 * @param {number} before number of runs
 * @param {number} runs of both sides
 * @returns {number} p-value; 1 when there is no figure
 */
export function sameGroupsP(families, before, runs) {
  const filled = families
    .map(({ figures, doubt }) => {
      // With few distinct values (0 or 1 errors), some assignment separates them without any spread, and t is
      // unbounded.
      const spread = figures.filter(values => new Set(values).size > values.length / 2);
      const scaled = spread.flatMap(values => standardize(values) ?? []);
      return { scaled, factor: scaled.length * doubt };
    })
    .filter(({ scaled }) => scaled.length > 0);
  if (filled.length === 0 || before < 1 || runs - before < 1 || runs < 3) return 1;
  const after = runs - before;
  const strikingness = (/** @type {Uint8Array} */ deal) =>
    Math.min(
      ...filled.map(({ scaled, factor }) => factor * mostStrikingP(scaled, deal, before, after)),
    );
  const observed = strikingness(firstDeal(runs, before));
  let [asStriking, deals] = [0, 0];
  for (const deal of dealRuns(runs, before)) {
    deals++;
    if (strikingness(deal) <= observed * (1 + 1e-9)) asStriking++;
  }
  return asStriking / deals;
}

/**
 * A p-value for each figure of a family: how often some figure that is no more striking than this one differs as much
 * when runs are assigned at random. With a probability of at most alpha, a comparison calls any figure without a
 * difference, whatever the other figures do. Unlike a factor on each p-value, this leaves the smallest possible p to
 * a figure that stands out far from all others. Step-down maxT: P. Westfall, S. Young (1993), algorithm 4.1.
 * @param {number[][]} figures a value per run, those of `before` first
 * @param {number} before number of runs
 * @returns {number[]} in the order of the figures
 */
export function stepDownPs(figures, before) {
  if (figures.length === 0) return [];
  const runs = figures[0]?.length ?? 0;
  const scaled = figures.map(values => standardize(values) ?? new Float64Array(runs));
  const own = firstDeal(runs, before);
  const observed = scaled.map(values => sideSum(values, own));
  const order = [...observed.keys()].sort((a, b) => (observed[a] ?? 0) - (observed[b] ?? 0));
  const asStriking = figures.map(() => 0);
  let deals = 0;
  for (const deal of dealRuns(runs, before)) {
    deals++;
    let most = 0;
    for (const index of order) {
      most = Math.max(most, sideSum(scaled[index] ?? own, deal));
      if (most >= (observed[index] ?? 0) * (1 - 1e-9))
        asStriking[index] = (asStriking[index] ?? 0) + 1;
    }
  }
  let least = 0;
  const ps = figures.map(() => 1);
  for (const index of order.toReversed()) {
    least = Math.max(least, (asStriking[index] ?? 0) / deals);
    ps[index] = least;
  }
  return ps;
}

/** Values scaled to mean 0 and sum of squares 1; null if all runs are equal. @param {number[]} values */
function standardize(values) {
  const middle = mean(values);
  const length = Math.sqrt(squaresAroundMean(values));
  return length > 1e-12 * Math.abs(middle)
    ? Float64Array.from(values, v => (v - middle) / length)
    : null;
}

/**
 * @param {Float64Array[]} figures
 * @param {Uint8Array} deal
 * @param {number} before
 * @param {number} after
 */
function mostStrikingP(figures, deal, before, after) {
  let most = 0;
  for (const values of figures) most = Math.max(most, sideSum(values, deal));
  // for standardised values, the between-group share of the total sum of squares
  const between = Math.min(1, most * most * (1 / before + 1 / after));
  const dof = before + after - 2;
  return studentTwoSidedP(Math.sqrt((between * dof) / Math.max(1e-300, 1 - between)), dof);
}

/**
 * The distance of one side from the other; increases with Student's t.
 * @param {ArrayLike<number>} values standardized @param {Uint8Array} deal
 */
function sideSum(values, deal) {
  return Math.abs(dot(deal, values));
}

/** The actual assignment to sides. @param {number} runs @param {number} before */
function firstDeal(runs, before) {
  return Uint8Array.from({ length: runs }, (_, run) => +(run < before));
}

/** @param {number} runs @param {number} before */
function* dealRuns(runs, before) {
  if (countChoices(runs, before) <= MOST_DEALS) return yield* allDeals(runs, before);
  // A random sample must include the observed assignment, or p would be too small.
  yield firstDeal(runs, before);
  yield* randomDeals(runs, before);
}

/** Every way to choose `size` of the runs. @param {number} runs @param {number} size */
function* allDeals(runs, size) {
  const chosen = Array.from({ length: size }, (_, index) => index);
  for (;;) {
    const deal = new Uint8Array(runs);
    for (const run of chosen) deal[run] = 1;
    yield deal;
    let last = size - 1;
    while (last >= 0 && chosen[last] === runs - size + last) last--;
    if (last < 0) return;
    chosen[last] = (chosen[last] ?? 0) + 1;
    for (let index = last + 1; index < size; index++) chosen[index] = (chosen[index - 1] ?? 0) + 1;
  }
}

/** @param {number} runs @param {number} size */
function* randomDeals(runs, size) {
  const random = createRandom(1);
  for (let count = 0; count < MOST_DEALS; count++) {
    const deal = new Uint8Array(runs);
    let left = size;
    for (let run = 0; run < runs; run++) {
      if (random() < left / (runs - run)) {
        deal[run] = 1;
        left--;
      }
    }
    yield deal;
  }
}
