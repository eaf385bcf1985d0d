/** Many questions at once: by chance alone one in twenty looks like a difference. */
import { studentTwoSidedP } from './distributions.js';
import { createRandom } from './random.js';
import { countChoices } from './rank-tests.js';
import { mean, squaresAroundMean } from './summary.js';

/**
 * p-values of many questions, raised so that calling all below alpha gives at most alpha false calls
 * among the calls, on average. Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate",
 * Journal of the Royal Statistical Society B 57 (1995).
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

/** Up to here all ways to deal the runs are looked at; above it, that many at random. */
const MOST_DEALS = 2000;

/**
 * One test of all figures together: if the runs were dealt to the two sides at random, how often would
 * some figure stand out as much as the most striking one does here? A comparison asks many questions
 * at once, and by chance alone one in twenty looks like a difference; this says whether there is one at
 * all, and it is exact however figures hang together. A permutation test of the largest statistic
 * (P. Westfall, S. Young, "Resampling-based multiple testing", 1993). The statistic of a figure is
 * Student's t; a family of figures weighs the same, however many figures it has.
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
      const scaled = figures.flatMap(values => standardize(values) ?? []);
      return { scaled, factor: scaled.length * doubt };
    })
    .filter(({ scaled }) => scaled.length > 0);
  if (filled.length === 0 || before < 1 || runs - before < 1 || runs < 3) return 1;
  const after = runs - before;
  const strikingness = (/** @type {Uint8Array} */ deal) =>
    Math.min(
      ...filled.map(({ scaled, factor }) => factor * mostStrikingP(scaled, deal, before, after)),
    );
  const observed = strikingness(Uint8Array.from({ length: runs }, (_, run) => +(run < before)));
  const isExact = countChoices(runs, before) <= MOST_DEALS;
  // A random sample of deals counts the observed one too, so that p is never too small.
  let [asStriking, deals] = isExact ? [0, 0] : [1, 1];
  for (const deal of isExact ? allDeals(runs, before) : randomDeals(runs, before)) {
    deals++;
    if (strikingness(deal) <= observed * (1 + 1e-9)) asStriking++;
  }
  return asStriking / deals;
}

/**
 * Values with mean 0 and sum of squares 1.
 * @param {number[]} values
 * @returns {Float64Array | null} null where hardly a run differs from the others: with few distinct
 *   values (0 or 1 errors) some deal parts them without any spread, and t has no bound
 */
function standardize(values) {
  if (new Set(values).size <= values.length / 2) return null;
  const middle = mean(values);
  const length = Math.sqrt(squaresAroundMean(values));
  return length > 1e-12 * Math.abs(middle)
    ? Float64Array.from(values, v => (v - middle) / length)
    : null;
}

/** @param {Float64Array[]} figures @param {Uint8Array} deal @param {number} before @param {number} after */
function mostStrikingP(figures, deal, before, after) {
  let most = 0;
  for (const values of figures) {
    let own = 0;
    for (let run = 0; run < deal.length; run++) if (deal[run]) own += values[run] ?? 0;
    most = Math.max(most, Math.abs(own));
  }
  // of standardized values, the squares between the sides are this part of all squares
  const between = Math.min(1, most * most * (1 / before + 1 / after));
  const dof = before + after - 2;
  return studentTwoSidedP(Math.sqrt((between * dof) / Math.max(1e-300, 1 - between)), dof);
}

/** Every choice of `size` of the runs. @param {number} runs @param {number} size */
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
