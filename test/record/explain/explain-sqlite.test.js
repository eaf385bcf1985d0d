import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { PYTHON } from '../../helpers/gunicorn.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { explainTexts } from './run-with-statements.js';

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

/** @param {import('node:test').TestContext} t @param {string[]} texts @param {(database: string) => string} [address] */
async function explain(t, texts, address = database => `sqlite:///${database}`) {
  const database = path.join(makeTempFolder(t), 'own secret.db');
  execFileSync(PYTHON, ['-c', SET_UP, database]);
  const before = readFileSync(database);
  const { files, plans } = await explainTexts(t, address(database), texts);
  assert.ok(!readFileSync(files.plans, 'utf8').includes('own secret'), 'the address stays out');
  assert.ok(readFileSync(database).equals(before));
  return plans;
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
  const [cut] = await explain(t, ['SELECT id, cust ... er_id FROM orders WHERE id = ?']);
  assert.equal(cut?.refused.why, 'cut', 'the companion cuts the middle out');
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
  assert.deepEqual(missing?.refused, { why: 'connect', reason: 'SQLITE_14' });
  const [other] = await explain(
    t,
    ['SELECT id FROM orders'],
    () => `sqlite:///${import.meta.filename}`,
  );
  assert.deepEqual(other?.refused, { why: 'connect', reason: 'SQLITE_26' });
});

test('a text of a header changes nothing in SQLite, and its error is a code', async t => {
  const planted = path.join(makeTempFolder(t), 'planted.db');
  const texts = [
    `SELECT 1; ATTACH '${planted}' AS p; CREATE TABLE p.t (a); SELECT 1`,
    'WITH gone AS (SELECT 1) DELETE FROM orders',
    "SELECT load_extension('x')",
    'SELECT secret FROM nowhere',
    '/* /* */ PRAGMA user_version = 7; */ SELECT 1',
  ];
  const found = [...(await explain(t, texts.slice(0, 3))), ...(await explain(t, texts.slice(3)))];
  assert.ok(!existsSync(planted));
  assert.deepEqual(
    found.map(({ refused, ran }) => refused ?? ran),
    [{ why: 'text', reason: '' }, false, false, { why: 'failed', reason: 'SQLITE_1' }],
  );
});
