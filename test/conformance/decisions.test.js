/** The suite, its reference and docs/engine.md say the same. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DECISIONS, readDifferences } from './decisions.js';
import { listScripts } from './list-scripts.js';
import { readReference } from './reference.js';
import { artilleryVersion } from './start-plain-artillery.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/engine.md'), 'utf8');
/** `<a id="…"></a>` at the start of a decision, and all until the next. */
const decisions = Object.fromEntries(
  page
    .split(/<a id="/)
    .slice(1)
    .map(part => [part.slice(0, part.indexOf('"')), part]),
);
const scripts = listScripts();

test('Artillery was recorded in the version that is installed, with the scripts as they are', () => {
  const reference = readReference();
  assert.equal(reference.artillery, artilleryVersion());
  assert.deepEqual(
    Object.entries(reference.scripts).map(([name, { hash }]) => [name, hash]),
    scripts.map(({ name, hash }) => [name, hash]),
    'node scripts/run.js scripts/conformance.js --record',
  );
});

test('a script says in its first line what it is about', () => {
  for (const { name, text } of scripts) assert.match(text, /^# .+[.?]\n/, name);
});

test('what differs was decided, and what was decided differs', () => {
  assert.deepEqual(Object.keys(readDifferences()).sort(), Object.keys(DECISIONS).sort());
  for (const [name, difference] of Object.entries(readDifferences())) {
    assert.ok(Object.keys(difference).length > 0, `${name} does not differ`);
  }
});

test('a decision of a script is on the page', () => {
  for (const [name, anchors] of Object.entries(DECISIONS)) {
    for (const anchor of anchors) {
      assert.ok(decisions[anchor], `${name}: docs/engine.md has no "${anchor}"`);
    }
  }
});

test('a decision on the page is pinned by a script or by a test that exists', () => {
  for (const [anchor, text] of Object.entries(decisions)) {
    const pinned = Object.values(DECISIONS).flat().includes(anchor);
    const tests = [...text.matchAll(/`(test\/[\w./-]+\.test\.js)`/g)].map(match =>
      String(match[1]),
    );
    assert.ok(pinned || tests.length > 0, `nothing pins "${anchor}"`);
    for (const file of tests) assert.ok(existsSync(path.join(ROOT, file)), `${anchor}: ${file}`);
  }
});
