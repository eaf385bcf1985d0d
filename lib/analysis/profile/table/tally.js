/** Counts the base once, by everything that a selection can ask for. */
import { addTo, mapValues } from '../../../base/files/maps.js';
import { addAt } from '../../sample-table/select.js';
import { NodeTable } from '../../stacks/node-table.js';
import { LATER } from '../costs/find-views.js';

/** @typedef {import('../costs/attribution.d.ts').Attribution} Attribution */

/**
 * @typedef {object} Tally
 * @property {{node: number[], path: number[], endpoint: number[], causes: number[]}} stacks in the form of the
 *   sample table; `endpoint` is an owner's index
 * @property {{window: Uint16Array, worker: Uint16Array, stack: Uint32Array, count: Float64Array}} rows
 * @property {Float64Array[]} blocks per owner: samples per block
 * @property {Float64Array[]} categories per owner: samples per category
 * @property {Map<number, number>[]} views per owner: function → samples below it
 * @property {number} nobody samples without an owner
 * @property {Map<number, number>} aside of these, by the function that was called instead of a view
 * @property {number} later of these, samples in the response of a view that had returned
 * @property {number[]} around per owner: samples that were shared out to it
 */

/**
 * @param {object} input
 * @param {import('../../stacks/profile.d.ts').Profile} input.profile
 * @param {Pick<import('../profile-base.js').ProfileBase, 'rows' | 'blocks' | 'blockTotals'>} input.base
 * @param {import('./deal-out.js').VisitPieces} input.pieces
 * @param {import('./merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node
 * @param {Int32Array} [input.asideOf] per merged node: what the framework called instead of a view
 * @param {Attribution} input.attribution
 * @param {Int32Array} input.pathOfNode per node of the profile
 * @param {number} input.rootlessPath
 * @param {(node: number) => number} input.causesOf bits, of a node of the profile
 * @param {(path: number) => number} input.categoryOf index, of a path
 * @param {number} input.categoryCount
 * @param {number[]} input.workerOfProcess index into the table's workers, per process; the last entry is for rows
 *   without a process
 * @returns {Tally}
 */
export function tallySamples(input) {
  const { profile, base, tree, viewOf, attribution, pathOfNode } = input;
  /** (node of the profile, owner) → stack */
  const known = new NodeTable();
  /** @type {Tally['stacks']} */
  const stacks = { node: [], path: [], endpoint: [], causes: [] };
  const rows = createRows(base.rows.length);
  const perOwner = (/** @type {number} */ size) =>
    attribution.owners.map(() => new Float64Array(size));
  const blocks = perOwner(base.blockTotals.length);
  const categories = perOwner(input.categoryCount);
  const views = attribution.owners.map(() => /** @type {Map<number, number>} */ (new Map()));
  let [nobody, later] = [0, 0];
  /** @type {Tally['aside']} */
  const aside = new Map();
  const around = attribution.owners.map(() => 0);
  // for the piece being counted
  let isShared = false;
  let [leaf, node, path, window, worker, block] = [0, 0, 0, 0, 0, 0];
  const count = (/** @type {number} */ owner, /** @type {number} */ own) => {
    const stack = known.intern(leaf, owner);
    if (stack === stacks.node.length) {
      stacks.node.push(node);
      stacks.path.push(path);
      stacks.endpoint.push(owner);
      stacks.causes.push(leaf < 0 ? 0 : input.causesOf(leaf));
    }
    rows.add(window, worker, stack, own);
    if (owner < 0) {
      nobody += own;
      if (viewOf[node] === LATER) later += own;
      addTo(aside, tree.function[input.asideOf?.[node] ?? -1] ?? -1, own);
      return;
    }
    addAt(blocks[owner] ?? [], block, own);
    if (isShared) around[owner] = (around[owner] ?? 0) + own;
    addAt(categories[owner] ?? [], input.categoryOf(path), own);
    const view = viewOf[node] ?? -1;
    const of = views[owner];
    if (view < 0 || !of) return;
    addTo(of, tree.function[view] ?? -1, own);
  };
  input.pieces((index, ofWindow, weight) => {
    const row = base.rows[index] ?? 0;
    const process = profile.rows.process[row] ?? -1;
    leaf = profile.rows.node[row] ?? -1;
    node = leaf < 0 ? 0 : (tree.place[leaf] ?? 0);
    path = leaf < 0 ? input.rootlessPath : (pathOfNode[leaf] ?? 0);
    window = ofWindow;
    worker = input.workerOfProcess[process < 0 ? profile.processes.length : process] ?? 0;
    block = base.blocks[index] ?? 0;
    isShared = attribution.isShared(node, row);
    const owner = attribution.ownerOf(row, node);
    if (owner >= -1) count(owner, weight);
    else attribution.split(row, node, window, path, weight, count);
  });
  return { stacks, rows: rows.build(), blocks, categories, views, nobody, aside, later, around };
}

/** Rows that can grow: sharing out turns one row into several. @param {number} expected */
function createRows(expected) {
  // Allocate more at the start: growing may need both sizes for a moment, untouched memory costs nothing.
  const capacity = Math.ceil(expected * 1.5) + 1024;
  let columns = {
    window: new Uint16Array(capacity),
    worker: new Uint16Array(capacity),
    stack: new Uint32Array(capacity),
    count: new Float64Array(capacity),
  };
  let length = 0;
  /** @param {(column: any) => any} map */
  const mapColumns = map => /** @type {typeof columns} */ (mapValues(columns, map));
  return {
    /** @param {number} window @param {number} worker @param {number} stack @param {number} samples */
    add(window, worker, stack, samples) {
      if (length === columns.count.length)
        columns = mapColumns(
          ({ constructor: Column, buffer }) => new Column(buffer.transfer(2 * buffer.byteLength)),
        );
      columns.window[length] = window;
      columns.worker[length] = worker;
      columns.stack[length] = stack;
      columns.count[length++] = samples;
    },
    build: () => mapColumns(column => column.subarray(0, length)),
  };
}
