/** A study whose target was recorded elsewhere, put together with that recording. */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { mergeStudy } from '../../lib/cli/merge-study.js';
import { readManifest } from '../../lib/run/manifest.js';
import { mergeRuns } from '../../lib/run/merge-runs.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { createRunFolder, runFiles } from '../../lib/run/run-folder.js';
import { measureCell } from '../../lib/study/measure/measure-cell.js';
import { studyFiles } from '../../lib/study/run/study-folder.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { splitRun } from '../helpers/split-run.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { serveByWorkers } from '../helpers/synthetic-study/examples.js';
import { makeStudy, writeStudy } from '../helpers/synthetic-study/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const BEHIND_MS = 37_400;
/** Records that name a file of samples. */
const RAW = ['segment', 'waits'];

/** @type {string} */
let root;
/** @type {string} */
let study;
/** @type {string} */
let recording;
/** @type {import('../../lib/facts/study-records.d.ts').CellFigures} */
let whole;
/** @type {string} */
let text;
/** @type {string} */
let merged;
before(async t => {
  root = makeTempFolder(/** @type {any} */ (t));
  const run = makeRun({
    companion: true,
    phases: [
      { name: 'warm-up', durationSec: 10 },
      { name: 'plateau', durationSec: 20 },
    ],
    endpoints: [{ name: 'GET /a', view: 'a', ratePerSec: 30, cpuMs: { business: 12 } }],
  });
  whole = await measureCell(writeRun(path.join(root, 'whole'), run));
  const pair = splitRun(root, run, { behindMs: () => BEHIND_MS, name: 'pair' });
  recording = pair.recording;
  study = path.join(root, 'study');
  const made = makeStudy({
    truth: () => serveByWorkers(2, { demandMs: 12 }),
    factors: { workers: ['1'] },
    steps: [4],
    repeats: 1,
  });
  const ends = made.journal.flatMap(record =>
    record.kind === 'cell-end' && record.folder ? [record.folder] : [],
  );
  writeStudy(study, made);
  mkdirSync(path.join(study, 'runs'), { recursive: true });
  cpSync(pair.load, path.join(study, ends[0] ?? ''), { recursive: true });
  const args = ['study', 'report', study, recording, '--profiles', path.join(root, 'new')];
  const { exit, stdout, stderr } = await callLoadflame(root, args);
  assert.equal(exit, 0, stderr);
  text = stdout;
  merged = path.dirname(path.resolve(root, /report: (.*)/.exec(stdout)?.[1] ?? ''));
});

test('a cell has the CPU of the workers that were recorded elsewhere, and the figures of its load', async () => {
  const { records } = await readNdjson(studyFiles(merged).journal);
  const cells = records.filter(({ kind }) => kind === 'cell-end');
  assert.deepEqual(
    cells.map(({ purpose }) => purpose),
    ['measure', 'profile'],
  );
  const [{ figures, folder }] = /** @type {[any]} */ (cells);
  for (const name of /** @type {const} */ (['seconds', 'requests', 'good', 'throughputPerSec']))
    assert.equal(figures[name], whole[name], name);
  const coresOf = (/** @type {typeof whole} */ { components }) =>
    components.find(({ name }) => name === 'workers')?.cores ?? Number.NaN;
  assert.ok(Math.abs(coresOf(figures) / coresOf(whole) - 1) < 0.03, JSON.stringify(figures));
  assert.ok(existsSync(path.join(merged, folder, 'report.html')));
  assert.match(text, /workers/);
});

test('the study and the recording are only read', () => {
  const { json, journal } = studyFiles(study);
  assert.equal(existsSync(json), false);
  assert.doesNotMatch(readFileSync(journal, 'utf8'), /"purpose":"profile"/);
  assert.equal(existsSync(runFiles(recording).reportJson), false);
});

