/**
 * The known word that is closest to a mistyped one.
 * @param {string} word
 * @param {readonly string[]} known
 * @returns {string | null} null if none is close
 */
export function findClosest(word, known) {
  let best = null;
  let bestDistance = word.length > 4 ? 3 : 2;
  for (const candidate of known) {
    const distance = countEdits(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/**
 * "did you mean auth? ", the beginning of a hint; empty if no known word is close.
 * @param {string} word
 * @param {readonly string[]} known
 * @param {(meant: string) => string} [write] how to write the word in the hint
 */
export function suggest(word, known, write = String) {
  const meant = findClosest(word, known);
  return meant === null ? '' : `did you mean ${write(meant)}? `;
}

/** Number of edits; two swapped letters are one edit (optimal string alignment). @param {string} a @param {string} b */
function countEdits(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  /** @type {number[]} */
  let above = [];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        next[j] = Math.min(next[j] ?? 0, (above[j - 2] ?? 0) + 1);
    }
    [above, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
