import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../lib/errors.js';
import { listEndedCells } from '../../lib/study/run/choose-next-cell.js';
import { readJournal } from '../../lib/study/run/journal.js';
import { studyFiles } from '../../lib/study/run/study-folder.js';
import { startGunicorn, waitUntil } from '../helpers/gunicorn.js';
import { burnCommand, makeStudyFile } from '../helpers/make-study-file.js';
import { readError, runLoadflame } from '../helpers/run-loadflame.js';
import { GENERATOR, makeScene, openRun } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** All cells of the study that `makeStudyFile` writes. */
const ALL = ['workers=1 r1 1', 'workers=1 r1 2', 'workers=2 r1 1', 'workers=2 r1 2'];

/** What of its user's settings would spoil a study of its own services. */
const SPOILERS = { TARGET: 'http://127.0.0.1:9', OIDC_ISSUER: 'http://127.0.0.1:9' };

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, unknown>} [over]
 * @param {Record<string, string>} [env]
 */
function makeStudyScene(t, over, env = SPOILERS) {
  const scene = makeScene(t, env);
  const studyFolder = makeTempFolder(t);
  const file = makeStudyFile(studyFolder, over);
  const run = (/** @type {string[]} */ ...args) =>
    scene.start(['study', 'run', file, '--profiles', scene.root, ...args]);
  const folder = () => path.join(scene.root, String(scene.listRuns().at(-1)));
  const files = () => studyFiles(folder());
  return {
    ...scene,
    run,
    studyFolder,
    files,
    folders: () => scene.listRuns(),
    records: () => readJournal(files().journal),
    /** `workers=2 r1 4` */
    async cells() {
      const ended = listEndedCells(await readJournal(files().journal));
      return ended.map(({ variant, repeat, step }) => `${variant} r${repeat} ${step}`).sort();
    },
    /** @param {string} kind of a record @param {number} [count] */
    waitForRecord: (kind, count = 1) =>
      waitUntil(
        async () => {
          if (scene.listRuns().length === 0) return false;
          const records = await readJournal(files().journal);
          return records.filter(record => record.kind === kind).length >= count;
        },
        `${count} × ${kind}`,
        40_000,
      ),
  };
}

/** Every run is of a cell that ended, and every measured cell has a run with a report. @param {ReturnType<typeof makeStudyScene>} scene */
async function assertRunsMatch(scene) {
  const { folder, runs } = scene.files();
  const ended = listEndedCells(await scene.records());
  const named = ended.flatMap(cell => cell.folder ?? []);
  assert.deepEqual(
    readdirSync(runs)
      .map(name => `runs/${name}`)
      .sort(),
    named.toSorted(),
  );
  for (const name of named) assert.ok(existsSync(path.join(folder, name, 'report.html')), name);
}

test('Ctrl+C stops a study within seconds and says how to go on; the same command does', async t => {
  const scene = makeStudyScene(t);
  const first = scene.run();
  await scene.waitForRecord('cell-end');
  await scene.waitForRecord('cell-start', 2);
  const stoppedMs = Date.now();
  first.signal('SIGINT');
  assert.equal(await first.ended, 130, first.output());
  assert.ok(Date.now() - stoppedMs < 10_000, `${Date.now() - stoppedMs} ms`);
  assert.match(first.output(), /stopped; to go on, type: loadflame study run .*burn\.yaml/);
  assert.deepEqual(await scene.processes.listLeft(), []);
  assert.equal((await scene.cells()).length, 1);
  await assertRunsMatch(scene);

  const second = scene.run();
  assert.equal(await second.ended, 0, second.output());
  assert.match(second.output(), /going on with .*: 1 cell ended before \(--new begins anew\)/);
  assert.deepEqual(await scene.cells(), ALL);
  assert.equal(scene.folders().length, 1);
  await assertRunsMatch(scene);
  assert.deepEqual(await scene.processes.listLeft(), []);
});

