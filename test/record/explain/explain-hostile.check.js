import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { createRandom } from '../../../lib/base/math/random.js';
import { openPostgresql } from '../../../lib/record/explain/postgresql.js';
import { isSelect, splitSql } from '../../../lib/record/explain/split-sql.js';
import { startPostgres } from '../../../research/shares/start-server.js';
import { needs } from '../../helpers/needs.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { explainTexts } from './run-with-statements.js';

const skip = needs('initdb', 'postgres');

/** @param {import('node:test').TestContext} t */
async function start(t) {
  const folder = makeTempFolder(t);
  const postgres = await startPostgres(folder, path.join(folder, 'log'));
  const url = postgres.env.SHARES_POSTGRES;
  const client = new pg.Client(url);
  await client.connect();
  t.after(() => client.end().then(postgres.stop));
  const planted = path.join(folder, 'postgres', 'planted');
  await client.query(`
    create table orders (id int); insert into orders values (1), (2);
    create function plant() returns int language plpgsql volatile as $$
      begin insert into orders values (3); copy (select 1) to '${planted}'; return 1; end $$;
    create function leak() returns int language plpgsql immutable as $$
      begin raise exception 'private %', (select max(id) from orders); end $$;`);
  const check = async () => {
    const { rows } = await client.query(
      'select (select count(*) from orders) a, (select count(*) from pg_class where relname ~ $1) b',
      ['^t$'],
    );
    assert.deepEqual(rows, [{ a: '2', b: '0' }]);
    assert.ok(!existsSync(planted));
  };
  return { url, client, planted, check, log: path.join(folder, 'log') };
}

test('a text of a header runs nothing in PostgreSQL or on this machine', { skip }, async t => {
  const { url, planted, check } = await start(t);
  /** @type {[text: string, outcome: string | boolean][]} */
  const texts = [
    [`SELECT 1 \\! id > ${planted}`, 'text'],
    [`SELECT 3\n\\o ${planted}\nSELECT 4`, 'text'],
    ['SELECT 1; COMMIT; BEGIN READ WRITE; DELETE FROM orders; COMMIT; SELECT 1', 'text'],
    [`SELECT 2; COPY (SELECT 1) TO PROGRAM 'cat > ${planted}'`, 'text'],
    ["SELECT set_config('transaction_read_only', 'off', false)", false],
    ['WITH gone AS (DELETE FROM orders RETURNING 1) SELECT * FROM gone', false],
    ['SELECT 1 INTO t', false],
    ['WITH x AS (SELECT 1) INSERT INTO orders SELECT 3', false],
    ['SELECT plant()', false],
    ['SELECT leak()', 'failed'],
    ['SELECT pg_sleep(60), pg_terminate_backend(pg_backend_pid())', false],
    ['SELECT 1 /*;*/ + length($$;$$)', false],
    ["SELECT 'a", 'text'],
    ['SELECT "a', 'text'],
    ['SELECT 1\0; DELETE FROM orders', 'text'],
    [`SELECT 1${' + 1'.repeat(25_000)}`, 'cut'],
    ['SELECT 1) AS x; DELETE FROM orders', 'text'],
    ['SELECT ?::regclass, lo_import(?)', false],
    ['EXPLAIN ANALYZE SELECT plant()', 'none'],
    ['(DELETE FROM orders)', 'none'],
    ["SELECT 1 FROM orders WHERE repeat('x', 3000000) = id::text", false],
    ['SELECT 1 FROM orders WHERE id = ANY(array_fill(1, ARRAY[1000000]))', false],
  ];
  for (const [text, outcome] of texts) {
    const { plans, files } = await explainTexts(t, url, [text]);
    const [plan] = plans;
    const written = readFileSync(files.plans, 'utf8');
    assert.doesNotMatch(written, /private/);
    assert.ok(written.length < 10_000 + 2 * text.length, text.slice(0, 80));
    assert.equal(
      plan?.refused?.why ?? plan?.ran,
      outcome,
      `${text.slice(0, 80)} ${JSON.stringify(plan?.refused)}`,
    );
    await check();
  }
});

