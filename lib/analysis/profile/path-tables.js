/**
 * Hot paths as counts: a path is a category × the function where it is entered. Samples are added up per path and
 * block, and per function within the path, by self and total.
 */
import { addTo, entryOf } from '../../base/files/maps.js';
import { isCompanion } from '../hotpath/identify-frame.js';
import { isAround } from './costs/find-views.js';
import { topOf } from './places.js';

/** @typedef {import('../stacks/profile.d.ts').Profile} Profile */
/** @typedef {import('../../run/facts/rules.d.ts').Classification} Classification */

/**
 * @typedef {object} PathCounts
 * @property {number} category index
 * @property {number} entry function, -1 for stacks without frames
 * @property {number} samples
 * @property {number} inRequests of these
 * @property {Float64Array} byBlock
 * @property {Map<number, number>} entryLines line → samples
 * @property {Map<number, {self: number, total: number, lines: Map<number, number>}>} functions
 * @property {Map<string, {from: number, to: number, samples: number, lines: Map<number, number>, shown: string}>} calls the innermost ones
 *   out of the application's package: functions, and the lines that make them; `to` -1: the line's own work
 * @property {Map<string, {file: string, line: number, over: string, samples: number}>} loops around the application's lines
 * @property {Map<number, {samples: number, lines: Map<number, number>}>} callers by calling function of the application
 * @property {Map<string, number>} causes id → samples
 */

/** @typedef {Map<PathCounts, Map<number, Float64Array>>} FunctionCounts per path and function: samples per block */

/**
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {Int32Array} functionOf per frame
 * @returns {{paths: PathCounts[], ofNode: Int32Array, rootless: number,
 *   countFunctions: (idsOf: Map<PathCounts, number[]>) => FunctionCounts}} paths with the most samples
 *   first; per node of the profile where samples of the base end: index of its path, -1 elsewhere;
 *   index of the path of samples without frames, -1 without any; samples per block of functions within paths
 */
export function countPaths(profile, classes, base, functionOf) {
  const { nodes } = profile;
  const unknown = classes.categories.findIndex(({ id }) => id === 'unknown');
  const business = classes.categories.findIndex(({ id }) => id === 'business');
  /** @type {Map<number, number>} index into `found` */
  const paths = new Map();
  /** @type {PathCounts[]} */
  const found = [];
  const ofNode = new Int32Array(base.weights.length).fill(-1);
  const pathOf = (/** @type {number} */ node) => {
    const known = found[ofNode[node] ?? -1];
    if (known) return known;
    const category = node < 0 ? unknown : (classes.category[node] ?? unknown);
    const entryNode = node < 0 ? -1 : (classes.entry[node] ?? node);
    const entry = node < 0 ? -1 : (functionOf[nodes.frame[entryNode] ?? 0] ?? -1);
    const key = (entry + 1) * 256 + category;
    const create = () => createPath(category, entry, base.blockTotals.length);
    const index = entryOf(paths, key, () => found.push(create()) - 1);
    if (node >= 0) ofNode[node] = index;
    return /** @type {PathCounts} */ (found[index]);
  };
  base.forEachRow((node, weight, block) => {
    const path = pathOf(node);
    path.samples += weight;
    path.byBlock[block] = (path.byBlock[block] ?? 0) + weight;
  });
  const addFunctions = createFunctionCounter(profile, classes, functionOf);
  const addCall = createCallCounter(profile, classes, functionOf);
  const hasLoops = profile.frames.some(({ inLoops = [] }) => inLoops.length > 0);
  for (let leaf = 0; leaf < base.weights.length; leaf++) {
    const weight = base.weights[leaf] ?? 0;
    if (weight === 0) continue;
    const path = pathOf(leaf);
    if (classes.request[leaf]) path.inRequests += weight;
    const entryNode = classes.entry[leaf] ?? leaf;
    addFunctions(path, leaf, Math.min(entryNode, leaf), weight);
    addCall(path, leaf, entryNode, weight);
    if (hasLoops) addLoops(path.loops, leaf, weight, profile, classes);
    addTo(path.entryLines, profile.frames[nodes.frame[entryNode] ?? 0]?.line ?? 0, weight);
    for (const { cause } of classes.causeSets[classes.causeSet[leaf] ?? 0] ?? [])
      addTo(path.causes, cause.id, weight);
    const caller = nodes.frame[findCaller(entryNode, classes, nodes, business)];
    if (caller === undefined) continue;
    const create = () => ({ samples: 0, lines: new Map() });
    const calling = entryOf(path.callers, functionOf[caller] ?? 0, create);
    calling.samples += weight;
    addTo(calling.lines, profile.frames[caller]?.line ?? 0, weight);
  }
  const sorted = found.filter(({ samples }) => samples > 0).sort((a, b) => b.samples - a.samples);
  const places = new Map(sorted.map((path, index) => [path, index]));
  const moved = found.map(path => places.get(path) ?? -1);
  const none = base.rootless > 0 ? pathOf(-1) : null;
  return {
    paths: sorted,
    ofNode: ofNode.map(index => moved[index] ?? -1),
    rootless: none ? (places.get(none) ?? -1) : -1,
    countFunctions(idsOf) {
      const pathAt = (/** @type {number} */ leaf) => found[ofNode[leaf] ?? -1];
      return countPerBlock(profile, classes, base, { functionOf, pathAt, idsOf });
    },
  };
}

