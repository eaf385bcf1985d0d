import assert from 'node:assert/strict';
import test from 'node:test';
import { packSampleTable } from '../../../../lib/analysis/sample-table/pack.js';
import { categorizeNodes, selectSamples } from '../../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../../lib/analysis/sample-table/unpack.js';
import { boxAt, layOutBoxes } from '../../../../lib/report/page/flame/flame-boxes.js';
import { listChildren, makeCallTree } from '../../../../lib/report/page/flame/flame-tree.js';
import { makeTableInput } from '../../../helpers/make-table.js';

/** @import { FlameTree } from '../../../../lib/report/page/flame/flame-tree.js' */

const samples = await unpackSampleTable(
  packSampleTable(
    makeTableInput({
      nodes: 200_000,
      stacks: 20_000,
      rows: 60_000,
      samples: 100_000,
      windows: 20,
      workers: 2,
      endpoints: 4,
      frames: 3000,
    }),
  ),
);
const whole = selectSamples(samples);
const children = listChildren(samples.tree.parent, whole.totals);
const groups = categorizeNodes(samples, whole);

/** Boxes never stand outside the one they hang under, nor on each other. @param {FlameTree} tree @param {number} focus */
function checkLayout(tree, focus) {
  const { rows, byNode } = layOutBoxes(tree, focus, 1000);
  for (const row of rows)
    for (const [index, box] of row.entries()) {
      const next = row[index + 1];
      if (next) assert.ok(next.x >= box.x + box.width - 1e-6);
      const above = byNode.get(tree.parent(box.node));
      if (box.above || !above) continue;
      assert.ok(box.x >= above.x - 1e-6);
      assert.ok(box.x + box.width <= above.x + above.width + 1e-6);
      assert.ok(Math.abs(box.width - (1000 * tree.total(box.node)) / tree.total(focus)) < 1e-6);
    }
  return { boxes: rows.flat(), rows };
}

test('lays out only the visible ones of 200,000 nodes', () => {
  const tree = makeCallTree(samples, children, groups, whole);
  const { boxes, rows } = checkLayout(tree, 0);
  assert.ok(boxes.length > 500 && boxes.length < rows.length * 2000, `${boxes.length} boxes`);
  assert.ok(boxes.every(({ width }) => width >= 0.5));
});

test('a box that is zoomed to fills the width under its callers', () => {
  const tree = makeCallTree(samples, children, groups, whole);
  const { rows } = layOutBoxes(tree, 0, 1000);
  const deep = rows.flat().toSorted((a, b) => b.row - a.row)[0];
  assert.ok(deep && deep.row > 5);
  const zoomed = checkLayout(tree, deep.node);
  assert.deepEqual(
    zoomed.rows.slice(0, deep.row + 1).map(row => [row.length, row[0]?.width]),
    Array.from({ length: deep.row + 1 }, () => [1, 1000]),
  );
});

test('boxes keep their order whatever is selected', () => {
  const orderOf = (/** @type {FlameTree} */ tree) =>
    layOutBoxes(tree, 0, 1000).rows[1]?.map(({ node }) => node) ?? [];
  const all = orderOf(makeCallTree(samples, children, groups, whole));
  const part = selectSamples(samples, { windows: { from: 3, to: 5 } });
  const some = orderOf(makeCallTree(samples, children, groups, part));
  const both = new Set(all.filter(node => some.includes(node)));
  assert.ok(both.size > 10);
  assert.deepEqual(
    some.filter(node => both.has(node)),
    all.filter(node => both.has(node)),
  );
});

test('the box under a pointer is found, thin ones too', () => {
  const tree = makeCallTree(samples, children, groups, whole);
  const { rows } = layOutBoxes(tree, 0, 1000);
  const row = rows[2] ?? [];
  for (const box of row) assert.equal(boxAt(rows, 2, box.x + box.width / 2)?.node, box.node);
  assert.equal(boxAt(rows, rows.length + 3, 10), null);
  assert.equal(boxAt(rows, 0, 1000.5), null);
});
