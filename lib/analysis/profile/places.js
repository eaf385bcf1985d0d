/**
 * Places of the application's own CPU time. A passage (middleware, a decorator, a view that calls one function) is no
 * place: that is the deepest function with nearly all samples. A dispatcher calls one of many functions from one line,
 * and those are the places. No name matters.
 */
import { addTo, entryOf } from '../../base/files/maps.js';
import { isCompanion } from '../hotpath/identify-frame.js';
import { isAround } from './costs/find-views.js';

/** @import { Classification, FrameIdentity } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { MergedTree } from './table/merge-tree.js' */

/** Part of the samples that a callee keeps. With more of its own, a function is itself the place. */
const NEARLY_ALL = 0.8;
/** Part of the samples that a dispatcher sends through one line. */
const ALL = 0.95;
/** Fewer samples do not show what a function mostly calls. */
const LEAST_SAMPLES = 10;
/** A comprehension or a lambda is part of the function around it. */
const UNNAMED = /^<\w+>$/;

/** The folder of a package, or of the project; modules without a folder are of one. @param {FrameIdentity} identity */
export const topOf = ({ path }) => path.slice(0, Math.max(0, path.indexOf('/')));

/**
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {MergedTree} tree
 * @returns {Classification} the same, but the application is entered at its places, and dispatchers and what is outside
 *   of them are passed through; a framework is entered at what it does
 */
export function enterAtPlaces(profile, classes, base, tree) {
  const { parent, frame } = profile.nodes;
  const { parts, starts } = countParts(profile, classes, base, tree);
  const partOf = (/** @type {number} */ at) => parts.get(at) ?? createPart();
  const [places, passed, views] = [new Set(), new Set(), new Set()];
  for (const start of starts) {
    const { samples } = partOf(start);
    const chain = [start];
    const isView = views.has(start) || isOf('framework', parent[tree.origin[start] ?? 0], classes);
    let place = -1;
    /** @type {string | null} */
    let top = null;
    for (const at of chain) {
      const identity = classes.identities[frame[tree.origin[at] ?? 0] ?? 0];
      const isOwn = identity?.origin === 'user';
      const wraps = isOwn && top === null && isAround(identity);
      // What a framework or a decorator calls can be another package than what called the framework, or the decorator.
      if (!isOwn) top = null;
      else if (!UNNAMED.test(identity.name)) {
        if (!wraps) top ??= topOf(identity);
        // A function may call itself.
        const isSame = tree.function[at] === tree.function[place];
        if ((wraps || topOf(identity) === top) && !isSame) place = at;
        places.add(place);
      }
      const { callees, lines, routes } = partOf(at);
      const isOneLine = Math.max(...lines.values()) >= samples * ALL;
      // Without routes: what a known framework calls is a view.
      const isOfMany = routes.size > 1 || (routes.size === 0 && !isView);
      const dispatches = callees.size > 1 && (wraps || (isOneLine && isOfMany));
      const least = Math.max(LEAST_SAMPLES, samples * (dispatches ? ALL : NEARLY_ALL));
      const next = [...callees].find(callee => partOf(callee).samples >= least);
      if (next !== undefined) chain.push(next);
      else if (dispatches) {
        for (const one of chain) passed.add(one);
        for (const callee of callees) starts.add(callee);
        if (wraps) for (const callee of callees) views.add(callee);
      }
    }
  }
  const entry = enterFramework(profile, classes, base, tree);
  const placeOf = new Int32Array(parent.length);
  for (const [node, caller] of parent.entries()) {
    placeOf[node] = places.has(tree.place[node]) ? node : (placeOf[caller] ?? -1);
    if (isOf('business', node, classes))
      entry[node] = Math.max(entry[node] ?? node, placeOf[node] ?? -1);
  }
  leaveCompanion(profile, classes, entry);
  const passthrough = classes.passthrough.map((is, node) =>
    passed.has(tree.place[node]) ? 1 : is,
  );
  return { ...classes, entry, passthrough };
}

/**
 * The outermost frame of a framework is that of all requests, and says nothing. It is entered at what it builds for each
 * of them, and else at the deepest function that nearly all samples of an entry pass.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {MergedTree} tree
 * @returns {Int32Array} entries
 */