test('kill -9 while services start, while a cell is measured and between two: no cell is lost, none twice', async t => {
  const scene = makeStudyScene(t);
  /** @type {[string, number, number][]} kind of the record, how many of it, and how long after it in ms */
  const moments = [
    ['block-start', 1, 20],
    ['cell-start', 1, 2000],
    ['cell-end', 1, 10],
    ['cell-start', 3, 300],
  ];
  for (const [kind, count, delayMs] of moments) {
    const study = scene.run();
    await scene.waitForRecord(kind, count);
    await sleep(delayMs);
    study.signalAlone('SIGKILL');
    assert.equal(await study.ended, 'SIGKILL');
    assert.deepEqual(await scene.processes.listLeft(), [], `after ${kind}`);
  }
  const last = scene.run();
  assert.equal(await last.ended, 0, last.output());
  assert.deepEqual(await scene.cells(), ALL);
  assert.equal(scene.folders().length, 1);
  await assertRunsMatch(scene);
  const works = (await scene.records()).flatMap(record =>
    record.kind === 'attempt' ? record.work : [],
  );
  assert.equal(works.length, moments.length + 1);
  for (const work of works) assert.ok(!existsSync(work), work);
});

test('a study is run by one process at a time', async t => {
  const scene = makeStudyScene(t);
  const first = scene.run();
  await scene.waitForRecord('cell-start');
  for (const args of [[], ['--new']]) {
    const second = scene.run(...args);
    assert.equal(await second.ended, 2, second.output());
    assert.equal(readError(second.output()).code, 'STUDY_RUNNING');
  }
  assert.equal(scene.folders().length, 1);
  first.signal('SIGINT');
  assert.equal(await first.ended, 130);
});

