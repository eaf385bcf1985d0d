import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printTerminal } from '../../lib/report/print/terminal.js';
import { describeRun } from '../../lib/text/document/run.js';
import { describePlans } from '../../lib/text/document/run-plans.js';
import { wordReport } from '../../lib/text/index.js';
import { minimalReport } from '../fixtures/reports/reports.js';

/** @import { Plan } from '../../lib/run/facts/calls.d.ts' */

/** @param {Plan[]} plans */
function print(plans) {
  const document = describeRun(wordReport({ ...minimalReport(), plans }));
  const [, section = ''] = printTerminal(document, { width: 200 }).split('Query plans\n');
  return section.split('\n\n')[0] ?? '';
}

const SCAN = { table: 'orders', rows: 40_000, condition: '(customer_id = $1)', isIndexed: false };

test('names the table that a plan reads whole, and the index that may help', () => {
  const text = 'SELECT id FROM orders WHERE customer_id = ?';
  const place = { id: '1', text, file: 'app.py', line: 7, steps: ['Seq Scan on orders'] };
  const columns = ['customer_id', 'state'];
  const said = print([{ ...place, scans: [{ ...SCAN, columns }] }]);
  assert.match(said, /SELECT id FROM orders WHERE customer_id = \? app\.py:7/);
  assert.match(said, /Reads all of orders, about 40,000 rows, for \(customer_id = \$1\)/);
  assert.match(said, /an index on `orders\(customer_id, state\)` may help\./);
  assert.match(said, /Seq Scan on orders/);
  const unused = print([{ ...place, scans: [{ ...SCAN, columns, isIndexed: true }] }]);
  assert.match(unused, /does not use its index on `customer_id`/);
  const unknown = print([{ ...place, scans: [{ ...SCAN, columns: [] }] }]);
  assert.doesNotMatch(unknown, /may help/);
});

test('the page folds plans without advice, but none that says why it is missing', () => {
  const plan = { id: '1', text: 'SELECT 1', file: 'app.py', line: 7, steps: ['Index Scan'] };
  const scans = [{ ...SCAN, columns: ['state'] }];
  const refused = { why: /** @type {const} */ ('failed'), reason: 'XX000' };
  const fold = (/** @type {Plan[]} */ ...plans) =>
    describePlans({ plans })?.blocks.find(own => own.kind === 'list')?.small;
  assert.deepEqual(fold(plan, { ...plan, scans }, plan, { ...plan, refused }), {
    ...{ at: [0, 2], title: '2 plans that read no whole table' },
  });
  assert.equal(fold(plan, { ...plan, scans }), undefined, 'one is no fold');
});

test('without a plan it says why in its own words, with the code of the error', () => {
  /** @param {'connect' | 'failed' | 'text'} why @param {string} reason */
  const refuse = (why, reason) => print([{ text: 'SELECT 1', refused: { why, reason } }]);
  assert.match(refuse('connect', '28P01'), /gave no plans: wrong user or password 28P01/);
  assert.match(refuse('failed', 'SQLITE_1'), /no plan for this statement: a table or column/);
  assert.match(refuse('failed', 'XX000'), /no plan for this statement: XX000/);
  assert.match(refuse('text', ''), /not one complete SELECT, so it was not sent/);
  assert.equal(print([]), '');
});
