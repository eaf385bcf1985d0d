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
