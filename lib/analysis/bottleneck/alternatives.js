/** Other facts within the intervals of the samples of waiting requests. */

/** @import { GatheredFacts } from '../../run/facts/bottleneck.d.ts' */

/** Above this share, too few samples show anything else. */
const ALL_BUT_FEW = 0.98;

/**
 * The same facts with the largest share at either end of its interval; the other shares follow.
 * @param {GatheredFacts} facts
 * @returns {GatheredFacts[]} empty if the waits are unknown
 */
export function varyWaits(facts) {
  const { waits } = facts;
  const most = waits?.kinds[0];
  if (!waits || !most || most.share.value > ALL_BUT_FEW) return [];
  const { value, low, high } = most.share;
  return [low, high].flatMap(end => {
    if (end === null || end === value) return [];
    const kinds = waits.kinds.map(kind => {
      const share = kind === most ? end : (kind.share.value * (1 - end)) / (1 - value);
      return { ...kind, share: { ...kind.share, value: share } };
    });
    return [{ ...facts, waits: { ...waits, kinds } }];
  });
}
