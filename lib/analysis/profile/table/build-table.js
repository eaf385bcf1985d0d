/** The sample table of a run: its active samples, ready for selections. */
import { heaviestOf } from '../../../base/files/maps.js';
import { packSampleTable } from '../../sample-table/pack.js';

/** @typedef {import('../../../run/facts/profile-report.d.ts').ProfileReport} ProfileReport */

/**
 * @param {object} input
 * @param {import('./merge-tree.js').MergedTree} input.tree
 * @param {import('./tally.js').Tally} input.tally
 * @param {{function: string, file: string}[]} input.functions of the profile
 * @param {{paths: import('../path-tables.js').PathCounts[]}} input.counted
 * @param {import('../../../run/facts/rules.d.ts').Classification} input.classes
 * @param {ProfileReport['categories']} input.categories
 * @param {import('../packages.js').Owners} input.owners
 * @param {string[]} input.causes ids
 * @param {number[]} input.workers pids
 * @param {number[]} input.order owners of the tally, in the order of the report's endpoints
 * @param {string[]} input.endpoints their names
 * @param {import('../../read/load/build-grid.js').Grid | null} input.grid
 * @param {number} input.designEffect
 * @returns {import('../../../run/facts/sample-table.d.ts').SampleTable}
 */
export function buildSampleTable(input) {
  const { tree, tally, functions, categories, workers, endpoints, causes, designEffect } = input;
  const places = new Map(input.order.map((owner, index) => [owner, index]));
  const idOf = (/** @type {number} */ category) => input.classes.categories[category]?.id;
  return packSampleTable({
    ...{ workers, endpoints, causes, designEffect },
    edgesMs: input.grid?.edgesMs ?? null,
    categories: categories.map(({ id, label, color }) => ({ id, label, color })),
    paths: input.counted.paths.map(({ category, entry, entryLines }) => ({
      category: categories.findIndex(({ id }) => id === idOf(category)),
      function: functions[entry]?.function ?? '',
      file: functions[entry]?.file ?? '',
      line: heaviestOf(entryLines) || null,
    })),
    packages: {
      names: input.owners.packages.map(({ name }) => name),
      ofNode: tree.origin.map(node => input.owners.ofNode[node] ?? 0),
    },
    ...describeTree(tree, functions),
    stacks: {
      ...tally.stacks,
      endpoint: tally.stacks.endpoint.map(owner => places.get(owner) ?? -1),
    },
    rows: tally.rows,
  });
}

/**
 * @param {import('./merge-tree.js').MergedTree} tree
 * @param {{function: string, file: string}[]} functions of the profile
 * @returns {Pick<import('../../../run/facts/sample-table.d.ts').TableInput, 'frames' | 'tree'>} with only the functions that it contains
 */
export function describeTree(tree, functions) {
  const used = [...new Set(tree.function)].filter(id => id >= 0);
  const frames = new Map(used.map((id, index) => [id, index]));
  return {
    frames: used.map(id => functions[id] ?? { function: '', file: '' }),
    tree: {
      parent: tree.parent,
      frame: tree.function.map(id => frames.get(id) ?? 0),
      line: tree.line,
    },
  };
}