test('a statement that keeps the planner of SQLite busy ends with its process', async t => {
  const doubled = Array.from(
    { length: 22 },
    (_, at) => `a${at + 1} AS (SELECT 1 FROM a${at}, a${at} b)`,
  );
  const text = `WITH a0 AS (SELECT 1), ${doubled.join(', ')} SELECT 1 FROM a22`;
  const database = path.join(makeTempFolder(t), 'empty.db');
  new (await import('node:sqlite')).DatabaseSync(database).close();
  const { plans } = await explainTexts(t, `sqlite:///${database}`, [text]);
  assert.deepEqual(
    plans.map(({ refused }) => refused),
    [{ why: 'connect', reason: 'ETIMEDOUT' }],
  );
});

const FRAGMENTS =
  String.raw`; | DELETE FROM orders|COMMIT|' | ''|'|"|$$|$a$|$A$|$1|E'|e'|U&'|N'|\|\'|\\| |--|-|/|*|/*|*/|a|_|1|1E|é|?|,|(|)|INTO t|plant()`
    .split('|')
    .concat('|', '\n', '\r', '\t', '\f', '\v', '\u00a0', '\ud800');
const LITERALS = [
  "';'",
  "E'\\';'",
  "E';'\n'\\';'",
  '$$;$$',
  '$a$;$$;$a$',
  "'a' -- ;\n';'",
  '";"',
  '1 /*;*/',
  '1 /* /* */ ; */',
  "U&'\\0041;'",
  "B'1'",
  'plant()',
  'a$$',
];
const ENDS = [
  '',
  '',
  '; DELETE FROM orders',
  ';COMMIT',
  '; --\nSELECT 1',
  '/*;*/',
  ' INTO t',
  '; SELECT plant()',
  ';',
];
const COUNT = 12_000;

test('the lexer sees a second statement wherever PostgreSQL does', { skip }, async t => {
  const { url, client, check } = await start(t);
  const random = createRandom(44);
  /** @param {string[]} list */
  const pick = list => list[Math.floor(random() * list.length)] ?? '';
  /** @param {number} most @param {() => string} make */
  const repeat = (most, make) => Array.from({ length: 1 + Math.floor(random() * most) }, make);
  const some = () => repeat(8, () => pick(FRAGMENTS)).join('');
  const make = () => {
    const list = repeat(4, () => (random() < 0.9 ? pick(LITERALS) : some()));
    return `SELECT ${random() < 0.7 ? list.join(', ') : some()}${random() < 0.8 ? pick(ENDS) : some()}`;
  };
  const explain = await openPostgresql(url);
  // A transaction that has failed parses a message, and executes nothing.
  await client.query('BEGIN');
  await assert.rejects(client.query('SELECT 1 / 0'));
  const counts = { several: 0, one: 0, wrong: 0, explained: 0 };
  for (let at = 0; at < COUNT; at++) {
    const text = make();
    const query = /** @type {pg.QueryConfig} */ ({ text, queryMode: 'extended' });
    const { code, message } = await client.query(query).then(
      () => assert.fail(text),
      error => error,
    );
    const found = splitSql(text);
    const kind = code === '25P02' ? 'one' : /multiple commands/.test(message) ? 'several' : 'wrong';
    counts[kind]++;
    const shown = `${JSON.stringify(text)}: ${code} ${message}`;
    if (kind === 'several') assert.notEqual(found?.length, 1, shown);
    if (kind === 'one') assert.equal(found?.length, 1, shown);
    const [only] = found?.length === 1 ? found : [];
    if (!only || !isSelect(only.sql)) continue;
    await explain({ ...only, runs: false }).then(
      () => counts.explained++,
      () => {},
    );
  }
  await client.query('ROLLBACK');
  await check();
  t.diagnostic(JSON.stringify(counts));
  assert.ok(
    counts.several > 500 && counts.one > 500 && counts.explained > 500,
    JSON.stringify(counts),
  );
});
