import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { publishLog } from '../../../../lib/experiment/server/run-command.js';
import {
  openStudy,
  redactorOf,
  studyFiles,
} from '../../../../lib/experiment/study/run/study-folder.js';
import { makePlan } from '../../../helpers/synthetic-study/make-plan.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

test('a run that no ended cell names was cut off, and is removed', async t => {
  const [root, plan] = [makeTempFolder(t), makePlan(/** @type {any} */ ({}))];
  const redactor = redactorOf(plan.study);
  const { folder, runsRoot, append, end } = await openStudy(plan, { root, redactor });
  for (const name of ['kept', 'failed', 'cut']) {
    mkdirSync(path.join(runsRoot, name), { recursive: true });
    writeFileSync(path.join(runsRoot, name, 'run.json'), '{}');
  }
  const cell = { variant: 'all', repeat: 1, step: 1, purpose: /** @type {const} */ ('measure') };
  for (const name of ['runs/kept', 'runs/failed', null])
    append({ kind: 'cell-end', ...cell, reason: 'it broke', outcome: 'failed', folder: name });
  end('failed', null);
  const again = await openStudy(plan, { root, earlier: folder, redactor });
  assert.deepEqual(readdirSync(runsRoot).sort(), ['failed', 'kept']);
  assert.equal(again.runs.length, 3);
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
  const redactor = redactorOf(plan.study);
  const { folder } = await openStudy(plan, { root: makeTempFolder(t), redactor });
  const files = studyFiles(folder);
  const written = readFileSync(files.plan, 'utf8');
  assert.doesNotMatch(written, /\d-pass|demo/);
  assert.equal(plan.study.services[0]?.env.DB_PASSWORD, 'En2-pass');
  const log = path.join(files.folder, 'live.log');
  const kept = path.join(files.services, 'db.log');
  for (const line of ['up with En2-pass\n', 'again, password=x9\n']) {
    writeFileSync(log, line);
    await publishLog(log, kept, redactor.redactText);
  }
  assert.equal(readFileSync(kept, 'utf8'), 'up with [redacted]\nagain, password=[redacted]\n');
  assert.ok(!existsSync(log));
});
