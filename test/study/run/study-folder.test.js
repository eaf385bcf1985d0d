import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import {
  nameWorkFolder,
  removeCutRuns,
  removeWorkFolders,
  studyFiles,
} from '../../../lib/study/run/study-folder.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { JournalRecord } from '../../../lib/study/study-records.d.ts' */

/** @param {string} work @returns {JournalRecord} */
const attempt = work => ({ t: 1, kind: 'attempt', pid: 1, pidStartTicks: 1, version: '', work });

test('the work folders of earlier attempts are removed', () => {
  const work = nameWorkFolder();
  mkdirSync(path.join(work, 'redis'), { recursive: true });
  removeWorkFolders([attempt(work)]);
  assert.ok(!existsSync(work));
});

test('a journal that names any other folder removes nothing', t => {
  const folder = makeTempFolder(t);
  const inside = path.join(folder, 'loadflame-study-1');
  mkdirSync(inside);
  const beside = path.join(os.tmpdir(), `loadflame-study-x/../${path.basename(folder)}`);
  removeWorkFolders([attempt(folder), attempt(inside), attempt(beside), attempt('')]);
  assert.ok(existsSync(inside));
});

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
