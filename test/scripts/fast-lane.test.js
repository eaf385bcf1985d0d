import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { runTests } from '../../scripts/testing/run-tests.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

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

test('a duration has the path from the project, whichever folder a test works in', async t => {
  const file = path.join(makeTempFolder(t), 'moves.test.js');
  writeFileSync(
    file,
    "import { test } from 'node:test';\ntest('moves', () => process.chdir(import.meta.dirname));\n",
  );
  const { signal } = new AbortController();
  const flags = ['--experimental-test-isolation=none'];
  const { seconds } = await runTests([file], { flags, env: { NODE_TEST_CONTEXT: '' }, signal });
  assert.deepEqual(Object.keys(seconds), [path.relative('', file)]);
  const elsewhere = Object.keys(RECORDED).filter(one => !one.startsWith('test/'));
  assert.deepEqual(elsewhere, []);
});
