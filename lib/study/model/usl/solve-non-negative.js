/** Linear least squares whose parameters are not negative, for a handful of parameters. */

/** A column that is a multiple of others, but for rounding. */
const SINGULAR = 1e-12;

/**
 * The least |rows·β − target|² with β ≥ 0: every set of parameters that are not 0 is tried, so it is
 * the minimum itself (C. Lawson, R. Hanson, "Solving Least Squares Problems" (1974), chapter 23, has the
 * way for many parameters).
 * @param {number[][]} rows
 * @param {number[]} target one per row
 * @returns {number[] | null} null where there is none: no rows, or a column of zeros
 */
export function solveNonNegative(rows, target) {
  const size = rows[0]?.length ?? 0;
  const products = Array.from({ length: size }, () => new Array(size + 1).fill(0));
  for (const [index, row] of rows.entries())
    for (let left = 0; left < size; left++) {
      const line = /** @type {number[]} */ (products[left]);
      for (let right = 0; right < size; right++)
        line[right] = (line[right] ?? 0) + (row[left] ?? 0) * (row[right] ?? 0);
      line[size] = (line[size] ?? 0) + (row[left] ?? 0) * (target[index] ?? 0);
    }
  // columns of equal length: the largest can be thousands of times the smallest
  const lengths = products.map((line, at) => Math.sqrt(line[at] ?? 0));
  if (size === 0 || lengths.some(length => !(length > 0 && Number.isFinite(length)))) return null;
  const scaled = products.map((line, left) =>
    line.map((value, right) => value / (lengths[left] ?? 1) / (lengths[right] ?? 1)),
  );
  let best = null;
  let most = Number.NEGATIVE_INFINITY;
  for (let set = 1; set < 2 ** size; set++) {
    const free = lengths.flatMap((_, at) => (set & (1 << at) ? [at] : []));
    const found = solveLinear(free.map(left => [...free, size].map(at => scaled[left]?.[at] ?? 0)));
    if (!found?.every(value => value >= 0)) continue;
    // by how much the sum of squares shrinks
    const explained = found.reduce(
      (sum, value, at) => sum + value * (scaled[free[at] ?? 0]?.[size] ?? 0),
      0,
    );
    if (explained <= most) continue;
    most = explained;
    best = lengths.map((length, at) => (found[free.indexOf(at)] ?? 0) / length);
  }
  return best;
}

/**
 * Gauss's elimination; what is on the diagonal of a matrix of products never needs to change places.
 * @param {number[][]} rows the right side is the last column; changed
 * @returns {number[] | null} null: singular
 */
function solveLinear(rows) {
  const size = rows.length;
  for (const [column, pivot] of rows.entries()) {
    const head = pivot[column] ?? 0;
    if (!(head > SINGULAR)) return null;
    for (const [index, row] of rows.entries()) {
      if (index === column) continue;
      const factor = (row[column] ?? 0) / head;
      for (let at = column; at <= size; at++) row[at] = (row[at] ?? 0) - factor * (pivot[at] ?? 0);
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
}
