/** A run folder that somebody else made is data: no load test joins it, and nothing is written through its links. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { replaceFile } from '../../lib/base/files/replace-file.js';
import { readStartTicks } from '../../lib/base/process/process-table.js';
import { findActiveRecording } from '../../lib/run/active-recording.js';
import { createNdjsonWriter } from '../../lib/run/ndjson.js';
import { createRunFolder } from '../../lib/run/run-folder.js';
import { startFakeLoadflame } from '../helpers/fake-loadflame.js';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const WHEN = new Date('2026-11-20T21:45:03Z');

/** @param {string} root @param {object} manifest */
function makeClaim(root, manifest) {
  const files = createRunFolder(root, 'profile', WHEN);
  const claim = {
    ...{ schema: 'loadflame-run/1', id: path.basename(files.folder), kind: 'profile', reasons: [] },
    ...{ status: 'running', joinable: true, startedAtMs: WHEN.getTime(), endedAtMs: null },
    ...{ command: 'loadflame profile', target: null, script: null, versions: {}, settings: [] },
    host: { platform: 'linux x64', cpus: 2, cpuModel: 'x', memoryBytes: 1 },
    profile: null,
    ...manifest,
  };
  writeFileSync(files.manifest, JSON.stringify(claim));
  return files;
}

test('a folder that names any living process is not joined; one of a loadflame of ours is', async t => {
  const ours = await startFakeLoadflame(t);
  const other = await startFakeLoadflame(t, ['sleeper']);
  const claims = [
    [{ pid: 1, pidStartTicks: null }, 'pid 1, and no word of when it started'],
    [{ pid: 1 }, 'pid 1'],
    [{ pid: 1, pidStartTicks: readStartTicks(1) }, 'pid 1, and its start was guessed'],
    [{ ...ours, pidStartTicks: null }, 'no word of when it started'],
    [{ ...ours, pidStartTicks: 1 }, 'another start'],
    [other, 'a process that is no loadflame'],
  ];
  for (const [claim, what] of claims) {
    const root = makeTempFolder(t);
    makeClaim(root, /** @type {object} */ (claim));
    assert.equal(findActiveRecording(root), null, String(what));
  }
  const root = makeTempFolder(t);
  const { folder } = makeClaim(root, ours);
  assert.equal(findActiveRecording(root)?.folder, folder);
});

test('a recording with a link in it is not joined, be it of a file or of a folder', async t => {
  const ours = await startFakeLoadflame(t);
  for (const name of ['events.ndjson', 'load/metrics.ndjson', 'logs', 'load']) {
    const root = makeTempFolder(t);
    const { folder } = makeClaim(root, ours);
    rmSync(path.join(folder, name), { recursive: true, force: true });
    symlinkSync(makeTempFolder(t), path.join(folder, name));
    assert.equal(findActiveRecording(root), null, name);
  }
});

test('a link to the whole machine is seen, and not followed', async t => {
  const ours = await startFakeLoadflame(t);
  const root = makeTempFolder(t);
  const { folder } = makeClaim(root, ours);
  symlinkSync('/', path.join(folder, 'load', 'everything'));
  const before = process.cpuUsage();
  assert.equal(findActiveRecording(root), null);
  // CPU time, for the machine may be busy.
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1e6, `${user + system} µs`);
});

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

test("another user's folder, and a folder about another user's process, are not joined", {
  skip: isRoot ? false : 'needs root, to become somebody else',
}, async t => {
  const ours = await startFakeLoadflame(t);
  const root = makeTempFolder(t);
  const { folder } = makeClaim(root, ours);
  assert.ok(findActiveRecording(root));
  spawnSync('chown', ['-R', '65534', folder]);
  assert.equal(findActiveRecording(root), null);
});

test('records are not written through a link, into a pipe, or into a device', t => {
  const folder = makeTempFolder(t);
  const victim = path.join(folder, 'authorized_keys');
  writeFileSync(victim, 'mine\n');
  symlinkSync(victim, path.join(folder, 'link'));
  symlinkSync(path.join(folder, 'new'), path.join(folder, 'dangling'));
  spawnSync('mkfifo', [path.join(folder, 'pipe')]);
  for (const name of ['link', 'dangling', 'pipe']) {
    /** @type {Error[]} */
    const errors = [];
    const file = path.join(folder, name);
    createNdjsonWriter(file, { onError: error => errors.push(error) }).append('note');
    assert.equal(errors.length, 1, name);
  }
  assert.equal(readFileSync(victim, 'utf8'), 'mine\n');
  assert.ok(!existsSync(path.join(folder, 'new')));
});

test('a link in place of a report, or of what it is written to first, is not followed', t => {
  const folder = makeTempFolder(t);
  const victim = path.join(folder, 'victim');
  writeFileSync(victim, 'mine');
  const file = path.join(folder, 'report.json');
  symlinkSync(victim, file);
  symlinkSync(victim, `${file}.${process.pid}.tmp`);
  replaceFile(file, 'a report');
  assert.equal(readFileSync(victim, 'utf8'), 'mine');
  assert.equal(readFileSync(file, 'utf8'), 'a report');
});

test('what a run leaves is for its user alone: folders 0700, files 0600, whatever the umask', t => {
  const before = process.umask(0);
  t.after(() => process.umask(before));
  const { folder, events, log, reportJson } = createRunFolder(makeTempFolder(t), 'x', WHEN);
  createNdjsonWriter(events).append('note');
  replaceFile(reportJson, '{}');
  replaceFile(log(1), '');
  const modes = globSync('**', { cwd: folder, withFileTypes: true }).map(entry => {
    const { mode } = statSync(path.join(entry.parentPath, entry.name));
    return [entry.isDirectory(), (mode & 0o777).toString(8)];
  });
  assert.ok(modes.length >= 7, `${modes.length}`);
  for (const [isFolder, mode] of modes) assert.equal(mode, isFolder ? '700' : '600');
});

test('links to themselves in the place of what a report reads are as if it was not there', async t => {
  const root = makeTempFolder(t);
  const run = makeRun({ companion: true, durationSec: 8 });
  for (const name of ['load/metrics.ndjson', 'profile/segments.ndjson', 'logs', 'profile']) {
    const folder = path.join(root, name.replace('/', '-'));
    writeRun(folder, run);
    rmSync(path.join(folder, name), { recursive: true, force: true });
    symlinkSync(path.basename(name), path.join(folder, name));
    const { exit, stderr } = await callLoadflame(root, ['report', folder]);
    assert.notEqual(exit, 1, `${name}: ${stderr}`);
    assert.doesNotMatch(stderr, /This is a bug/);
  }
});
