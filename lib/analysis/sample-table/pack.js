/** Writes a sample table (Node only; `unpack.js` reads it anywhere). */

import { deflateRawSync } from 'node:zlib';
import { OF_CALLS } from './unpack.js';
import { toZigzag, VarintWriter } from './varint.js';

/** @import { Packed, SampleTable, TableInput } from '../../run/facts/sample-table.d.ts' */
/** @import { CallGroup, CallTable } from '../../run/facts/calls.d.ts' */

export const MAX_CAUSES = 31;
// during sorting, a stack and its count share one double
const MAX_COUNT = 2 ** 31;

/**
 * @param {TableInput} input
 * @returns {SampleTable}
 * @throws {RangeError} more than 31 causes, or a fractional or negative number
 */
export function packSampleTable({ tree, stacks, rows, packages, ...lists }) {
  if (lists.causes.length > MAX_CAUSES)
    throw new RangeError(`${lists.causes.length} causes do not fit into ${MAX_CAUSES} bits`);
  const windowCount = lists.edgesMs ? lists.edgesMs.length - 1 : 1;
  const { place, count: stackCount, packed: packedStacks } = packStacks(stacks);
  const packedRows = packRows(rows, place, windowCount, lists.workers.length);
  return {
    ...lists,
    ...(packages && {
      packages: {
        names: packages.names,
        ofNode: packNumbers(Array.from(packages.ofNode).slice(1)),
      },
    }),
    nodeCount: tree.parent.length,
    stackCount,
    rowCount: packedRows.count,
    totalSamples: packedRows.samples,
    tree: packTree(tree),
    stacks: packedStacks,
    rows: packedRows.packed,
  };
}

/**
 * Packs whole numbers from 0 on.
 * @param {Iterable<number>} numbers
 * @returns {Packed}
 */
function packNumbers(numbers) {
  const writer = new VarintWriter();
  for (const value of numbers) writer.add(value);
  return packBytes(writer.build());
}

/**
 * Packs any bytes; `unpackBytes` restores them.
 * @param {Uint8Array} bytes
 * @param {number} [level] of compression. An hour's rows take 29 ms at 4, 170 ms and 7 % less space at 6,
 *   1,200 ms and 11 % less at 9
 * @returns {Packed}
 */
export function packBytes(bytes, level = 4) {
  return { bytes: bytes.length, data: deflateRawSync(bytes, { level }).toString('base64') };
}

/** @param {TableInput['tree']} tree */
function packTree({ parent, frame, line }) {
  const writer = new VarintWriter();
  for (let node = 1; node < parent.length; node++) {
    writer.add(node - (parent[node] ?? 0));
    writer.add(frame[node] ?? 0);
    writer.add(line[node] ?? 0);
  }
  return packBytes(writer.build());
}

/**
 * @param {TableInput['stacks']} stacks
 * @returns {{place: Int32Array, count: number, packed: Packed}} `place`: index of each stack in the table
 */
