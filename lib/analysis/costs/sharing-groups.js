/** Groups of endpoints that samples are dealt out to. */
import { createDealer, splitParts } from '../table/apportion.js';

/** @typedef {import('./attribution.d.ts').LoadRates} LoadRates */
/** @typedef {import('./attribution.d.ts').Owner} Owner */

/**
 * `everybody`: all requests go through it, also those whose view was never seen; `some`: those of the
 * endpoints named; `own`: a view that several endpoints have in common, each by its factor
 * @typedef {'everybody' | 'some' | 'own'} GroupKind
 */

/** Code of a node of the tree: an owner from 0 on, nobody, or a group of owners from −2 downwards. */
export const NOBODY = -1;

/**
 * Groups of endpoints that share samples by how many requests they had at that time.
 * @param {Owner[]} owners
 * @param {LoadRates | null} load
 */
export function createSharingGroups(owners, load) {
  const endpoints = load?.endpoints ?? [];
  const slots = owners.length + 1;
  /** @type {{factors: Float64Array, kind: GroupKind, dealers: Map<number, ReturnType<typeof createDealer>>, parts: Map<number, import('../table/apportion.js').Parts>}[]} */
  const groups = [];
  /** @type {Map<string, number>} */
  const known = new Map();
  /** What is of endpoints that are nobody's (their views could not be told) stays with nobody. */
  const strangers = endpoints.map((_, index) => owners.every(({ endpoint }) => endpoint !== index));
  /** @param {typeof groups[number]} group @param {(endpoint: number) => number} requestsOf */
  const weigh = ({ factors, kind }, requestsOf) => {
    const isEverybody = kind === 'everybody';
    const parts = new Float64Array(slots);
    for (const [owner, { endpoint }] of owners.entries())
      if (endpoint >= 0)
        parts[owner] = (isEverybody ? 1 : (factors[owner] ?? 0)) * requestsOf(endpoint);
    if (isEverybody)
      parts[slots - 1] = strangers.reduce(
        (sum, isStranger, index) => sum + (isStranger ? requestsOf(index) : 0),
        0,
      );
    return splitParts(parts);
  };
  const groupsOf = {
    /** All that was asked for shares it. @returns {number} code */
    everybody: () =>
      groupsOf.add(
        new Map(owners.flatMap(({ endpoint }, owner) => (endpoint < 0 ? [] : [[owner, 1]]))),
        'everybody',
      ),
    /** @param {Map<number, number>} factors owner → weight of a request @param {GroupKind} kind @returns {number} code */
    add(factors, kind) {
      const key = `${kind} ${[...factors].sort(([a], [b]) => a - b).join(' ')}`;
      const index = known.get(key) ?? groups.length;
      if (index === groups.length) {
        known.set(key, index);
        const list = new Float64Array(slots);
        for (const [owner, factor] of factors) list[owner] = factor;
        groups.push({ factors: list, kind, dealers: new Map(), parts: new Map() });
      }
      return -2 - index;
    },
    /** @param {number} code */
    isShared(code) {
      const kind = groups[-2 - code]?.kind;
      return kind === 'everybody' || kind === 'some';
    },
    /** @param {number} code @returns {number[]} */
    ownersOf(code) {
      if (code >= 0) return [code];
      return [...(groups[-2 - code]?.factors ?? [])].flatMap((factor, owner) =>
        factor > 0 ? [owner] : [],
      );
    },
    /** @param {number} code @param {number} window @param {number} path @param {number} weight @param {(owner: number, weight: number) => void} visit */
    deal(code, window, path, weight, visit) {
      const group = groups[-2 - code];
      if (!group) return visit(NOBODY, weight);
      let parts = group.parts.get(window);
      if (!parts) {
        parts = weigh(group, endpoint => endpoints[endpoint]?.perWindow[window] ?? 0);
        if (parts.owners.length === 0)
          parts = weigh(group, endpoint => endpoints[endpoint]?.requests ?? 0);
        group.parts.set(window, parts);
      }
      if (parts.owners.length === 0) return visit(NOBODY, weight);
      let dealer = group.dealers.get(path);
      if (!dealer) {
        dealer = createDealer(slots);
        group.dealers.set(path, dealer);
      }
      dealer(weight, parts, (owner, own) => visit(owner === slots - 1 ? NOBODY : owner, own));
    },
  };
  return groupsOf;
}
