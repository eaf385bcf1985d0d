import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { execa } from 'execa';

const RECORDED = JSON.parse(readFileSync('scripts/testing/durations.json', 'utf8'));

test('the first line of `npm test` says how long the tests and the slow lane take', async () => {
  const file = 'test/base/math/summary.test.js';
  const { stdout } = await execa({
    env: { TEST_TOTALS: '', NODE_TEST_CONTEXT: undefined },
  })`${process.execPath} scripts/test.js ${file}`;
  assert.match(stdout, /^files: 1, about \d+ s on \d+ cores; the slow lane, .*: \d+ min\n/);
  assert.match(stdout, /\nℹ pass [1-9]/);
});

test('most tests have a recorded duration', () => {
  const files = globSync('test/**/*.test.js');
  const known = files.filter(file => file in RECORDED);
  assert.ok(known.length > files.length * 0.8, `${known.length} of ${files.length}`);
});
