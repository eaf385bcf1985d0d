import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  createStudyFolder,
  redactorOf,
  removeCutRuns,
  studyFiles,
} from '../../../lib/study/run/study-folder.js';
import { publishLog } from '../../../lib/study/services/run-command.js';
import { makePlan } from '../../helpers/synthetic-study/make-plan.js';
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

test('the written plan has no secrets, and the run keeps them', async t => {
  const plan = makePlan(/** @type {any} */ ({}));
  plan.study.services = /** @type {any} */ ([
    {
      name: 'db',
      command: 'exec db --password Cm1-pass <<END\nclient_secret = Fi4-pass\nEND\n',
      env: { DB_PASSWORD: 'En2-pass', URL: 'postgresql://u:Ur3-pass@db/x' },
    },
  ]);
  plan.study.scenario = { inline: { note: 'logs in with En2-pass', auth: { pass: 'demo' } } };
  const files = createStudyFolder(makeTempFolder(t), plan);
  const written = readFileSync(files.plan, 'utf8');
  assert.doesNotMatch(written, /\d-pass|demo/);
  assert.equal(plan.study.services[0]?.env.DB_PASSWORD, 'En2-pass');
  const log = path.join(files.folder, 'live.log');
  const kept = path.join(files.services, 'db.log');
  for (const line of ['up with En2-pass\n', 'again, password=x9\n']) {
    writeFileSync(log, line);
    await publishLog(log, kept, redactorOf(plan.study).redactText);
  }
  assert.equal(readFileSync(kept, 'utf8'), 'up with [redacted]\nagain, password=[redacted]\n');
  assert.ok(!existsSync(log));
});
