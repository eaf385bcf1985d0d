import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';

const ENDPOINTS = [{ name: 'GET /a', ratePerSec: 20, cpuMs: { business: 2, 'auth:local': 3 } }];

/** @param {string} folder @param {string} name @param {import('../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} spec */
function makeFolder(folder, name, spec) {
  const [side = '', n = '0'] = name;
  // alternated: A1 B1 A2 B2 …
  const startMs = 1795211098000 + (2 * Number(n) + (side === 'B' ? 1 : 0)) * 60_000;
  const run = makeRun({ id: name, durationSec: 12, startMs, endpoints: ENDPOINTS, ...spec });
  writeRun(path.join(folder, name), run);
}

/** @type {string} */
let folder;
const untilEnd = endWithFile();
before(() => {
  folder = makeTempFolder(untilEnd);
  for (let n = 1; n <= 4; n++) {
    makeFolder(folder, `A${n}`, { seed: n });
    makeFolder(folder, `B${n}`, { seed: 10 + n, cpuFactor: 1.8, latencyFactor: 1.8 });
  }
});
const A = ['A1', 'A2', 'A3', 'A4'];
const B = ['B1', 'B2', 'B3', 'B4'];

test('`compare A1 … -- B1 …` prints aligned tables and writes compare.html and compare.json', async () => {
  const args = ['compare', ...A, '--labels', 'main,slow', '--', ...B];
  const { exit, stdout } = await callLoadflame(folder, args);
  assert.equal(exit, 0);
  assert.match(
    stdout,
    /^! All 8 runs are doubtful\. Slow is worse: p95 \+\d[^:]* CPU per request \+\d/m,
  );
  assert.match(stdout, /^ +main +slow +change +95 % interval +p$/m);
  assert.match(stdout, /^ {2}CPU per request +.* \+\d+\.\d % +worse .* \.029$/m);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no colour in a pipe
  assert.doesNotMatch(stdout, /\u001b/);
  for (const line of stdout.split('\n')) assert.ok(line.length <= 110, line);
  const file = /^comparison: (.*)$/m.exec(stdout)?.[1] ?? '';
  assert.match(readFileSync(path.join(folder, file), 'utf8'), /^<!doctype html>/);
  const json = JSON.parse(readFileSync(path.join(folder, file.replace('.html', '.json')), 'utf8'));
  assert.equal(json.schema, 'loadflame-compare/2');
  assert.equal(json.before.runs.length, 4);
});

test('options may come before, between or after the runs of a comparison', async () => {
  const option = ['--markdown', 'anywhere.md'];
  const [one, other] = [A.slice(0, 2), B.slice(0, 2)];
  for (const runs of [
    [...option, ...one, '--', ...other],
    [...one, ...option, '--', ...other],
    [...one, '--', ...option, ...other],
    [...one, '--', ...other, ...option],
  ]) {
    const { exit, stdout } = await callLoadflame(folder, ['compare', ...runs, '--labels', 'm,s']);
    assert.equal(exit, 0, runs.join(' '));
    for (const side of ['m', 's'])
      assert.equal(stdout.match(RegExp(` ${side} +2026-`, 'g'))?.length, 2, runs.join(' '));
    assert.ok(existsSync(path.join(folder, 'anywhere.md')));
    rmSync(path.join(folder, 'anywhere.md'));
  }
});