function enterFramework({ nodes }, classes, base, tree) {
  const entry = classes.entry.slice();
  const functionOf = (/** @type {number} */ node) => tree.function[tree.place[node] ?? -1] ?? -1;
  const entryAt = (/** @type {number} */ leaf) => entry[leaf] ?? leaf;
  /** Per function where it is entered: the samples of those functions that they pass. @type {Map<number, Map<number, number>>} */
  const entered = new Map();
  /** Per leaf: the outermost node of each function that it passes, innermost first. @type {Map<number, Map<number, number>>} */
  const passedBy = new Map();
  for (const [leaf, weight] of base.weights.entries()) {
    if (weight === 0 || !isOf('framework', leaf, classes)) continue;
    const set = classes.causeSets[classes.causeSet[leaf] ?? 0] ?? [];
    const builder = set.find(({ cause }) => cause.named)?.node ?? -1;
    if (builder >= entryAt(leaf)) {
      entry[leaf] = builder;
      continue;
    }
    const passed = entryOf(passedBy, leaf, () => new Map());
    for (let at = leaf; at >= entryAt(leaf); at = nodes.parent[at] ?? -1)
      if (!isCompanion(classes.identities[nodes.frame[at] ?? -1])) passed.set(functionOf(at), at);
    const counts = entryOf(entered, functionOf(entryAt(leaf)), () => new Map());
    for (const own of passed.keys()) addTo(counts, own, weight);
  }
  const places = new Map();
  for (const [own, counts] of entered) {
    const least = (counts.get(own) ?? 0) * NEARLY_ALL;
    const deep = [...counts].filter(([, samples]) => samples >= least);
    // Of equal ones, the innermost comes first.
    places.set(own, deep.sort(([, a], [, b]) => a - b)[0]?.[0]);
  }
  for (const [leaf, passed] of passedBy)
    entry[leaf] = passed.get(places.get(functionOf(entryAt(leaf)))) ?? entryAt(leaf);
  return entry;
}

/**
 * The companion's frames belong to their caller. Threads that run only the companion stay as they are.
 * @param {Profile} profile @param {Classification} classes @param {Int32Array} entry modified in place
 */
function leaveCompanion({ nodes: { parent, frame } }, classes, entry) {
  const { category, identities } = classes;
  const isOwn = (/** @type {number} */ node) => isCompanion(identities[frame[node] ?? -1]);
  for (const node of entry.keys()) {
    const before = entry[node] ?? node;
    if (!isOwn(before)) continue;
    let [outer, inner] = [before, before];
    while (isOwn(outer)) outer = parent[outer] ?? -1;
    for (let at = node; at > before; at = parent[at] ?? -1) if (!isOwn(at)) inner = at;
    // What starts a thread or a step is entered where its callee is: here, or where the thread begins its work.
    const above = category[outer] === category[node] ? (entry[outer] ?? outer) : outer;
    const isWork = inner !== before && isOf('business', before, classes);
    entry[node] = outer < 0 || isWork ? inner : isOwn(above) ? outer : above;
  }
}

/**
 * @param {string} id
 * @param {number | undefined} at
 * @param {Classification} classes
 */
const isOf = (id, at, { category, categories }) => categories[category[at ?? -1] ?? -1]?.id === id;

/**
 * Of a merged node: samples of the application below it, their routes, and where they go on.
 * @typedef {{samples: number, lines: Map<number, number>, callees: Set<number>, routes: Set<number>}} Part
 * @type {() => Part}
 */
const createPart = () => ({ samples: 0, lines: new Map(), callees: new Set(), routes: new Set() });

/**
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {MergedTree} tree
 */
function countParts({ nodes, frames, rows }, classes, base, tree) {
  const below = base.weights.map((weight, node) => (isOf('business', node, classes) ? weight : 0));
  /** Merged nodes where the classification enters the application. @type {Set<number>} */
  const starts = new Set();
  for (const [node, weight] of below.entries())
    if (weight > 0) starts.add(tree.place[classes.entry[node] ?? node] ?? 0);
  /** @type {Map<number, Part>} */
  const parts = new Map();
  for (let node = below.length - 1; node >= 0; node--) {
    const [own, at, caller] = [below[node] ?? 0, tree.place[node] ?? 0, nodes.parent[node] ?? -1];
    if (own === 0) continue;
    entryOf(parts, at, createPart).samples += own;
    if (caller < 0 || starts.has(at)) continue;
    below[caller] = (below[caller] ?? 0) + own;
    const above = entryOf(parts, tree.place[caller] ?? 0, createPart);
    above.callees.add(at);
    const { line } = frames[nodes.frame[caller] ?? 0] ?? {};
    if (line) addTo(above.lines, line, own);
  }
  for (const row of base.rows) {
    const route = rows.route[row] ?? -1;
    if (route >= 0) parts.get(tree.place[rows.node[row] ?? -1] ?? 0)?.routes.add(route);
  }
  for (let at = tree.parent.length - 1; at > 0; at--)
    for (const route of parts.get(at)?.routes ?? [])
      parts.get(tree.parent[at] ?? 0)?.routes.add(route);
  return { parts, starts };
}
