import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { explainSql } from '../../../lib/record/explain/explain-sql.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { PYTHON } from '../../helpers/gunicorn.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { makeRunWithStatements } from './run-with-statements.js';

const SET_UP = `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("create table orders (id integer primary key, customer_id int, state text)")
c.execute("create table tiny (id integer primary key, name text)")
c.execute("create index by_state on orders (state)")
c.executemany("insert into orders (customer_id, state) values (?, ?)", [(i % 90, str(i % 3)) for i in range(20000)])
c.execute("insert into tiny (name) values ('a')")
c.commit()
`;
const signal = AbortSignal.timeout(60_000);

/** @param {import('node:test').TestContext} t @param {string[]} texts @param {(database: string) => string} [address] */
async function explain(t, texts, address = database => `sqlite:///${database}`) {
  const database = path.join(makeTempFolder(t), 'own secret.db');
  execFileSync(PYTHON, ['-c', SET_UP, database]);
  const files = makeRunWithStatements(t, 'sqlite', texts);
  await explainSql({ files, url: address(database), analyze: false, pid: null, signal });
  assert.ok(!readFileSync(files.plans, 'utf8').includes('own secret'), 'the address stays out');
  return (await readNdjson(files.plans)).records;
}

test('names a large table that SQLite reads whole, and the columns that an index would need', async t => {
  const plans = await explain(t, [
    'SELECT o.id FROM orders AS o WHERE o.id > ? AND o.customer_id = ? ORDER BY o.id',
    'SELECT id FROM orders WHERE customer_id + 1 = ?',
    'SELECT id FROM orders WHERE state = ?',
    'SELECT name FROM tiny WHERE name = ?',
    'SELECT id FROM orders WHERE state = ? OR customer_id = ? ...',
    'SELECT sixth FROM orders',
  ]);
  assert.deepEqual(
    plans.map(({ line, scans, refused }) => [line, scans?.[0]?.columns ?? refused?.why]),
    [
      [1, undefined],
      [2, []],
      [3, undefined],
      [4, undefined],
      [5, 'cut'],
    ],
  );
  const [key] = await explain(t, ['SELECT state FROM orders WHERE id = ?']);
  assert.deepEqual(key?.steps, ['SEARCH orders USING INTEGER PRIMARY KEY (rowid=?)']);
  const [scan] = (
    await explain(t, ['SELECT o.id FROM orders o WHERE o.customer_id = ? LIMIT ?'])
  ).flatMap(own => own.scans);
  assert.deepEqual(scan, {
    ...{ table: 'orders', rows: 20_000, condition: 'o.customer_id = ?' },
    ...{ columns: ['customer_id'], isIndexed: false },
  });
});

test('only what reads is explained, and a database that is none says so', async t => {
  const [none] = await explain(t, ['UPDATE orders SET state = ?', 'DELETE FROM orders']);
  assert.equal(none?.refused.why, 'none');
  const [missing] = await explain(t, ['SELECT id FROM orders'], file => `sqlite:///${file}.gone`);
  assert.equal(missing?.refused.why, 'connect');
  const [other] = await explain(t, ['SELECT id FROM orders'], () => 'oracle://u:pw@h/x');
  assert.deepEqual(other?.refused, { why: 'system', reason: 'oracle' });
});
