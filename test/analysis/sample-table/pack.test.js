import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSampleTable } from '../../../lib/analysis/sample-table/pack.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { makeTableInput } from '../../helpers/make-table.js';
import { smallInput } from '../../helpers/small-table.js';

test('a packed and unpacked table has the same tree, stacks and rows', async () => {
  const input = makeTableInput({
    nodes: 3000,
    stacks: 900,
    rows: 8000,
    samples: 20_000,
    windows: 12,
    workers: 3,
    endpoints: 5,
    frames: 400,
  });
  const samples = await unpackSampleTable(packSampleTable(input));
  assert.deepEqual(samples.tree.parent.slice(1), Int32Array.from(input.tree.parent).slice(1));
  assert.deepEqual(samples.tree.frame.slice(1), Int32Array.from(input.tree.frame).slice(1));
  assert.deepEqual(samples.tree.line.slice(1), Int32Array.from(input.tree.line).slice(1));
  assert.equal(samples.tree.parent[0], -1);
  assert.equal(samples.table.totalSamples, 20_000);

  /** @type {Map<string, number>} */
  const expected = new Map();
  for (let row = 0; row < input.rows.stack.length; row++) {
    const stack = input.rows.stack[row] ?? 0;
    const { node, path, endpoint, causes } = input.stacks;
    const key = `${input.rows.window[row]} ${input.rows.worker[row]} ${node[stack]} ${path[stack]} ${endpoint[stack]} ${causes[stack]}`;
    expected.set(key, (expected.get(key) ?? 0) + (input.rows.count[row] ?? 0));
  }
  const { stacks, rows } = samples;
  const workers = input.workers.length;
  /** @type {Map<string, number>} */
  const found = new Map();
  for (let group = 0; group < 12 * workers; group++) {
    for (let row = rows.start[group] ?? 0; row < (rows.start[group + 1] ?? 0); row++) {
      const stack = rows.stack[row] ?? 0;
      const key = `${Math.floor(group / workers)} ${group % workers} ${stacks.node[stack]} ${stacks.path[stack]} ${stacks.endpoint[stack]} ${stacks.causes[stack]}`;
      assert.equal(found.has(key), false, 'a stack of a window and worker has one row');
      found.set(key, rows.count[row] ?? 0);
    }
  }
  assert.equal(found.size, samples.table.rowCount);
  assert.deepEqual([...found].sort(), [...expected].sort());
});

test('a table is plain JSON', async () => {
  const table = packSampleTable(smallInput());
  const again = JSON.parse(JSON.stringify(table));
  assert.deepEqual(again, table);
  assert.deepEqual(await unpackSampleTable(again), await unpackSampleTable(table));
});

test('counts that are not whole are rounded without losing any on the way', async () => {
  const input = smallInput();
  input.rows = {
    window: new Int32Array(100),
    worker: new Int32Array(100),
    stack: Int32Array.from({ length: 100 }, (_, row) => row % 5),
    count: new Float64Array(100).fill(0.3),
  };
  assert.equal(packSampleTable(input).totalSamples, 30);
});

test('without times everything is in one window', async () => {
  const input = smallInput();
  input.edgesMs = null;
  input.rows.window = new Int32Array(input.rows.stack.length);
  const samples = await unpackSampleTable(packSampleTable(input));
  assert.equal(samples.windowCount, 1);
  assert.equal(samples.table.totalSamples, 1000);
});

test('a profile without samples is a table, too', async () => {
  const input = smallInput();
  input.rows = { window: [], worker: [], stack: [], count: [] };
  const samples = await unpackSampleTable(packSampleTable(input));
  assert.equal(samples.table.rowCount, 0);
  assert.equal(samples.rows.start.length, 4 * 2 + 1);
});

test('what does not fit is refused', () => {
  const many = smallInput();
  many.causes = Array.from({ length: 32 }, (_, index) => `cause ${index}`);
  assert.throws(() => packSampleTable(many), /32 causes/);
  const outside = smallInput();
  outside.rows.window = [9];
  outside.rows.worker = [0];
  outside.rows.stack = [0];
  outside.rows.count = [1];
  assert.throws(() => packSampleTable(outside), /row 0 is of window 9/);
});
