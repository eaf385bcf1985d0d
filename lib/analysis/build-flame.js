/** The merged call tree for the flamegraph: by function, over all processes and threads. */
import { NodeTable } from '../profile/node-table.js';
import { add, heaviestOf } from './path-tables.js';

/** @typedef {import('../profile/profile.d.ts').Profile} Profile */

// what a page can hold and a reader can see; narrower boxes go into their callers
const MAX_NODES = 20_000;
const MIN_SHARE = 0.0002;

/**
 * Lines of a function are merged (the one with most samples is kept). When there are very many nodes,
 * those under 0.02 % are left out and their samples count as their caller's own.
 * @param {Profile} profile
 * @param {import('../hotpath/rules.d.ts').Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {object} context
 * @param {Int32Array} context.functionOf per frame
 * @param {{function: string, file: string}[]} context.functions
 * @param {Map<string, number>} context.categoryIndex id → index into the report's categories
 * @returns {import('./report.d.ts').Flame}
 */
export function buildFlame(profile, classes, base, { functionOf, functions, categoryIndex }) {
  const { nodes } = profile;
  const totals = base.weights.slice();
  for (let node = totals.length - 1; node >= 0; node--) {
    const parent = nodes.parent[node] ?? -1;
    if (parent >= 0) totals[parent] = (totals[parent] ?? 0) + (totals[node] ?? 0);
  }
  const table = new NodeTable();
  const root = table.intern(-1, -1);
  /** @type {{self: number, total: number, categories: Map<number, number>, lines: Map<number, number>}[]} */
  const merged = [newNode()];
  const least =
    totals.reduce((count, total) => count + (total > 0 ? 1 : 0), 0) > MAX_NODES
      ? base.total * MIN_SHARE
      : 0;
  const place = new Int32Array(totals.length).fill(-1);
  for (let node = 0; node < totals.length; node++) {
    const total = totals[node] ?? 0;
    const parent = nodes.parent[node] ?? -1;
    const above = parent < 0 ? root : (place[parent] ?? root);
    if (total === 0) continue;
    const frame = nodes.frame[node] ?? 0;
    // a small sibling on another line may still join a box that is there
    if (total < least) place[node] = above;
    else place[node] = table.intern(above, functionOf[frame] ?? 0);
    const at = place[node] ?? 0;
    const target = merged[at] ?? newNode();
    merged[at] = target;
    target.self += base.weights[node] ?? 0;
    if (total < least) continue;
    target.total += total;
    add(target.categories, classes.category[node] ?? 0, total);
    add(target.lines, profile.frames[frame]?.line ?? 0, total);
  }
  const rootNode = merged[root] ?? newNode();
  rootNode.self += base.rootless;
  rootNode.total = base.total;
  const { parent, frame } = table.build();
  const used = [...new Set(frame)].filter(id => id >= 0);
  const renumbered = new Map(used.map((id, index) => [id, index]));
  return {
    frames: used.map(id => functions[id] ?? { function: '', file: '' }),
    frame: Array.from(frame, id => renumbered.get(id) ?? -1),
    parent: [...parent],
    self: merged.map(({ self }) => self),
    total: merged.map(({ total }) => total),
    category: merged.map(
      ({ categories }) =>
        categoryIndex.get(classes.categories[heaviestOf(categories) ?? -1]?.id ?? '') ?? -1,
    ),
    line: merged.map(({ lines }) => heaviestOf(lines) ?? 0),
  };
}

/** @returns {{self: number, total: number, categories: Map<number, number>, lines: Map<number, number>}} */
const newNode = () => ({ self: 0, total: 0, categories: new Map(), lines: new Map() });
