/** The sample table of a run: its active samples, ready to be selected from. */
import { packSampleTable } from '../../../sample-table/pack.js';
import { heaviestOf } from '../path-tables.js';

/** @typedef {import('../../../facts/profile-report.d.ts').ProfileReport} ProfileReport */

/**
 * @param {object} input
 * @param {import('./merge-tree.js').MergedTree} input.tree
 * @param {import('./tally.js').Tally} input.tally
 * @param {{function: string, file: string}[]} input.functions of the profile
 * @param {import('../path-tables.js').PathCounts[]} input.paths
 * @param {(category: number) => number} input.placeOfCategory from the rules' index to the report's
 * @param {ProfileReport['categories']} input.categories
 * @param {string[]} input.causes ids
 * @param {number[]} input.workers pids
 * @param {number[]} input.owners of the tally, in the order of the report's endpoints
 * @param {string[]} input.endpoints their names
 * @param {number[] | null} input.edgesMs
 * @param {number} input.designEffect
 * @returns {import('../../../facts/sample-table.d.ts').SampleTable}
 */
export function buildSampleTable(input) {
  const { tree, tally, functions, paths } = input;
  const places = new Map(input.owners.map((owner, index) => [owner, index]));
  return packSampleTable({
    edgesMs: input.edgesMs,
    workers: input.workers,
    endpoints: input.endpoints,
    categories: input.categories.map(({ id, label, color }) => ({ id, label, color })),
    paths: paths.map(({ category, entry, entryLines }) => ({
      category: input.placeOfCategory(category),
      function: functions[entry]?.function ?? '',
      file: functions[entry]?.file ?? '',
      line: heaviestOf(entryLines) || null,
    })),
    causes: input.causes,
    designEffect: input.designEffect,
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
 * @returns {Pick<import('../../../facts/sample-table.d.ts').TableInput, 'frames' | 'tree'>} with those functions that it has
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
