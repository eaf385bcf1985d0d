import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../../../lib/base/errors.js';
import { listEndedCells } from '../../../../lib/experiment/strategies/steps.js';
import { startGunicorn, waitUntil } from '../../../helpers/gunicorn.js';
import { API_URL, burnCommand } from '../../../helpers/make-study-file.js';
import { test } from '../../../helpers/quiet.js';
import { GENERATOR, openRun } from '../../../helpers/scene.js';
import { assertRunsMatch, makeStudyScene } from '../../../helpers/study-scene.js';

test('a service that does not start, or dies, fails its own cells; other variants go on', async t => {
  const scene = makeStudyScene(t, {
    factors: { app: ['burn_app:app', 'no_such_module:app'] },
    services: {
      api: { command: burnCommand(1, '"$STUDY_APP"'), ready: { url: '/' } },
      fuse: {
        when: { app: 'burn_app:app' },
        command: 'until [ -e blow ]; do sleep 0.1; done',
      },
    },
  });
  const study = scene.run();
  await scene.waitForRecord('cell-start', 2);
  writeFileSync(path.join(scene.studyFolder, 'blow'), '');
  assert.equal(await study.ended, 0, study.output());
  const records = await scene.records();
  const ended = listEndedCells(records);
  const failed = (/** @type {string} */ variant) =>
    ended.flatMap(cell =>
      cell.variant === variant && cell.outcome === 'failed' ? `${cell.step}: ${cell.reason}` : [],
    );
  const notStarted = failed('app=no_such_module:app');
  assert.equal(notStarted.length, 2);
  for (const reason of notStarted) assert.match(reason, /the service api exited while start/);
  const [died = '', ...others] = failed('app=burn_app:app');
  assert.match(died, /^2: the service fuse exited during the study/);
  assert.deepEqual(others, []);
  assert.equal(ended.filter(({ outcome }) => outcome === 'measured').length, 1);
});

test('a study in which nothing could be measured ends with exit code 6', async t => {
  const scene = makeStudyScene(t, {
    services: {
      api: {
        command: 'echo no licence; exit 3',
        ready: { port: '{{ $env.STUDY_PORT }}' },
      },
    },
    target: { url: API_URL },
    load: { model: 'closed', steps: { from: 1, factor: 2, most: 64 } },
  });
  const study = scene.run();
  assert.equal(await study.ended, 6, study.output());
  const ended = listEndedCells(await scene.records());
  // Of steps that rise until saturation only the first is known.
  assert.deepEqual(ended.map(({ variant, step }) => `${variant} ${step}`).sort(), [
    'workers=1 1',
    'workers=2 1',
  ]);
  for (const cell of ended) assert.ok(cell.outcome === 'failed' && /no licence/.test(cell.reason));
});

test('a load generator that dies fails its cell, with its run kept, and the study continues', async t => {
  const scene = makeStudyScene(t, { factors: { workers: [1] } });
  const study = scene.run();
  await scene.waitForRecord('cell-start');
  const run = path.join(scene.files().runs, await waitForRun(scene));
  await openRun(run).waitForAnswers(1);
  for (const { pid } of scene.processes.find(GENERATOR)) process.kill(pid, 'SIGKILL');
  assert.equal(await study.ended, 0, study.output());
  const [first, second] = listEndedCells(await scene.records());
  assert.ok(first?.outcome === 'failed' && second?.outcome === 'measured');
  const { message } = new LoadflameError('LOAD_CRASHED', { reason: '' });
  assert.ok(first.reason.startsWith(message), first.reason);
  assert.equal(first.folder, path.join('runs', path.basename(run)));
  assert.match(
    study.output(),
    /^cell 1 of 2 · 1 worker · 1 user: failed: the load generator exited/m,
  );
  await assertRunsMatch(scene);
});

/** @param {ReturnType<typeof makeStudyScene>} scene @returns {Promise<string>} its name */
async function waitForRun(scene) {
  const { runs } = scene.files();
  return String(await waitUntil(() => readdirSync(runs)[0], 'a run'));
}

test('an API that runs already is measured with the settings of its user', async t => {
  const gunicorn = await startGunicorn(t, { workers: 1 });
  const scene = makeStudyScene(
    t,
    {
      services: {},
      factors: {},
      target: { url: gunicorn.url, gunicorn: { pidFile: gunicorn.pidFile } },
      load: { model: 'open', steps: [10] },
    },
    { MAX_VIRTUAL_USERS: '4711' },
  );
  const study = scene.run();
  assert.equal(await study.ended, 0, study.output());
  const [cell, ...more] = listEndedCells(await scene.records());
  assert.ok(cell?.outcome === 'measured' && more.length === 0);
  assert.ok(cell.figures.throughputPerSec > 5 && cell.figures.throughputPerSec < 20);
  const { target, settings } = openRun(
    path.join(scene.files().folder, String(cell.folder)),
  ).readManifest();
  assert.equal(target, gunicorn.url);
  assert.equal(settings.find(({ name }) => name === 'MAX_VIRTUAL_USERS')?.value, '4711');
});
