/** Sets of causes along the tree: what evidence stands between the root and a node. */

/**
 * Sets of causes along the tree; most nodes share the set of their parent.
 * @param {import('../profile/profile.d.ts').Profile} profile
 * @param {import('./rules.d.ts').Rules} rules
 * @param {readonly import('./rules.d.ts').FrameIdentity[]} identities per frame
 */
export function createCauseTracker({ nodes }, { causes }, identities) {
  /** @type {import('./rules.d.ts').CauseEvidence[][]} */
  const sets = [[]];
  const candidates = identities.map(identity =>
    causes.flatMap(cause => {
      const evidence = cause.evidence.filter(pattern => pattern.matches(identity));
      return evidence.length > 0 ? [{ cause, evidence }] : [];
    }),
  );
  const isBelow = (
    /** @type {number} */ node,
    /** @type {readonly import('./rules.d.ts').FrameMatcher[]} */ matchers,
  ) => {
    for (let at = node; at >= 0; at = nodes.parent[at] ?? -1) {
      const identity = identities[nodes.frame[at] ?? 0];
      if (identity && matchers.some(matches => matches(identity))) return true;
    }
    return false;
  };
  return {
    sets,
    /**
     * @param {number} set of the parent
     * @param {{node: number, category: string, claimed: string | null, request: boolean}} where
     * @returns {number} the set at this node
     */
    extend(set, { node, category, claimed, request }) {
      const known = sets[set] ?? [];
      const found = (candidates[nodes.frame[node] ?? 0] ?? []).filter(
        ({ cause, evidence }) =>
          (!cause.inRequest || request) &&
          !known.some(other => other.cause === cause) &&
          evidence.some(
            pattern =>
              (pattern.category === null || pattern.category === claimed) &&
              (pattern.in === null || pattern.in.has(category)) &&
              (pattern.below === null || isBelow(node, pattern.below)) &&
              (pattern.notBelow === null || !isBelow(node, pattern.notBelow)),
          ),
      );
      if (found.length === 0) return set;
      return sets.push([...known, ...found.map(({ cause }) => ({ cause, node }))]) - 1;
    },
  };
}