function packStacks({ node, path, endpoint, causes }) {
  const order = Uint32Array.from({ length: node.length }, (_, stack) => stack);
  const lists = [node, path, endpoint, causes];
  /** @param {number} a @param {number} b */
  const compare = (a, b) => {
    for (const list of lists) {
      const difference = (list[a] ?? 0) - (list[b] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  order.sort(compare);
  const place = new Int32Array(node.length);
  const writer = new VarintWriter();
  let count = 0;
  let nodeBefore = 0;
  for (const [index, stack] of order.entries()) {
    const before = order[index - 1];
    if (before === undefined || compare(before, stack) !== 0) {
      writer.add((node[stack] ?? 0) - nodeBefore);
      writer.add(path[stack] ?? 0);
      writer.add((endpoint[stack] ?? -1) + 1);
      writer.add(causes[stack] ?? 0);
      nodeBefore = node[stack] ?? 0;
      count++;
    }
    place[stack] = count - 1;
  }
  return { place, count, packed: packBytes(writer.build()) };
}

/**
 * A counting sort by window and worker, then a sort by stack within each.
 * @param {TableInput['rows']} rows
 * @param {Int32Array} place
 * @param {number} windowCount
 * @param {number} workerCount
 */
function packRows({ window, worker, stack, count }, place, windowCount, workerCount) {
  const start = new Int32Array(windowCount * workerCount + 1);
  for (let row = 0; row < stack.length; row++) {
    const group = (window[row] ?? 0) * workerCount + (worker[row] ?? 0) + 1;
    if (group >= start.length || group < 1)
      throw new RangeError(`row ${row} is of window ${window[row]} and worker ${worker[row]}`);
    start[group] = (start[group] ?? 0) + 1;
  }
  for (let group = 1; group < start.length; group++)
    start[group] = (start[group] ?? 0) + (start[group - 1] ?? 0);
  const next = start.slice();
  const keys = new Float64Array(stack.length);
  let carry = 0;
  for (let row = 0; row < stack.length; row++) {
    const group = (window[row] ?? 0) * workerCount + (worker[row] ?? 0);
    const at = next[group] ?? 0;
    next[group] = at + 1;
    const exact = (count[row] ?? 0) + carry;
    const whole = Math.max(0, Math.round(exact));
    carry = exact - whole;
    keys[at] = (place[stack[row] ?? 0] ?? 0) * MAX_COUNT + whole;
  }
  const writer = new VarintWriter();
  let kept = 0;
  let samples = 0;
  for (let group = 0; group < start.length - 1; group++) {
    const merged = mergeSorted(keys.subarray(start[group], start[group + 1]).sort());
    writer.add(merged.length);
    let before = 0;
    for (const key of merged) {
      const number = Math.floor(key / MAX_COUNT);
      const own = key % MAX_COUNT;
      writer.add(number - before);
      writer.add(own);
      before = number;
      samples += own;
    }
    kept += merged.length;
  }
  return { count: kept, samples, packed: packBytes(writer.build()) };
}

/** Adds up the counts of equal stacks in place, and removes zero counts. @param {Float64Array} keys sorted */
function mergeSorted(keys) {
  let length = 0;
  for (const key of keys) {
    const own = key % MAX_COUNT;
    if (own === 0) continue;
    const last = keys[length - 1] ?? -MAX_COUNT;
    if (length > 0 && Math.floor(last / MAX_COUNT) === Math.floor(key / MAX_COUNT))
      keys[length - 1] = last + own;
    else keys[length++] = key;
  }
  return keys.subarray(0, length);
}

/** @param {CallGroup[]} groups sorted by window, their rows by statement @returns {CallTable['groups']} */
export function packCalls(groups) {
  let window = 0;
  const numbers = groups.flatMap(group => {
    let statement = 0;
    const rows = group.rows.flatMap(row => {
      const distance = row.statement - statement;
      statement = row.statement;
      return [distance, row.requests, row.count, row.us];
    });
    const distance = group.window - window;
    window = group.window;
    return [distance, ...OF_CALLS.map(name => group[name]), group.rows.length, ...rows];
  });
  return packNumbers(numbers);
}

/** @typedef {import('../../base/math/sketch.js').SketchJson} SketchJson */

/**
 * Latency sketches (ms) in sequence, as `unpackLatency` reads them: per endpoint and window, the time to first byte,
 * then the total time.
 * @param {Iterable<SketchJson | null>} sketches null or empty if nothing was measured
 * @returns {import('../../run/facts/sample-table.d.ts').Packed}
 */
export const packSketches = sketches => packNumbers(numbersOf(sketches));

/** @param {Iterable<SketchJson | null>} sketches */
function* numbersOf(sketches) {
  for (const sketch of sketches) {
    if (!sketch || sketch.count === 0) {
      yield 0;
      continue;
    }
    const bins = sketch.bins.toSorted(([a], [b]) => a - b);
    yield bins.length + 1;
    for (const ms of [sketch.min ?? 0, sketch.max ?? 0, sketch.sum])
      yield Math.max(0, Math.round(ms * 1000));
    yield sketch.zero;
    let before = null;
    for (const [key, count] of bins) {
      yield before === null ? toZigzag(key) : key - before;
      yield count;
      before = key;
    }
  }
}
