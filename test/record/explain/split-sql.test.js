import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitSql } from '../../../lib/record/explain/split-sql.js';

/** Text, and its statements; null: refused. @type {[text: string, statements: string[] | null][]} */
const TEXTS = [
  ['SELECT 1', ['SELECT 1']],
  ['SELECT 1; DELETE FROM t', ['SELECT 1', 'DELETE FROM t']],
  ['SELECT 1 ; ;', ['SELECT 1']],
  ['', []],
  [
    "SELECT ';', 'it''s;', $$;'$$, $a$;$$;$a$, \";\"\"\"",
    ["SELECT ';', 'it''s;', $$;'$$, $a$;$$;$a$, \";\"\"\""],
  ],
  ['SELECT 1 /*;*/ + 2 --;', ['SELECT 1   + 2']],
  ['SELECT 1 /* /* */ ; */ ; SELECT 2', ['SELECT 1', 'SELECT 2']],
  ['SELECT 1 -- a\n; SELECT 2', ['SELECT 1', 'SELECT 2']],
  ["SELECT E'\\';', 1", ["SELECT E'\\';', 1"]],
  ["SELECT '\\'; DELETE FROM t; --'", ["SELECT '\\'", 'DELETE FROM t']],
  ["SELECT E'a'\n'\\''; DELETE FROM t --'", ["SELECT E'a'\n'\\''", 'DELETE FROM t']],
  ["SELECT E'a' -- b\n 'c\\';'", ["SELECT E'a' -- b\n 'c\\';'"]],
  ["SELECT abcE'\\'; DELETE FROM t", ["SELECT abcE'\\'", 'DELETE FROM t']],
  ["SELECT 1E'\\'; 2'", ["SELECT 1E'\\'; 2'"]],
  ['SELECT a$$; DELETE FROM t; $$', null],
  ['SELECT $a$;$A$;$a$', ['SELECT $a$;$A$;$a$']],
  ['SELECT $1; SELECT $2', ['SELECT $1', 'SELECT $2']],
  ['SELECT 1 \\! id > file', null],
  ['SELECT 1 \\gexec', null],
  ["SELECT 'a", null],
  ["SELECT E'a", null],
  ['SELECT "a', null],
  ['SELECT $$ a $', null],
  ['SELECT $tag$ a $$', null],
  ['SELECT 1 /* a', null],
  ['SELECT 1 /* /* */', null],
  ['SELECT 1\0; DELETE FROM t', null],
  ["SELECT '\0'", null],
];

test('reads quotes, comments and ends of statements as PostgreSQL does', () => {
  for (const [text, statements] of TEXTS) {
    const found = splitSql(text)?.map(({ sql }) => sql.trim()) ?? null;
    assert.deepEqual(found, statements, text);
  }
});

test('numbers the parameters outside of quotes', () => {
  const [only] =
    splitSql(`SELECT "?" FROM t WHERE a = ? AND b IN (?) AND c = '?'`, { numbered: true }) ?? [];
  assert.equal(only?.sql, `SELECT "?" FROM t WHERE a = $1 AND b IN ($2) AND c = '?'`);
  assert.equal(only?.parameters, 2);
});

test('reads a megabyte of each suspicious form within a second', () => {
  const forms = [
    "'",
    '"',
    "E'",
    "E'a'\n",
    '\\',
    '$a$',
    '$',
    '$$ ',
    '/*',
    '*/',
    '--',
    '-- \n',
    "E'a'--\n",
    "E'\\'",
    '?',
    ';',
    'e',
    '1',
    ' ',
    "''",
    '(',
    '$a',
    '::a ',
  ];
  for (const form of forms)
    for (const start of ['', "E'"]) {
      const before = process.cpuUsage();
      splitSql(start + form.repeat(1e6 / form.length), { numbered: true });
      // CPU time: other tests may have the cores.
      const { user } = process.cpuUsage(before);
      assert.ok(user < 1e6, `${start}${form} …: ${user} µs`);
    }
});
