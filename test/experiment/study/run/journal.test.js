import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openJournal } from '../../../../lib/experiment/journal.js';
import { readJournal } from '../../../../lib/experiment/study/run/study-folder.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

const START = /** @type {const} */ ({
  kind: 'cell-start',
  variant: 'all',
  repeat: 1,
  step: 4,
  purpose: 'measure',
});

/** @param {import('node:test').TestContext} t */
function makeFile(t) {
  return path.join(makeTempFolder(t), 'journal.ndjson');
}

test('a record is in the file when `append` returns, with its time', async t => {
  const file = makeFile(t);
  const journal = await openJournal(file);
  const beforeMs = Date.now();
  journal.append(START);
  const [line] = readFileSync(file, 'utf8').split('\n');
  const { t: atMs, ...record } = JSON.parse(line ?? '');
  assert.deepEqual(record, START);
  assert.ok(atMs >= beforeMs && atMs <= Date.now());
  assert.deepEqual(journal.records, await readJournal(file));
});

test('a line that a killed process left unfinished does not swallow the next one', async t => {
  const file = makeFile(t);
  (await openJournal(file)).append(START);
  appendFileSync(file, '{"t":1,"kind":"cell-end","var');
  const journal = await openJournal(file);
  journal.append({ ...START, step: 8 });
  const steps = (await readJournal(file)).map(record => 'step' in record && record.step);
  assert.deepEqual(steps, [4, 8]);
});

test('reports an unwritable journal each time: no cell may continue without it', async t => {
  const folder = makeTempFolder(t);
  const journal = await openJournal(path.join(folder, 'gone', 'journal.ndjson'));
  for (const _ of [1, 2]) {
    assert.throws(() => journal.append(START), { code: 'RUN_FOLDER_UNWRITABLE' });
  }
  assert.deepEqual(journal.records, []);
});
