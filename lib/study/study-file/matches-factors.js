/**
 * @param {import('../study-file.d.ts').FactorMatch | null} match factor → labels; null matches all
 * @param {Record<string, string>} factors of a variant
 * @returns {boolean} all factors of the match have one of its labels
 */
export function matchesFactors(match, factors) {
  return Object.entries(match ?? {}).every(
    ([factor, labels]) => Object.hasOwn(factors, factor) && labels.includes(factors[factor] ?? ''),
  );
}
