/** Deals samples out to several owners, whole samples each, so that in the end each has its part. */

/**
 * @param {number} owners
 * @returns {(weight: number, parts: ArrayLike<number>, visit: (owner: number, weight: number) => void) => void}
 *   `parts` may be of any sum; where it is 0 nobody gets anything
 */
export function createDealer(owners) {
  const owed = new Float64Array(owners);
  return (weight, parts, visit) => {
    let sum = 0;
    for (let owner = 0; owner < owners; owner++) sum += parts[owner] ?? 0;
    if (sum <= 0) return;
    let left = weight;
    for (let owner = 0; owner < owners; owner++) {
      const part = parts[owner] ?? 0;
      if (part <= 0) continue;
      owed[owner] = (owed[owner] ?? 0) + (weight * part) / sum;
      const whole = Math.min(left, Math.floor(owed[owner] ?? 0));
      if (whole <= 0) continue;
      owed[owner] = (owed[owner] ?? 0) - whole;
      left -= whole;
      visit(owner, whole);
    }
    while (left > 0) {
      const own = Math.min(1, left);
      const most = findMostOwed(owed, parts);
      owed[most] = (owed[most] ?? 0) - own;
      left -= own;
      visit(most, own);
    }
  };
}

/** Of those who have a part. @param {Float64Array} owed @param {ArrayLike<number>} parts @returns {number} */
function findMostOwed(owed, parts) {
  let best = -1;
  for (let owner = 0; owner < owed.length; owner++)
    if ((parts[owner] ?? 0) > 0 && (best < 0 || (owed[owner] ?? 0) > (owed[best] ?? 0)))
      best = owner;
  return best;
}
