/** The suite, its reference and docs/engine.md say the same. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DECISIONS, PINNED_BY_TESTS, readDifferences } from './decisions.js';
import { listScripts } from './list-scripts.js';
import { readReference } from './reference.js';
import { SMALL_DECISIONS } from './small-decisions.js';
import { artilleryVersion } from './start-plain-artillery.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/engine.md'), 'utf8');
/** On the page a decision begins with `<a id="…"></a>`. */
const decisions = [...page.matchAll(/<a id="([^"]+)"/g)]
  .map(([, anchor = '']) => anchor)
  .concat(Object.keys(SMALL_DECISIONS));
const scripts = listScripts();
/** Lines of the page's one table, without its head. */
const rows = page.split('\n').filter(line => line.startsWith('| <a id='));

test('Artillery was recorded in the version that is installed, with the scripts as they are', () => {
  const reference = readReference();
  assert.equal(reference.artillery, artilleryVersion());
  assert.deepEqual(
    Object.entries(reference.scripts).map(([name, { hash }]) => [name, hash]),
    scripts.map(({ name, hash }) => [name, hash]),
    'node scripts/run.js scripts/conformance.js --record',
  );
});

test('the first line of a script states its subject', () => {
  for (const { name, text } of scripts) assert.match(text, /^# .+[.?]\n/, name);
});

test('what differs was decided, and what was decided differs', () => {
  assert.deepEqual(Object.keys(readDifferences()).sort(), Object.keys(DECISIONS).sort());
  for (const [name, difference] of Object.entries(readDifferences())) {
    assert.ok(Object.keys(difference).length > 0, `${name} does not differ`);
  }
});

test('each decision is pinned by a script or by a test that exists, and nothing else is', () => {
  const pinned = [...Object.values(DECISIONS).flat(), ...Object.keys(PINNED_BY_TESTS)];
  assert.deepEqual([...new Set(pinned)].sort(), decisions.toSorted());
  for (const file of Object.values(PINNED_BY_TESTS))
    assert.ok(existsSync(path.join(ROOT, 'test', file)), file);
});

test('one table says of each decision what Artillery does, what loadflame does, and why', () => {
  const tables = page.match(/^\|(?:-+\|)+$/gm) ?? [];
  assert.deepEqual(tables, ['|---|---|---|---|']);
  const cells = rows.map(row => row.slice(1, -1).split(/(?<!\\)\|/));
  const small = Object.values(SMALL_DECISIONS);
  for (const row of [...cells, ...small]) {
    assert.equal(row.length, 4, String(row));
    assert.ok(
      row.every(cell => cell.trim() !== ''),
      String(row),
    );
  }
  assert.equal(rows.length + small.length, decisions.length);
});

test('what is refused or warned of differs in its text, which is decided, too', () => {
  const differences = readDifferences();
  const refused = scripts.filter(({ name }) => differences[name]?.ended?.startsWith('refused: '));
  assert.ok(refused.length >= 30, String(refused.length));
  for (const { name, names } of refused) {
    assert.ok(names.length > 0, `${name}: x-conformance names nothing`);
    const { printed = [], seen } = differences[name] ?? {};
    assert.match(printed.join('\n'), /^error: <scripts>\/.*\.yaml:\d+:\d+: .+\nhint: .+/, name);
    // Nothing was sent, or Artillery sent nothing either.
    assert.deepEqual(seen ?? [], [], name);
  }
});
