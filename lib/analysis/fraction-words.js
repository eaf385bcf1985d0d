/** Fractions as people say them: "nearly half", "more than a third". */

/** @type {[number, string][]} smallest first */
const FRACTIONS = [
  [1 / 10, 'a tenth'],
  [1 / 5, 'a fifth'],
  [1 / 4, 'a quarter'],
  [1 / 3, 'a third'],
  [1 / 2, 'half'],
  [2 / 3, 'two thirds'],
  [3 / 4, 'three quarters'],
  [9 / 10, 'nine tenths'],
  [1, 'all'],
];
// a share this near to a fraction is called by it; this far below it, "nearly"
const NEAR = 0.015;
const NEARLY = 0.06;

/** @param {number} share 0…1 @returns {string} */
export function describeFraction(share) {
  const near = FRACTIONS.find(([value]) => Math.abs(share - value) <= NEAR + 1e-9);
  if (near) return near[1];
  const above = FRACTIONS.find(([value]) => value > share);
  if (above && above[0] > 0.1 && above[0] - share <= NEARLY + 1e-9) return `nearly ${above[1]}`;
  const below = FRACTIONS.findLast(([value]) => value < share);
  return below ? `more than ${below[1]}` : 'a small part';
}
