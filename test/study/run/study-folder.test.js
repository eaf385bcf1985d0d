import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { removeCutRuns, studyFiles } from '../../../lib/study/run/study-folder.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a run that no ended cell names was cut off, and is removed', t => {
  const files = studyFiles(makeTempFolder(t));
  for (const name of ['kept', 'failed', 'cut']) {
    mkdirSync(path.join(files.runs, name), { recursive: true });
    writeFileSync(path.join(files.runs, name, 'run.json'), '{}');
  }
  const cell = { variant: 'all', repeat: 1, step: 1, purpose: /** @type {const} */ ('measure') };
  const end = { t: 1, kind: /** @type {const} */ ('cell-end'), ...cell, reason: 'it broke' };
  const outcome = /** @type {const} */ ('failed');
  removeCutRuns(files, [
    { ...end, outcome, folder: 'runs/kept' },
    { ...end, outcome, folder: 'runs/failed' },
    { ...end, outcome, folder: null },
  ]);
  assert.deepEqual(
    ['kept', 'failed', 'cut'].map(name => existsSync(path.join(files.runs, name))),
    [true, true, false],
  );
});