test('a recording of another time is an error that names both times, and no folder is left', async () => {
  const { manifest } = runFiles(recording);
  const late = makeRun({
    startMs: readManifest(manifest).startedAtMs + 3_600_000,
    durationSec: 10,
  });
  const elsewhere = splitRun(root, late, { behindMs: () => BEHIND_MS, name: 'late' }).recording;
  const args = ['study', 'report', study, elsewhere, '--same-target', '--profiles', 'none'];
  const { exit, stderr } = await callLoadflame(root, args);
  assert.equal(exit, 2, stderr);
  assert.equal(readError(stderr).code, 'REPORT_APART');
  assert.match(stderr, /late-recording/);
  assert.deepEqual(readdirSync(path.join(root, 'none')), []);
});

test('who stops it has both folders as they were, and no third', async () => {
  const profiles = path.join(root, 'stopped');
  const control = new AbortController();
  const stopped = mergeStudy(study, recording, {
    profiles,
    signal: control.signal,
    writeReport: async () => {},
    onProgress: () => control.abort(),
  });
  await assert.rejects(stopped, { code: 'INTERRUPTED' });
  assert.deepEqual(readdirSync(profiles), []);
});

test('what a recording that was killed left is cleaned in every cell of what the settings know as secrets', async () => {
  const killed = path.join(root, 'killed-recording');
  cpSync(recording, killed, { recursive: true });
  const files = runFiles(killed);
  const status = { status: 'running', pid: 2 ** 22, pidStartTicks: 1 };
  writeFileSync(files.manifest, JSON.stringify({ ...readManifest(files.manifest), ...status }));
  const left = 'process 7:"app plain-Zebra-23";thread (0x1): main;f (a.py:1) 1\n';
  writeFileSync(files.segment(99), left);
  const args = ['study', 'report', study, killed, '--profiles', path.join(root, 'clean')];
  const env = { OIDC_CLIENT_SECRET: 'plain-Zebra-23' };
  const { exit, stdout, stderr } = await callLoadflame(root, args, env);
  assert.equal(exit, 0, stderr);
  const folder = path.dirname(path.resolve(root, /report: (.*)/.exec(stdout)?.[1] ?? ''));
  const kept = globSync(path.join(folder, 'runs/*/profile/segment-00099.raw'));
  assert.ok(kept.length > 0, folder);
  for (const file of kept) assert.match(readFileSync(file, 'utf8'), /"app \[redacted\]"/);
});

test('of a recording that is longer, a cell has what is of its time', async () => {
  const files = createRunFolder(root, 'cut');
  const [load, there] = ['pair-load', 'pair-recording'].map(name => {
    const own = runFiles(path.join(root, name));
    return { files: own, manifest: readManifest(own.manifest) };
  });
  assert.ok(load && there);
  const { startedAtMs } = there.manifest;
  const range = { startMs: startedAtMs + 12_000, endMs: startedAtMs + 18_000 };
  const clock = {
    ...{ from: /** @type {const} */ ('unknown'), answers: 0, uncertaintyMs: null },
    startMs: 0,
    endMs: 0,
  };
  await mergeRuns(files, load, there, { clock, toTheirs: ms => ms + BEHIND_MS }, range);
  const recordsOf = async (/** @type {string} */ file) => (await readNdjson(file)).records;
  const all = await recordsOf(there.files.segments);
  const kept = await recordsOf(files.segments);
  const isOfRange = (/** @type {Record<string, any>} */ { kind, startMs, endMs }) =>
    !RAW.includes(kind) || (endMs >= range.startMs && startMs <= range.endMs);
  assert.deepEqual(kept, all.filter(isOfRange));
  const raw = kept.flatMap(({ kind, file }) => (RAW.includes(kind) ? [file] : [])).sort();
  assert.ok(raw.length > 0 && kept.length < all.length, raw.join());
  const profile = path.dirname(files.segments);
  assert.deepEqual(
    readdirSync(profile)
      .filter(name => name.endsWith('.raw'))
      .sort(),
    raw,
  );
  const seconds = (await recordsOf(files.processes)).filter(({ kind }) => kind === 'host');
  assert.ok(seconds.every(({ t }) => t >= range.startMs && t <= range.endMs));
  assert.equal(seconds.length, 6);
});