test('a service that does not start, or dies, fails its own cells; other variants go on', async t => {
  const broken = burnCommand('{{ workers }}').map(word =>
    word === 'burn_app:app' ? '{{ app }}' : word,
  );
  const scene = makeStudyScene(t, {
    factors: { app: ['burn_app:app', 'no_such_module:app'] },
    variables: { workers: 1 },
    services: {
      api: { command: broken, ready: { url: 'http://127.0.0.1:{{ port.api }}/' } },
      fuse: {
        when: { app: 'burn_app:app' },
        command: ['sh', '-c', 'until [ -e "$0" ]; do sleep 0.1; done', '{{ studyDir }}/blow'],
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
  for (const reason of notStarted) assert.match(reason, /the service api ended while it was start/);
  const [died = '', ...others] = failed('app=burn_app:app');
  assert.match(died, /^2: the service fuse ended in the middle of the study/);
  assert.deepEqual(others, []);
  assert.equal(ended.filter(({ outcome }) => outcome === 'measured').length, 1);
});

test('a study in which nothing could be measured ends with exit code 6', async t => {
  const scene = makeStudyScene(t, {
    services: {
      api: {
        command: ['sh', '-c', 'echo no licence; exit 3'],
        ready: { port: '{{ port.api }}' },
      },
    },
    target: { url: 'http://127.0.0.1:{{ port.api }}' },
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

test('a load generator that dies fails its cell, whose run is kept, and the study goes on', async t => {
  const scene = makeStudyScene(t, { factors: { workers: [1] } });
  const study = scene.run();
  await scene.waitForRecord('cell-start');
  const run = path.join(scene.files().runs, await waitForRun(scene));
  await openRun(run).waitForAnswers(1);
  for (const { pid } of scene.processes.find(GENERATOR)) process.kill(pid, 'SIGKILL');
  assert.equal(await study.ended, 0, study.output());
  const [first, second] = listEndedCells(await scene.records());
  assert.ok(first?.outcome === 'failed' && second?.outcome === 'measured');
  const { message } = new LoadflameError('STUDY_LOAD_CRASHED', { reason: '' });
  assert.ok(first.reason.startsWith(message), first.reason);
  assert.equal(first.folder, path.join('runs', path.basename(run)));
  assert.match(
    study.output(),
    /^cell 1 of 2 · 1 worker · 1 user: failed: the load generator ended/m,
  );
  await assertRunsMatch(scene);
});

/** @param {ReturnType<typeof makeStudyScene>} scene @returns {Promise<string>} its name */
async function waitForRun(scene) {
  const { runs } = scene.files();
  return String(await waitUntil(() => readdirSync(runs)[0], 'a run'));
}

test('an API that runs already is measured with the settings of its user, resized in place', async t => {
  const gunicorn = await startGunicorn(t, { workers: 1 });
  const scene = makeStudyScene(
    t,
    {
      services: {},
      ports: [],
      target: {
        url: gunicorn.url,
        gunicorn: { pidFile: gunicorn.pidFile },
        workers: '{{ workers }}',
      },
      load: { model: 'open', steps: [10] },
    },
    { OFFICE_ID: '4711' },
  );
  const study = scene.run();
  assert.equal(await study.ended, 0, study.output());
  const cells = listEndedCells(await scene.records());
  assert.deepEqual(cells.map(({ variant }) => variant).sort(), ['workers=1', 'workers=2']);
  for (const cell of cells) {
    assert.ok(cell.outcome === 'measured');
    const workers = cell.figures.components.find(({ name }) => name === 'workers');
    assert.equal(`workers=${workers?.processes.max}`, cell.variant);
    assert.ok(cell.figures.throughputPerSec > 5 && cell.figures.throughputPerSec < 20);
    const { target, settings } = openRun(
      path.join(scene.files().folder, String(cell.folder)),
    ).readManifest();
    assert.equal(target, gunicorn.url);
    assert.equal(settings.find(({ name }) => name === 'OFFICE_ID')?.value, '4711');
  }
});

test('a program that is missing ends the study before anything is started', async t => {
  const scene = makeStudyScene(t, {
    services: {
      cache: { command: ['no-such-server'], ready: { port: '{{ port.api }}' }, install: 'nothing' },
    },
    target: { url: 'http://127.0.0.1:{{ port.api }}' },
  });
  const study = scene.run();
  assert.equal(await study.ended, 3, study.output());
  assert.equal(readError(study.output()).code, 'STUDY_PROGRAM_MISSING');
  assert.deepEqual(scene.folders(), []);
});

test('`--dry-run` says what would be measured, and does nothing', async t => {
  const folder = makeTempFolder(t);
  const file = makeStudyFile(folder);
  const { exit, stdout } = await runLoadflame(folder, ['study', 'run', file, '--dry-run']);
  assert.equal(exit, 0);
  assert.match(stdout, /workers/);
  assert.ok(!existsSync(path.join(folder, 'profiles')));
});

test('a bare name is a study of studies/, and one that is not there is answered with those that are', async t => {
  const folder = makeTempFolder(t);
  makeStudyFile(path.join(folder, 'studies'), {}, 'content');
  makeStudyFile(path.join(folder, 'studies'), {}, 'tasks');
  const found = await runLoadflame(folder, ['study', 'run', 'content', '--dry-run']);
  assert.equal(found.exit, 0, found.stderr);
  const { exit, stderr } = await runLoadflame(folder, ['study', 'run', 'contents']);
  assert.equal(exit, 2);
  const { code, message } = readError(stderr);
  assert.equal(code, 'STUDY_UNKNOWN');
  assert.match(message ?? '', /there is no study contents: there are: content, tasks/);
});

test('`study report` wants the folder of a study', async t => {
  const folder = makeTempFolder(t);
  const none = await runLoadflame(folder, ['study', 'report', folder]);
  assert.equal(none.exit, 2);
  assert.equal(readError(none.stderr).code, 'STUDY_FOLDER_NOT_ONE');
  const other = path.join(folder, 'other');
  mkdirSync(other);
  writeFileSync(path.join(other, 'plan.json'), '{"schema": "something/1"}');
  const later = await runLoadflame(folder, ['study', 'report', other]);
  assert.match(readError(later.stderr).message ?? '', /its plan is "something\/1"/);
  assert.equal(readFileSync(path.join(other, 'plan.json'), 'utf8').length, 25);
});
