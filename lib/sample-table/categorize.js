/** @import { SampleCounts, Samples } from '../facts/sample-table.d.ts' */

/** Share of a node's samples that one category must have to give the node its colour: nearly all. */
const PURE_SHARE = 0.9;

/**
 * The category that nearly all of a node's samples belong to; −1 for the trunk, through which everything
 * passes, and for nodes without samples.
 * @param {Samples} samples
 * @param {SampleCounts} counts
 * @returns {Int16Array} per node: index into the table's categories
 */
export function categorizeNodes({ table, tree, stacks }, { stacks: stackCounts, totals }) {
  const width = table.categories.length;
  const sums = new Float64Array(totals.length * width);
  for (let stack = 0; stack < stackCounts.length; stack++) {
    const at = (stacks.node[stack] ?? 0) * width + (stacks.category[stack] ?? 0);
    sums[at] = (sums[at] ?? 0) + (stackCounts[stack] ?? 0);
  }
  const categories = new Int16Array(totals.length).fill(-1);
  for (let node = totals.length - 1; node >= 0; node--) {
    const total = totals[node] ?? 0;
    if (total === 0) continue;
    const above = node === 0 ? -1 : (tree.parent[node] ?? 0);
    for (let category = 0; category < width; category++) {
      const own = sums[node * width + category] ?? 0;
      if (own === 0) continue;
      if (own >= PURE_SHARE * total) categories[node] = category;
      if (above >= 0) sums[above * width + category] = (sums[above * width + category] ?? 0) + own;
    }
  }
  return categories;
}
