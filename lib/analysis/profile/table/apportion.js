/** Deals samples out to several owners, whole samples each, so that in the end each has its part. */

/**
 * @typedef {object} Parts those who have a part, and how much; parts sum to 1
 * @property {Int32Array} owners
 * @property {Float64Array} parts
 */

/**
 * @param {ArrayLike<number>} amounts per owner, in any unit
 * @returns {Parts} of nobody where all amounts are 0
 */
export function splitParts(amounts) {
  let sum = 0;
  for (let owner = 0; owner < amounts.length; owner++) sum += Math.max(0, amounts[owner] ?? 0);
  const owners = Int32Array.from(amounts, (_, owner) => owner).filter(
    owner => (amounts[owner] ?? 0) > 0,
  );
  return { owners, parts: Float64Array.from(owners, owner => (amounts[owner] ?? 0) / sum) };
}

/**
 * @param {number} count of owners
 * @returns {(weight: number, parts: Parts, visit: (owner: number, weight: number) => void) => void}
 */
export function createDealer(count) {
  const owed = new Float64Array(count);
  return (weight, { owners, parts }, visit) => {
    let left = owners.length > 0 ? weight : 0;
    for (let at = 0; at < owners.length; at++) {
      const owner = owners[at] ?? 0;
      const exact = (owed[owner] ?? 0) + weight * (parts[at] ?? 0);
      const whole = exact >= 1 ? Math.min(left, Math.floor(exact)) : 0;
      owed[owner] = exact - whole;
      if (whole === 0) continue;
      left -= whole;
      visit(owner, whole);
    }
    while (left > 0) {
      let most = owners[0] ?? 0;
      for (let at = 1; at < owners.length; at++) {
        const owner = owners[at] ?? 0;
        if ((owed[owner] ?? 0) > (owed[most] ?? 0)) most = owner;
      }
      const own = Math.min(1, left);
      owed[most] = (owed[most] ?? 0) - own;
      left -= own;
      visit(most, own);
    }
  };
}
