import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDatabaseTimes } from '../../../lib/analysis/load/database-stats.js';
import { compare } from '../../../lib/record/explain/database-stats.js';
import { buildCalls, buildStatement } from '../../fixtures/reports/build-calls.js';

/** @param {string | null} id @param {number} count @param {number} ms @param {string | null} [text] */
const row = (id, count, ms, text = 'SELECT 1') => ({ id, count, ms, text });

test('counts what came between two readings, the longest time first', () => {
  const before = { rows: [row('1', 10, 5), row('2', 100, 50), row('3', 7, 1)] };
  const after = { rows: [row('1', 30, 6), row('2', 4, 2), row('3', 7, 1), row('4', 1, 9)] };
  const { count, ms, statements } = compare(before, after);
  assert.deepEqual([count, ms], [25, 12], 'one was reset meanwhile, one not executed, one is new');
  assert.deepEqual(
    statements.map(one => [one.count, one.ms]),
    [
      [1, 9],
      [4, 2],
      [20, 1],
    ],
  );
});

test('keeps no text that can hold values, and at most 20', () => {
  const texts = [
    "CREATE USER u PASSWORD 'hunter2'",
    "ALTER ROLE u SET search_path = 'hunter2'",
    "SELECT 'hunter2'",
    'COPY secrets TO STDOUT',
    '<insufficient privilege>',
    null,
    'SELECT a -- hunter2\nFROM t /* hunter2 */ WHERE b = $1',
  ];
  const rows = texts.map((text, at) => row(`${at}`, 1, at, text));
  const { statements } = compare({ rows: [] }, { rows });
  assert.deepEqual(
    statements.map(({ text }) => text),
    ['SELECT a FROM t WHERE b = $1', ...Array(6).fill(null)],
  );
  const many = Array.from({ length: 50 }, (_, at) => row(`${at}`, 1, 1, 'SELECT '.repeat(1000)));
  const most = compare({ rows: [] }, { rows: many });
  assert.deepEqual([most.count, most.statements.length], [50, 20]);
  assert.equal(most.statements[0]?.text?.length, 1000);
  const long = `SELECT ${'/*'.repeat(200_000)}`;
  assert.equal(compare({ rows: [] }, { rows: [row('1', 1, 1, long)] }).statements.length, 1);
});

test('says why nothing was counted, before or after', () => {
  const refused = { why: /** @type {const} */ ('failed'), reason: '42P01' };
  for (const [before, after] of [
    [{ refused }, { refused }],
    [{ refused }, { rows: [] }],
    [{ rows: [] }, { refused }],
  ])
    assert.deepEqual(
      compare(/** @type {any} */ (before), /** @type {any} */ (after)).refused,
      refused,
    );
});

test('finds a statement of the app by its text, whatever its parameters are called', () => {
  const text = 'SELECT items.id FROM items WHERE items.order_id = ? LIMIT ?';
  const counted = 'SELECT items.id FROM items\n WHERE items.order_id = $1 LIMIT $2';
  const stats = { count: 40, ms: 1, statements: [{ text: counted, count: 40, ms: 1 }] };
  const [one, other] = addDatabaseTimes(
    buildCalls([buildStatement({ text }), buildStatement({ text: null })]),
    stats,
  ).statements;
  assert.deepEqual([one?.databaseMeanMs, other?.databaseMeanMs], [0.025, undefined]);
});

test('lists of any length are one statement, whatever types the driver writes', () => {
  const told = (
    /** @type {string} */ list,
    /** @type {number} */ count,
    /** @type {number} */ ms,
  ) => ({
    ...{ text: `SELECT a FROM t\nWHERE id IN (${list}) AND b = $9::VARCHAR`, count, ms },
  });
  const statements = [told('$1::BIGINT', 3, 3), told('$1::BIGINT, $2::BIGINT', 1, 5)];
  const text = 'SELECT a FROM t WHERE id IN (?) AND b = ?::VARCHAR';
  const [one] = addDatabaseTimes(buildCalls([buildStatement({ text })]), {
    ...{ count: 4, ms: 8, statements },
  }).statements;
  assert.equal(one?.databaseMeanMs, 2);
});
