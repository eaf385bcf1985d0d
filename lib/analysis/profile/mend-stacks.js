/** Completes stacks whose outer frames the profiler missed. */
import { addTo, entryOf } from '../../base/files/maps.js';
import { addUpwards, append, appendRows, weighNodes } from '../stacks/node-table.js';
import { createDealer, splitParts } from './table/deal-out.js';

/** @import { Profile } from '../stacks/profile.d.ts' */

/**
 * A stack changes while it is read, above all where generators and coroutines continue. A torn one begins with a function
 * that other stacks mostly show below its callers. It would count for no route, and for no cause further out: it gets
 * callers and routes as whole stacks with that function have them, in proportion to their samples.
 * @param {Profile} profile
 * @returns {Profile} as many samples
 */
export function mendStacks(profile) {
  const { nodes, rows } = profile;
  const { tops, functionOf } = findTorn(profile);
  const callers = findCallers(profile, tops, functionOf);
  if (callers.size === 0) return profile;
  /** @type {[number[], number[]]} */
  const [parents, frames] = [[], []];
  /** New nodes, by their caller and the torn node in their place. @type {Map<string, number>} */
  const known = new Map();
  /** @param {number} node of a torn stack @param {number} caller of its outermost @returns {number} the new node */
  const graft = (node, caller) =>
    entryOf(known, `${caller} ${node}`, () => {
      const parent = tops[node] === node ? caller : graft(nodes.parent[node] ?? -1, caller);
      frames.push(nodes.frame[node] ?? -1);
      return nodes.frame.length + parents.push(parent) - 1;
    });
  const [node, weight, route] = [rows.node.slice(), rows.weight.slice(), rows.route.slice()];
  /** @type {Parameters<typeof appendRows>[1]} */
  const added = [];
  for (const [row, innermost] of rows.node.entries()) {
    const found = callers.get(functionOf(tops[innermost] ?? -1));
    found?.deal(rows.weight[row] ?? 0, found.parts, (place, own) => {
      const [caller = -1, ofRoute = -1] = found.places[place] ?? [];
      const grafted = graft(innermost, caller);
      // The first part replaces the row, others follow at the end.
      if (node[row] === innermost) [node[row], weight[row], route[row]] = [grafted, own, ofRoute];
      else added.push({ ...pick(rows, row), node: grafted, weight: own, route: ofRoute });
    });
  }
  const grown = { parent: append(nodes.parent, parents), frame: append(nodes.frame, frames) };
  return { ...profile, nodes: grown, rows: appendRows({ ...rows, node, weight, route }, added) };
}

/** @param {Profile['rows']} rows @param {number} row */
const pick = ({ process, thread, segment }, row) => ({
  process: process[row] ?? -1,
  thread: thread[row] ?? -1,
  segment: segment[row] ?? -1,
});

/**
 * @param {Profile} profile
 * @returns {{tops: Int32Array, functionOf: (node: number) => number}} `tops`: per node of a torn stack, its outermost; else -1
 */
function findTorn(profile) {
  const { frames, nodes } = profile;
  /** @type {Map<string, number>} */
  const ids = new Map();
  const ofFrames = frames.map(({ name, file }) => entryOf(ids, `${name} ${file}`, () => ids.size));
  const functionOf = (/** @type {number} */ node) => ofFrames[nodes.frame[node] ?? -1] ?? -1;
  const totals = addUpwards(nodes, weighNodes(profile));
  /** Samples below callers, less those without, by function. */
  const surplus = new Float64Array(ids.size);
  for (const [node, total] of totals.entries()) {
    const own = functionOf(node);
    surplus[own] = (surplus[own] ?? 0) + ((nodes.parent[node] ?? -1) < 0 ? -total : total);
  }
  const tops = new Int32Array(nodes.frame.length).fill(-1);
  for (const [node, parent] of nodes.parent.entries())
    if (parent >= 0) tops[node] = tops[parent] ?? -1;
    else if ((surplus[functionOf(node)] ?? 0) > 0) tops[node] = node;
  return { tops, functionOf };
}

/**
 * @param {Profile} profile
 * @param {Int32Array} tops
 * @param {(node: number) => number} functionOf
 */
function findCallers({ nodes: { parent }, rows, routes }, tops, functionOf) {
  const torn = new Set(tops.filter(top => top >= 0).map(functionOf));
  /** Samples by caller and route, by function. @type {Map<number, Map<number, number>>} */
  const found = new Map();
  const width = routes.length + 1;
  // Of each node, the innermost such function with a caller on its stack: there are far more rows than nodes.
  const sites = new Int32Array(parent.length).fill(-1);
  for (const [node, caller] of torn.size > 0 ? parent.entries() : [])
    if (caller >= 0) sites[node] = torn.has(functionOf(node)) ? node : (sites[caller] ?? -1);
  for (const [row, innermost] of torn.size > 0 ? rows.node.entries() : []) {
    if ((tops[innermost] ?? -1) >= 0) continue;
    const [route, weight] = [rows.route[row] ?? -1, rows.weight[row] ?? 0];
    for (let at = sites[innermost] ?? -1; at >= 0; at = sites[parent[at] ?? -1] ?? -1) {
      const places = entryOf(found, functionOf(at), () => new Map());
      addTo(places, (parent[at] ?? -1) * width + route + 1, weight);
    }
  }
  const describe = (/** @type {Map<number, number>} */ own) => ({
    places: Array.from(own.keys(), key => [Math.floor(key / width), (key % width) - 1]),
    parts: splitParts([...own.values()]),
    deal: createDealer(own.size),
  });
  return new Map(Array.from(found, ([name, own]) => [name, describe(own)]));
}
