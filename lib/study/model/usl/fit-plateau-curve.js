/** How well a curve without a peak tells the same points. */

/** Golden section. */
const RATIO = (Math.sqrt(5) - 1) / 2;
const ROUNDS = 40;
/** From a soft bend (1: the law with κ = 0) to a sharp corner: the asymptotic bounds themselves. */
const SHARPNESS = [1, 1.5, 2, 3, 5, 10, 40];
const GRID = 24;
/** How far past the points the knee may lie: beyond, the curve is a straight line or flat. */
const BEYOND = 100;

/**
 * The family N/X = R·(1 + (N/N*)^p)^(1/p): throughput rises as N/R and levels off at N* /R, softly or
 * sharply, and never falls. p = 1 is the universal scalability law with κ = 0; p → ∞ are the asymptotic
 * bounds X ≤ min(N/R, X_max) (P. Denning, J. Buzen, "The Operational Analysis of Queueing Network
 * Models", Computing Surveys 10 (1978)), which is how a closed loop looks whose servers share nothing
 * but their number. Least squares of ln X.
 * @param {{n: number, x: number}[]} points both above 0
 * @returns {number} sum of squares of the best curve of the family
 */
export function fitPlateauCurve(points) {
  const ns = points.map(({ n }) => n);
  const low = Math.log(Math.min(...ns) / BEYOND);
  const high = Math.log(Math.max(...ns) * BEYOND);
  const width = (high - low) / GRID;
  let least = Number.POSITIVE_INFINITY;
  for (const sharpness of SHARPNESS) {
    const squaresAt = (/** @type {number} */ knee) => squaresOf(points, Math.exp(knee), sharpness);
    const grid = Array.from({ length: GRID + 1 }, (_, index) => low + index * width);
    const [start = low] = grid.toSorted((a, b) => squaresAt(a) - squaresAt(b));
    least = Math.min(least, minimize(squaresAt, start - width, start + width));
  }
  return least;
}

/** @param {{n: number, x: number}[]} points @param {number} knee N* @param {number} sharpness p */
function squaresOf(points, knee, sharpness) {
  // R is the mean of what is left: it needs no search
  const left = points.map(
    ({ n, x }) => Math.log(n / x) - Math.log1p((n / knee) ** sharpness) / sharpness,
  );
  const mean = left.reduce((sum, value) => sum + value, 0) / left.length;
  return left.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** @param {(at: number) => number} valueAt @param {number} low @param {number} high */
function minimize(valueAt, low, high) {
  let [from, to] = [low, high];
  for (let round = 0; round < ROUNDS; round++) {
    const left = to - RATIO * (to - from);
    const right = from + RATIO * (to - from);
    if (valueAt(left) < valueAt(right)) to = right;
    else from = left;
  }
  return valueAt((from + to) / 2);
}
