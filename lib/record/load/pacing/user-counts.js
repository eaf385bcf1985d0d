/** How many scenarios each closed-loop user of a worker ended in the phase that goes on. */

/**
 * @typedef {object} UserCounts in the order of the users
 * @property {number[]} ended failed ones, too
 * @property {number[] | null} failed null: none
 */

/** @param {import('./schedule.js').Share} share whose users are counted */
export function createUserCounts({ index: first, of }) {
  /** @type {number[]} */
  let ended = [];
  /** @type {number[]} */
  let failed = [];
  const placeOf = (/** @type {number} */ index) => (index - first) / of;

  return {
    /** A user that ends nothing is counted, too. @param {number} index over all workers */
    join(index) {
      ended[placeOf(index)] ??= 0;
    },
    /** @param {number} index @param {boolean} isFailed */
    end(index, isFailed) {
      const place = placeOf(index);
      ended[place] = (ended[place] ?? 0) + 1;
      if (isFailed) failed[place] = (failed[place] ?? 0) + 1;
    },
    /** What was counted; begins anew. @returns {UserCounts | null} null where there were no such users */
    take() {
      const counts = {
        ended: Array.from(ended, n => n ?? 0),
        failed: failed.length > 0 ? Array.from(ended, (_, place) => failed[place] ?? 0) : null,
      };
      ended = [];
      failed = [];
      return counts.ended.length > 0 ? counts : null;
    },
  };
}
