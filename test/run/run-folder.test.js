import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readStartTicks } from '../../lib/base/process/process-table.js';
import { findActiveRecording } from '../../lib/run/active-recording.js';
import {
  isRunActive,
  readManifest,
  updateManifest,
  writeManifest,
} from '../../lib/run/manifest.js';
import { createNdjsonWriter, readNdjson } from '../../lib/run/ndjson.js';
import { createRunFolder, findRunFolders, locateRun } from '../../lib/run/run-folder.js';
import { startFakeLoadflame } from '../helpers/fake-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const NOW = new Date('2026-11-20T21:45:03Z');

/** @param {Partial<import('../../lib/run/facts/records.d.ts').Manifest>} fields */
function makeManifest(fields = {}) {
  return /** @type {import('../../lib/run/facts/records.d.ts').Manifest} */ ({
    schema: 'loadflame-run/1',
    id: 'x',
    kind: 'profile',
    status: 'running',
    reasons: [],
    pid: process.pid,
    pidStartTicks: readStartTicks(process.pid),
    startedAtMs: NOW.getTime(),
    endedAtMs: null,
    command: 'loadflame profile',
    target: null,
    script: null,
    versions: {},
    host: { platform: 'linux x64', cpus: 2, cpuModel: 'x', memoryBytes: 1 },
    settings: [],
    profile: null,
    joinable: true,
    ...fields,
  });
}

test('names a run folder after its start in UTC and its kind; a second one gets a number', t => {
  const root = makeTempFolder(t);
  const first = createRunFolder(root, 'CSR – All / ../x', NOW);
  const second = createRunFolder(root, 'CSR – All / ../x', NOW);
  assert.equal(path.basename(first.folder), '20261120-214503-csr-all-x');
  assert.equal(path.basename(second.folder), '20261120-214503-csr-all-x-2');
  for (const wing of ['load', 'profile', 'resources'])
    assert.ok(existsSync(path.join(first.folder, wing)));
});

test('a place where no folder can be made is an error that names it', t => {
  const root = makeTempFolder(t);
  writeFileSync(path.join(root, 'file'), '');
  assert.throws(() => createRunFolder(path.join(root, 'file'), 'x', NOW), {
    code: 'RUN_FOLDER_UNWRITABLE',
  });
});

test('only folders with a manifest are runs, oldest first', t => {
  const root = makeTempFolder(t);
  for (const name of ['20261120-214503-b', '20251120-214503-a', 'other'])
    mkdirSync(path.join(root, name));
  for (const name of ['20261120-214503-b', '20251120-214503-a']) {
    writeManifest(path.join(root, name, 'run.json'), makeManifest());
  }
  mkdirSync(path.join(root, '20271120-214503-empty'));
  assert.deepEqual(
    findRunFolders(root).map(folder => path.basename(folder)),
    ['20251120-214503-a', '20261120-214503-b'],
  );
  assert.deepEqual(findRunFolders(path.join(root, 'nowhere')), []);
});

/** @type {import('../../lib/run/facts/validity.d.ts').PartialReason} */
const WHY = { id: 'event', facts: { message: 'why' } };

test('changes a manifest in one step and reads it back; anything else is not a run', t => {
  const file = path.join(makeTempFolder(t), 'run.json');
  writeManifest(file, makeManifest());
  updateManifest(file, ({ reasons }) => ({ status: 'partial', reasons: [...reasons, WHY] }));
  assert.deepEqual([readManifest(file).status, readManifest(file).reasons], ['partial', [WHY]]);
  writeFileSync(file, '{"schema": "other"}');
  assert.throws(() => readManifest(file), { code: 'RUN_FOLDER_NOT_ONE', message: /"other"/ });
  writeFileSync(file, '{"schemas": 1}');
  assert.throws(() => readManifest(file), { message: /its schema is missing, not/ });
  writeFileSync(file, '{"sche');
  assert.throws(() => readManifest(file), { code: 'RUN_FOLDER_NOT_ONE' });
});

test('refuses an implausible text in a manifest without showing it', t => {
  const file = path.join(makeTempFolder(t), 'run.json');
  const long = 'x'.repeat(9 * 2 ** 20);
  writeFileSync(file, JSON.stringify(makeManifest({ command: long })));
  const refusal = { code: 'RUN_FOLDER_NOT_ONE', message: /it has 9 MB, and 8 at most are read/ };
  assert.throws(() => readManifest(file), refusal);
  writeFileSync(file, JSON.stringify({ schema: long.slice(0, 2 ** 20) }));
  const isShort = (/** @type {Error} */ { message }) => message.length < 500;
  assert.throws(() => readManifest(file), isShort);
});

