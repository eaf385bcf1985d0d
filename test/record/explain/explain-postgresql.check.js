import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { readOwnStatements } from '../../../lib/record/explain/explain-sql.js';
import { startPostgres } from '../../../research/shares/start-server.js';
import { needs } from '../../helpers/needs.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { explainTexts } from './run-with-statements.js';

const SET_UP = `
create table orders (id serial primary key, customer_id int, state text, note text);
create index by_state on orders (state);
insert into orders (customer_id, state, note) select i % 900, (i % 3)::text, case i when 5 then 'private' end from generate_series(1, 30000) i;
analyze orders;
`;
const STATEMENTS = [
  'SELECT orders.id FROM orders WHERE orders.note = ? AND orders.customer_id > ? ORDER BY orders.id LIMIT ?',
  'SELECT id FROM orders WHERE id = ?',
  'SELECT count(*) FROM orders WHERE lower(note) IN (?)',
  'SELECT count(*) FROM orders WHERE note IS NULL',
  'SELECT id FROM nowhere WHERE id = ?',
];
/** Nine tables: the planner tries many orders of them. */
const JOINED = `SELECT a0.id FROM orders a0 ${[1, 2, 3, 4, 5, 6, 7, 8]
  .map(n => `JOIN orders a${n} ON a${n}.id = a${n - 1}.customer_id`)
  .join(' ')} WHERE a0.id = ?`;
const PASSWORD = 'pw4Explain.0nly';

/** @param {import('node:test').TestContext} t */
async function start(t) {
  const folder = makeTempFolder(t);
  const postgres = await startPostgres(folder, path.join(folder, 'log'));
  const plain = postgres.env.SHARES_POSTGRES;
  const client = new pg.Client(plain);
  await client.connect();
  t.after(() => client.end().then(postgres.stop));
  await client.query(SET_UP);
  return {
    folder,
    client,
    url: plain.replace('shares@', `shares:${PASSWORD}@`).replace(':', '+asyncpg:'),
  };
}

test('PostgreSQL explains statements without their values', {
  skip: needs('initdb', 'postgres'),
}, async t => {
  const { url } = await start(t);
  const { files, plans } = await explainTexts(t, url, STATEMENTS);
  assert.deepEqual(
    plans.map(({ scans, refused, ran }) => [scans?.[0]?.columns ?? refused, ran]),
    [
      [['note', 'customer_id'], false],
      [undefined, false],
      [[], false],
      [[], false],
      [{ why: 'failed', reason: '42P01' }, undefined],
    ],
  );
  assert.equal(plans[0]?.scans[0].rows, 30_000);
  assert.match(plans[1]?.steps[0], /^Index Only Scan using orders_pkey on orders /);
  for (const name of readdirSync(files.folder, { recursive: true, withFileTypes: true }))
    if (name.isFile())
      assert.ok(!readFileSync(path.join(name.parentPath, name.name), 'utf8').includes(PASSWORD));
  const elsewhere = await explainTexts(t, url.replace(/:\d+\//, ':1/'), STATEMENTS);
  assert.deepEqual(
    elsewhere.plans.map(({ refused }) => refused),
    [{ why: 'connect', reason: 'ECONNREFUSED' }],
  );
});

test('PostgreSQL says how long it plans a statement of many joins', {
  skip: needs('initdb', 'postgres'),
}, async t => {
  const { url } = await start(t);
  const { plans } = await explainTexts(t, url, [JOINED, STATEMENTS[1] ?? '']);
  const [joined = 0, single = 0] = plans.map(({ planningMs }) => planningMs ?? 0);
  assert.ok(single > 0 && joined > 3 * single, `${joined} and ${single} ms`);
});

test('the statements of a file are executed, and its errors hold no row', {
  skip: needs('initdb', 'postgres'),
}, async t => {
  const { url, folder, client } = await start(t);
  const file = path.join(folder, 'own.sql');
  const texts = [
    "SELECT id /* ; */ FROM orders WHERE note = 'public; really'",
    'SELECT note::int FROM orders',
    'SELECT id FROM orders WHERE id = ?',
    'WITH gone AS (DELETE FROM orders RETURNING 1) SELECT * FROM gone',
    "SELECT set_config('transaction_read_only', 'off', false)",
    'SELECT 1 INTO orders_copied',
    'SELECT count(*) FROM orders',
  ];
  writeFileSync(file, texts.join(';\n'));
  const { files, plans } = await explainTexts(t, url, [], readOwnStatements(file));
  assert.deepEqual(
    plans.map(({ refused, ran }) => refused?.reason ?? ran),
    ['', true, '22P02', '42601', '25006', '25001', true, true],
  );
  assert.match(plans[1]?.steps[0], /^Seq Scan on orders .*\(actual time=.* rows=0 /);
  assert.match(plans.at(-1)?.steps[0], / rows=1 /);
  const { rows } = await client.query(
    "select to_regclass('orders_copied') copied, count(*)::int left from orders",
  );
  assert.deepEqual(rows, [{ copied: null, left: 30_000 }]);
  assert.doesNotMatch(readFileSync(files.plans, 'utf8'), /private/);
  for (const text of ['SELECT 1; DELETE FROM orders', "SELECT 'a", ';;']) {
    writeFileSync(file, text);
    assert.throws(() => readOwnStatements(file), { code: 'EXPLAIN_FILE_WRONG' });
  }
});
