import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSource } from '../../lib/text/document/run-source.js';
import { buildCalls, buildStatement } from '../fixtures/reports/build-calls.js';

test('all figures per request of a line are means over the same requests', () => {
  // 5 queries in 50 of the 200 requests
  const uses = [{ name: 'GET /orders', requests: 50, perRequest: 5 }];
  const calls = buildCalls([buildStatement({ uses })]);
  assert.equal(calls.whole.requests, 200);
  const line = { line: 34, text: 'for order in orders:', share: 0.5, cpuMs: 2, waiting: 0 };
  const source = { function: 'list_orders', file: 'shop/views.py', line: 33, lines: [line] };
  /** @type {any} */
  const section = describeSource(
    /** @type {any} */ ({ profile: { lines: [{ ...source, lineCount: 1, share: 1 }] }, calls }),
  );
  const [table] = section.blocks.at(-1).items[0].blocks;
  const ofRun = table.columns.flatMap((/** @type {any} */ { label }, /** @type {number} */ at) =>
    / per request of the run$/.test(label) ? [[label, table.rows[0][at]]] : [],
  );
  assert.deepEqual(ofRun, [
    ['CPU per request of the run', '2.0 ms'],
    ['queries per request of the run', '1.3'],
  ]);
});
