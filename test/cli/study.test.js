import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { listEndedCells } from '../../lib/experiment/strategies/steps.js';
import { API_URL, makeStudyFile } from '../helpers/make-study-file.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeStudyScene } from '../helpers/study-scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('a missing program ends the study and everything that it started', async t => {
  const scene = makeStudyScene(t, {
    services: {
      other: { command: 'sleep 60' },
      api: { command: 'no-such-server', ready: { port: '{{ $env.STUDY_PORT }}' } },
    },
    target: { url: API_URL },
  });
  const study = scene.run();
  assert.equal(await study.ended, 3, study.output());
  const { code, message } = readError(study.output());
  assert.equal(code, 'STUDY_PROGRAM_MISSING');
  assert.match(message ?? '', /that the service api needs was not found/);
  assert.match(study.output(), /no-such-server: not found/);
  assert.deepEqual(await scene.processes.listLeft(), []);
});

test('setup runs once, prepare before each block, reset before each cell, cleanup last', async t => {
  const journal = path.join(makeTempFolder(t), 'journal');
  const say = (/** @type {string} */ what) => `echo "${what}" >>${journal}`;
  const variant = '$STUDY_WORKERS $STUDY_TARGET';
  const scene = makeStudyScene(t, {
    services: { api: { command: `${say('service $STUDY_WORKERS')}; sleep 60` } },
    target: { url: API_URL },
    load: { model: 'closed', steps: [1, 2] },
    setup: `${say('setup $STUDY_SEED')}; echo kept >"$STUDY_WORK/kept"`,
    // The service has no `ready`, so it may write later than a command that follows it.
    prepare: `until grep -q "service $STUDY_WORKERS" ${journal}; do sleep 0.05; done; ${say(`prepare ${variant}`)}`,
    reset: `${say('reset $STUDY_WORKERS $STUDY_STEP $(cat "$STUDY_WORK/kept")')}; false`,
    cleanup: say('cleanup $(cat "$STUDY_WORK/kept")'),
  });
  const study = scene.run();
  assert.equal(await study.ended, 6, study.output());
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  assert.match(String(lines[0]), /^setup \d+$/);
  assert.equal(lines.at(-1), 'cleanup kept');
  const blocks = lines.slice(1, -1).map(line => line.replace(/:\d+$/, ':port'));
  const ofBlock = (/** @type {number} */ workers) => [
    `service ${workers}`,
    `prepare ${workers} http://127.0.0.1:port`,
    `reset ${workers} 1 kept`,
    `reset ${workers} 2 kept`,
  ];
  const first = Number(blocks[0]?.at(-1));
  assert.deepEqual(blocks, [...ofBlock(first), ...ofBlock(3 - first)]);
  for (const cell of listEndedCells(await scene.records()))
    assert.ok(cell.outcome === 'failed' && /^`reset` failed \(exit code 1\)/.test(cell.reason));
});

test('a failing setup ends the study with its output, after cleanup', async t => {
  const mark = path.join(makeTempFolder(t), 'mark');
  const scene = makeStudyScene(t, { setup: 'echo no licence; exit 4', cleanup: `touch ${mark}` });
  const study = scene.run();
  assert.equal(await study.ended, 3, study.output());
  const { code, message } = readError(study.output());
  assert.equal(code, 'STUDY_COMMAND_FAILED');
  assert.match(message ?? '', /^`setup` failed \(exit code 4\)/);
  assert.match(study.output(), /no licence/);
  assert.ok(existsSync(mark));
  assert.deepEqual(listEndedCells(await scene.records()), []);
});

test('a study never writes or prints the password of its services', async t => {
  const kept = path.join(makeTempFolder(t), 'kept');
  const say = `printf %s "$STUDY_PASSWORD" >${kept}; echo "connected with :$STUDY_PASSWORD@"; exit 1`;
  const scene = makeStudyScene(t, {
    services: { api: { command: say, ready: { url: '/' } } },
    target: { url: API_URL },
  });
  const study = scene.run();
  await study.ended;
  const password = readFileSync(kept, 'utf8');
  assert.match(password, /^[0-9a-f]{32}$/);
  const { folder } = scene.files();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
  for (const text of [study.output(), ...files]) assert.ok(!text.includes(password), text);
  assert.match(files.join('\n'), /connected with :\[redacted\]@/);
});

test('`--dry-run` shows what would be measured, and does nothing', async t => {
  const folder = makeTempFolder(t);
  const file = makeStudyFile(folder);
  const { exit, stdout } = await callLoadflame(folder, ['study', 'run', file, '--dry-run']);
  assert.equal(exit, 0);
  assert.match(stdout, /workers/);
  assert.ok(!existsSync(path.join(folder, 'profiles')));
});

test('a bare name is a study of studies/, and the error for an unknown one lists the others', async t => {
  const folder = makeTempFolder(t);
  makeStudyFile(path.join(folder, 'studies'), {}, 'content');
  makeStudyFile(path.join(folder, 'studies'), {}, 'tasks');
  const found = await callLoadflame(folder, ['study', 'run', 'content', '--dry-run']);
  assert.equal(found.exit, 0, found.stderr);
  const { exit, stderr } = await callLoadflame(folder, ['study', 'run', 'contents']);
  assert.equal(exit, 2);
  const { code, message } = readError(stderr);
  assert.equal(code, 'STUDY_UNKNOWN');
  assert.match(message ?? '', /unknown study contents: there are: content, tasks/);
});

test('`study report` requires the folder of a study', async t => {
  const folder = makeTempFolder(t);
  const none = await callLoadflame(folder, ['study', 'report', folder]);
  assert.equal(none.exit, 2);
  assert.equal(readError(none.stderr).code, 'STUDY_FOLDER_NOT_ONE');
  const other = path.join(folder, 'other');
  mkdirSync(other);
  writeFileSync(path.join(other, 'plan.json'), '{"schema": "something/1"}');
  const later = await callLoadflame(folder, ['study', 'report', other]);
  assert.match(readError(later.stderr).message ?? '', /its schema is "something\/1"/);
  assert.equal(readFileSync(path.join(other, 'plan.json'), 'utf8').length, 25);
});
