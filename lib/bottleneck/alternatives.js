/** What limits where the samples of waiting requests are as far off as their intervals allow. */

/** @import { GatheredFacts } from '../facts/bottleneck.d.ts' */

/** With fewer samples of anything else, nothing speaks for it. */
const ALL_BUT_FEW = 0.98;

/**
 * The same facts at both ends of the interval of what requests do most; the shares of the rest follow.
 * @param {GatheredFacts} facts
 * @returns {GatheredFacts[]} empty where nothing is known of what requests wait for
 */
export function varyWaits(facts) {
  const { waits } = facts;
  const most = waits?.kinds[0];
  if (!waits || !most || most.share.value > ALL_BUT_FEW) return [];
  const { value, low, high } = most.share;
  return [low, high].flatMap(end => {
    if (end === null || end === value) return [];
    const rest = (1 - end) / (1 - value);
    const kinds = waits.kinds.map(kind => {
      const share = kind === most ? end : kind.share.value * rest;
      return { ...kind, share: { ...kind.share, value: share } };
    });
    return [{ ...facts, waits: { ...waits, kinds } }];
  });
}