test('a run is active while its process lives, and not when another has its pid', () => {
  assert.equal(isRunActive(makeManifest()), true);
  assert.equal(isRunActive(makeManifest({ pidStartTicks: 1 })), false);
  assert.equal(isRunActive(makeManifest({ pid: 4_194_000 })), false);
  assert.equal(isRunActive(makeManifest({ status: 'complete' })), false);
});

test('a load test joins the recording that is going on, unless another one is in it', async t => {
  const root = makeTempFolder(t);
  assert.equal(findActiveRecording(root), null);
  const files = createRunFolder(root, 'recording', NOW);
  writeManifest(files.manifest, makeManifest(await startFakeLoadflame(t)));
  assert.equal(findActiveRecording(root)?.folder, files.folder);
  const events = createNdjsonWriter(files.events);
  const { pid } = process;
  events.append('load-joined', { pid, pidStartTicks: 1 });
  assert.equal(findActiveRecording(root)?.folder, files.folder, 'another has its pid by now');
  events.append('load-joined', { pid, pidStartTicks: readStartTicks(pid) });
  assert.equal(findActiveRecording(root), null);
  events.append('load-left', { pid });
  assert.equal(findActiveRecording(root)?.folder, files.folder);
  events.append('load-joined', { pid: 4_194_000 });
  assert.equal(
    findActiveRecording(root)?.folder,
    files.folder,
    'a killed load test is not at work',
  );
});

test('folders whose manifest is torn, or of another version, do not keep a load test from a recording', async t => {
  const root = makeTempFolder(t);
  const files = createRunFolder(root, 'recording', NOW);
  writeManifest(files.manifest, makeManifest(await startFakeLoadflame(t)));
  for (const [name, text] of Object.entries({ torn: '{"schema"', later: '{"schema": "x/9"}' })) {
    mkdirSync(path.join(root, `20271120-214503-${name}`));
    writeFileSync(path.join(root, `20271120-214503-${name}`, 'run.json'), text);
  }
  assert.equal(findActiveRecording(root)?.folder, files.folder);
});

test('records are on disk when append returns, and a torn last line is skipped and counted', async t => {
  const file = path.join(makeTempFolder(t), 'x.ndjson');
  const writer = createNdjsonWriter(file);
  writer.append('note', { message: 'a\nb' });
  writer.append('note', { t: 5 });
  appendFileSync(file, '{"t": 7, "kind": "no');
  const { records, torn } = await readNdjson(file);
  assert.deepEqual([records.length, records[0]?.message, records[1]?.t, torn], [2, 'a\nb', 5, 1]);
});

test('a folder in place of a file of a run is a named error, and a missing file has no records', async t => {
  const folder = makeTempFolder(t);
  await assert.rejects(readNdjson(folder), { code: 'RUN_FILE_UNREADABLE', message: /EISDIR/ });
  assert.deepEqual((await readNdjson(path.join(folder, 'none'))).records, []);
});

test('a run is found by its folder, by its id, and as the last one', t => {
  const root = makeTempFolder(t);
  const [first, last] = ['a', 'b'].map((name, index) => {
    const files = createRunFolder(root, name, new Date(NOW.getTime() + index * 1000));
    writeManifest(files.manifest, makeManifest());
    return files.folder;
  });
  assert.equal(locateRun(String(first), root), first);
  assert.equal(locateRun(path.basename(String(first)), root), first);
  assert.equal(locateRun('last', root), last);
  assert.equal(locateRun('last~1', root), first);
  assert.equal(locateRun('last~2', root), 'last~2');
  assert.equal(locateRun('none', root), 'none');
});

test('reports an unwritable file once and does not throw', t => {
  const folder = makeTempFolder(t);
  chmodSync(folder, 0o700);
  /** @type {Error[]} */
  const errors = [];
  const writer = createNdjsonWriter(path.join(folder, 'no', 'x.ndjson'), {
    onError: e => errors.push(e),
  });
  writer.append('note');
  writer.append('note');
  assert.equal(errors.length, 1);
});
