import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeStudyFile } from '../helpers/make-study-file.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeStudyScene } from '../helpers/study-scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

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

test('a study of which this machine can run no variant says what it needs, and begins nothing', async t => {
  const scene = makeStudyScene(t, {
    factors: { workers: [1, 2] },
    needs: [{ when: { workers: [1, 2] }, cpus: 100_000 }],
    target: { url: 'http://127.0.0.1:{{ port.api }}' },
  });
  const study = scene.run();
  assert.equal(await study.ended, 3, study.output());
  const { code, message } = readError(study.output());
  assert.equal(code, 'STUDY_NEEDS_MORE');
  assert.match(
    message ?? '',
    /no variant of the study: it needs 100,000 cores, and this machine has \d+$/,
  );
  assert.deepEqual(scene.folders(), []);
});

test('the password of the services is in nothing that a study writes or prints', async t => {
  const kept = path.join(makeTempFolder(t), 'kept');
  const say = `printf %s "$PASSWORD" >${kept}; echo "connected with :$PASSWORD@"; exit 1`;
  const scene = makeStudyScene(t, {
    services: { api: { command: ['sh', '-c', say], env: { PASSWORD: '{{ password }}' } } },
    target: { url: 'http://127.0.0.1:{{ port.api }}' },
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

test('`--dry-run` says what would be measured, and does nothing', async t => {
  const folder = makeTempFolder(t);
  const file = makeStudyFile(folder);
  const { exit, stdout } = await callLoadflame(folder, ['study', 'run', file, '--dry-run']);
  assert.equal(exit, 0);
  assert.match(stdout, /workers/);
  assert.ok(!existsSync(path.join(folder, 'profiles')));
});

test('a bare name is a study of studies/, and one that is not there is answered with those that are', async t => {
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

test('`study report` wants the folder of a study', async t => {
  const folder = makeTempFolder(t);
  const none = await callLoadflame(folder, ['study', 'report', folder]);
  assert.equal(none.exit, 2);
  assert.equal(readError(none.stderr).code, 'STUDY_FOLDER_NOT_ONE');
  const other = path.join(folder, 'other');
  mkdirSync(other);
  writeFileSync(path.join(other, 'plan.json'), '{"schema": "something/1"}');
  const later = await callLoadflame(folder, ['study', 'report', other]);
  assert.match(readError(later.stderr).message ?? '', /its plan is "something\/1"/);
  assert.equal(readFileSync(path.join(other, 'plan.json'), 'utf8').length, 25);
});