/**
 * Counts the samples of a leaf for each function up to the entry of its path, once; those of the companion (its steps, its
 * notes of collections) for what called it.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {Int32Array} functionOf
 * @returns {(path: PathCounts, leaf: number, last: number, weight: number) => void}
 */
function createFunctionCounter({ nodes, frames }, { identities }, functionOf) {
  const seen = new Int32Array(functionOf.length).fill(-1);
  const areOurs = identities.map(isCompanion);
  return ({ functions }, leaf, last, weight) => {
    let own = weight;
    for (let node = leaf; node >= last && node >= 0; node = nodes.parent[node] ?? -1) {
      const frame = nodes.frame[node] ?? 0;
      const id = functionOf[frame] ?? 0;
      if (seen[id] === leaf || areOurs[frame]) continue;
      seen[id] = leaf;
      const entry = entryOf(functions, id, () => ({ self: 0, total: 0, lines: new Map() }));
      entry.total += weight;
      entry.self += own;
      own = 0;
      addTo(entry.lines, frames[frame]?.line ?? 0, weight);
    }
  };
}

/**
 * Counts the samples of a leaf for the call that leads out of the package where its path is entered.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {Int32Array} functionOf
 * @returns {(path: PathCounts, leaf: number, entry: number, weight: number) => void}
 */
function createCallCounter({ nodes, frames }, { identities }, functionOf) {
  const frameOf = (/** @type {number} */ node) => nodes.frame[node] ?? 0;
  const areOurs = identities.map(isCompanion);
  return ({ calls }, leaf, entry, weight) => {
    const top = identities[frameOf(entry)];
    let to = -1;
    for (let node = leaf; node >= entry && node >= 0; node = nodes.parent[node] ?? -1) {
      const [frame, identity] = [frameOf(node), identities[frameOf(node)]];
      if (!identity || !top || areOurs[frame]) continue;
      if (identity.origin !== 'user' || topOf(identity) !== topOf(top)) {
        to = functionOf[frame] ?? -1;
        continue;
      }
      const from = functionOf[frame] ?? -1;
      // The application's own work, by its line.
      const key = to < 0 ? `${from}:${frames[frame]?.line}` : `${from} ${to}`;
      const { shown = '' } = frames[frame] ?? {};
      const call = entryOf(calls, key, () => ({ from, to, samples: 0, lines: new Map(), shown }));
      call.samples += weight;
      addTo(call.lines, frames[frame]?.line ?? 0, weight);
      return;
    }
  };
}

/**
 * Counts the samples of a leaf for each loop of the application that leads to it: what a comprehension's line calls for no
 * element is outside of it.
 * @param {PathCounts['loops']} loops @param {number} leaf @param {number} weight @param {Profile} profile
 * @param {Classification} classes
 */
function addLoops(loops, leaf, weight, { nodes, frames }, { isCore }) {
  const seen = new Set();
  let below = '';
  for (let node = leaf; node >= 0 && !isCore[node]; node = nodes.parent[node] ?? -1) {
    const { name = '', file = '', inLoops = [] } = frames[nodes.frame[node] ?? -1] ?? {};
    for (const { line, over, each } of inLoops) {
      const key = `${file}:${line}`;
      if (seen.has(key) || (each && below && !each.split(/\W/).includes(below))) continue;
      entryOf(loops, key, () => ({ file, line, over, samples: 0 })).samples += weight;
      seen.add(key);
    }
    below = name.replace(/.*\./, '');
  }
}

