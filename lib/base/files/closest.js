import { distance } from 'fastest-levenshtein';

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

/** Number of edits; two swapped letters are one edit. @param {string} a @param {string} b */
function countEdits(a, b) {
  const edits = distance(a, b);
  return edits === 2 && sortLetters(a) === sortLetters(b) ? 1 : edits;
}

/** @param {string} word */
const sortLetters = word => [...word].sort().join('');
