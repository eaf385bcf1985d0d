import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSampleTable } from '../../../lib/analysis/sample-table/pack.js';
import {
  countMatched,
  matchNodes,
  selectSamples,
} from '../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { makeTableInput } from '../../helpers/make-table.js';
import { smallInput } from '../../helpers/small-table.js';

/** @import { Samples, Selection } from '../../../lib/run/facts/sample-table.d.ts' */

const small = await unpackSampleTable(packSampleTable(smallInput()));

test('the selection of everything is the whole run', () => {
  const counts = selectSamples(small);
  assert.equal(counts.total, 1000);
  assert.equal(counts.base, 1000);
  assert.deepEqual([...counts.self], [0, 0, 100, 200, 300, 400]);
  assert.deepEqual([...counts.totals], [1000, 1000, 300, 200, 700, 400]);
  assert.deepEqual([...counts.paths], [300, 300, 400]);
  assert.deepEqual([...counts.categories], [300, 300, 400]);
  assert.deepEqual([...counts.causes], [300, 200]);
  assert.deepEqual([...counts.endpoints], [450, 550]);
  assert.equal(counts.unattributed, 0);
  assert.deepEqual([...counts.endpointCategories], [300, 150, 0, 0, 150, 400]);
});

test('a range of windows counts its own samples, and the series over time stays whole', () => {
  const counts = selectSamples(small, { windows: { from: 1, to: 3 } });
  assert.equal(counts.total, 500);
  assert.equal(counts.totals[0], 500);
  assert.deepEqual([...counts.categories], [150, 150, 200]);
  assert.deepEqual([...counts.categoryWindows.slice(0, 4)], [30, 60, 90, 120]);
  assert.equal(selectSamples(small, { windows: { from: -5, to: 99 } }).total, 1000);
  assert.equal(selectSamples(small, { windows: { from: 2, to: 2 } }).total, 0);
});

test('filters combine', () => {
  const counts = selectSamples(small, {
    windows: { from: 3, to: 4 },
    workers: [1],
    endpoints: [1],
    categories: [1, 2],
  });
  assert.equal(counts.total, (400 * 0.4 * 55) / 100);
  assert.deepEqual([...counts.self], [0, 0, 0, 0, 24, 64]);
  assert.deepEqual([...counts.endpoints], [0, 88]);
  assert.equal(selectSamples(small, { categories: [] }).total, 0, 'nothing picked is nothing');
});

test('a search keeps stacks with the text, "without" keeps the others, and both report a share', () => {
  const only = selectSamples(small, { search: { text: 'JSON/', without: false } });
  assert.deepEqual([only.total, only.base], [600, 1000]);
  assert.deepEqual([...only.totals], [600, 600, 200, 200, 400, 400]);
  const without = selectSamples(small, { search: { text: 'json/', without: true } });
  assert.deepEqual([without.total, without.base], [400, 1000]);
  const both = selectSamples(small, {
    endpoints: [0],
    search: { text: 'loads', without: false },
  });
  assert.deepEqual([both.total, both.base], [200, 450]);
  assert.equal(selectSamples(small, { search: { text: '', without: true } }).total, 1000);
});

test('what a search marks is counted once, however often a stack matches', () => {
  const found = matchNodes(small, 'api/');
  assert.deepEqual([...found.own], [0, 0, 1, 0, 1, 0]);
  assert.deepEqual([...found.inside], [0, 0, 1, 1, 1, 1]);
  assert.equal(countMatched(selectSamples(small), found.inside), 1000);
  const range = selectSamples(small, { windows: { from: 0, to: 1 } });
  assert.equal(countMatched(range, matchNodes(small, 'validate').inside), 30);
});

test('samples without an endpoint are counted separately, and a selected endpoint leaves them out', async () => {
  const input = smallInput();
  input.stacks.endpoint = [-1, 0, 0, 1, 1];
  const samples = await unpackSampleTable(packSampleTable(input));
  const counts = selectSamples(samples);
  assert.equal(counts.unattributed, 100);
  assert.deepEqual([...counts.endpoints], [350, 550]);
  assert.equal(selectSamples(samples, { endpoints: [0, 1] }).total, 900);
});

/** Counts row by row, without any of the shortcuts. @param {Samples} samples @param {Selection} selection */
function countPlainly({ table, tree, stacks, rows }, selection) {
  let total = 0;
  const totals = new Float64Array(table.nodeCount);
  for (let group = 0; group < rows.start.length - 1; group++) {
    const window = Math.floor(group / table.workers.length);
    const worker = group % table.workers.length;
    for (let row = rows.start[group] ?? 0; row < (rows.start[group + 1] ?? 0); row++) {
      const stack = rows.stack[row] ?? 0;
      const chain = [];
      for (let node = stacks.node[stack] ?? 0; node >= 0; node = tree.parent[node] ?? -1)
        chain.push(node);
      const text = chain
        .flatMap(node => table.frames[tree.frame[node] ?? -1] ?? [])
        .map(frame => `${frame.function} ${frame.file}`)
        .join('\n');
      const { windows, workers, endpoints, categories, search } = selection;
      if (windows && (window < windows.from || window >= windows.to)) continue;
      if (workers && !workers.includes(worker)) continue;
      if (endpoints && !endpoints.includes(stacks.endpoint[stack] ?? -1)) continue;
      if (categories && !categories.includes(table.paths[stacks.path[stack] ?? 0]?.category ?? -1))
        continue;
      if (search && text.includes(search.text) === search.without) continue;
      total += rows.count[row] ?? 0;
      for (const node of chain) totals[node] = (totals[node] ?? 0) + (rows.count[row] ?? 0);
    }
  }
  return { total, totals };
}

test('any selection of a random table counts what a plain loop counts', async () => {
  const samples = await unpackSampleTable(
    packSampleTable(
      makeTableInput({
        nodes: 2000,
        stacks: 700,
        rows: 6000,
        samples: 9000,
        windows: 20,
        workers: 4,
        endpoints: 6,
        frames: 300,
        seed: 7,
      }),
    ),
  );
  /** @type {Selection[]} */
  const selections = [
    {},
    { windows: { from: 3, to: 9 } },
    { workers: [0, 3], endpoints: [2] },
    { categories: [1, 4], search: { text: 'function_7', without: false } },
    { categories: [1, 4], search: { text: 'function_7', without: true } },
    {
      windows: { from: 0, to: 15 },
      endpoints: [0, 1, 5],
      search: { text: 'package_1/', without: true },
    },
  ];
  for (const selection of selections) {
    const counts = selectSamples(samples, selection);
    const plain = countPlainly(samples, selection);
    assert.equal(counts.total, plain.total);
    assert.deepEqual(counts.totals, plain.totals);
    const sum = (/** @type {Float64Array} */ list) => list.reduce((all, own) => all + own, 0);
    assert.equal(sum(counts.categories), plain.total);
    assert.equal(sum(counts.paths), plain.total);
    assert.equal(sum(counts.endpoints) + counts.unattributed, plain.total);
  }
});