/**
 * @param {number} category
 * @param {number} entry
 * @param {number} blocks
 * @returns {PathCounts}
 */
function createPath(category, entry, blocks) {
  return {
    category,
    entry,
    samples: 0,
    inRequests: 0,
    byBlock: new Float64Array(blocks),
    entryLines: new Map(),
    functions: new Map(),
    calls: new Map(),
    loops: new Map(),
    callers: new Map(),
    causes: new Map(),
  };
}

/**
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {{functionOf: Int32Array, pathAt: (leaf: number) => PathCounts | undefined, idsOf: Map<PathCounts, number[]>}} wanted
 * @returns {FunctionCounts}
 */
function countPerBlock({ nodes }, classes, base, { functionOf, pathAt, idsOf }) {
  const zeros = () => new Float64Array(base.blockTotals.length);
  /** @type {FunctionCounts} */
  const counts = new Map();
  for (const [path, ids] of idsOf) counts.set(path, new Map(ids.map(id => [id, zeros()])));
  const listOwn = (/** @type {number} */ leaf) => {
    const ofPath = counts.get(/** @type {PathCounts} */ (pathAt(leaf)));
    const last = Math.min(classes.entry[leaf] ?? leaf, leaf);
    /** @type {Set<Float64Array>} */
    const own = new Set();
    for (let node = leaf; ofPath && node >= last && node >= 0; node = nodes.parent[node] ?? -1) {
      const count = ofPath.get(functionOf[nodes.frame[node] ?? 0] ?? 0);
      if (count) own.add(count);
    }
    return [...own];
  };
  /** @type {Float64Array[][]} per leaf, as many rows have the same */
  const ownOf = [];
  base.forEachRow((leaf, weight, block) => {
    if (leaf < 0) return;
    ownOf[leaf] ??= listOwn(leaf);
    for (const count of ownOf[leaf]) count[block] = (count[block] ?? 0) + weight;
  });
  return counts;
}

/**
 * The nearest outer frame of the application; without any, of a package whose work is that of its caller. Middleware is
 * outside of the framework and calls everything; in place of a decorator, what it wraps is named. What starts a server
 * calls nothing of a request. Helpers of Python and code without a file (`<string>`) have the category of their callers.
 * @param {number} entry @param {Classification} classes @param {Profile['nodes']} nodes @param {number} business
 */
function findCaller(entry, { category, identities, passthrough, isCore }, nodes, business) {
  let [wrapped, other] = [-1, -1];
  for (let node = entry; node >= 0 && !isCore[node]; node = nodes.parent[node] ?? -1) {
    const identity = identities[nodes.frame[node] ?? 0];
    if (node === entry || identity?.origin === 'standard') continue;
    const wraps = identity && isAround(identity);
    if (category[node] === business && !passthrough[node] && (!wraps || wrapped >= 0)) {
      const caller = wraps ? wrapped : node;
      if (identities[nodes.frame[caller] ?? 0]?.origin === 'user') return caller;
      if (other < 0) other = caller;
    }
    if (!wraps) wrapped = node;
  }
  return other;
}

/**
 * Frames that differ only in their line are one function; the profile keeps lines, reports merge them.
 * @param {import('../stacks/profile.d.ts').Profile} profile
 * @returns {{ofFrame: Int32Array, functions: {function: string, file: string}[]}} per frame: index into `functions`
 */
export function mergeFunctions({ frames }) {
  /** @type {Map<string, number>} */
  const ids = new Map();
  /** @type {{function: string, file: string}[]} */
  const functions = [];
  const ofFrame = Int32Array.from(frames, ({ name, file }) => {
    return entryOf(ids, `${name}\0${file}`, () => functions.push({ function: name, file }) - 1);
  });
  return { ofFrame, functions };
}

/** @param {{function: string, file: string}} of @returns {string} `name (file)` */
export const nameFunction = ({ function: name, file }) => (file ? `${name} (${file})` : name);
