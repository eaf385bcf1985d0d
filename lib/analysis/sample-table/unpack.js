/** Reads the output of `pack.js`, in Node and in a browser. */
import { VarintReader } from './varint.js';

/** @import { CallGroup, CallTable } from '../../run/facts/calls.d.ts' */
/** @import { Packed, Samples, SampleTable } from '../../run/facts/sample-table.d.ts' */

/**
 * @param {Packed} packed
 * @returns {Promise<Uint8Array>}
 * @throws {TypeError} if the text is damaged
 */
export async function unpackBytes({ data }) {
  const text = atob(data);
  const deflated = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) deflated[index] = text.charCodeAt(index);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {Packed} packed */
export async function unpackNumbers(packed) {
  return new VarintReader(await unpackBytes(packed));
}

/**
 * @param {SampleTable} table
 * @returns {Promise<Samples>}
 */
export async function unpackSampleTable(table) {
  const { packages } = table;
  const [tree, owners, stacks, rows] = await Promise.all([
    unpackNumbers(table.tree),
    packages ? unpackNumbers(packages.ofNode) : null,
    unpackNumbers(table.stacks),
    unpackNumbers(table.rows),
  ]);
  const windowCount = table.edgesMs ? table.edgesMs.length - 1 : 1;
  return {
    table,
    windowCount,
    tree: readTree(tree, owners, table.nodeCount),
    stacks: readStacks(stacks, table),
    rows: readRows(rows, windowCount * table.workers.length, table.rowCount),
  };
}

/**
 * @param {VarintReader} numbers
 * @param {VarintReader | null} owners
 * @param {number} nodeCount
 */
function readTree(numbers, owners, nodeCount) {
  const parent = new Int32Array(nodeCount).fill(-1);
  const frame = new Int32Array(nodeCount).fill(-1);
  const line = new Int32Array(nodeCount);
  const own = new Int32Array(nodeCount);
  for (let node = 1; node < nodeCount; node++) {
    parent[node] = node - numbers.next();
    frame[node] = numbers.next();
    line[node] = numbers.next();
    if (owners) own[node] = owners.next();
  }
  return { parent, frame, line, package: own };
}

/** @param {VarintReader} numbers @param {SampleTable} table */
function readStacks(numbers, { stackCount, paths }) {
  const node = new Int32Array(stackCount);
  const path = new Int32Array(stackCount);
  const category = new Int32Array(stackCount);
  const endpoint = new Int32Array(stackCount);
  const causes = new Int32Array(stackCount);
  let at = 0;
  for (let stack = 0; stack < stackCount; stack++) {
    at += numbers.next();
    node[stack] = at;
    const own = numbers.next();
    path[stack] = own;
    category[stack] = paths[own]?.category ?? 0;
    endpoint[stack] = numbers.next() - 1;
    causes[stack] = numbers.next();
  }
  return { node, path, category, endpoint, causes };
}

/**
 * @param {VarintReader} numbers
 * @param {number} groups
 * @param {number} rowCount
 */
function readRows(numbers, groups, rowCount) {
  const start = new Int32Array(groups + 1);
  const stack = new Int32Array(rowCount);
  const count = new Int32Array(rowCount);
  let row = 0;
  for (let group = 0; group < groups; group++) {
    const end = row + numbers.next();
    for (let before = 0; row < end; row++) {
      before += numbers.next();
      stack[row] = before;
      count[row] = numbers.next();
    }
    start[group + 1] = row;
  }
  return { start, stack, count };
}

/** The numbers of a `CallGroup`, after its window. */
export const OF_CALLS = /** @type {const} */ ([
  ...['worker', 'endpoint', 'requests', 'moreCount', 'moreUs', 'poolCount', 'poolUs'],
]);

/** @param {CallTable} table @returns {Promise<CallGroup[]>} */
export async function unpackCalls({ groups: packed }) {
  const numbers = await unpackNumbers(packed);
  /** @type {CallGroup[]} */
  const groups = [];
  for (let window = 0; !numbers.done; ) {
    window += numbers.next();
    const own = OF_CALLS.map(name => [name, numbers.next()]);
    let statement = 0;
    const rows = Array.from({ length: numbers.next() }, () => {
      statement += numbers.next();
      const [requests, count, us] = [numbers.next(), numbers.next(), numbers.next()];
      return { statement, requests, count, us };
    });
    groups.push({ window, ...Object.fromEntries(own), rows });
  }
  return groups;
}