test('thresholds of a comparison: exit code 5, junit.xml, a summary for a pull request', async () => {
  writeFileSync(
    path.join(folder, 'limits.yaml'),
    '- p95 < 100s\n- regression(cpuMsPerRequest) < 10%\n- regression(throughput) < 50%\n',
  );
  const args = ['compare', ...A, '--thresholds', 'limits.yaml', '--junit', 'junit.xml'];
  const { exit, stdout } = await callLoadflame(folder, [
    ...args,
    '--markdown',
    'pr.md',
    '--',
    ...B,
  ]);
  assert.equal(exit, 5);
  assert.match(stdout, /^Thresholds: 2 passed, 1 failed$/m);
  assert.match(stdout, /^✖ regression\(cpuMsPerRequest\) < 10% \(failed: \+\d/m);
  assert.match(readFileSync(path.join(folder, 'junit.xml'), 'utf8'), /tests="4" failures="1"/);
  const markdown = readFileSync(path.join(folder, 'pr.md'), 'utf8');
  assert.match(markdown, /^### ⚠️ All 8 runs are doubtful\. After is worse/);
  assert.match(markdown, /^\| CPU per request \| .* \| worse \|/m);
  assert.match(markdown, /^- ❌ `regression\(cpuMsPerRequest\) < 10%`/m);
});

test('runs are named by their ids too, and the comparison says where they are', async () => {
  const profiles = path.join(folder, 'measured');
  for (const [n, id] of ['C1', 'D1'].entries()) makeFolder(profiles, id, { seed: 20 + n });
  writeFileSync(path.join(profiles, 'C1', 'report.html'), '');
  const args = ['compare', 'C1', 'D1', '--profiles', 'measured'];
  const { exit, stdout } = await callLoadflame(folder, args);
  assert.equal(exit, 0);
  assert.match(stdout, /^ {2}measured\/C1 +before /m);
  const file = /^comparison: (.*)html$/m.exec(stdout)?.[1] ?? '';
  const { before, after } = JSON.parse(readFileSync(path.join(folder, `${file}json`), 'utf8'));
  assert.deepEqual([before.runs[0].report, after.runs[0].report], ['../C1/report.html', null]);
});

test('a comparison with an invalid side is exit code 6', async () => {
  makeFolder(folder, 'X1', {
    seed: 30,
    endpoints: [
      { ...ENDPOINTS[0], name: 'GET /a', ratePerSec: 20, cpuMs: {}, errorShare: 1, status: 401 },
    ],
  });
  const { exit, stdout } = await callLoadflame(folder, ['compare', 'A1', 'X1']);
  assert.equal(exit, 6);
  assert.match(stdout, /^✖ Invalid comparison: no run of “after” is valid/m);
});

test('`report --baseline --thresholds` compares, and reports what it cannot show', async () => {
  writeFileSync(path.join(folder, 'ok.yaml'), 'thresholds:\n  - errors < 5%\n');
  const { exit, stdout } = await callLoadflame(
    folder,
    ['report', 'B1', '--baseline', 'A1', '--markdown', 'run.md'],
    { THRESHOLDS: 'ok.yaml' },
  );
  assert.equal(exit, 0);
  assert.match(stdout, /^! All 2 runs are doubtful\. One run a side cannot show/m);
  assert.match(stdout, /^Thresholds: 1 passed$/m);
  assert.ok(existsSync(path.join(folder, 'B1', 'compare.html')));
  assert.match(readFileSync(path.join(folder, 'run.md'), 'utf8'), /\| requests \|[\s\S]*baseline/);
});

test('thresholds of a run that is not valid: exit code 6', async () => {
  const args = ['report', 'X1', '--thresholds', 'ok.yaml', '--junit', 'x.xml'];
  const { exit } = await callLoadflame(folder, args);
  assert.equal(exit, 6);
  assert.match(
    readFileSync(path.join(folder, 'x.xml'), 'utf8'),
    /errors="1"[\s\S]*most with GET \/a 401/,
  );
});

test('`test --baseline --thresholds` compares the new run with an old one, and fails where a limit is missed', async t => {
  const target = await serve(t, (_, response) => response.end('{}'));
  const script = {
    config: { target, phases: [{ duration: 2, users: 2 }] },
    scenarios: [{ flow: [{ get: { url: '/a' } }, { think: 0.02 }] }],
  };
  writeFileSync(path.join(folder, 'script.json'), JSON.stringify(script));
  const first = await callLoadflame(folder, ['test', 'script.json', '--profiles', 'old']);
  assert.equal(first.exit, 0, first.stderr);
  writeFileSync(
    path.join(folder, 'strict.yaml'),
    '- throughput > 1000000/s\n- regression(p95) < 100000%\n',
  );
  const limits = ['--thresholds', 'strict.yaml', '--junit', 'new.xml'];
  const args = ['test', 'script.json', '--profiles', 'new', '--baseline', 'old', ...limits];
  const { exit, stdout } = await callLoadflame(folder, args);
  assert.equal(exit, 5);
  assert.match(
    stdout,
    /^[?!] (?:All 2 runs are doubtful\. )?One run a side cannot show whether a difference is significant/m,
  );
  assert.match(stdout, /^ +baseline +this run +change/m);
  assert.match(stdout, /^✖ throughput > 1000000\/s \(failed: /m);
  const page = /^comparison: (.*)$/m.exec(stdout)?.[1] ?? '';
  assert.match(page, /^new\/.*\/compare\.html$/);
  assert.ok(existsSync(path.join(folder, page)));
  assert.match(readFileSync(path.join(folder, 'new.xml'), 'utf8'), /failures="1"/);
});

/** What is typed → what the error says. @type {[string[], string, RegExp][]} */
const MISTAKES = [
  [['compare'], 'COMPARE_SIDE_MISSING', /side A has no run/],
  [['compare', 'A1'], 'COMPARE_SIDE_MISSING', /side B has no run/],
  [['compare', 'A1', 'A2', 'B1'], 'COMPARE_SIDES_UNCLEAR', /sides of 3 runs/],
  [['compare', '--', 'A1'], 'COMPARE_SIDE_MISSING', /side A has no run/],
  [['compare', 'A1', '--'], 'COMPARE_SIDE_MISSING', /side B has no run/],
  [['compare', 'A1', 'A1'], 'COMPARE_RUN_TWICE', /A1 is named twice/],
  [['compare', 'A1', 'none'], 'COMPARE_NO_RUN', /none is not a run/],
  [['compare', 'A1', 'B1', '--thresholds', 'none.yaml'], 'THRESHOLDS_UNREADABLE', /none.yaml/],
  [['compare', 'A1', 'B1', '--junit', 'no/such/place.xml'], 'REPORT_UNWRITABLE', /place.xml/],
  [['test', 'x.yaml', '--baseline', 'none'], 'COMPARE_NO_RUN', /none is not a run/],
];

for (const [args, code, message] of MISTAKES) {
  test(`\`loadflame ${args.join(' ')}\` says ${code} before anything is done`, async () => {
    const count = () => readdirSync(path.join(folder)).length;
    const files = count();
    const { exit, stderr } = await callLoadflame(folder, args);
    const error = readError(stderr);
    assert.equal(error.code, code);
    assert.match(error.message ?? '', message);
    assert.ok(exit === 2 || exit === 3);
    assert.equal(count(), files);
  });
}
