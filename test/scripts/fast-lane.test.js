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

/** @param {import('node:test').TestContext} t @param {Record<string, string>} texts by name */
function writeTests(t, texts) {
  const folder = makeTempFolder(t);
  return Object.entries(texts).map(([name, text]) => {
    const file = path.relative('', path.join(folder, `${name}.test.mjs`));
    writeFileSync(file, `import { before, test } from 'node:test';\n${text}\n`);
    return file;
  });
}

/** Not with their output: a reader of this one's counts what fails in it. @param {string[][]} units @param {number} processes */
const run = (units, processes) =>
  runTests(units, {
    processes,
    env: { NODE_TEST_CONTEXT: '' },
    signal: new AbortController().signal,
    stdout: 'ignore',
  });

test('a duration has the path from the project, whichever folder a test works in', async t => {
  const files = writeTests(t, {
    moves: "test('moves', () => process.chdir(import.meta.dirname));",
    next: "test('next', () => {});",
  });
  // The second process finds nothing left.
  const { seconds, isGood, counts } = await run([files], 2);
  assert.deepEqual([Object.keys(seconds), isGood, counts.fail], [files, true, 0]);
  const elsewhere = Object.keys(RECORDED).filter(one => !one.startsWith('test/'));
  assert.deepEqual(elsewhere, []);
});

test('what a test leaves open does not keep the run, nor its results', async t => {
  const files = writeTests(t, {
    leaves: "test('leaves', () => void setInterval(() => {}, 1000));",
    fails: "test('fails', () => { throw new Error('no'); });",
  });
  const { counts, failed } = await run([files], 1);
  assert.deepEqual([counts.pass, counts.fail, failed], [1, 1, [files[1]]]);
});

test('files fail by themselves: by a hook, an import, or with the process that took them', async t => {
  const files = writeTests(t, {
    ends: "test('ends', () => process.exit(0));",
    killed: "test('killed', () => process.kill(process.pid, 'SIGKILL'));",
    hook: "before(() => { throw new Error('no'); });\ntest('behind it', () => {});",
    import: "import './nothing.js';",
    good: "test('good', () => {});",
  });
  const units = files.map(file => [file]);
  const { failed, counts, seconds } = await run(units, 3);
  assert.deepEqual(failed.sort(), files.slice(0, 4).sort());
  assert.equal(counts.pass, 1);
  assert.ok((seconds[String(files[4])] ?? 0) > 0);
  const alone = await run(units, 1);
  assert.deepEqual([alone.failed, alone.isGood], [files, false]);
});
