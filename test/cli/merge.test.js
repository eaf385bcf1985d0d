/** A load from one machine and a recording from another, put together by `report`. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { unpackCalls } from '../../lib/analysis/sample-table/unpack.js';
import { mergeFolders } from '../../lib/cli/merge-folders.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { wordReport } from '../../lib/text/index.js';
import { listFiles } from '../helpers/list-files.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { asArtillery, splitRun } from '../helpers/split-run.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { withoutStacks } from '../helpers/synthetic-run/without-stacks.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';

/** @import { Report } from '../../lib/run/facts/report.d.ts' */

const BEHIND_MS = 37_400;
/** @type {import('../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} */
const SPEC = {
  companion: true,
  durationSec: 30,
  generator: { workers: 3 },
  endpoints: [
    { name: 'GET /a', view: 'a', ratePerSec: 30, cpuMs: { 'auth:local': 12, business: 8 } },
    { name: 'GET /b', view: 'b', ratePerSec: 20, cpuMs: { business: 15, 'database:load': 5 } },
  ],
};

/** @type {string} */
let root;
/** @type {import('../helpers/synthetic-run/synthetic-run.d.ts').SyntheticRun} */
let run;
/** @type {import('../../lib/run/facts/report.d.ts').Report} */
let whole;
/** @type {{load: string, recording: string}} */
let pair;
const untilEnd = endWithFile();
before(async () => {
  root = makeTempFolder(untilEnd);
  run = makeRun(SPEC);
  whole = (await analyseRun(writeRun(path.join(root, 'whole'), run))).report;
  pair = splitRun(root, run, { behindMs: () => BEHIND_MS });
});

/** @param {string[]} folders @param {{sameTarget?: boolean}} [options] */
async function merge(folders, options) {
  const folder = await mergeFolders(folders, { profiles: path.join(root, 'profiles'), ...options });
  return wordReport((await analyseRun(folder)).report);
}

/** @param {number | undefined} a @param {number | undefined} b @param {number} share */
function assertNear(a = Number.NaN, b = Number.NaN, share = 0.02, what = '') {
  assert.ok(Math.abs(a - b) <= Math.abs(b) * share, `${what}: ${a} and not ${b}`);
}

/** @param {Pick<Report, 'load' | 'cpu' | 'profile' | 'costs' | 'bottleneck' | 'timeline'>} merged */
function assertSame(merged) {
  assert.equal(merged.load?.http.responses, whole.load?.http.responses);
  assert.deepEqual(merged.load?.endpoints, whole.load?.endpoints);
  assertNear(merged.cpu?.perRequest?.value, whole.cpu?.perRequest?.value, 0.01, 'CPU per request');
  assertNear(merged.profile?.samples.active, whole.profile?.samples.active, 0.02, 'samples');
  assert.equal(merged.costs?.basis, whole.costs?.basis);
  for (const { name, cpuMsPerRequest, shareOfCpu } of whole.costs?.endpoints ?? []) {
    const own = merged.costs?.endpoints.find(one => one.name === name);
    assertNear(own?.cpuMsPerRequest?.value, cpuMsPerRequest?.value, 0.03, name);
    assertNear(own?.shareOfCpu.value, shareOfCpu.value, 0.03, `share of ${name}`);
  }
  assert.equal(merged.bottleneck?.id, whole.bottleneck?.id);
  assert.deepEqual(
    merged.bottleneck?.facts.workers?.processes,
    whole.bottleneck?.facts.workers?.processes,
  );
  assertNear(
    merged.bottleneck?.facts.workers?.cores,
    whole.bottleneck?.facts.workers?.cores,
    0.02,
    'cores of the workers',
  );
  const requestsOf = (/** @type {Pick<Report, 'load'>} */ { load }) =>
    load?.seconds.map(({ startMs, requests }) => [startMs, requests]);
  assert.deepEqual(requestsOf(merged), requestsOf(whole));
  const sum = (/** @type {number[]} */ list = []) => list.reduce((all, n) => all + n, 0);
  assert.equal(sum(merged.timeline?.load?.requests), sum(whole.timeline?.load?.requests));
}

test('a load and a recording by two clocks make one run, as if it had been recorded by one', async () => {
  const before = [pair.load, pair.recording].map(listFiles);
  const merged = await merge([pair.load, pair.recording]);
  assertSame(merged);
  const { mergedFrom, host, kind, status, command } = merged.run;
  assert.deepEqual([kind, status], ['load+profile', 'complete']);
  assert.equal(command, 'loadflame tests:profile + loadflame tests:profile');
  assert.equal(host?.cpus, 8, 'of the machine that was recorded');
  assert.deepEqual(
    [mergedFrom?.load, mergedFrom?.recording, mergedFrom?.host.cpus],
    ['a-load', 'a-recording', 2],
  );
  const { from, startMs = 0, endMs, uncertaintyMs = 0 } = mergedFrom?.clock ?? {};
  assert.equal(from, 'companion');
  assert.equal(startMs, endMs);
  assert.ok(Math.abs(startMs - BEHIND_MS) <= (uncertaintyMs ?? 0), `${startMs} ± ${uncertaintyMs}`);
  assert.ok((uncertaintyMs ?? 99) <= 4);
  const clocks = merged.quality.filter(({ id }) => /clock/.test(id));
  assert.deepEqual(
    clocks.map(({ id, level }) => [id, level]),
    [['merged-clock', 'ok']],
  );
  assert.match(
    clocks[0]?.text ?? '',
    /^Load and profile were recorded separately, by two clocks\. All times are in the profile's clock, which was \+37\.\d{3} s ± \d\.\d ms from the load's, by the companion's clock in \d+ responses\.$/,
  );
  assert.deepEqual([pair.load, pair.recording].map(listFiles), before, 'both are only read');
});

test('`report <recording> <load run>` takes ids, in any order, and names the page of the merged run', async () => {
  const args = ['report', 'a-recording', 'a-load', '--profiles', '.'];
  const { exit, stdout, stderr } = await callLoadflame(root, args);
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^Endpoints\n +requests +p95 +failed +CPU/m);
  assert.match(
    stdout,
    /^Quality of the measurement: valid\n! The companion counted no statement or other call (?:.*\n)+?✔ Load and profile were recorded separately/m,
  );
  const [, page = ''] = /^report: (.*-merged-synthetic\/report\.html)$/m.exec(stdout) ?? [];
  assert.match(readFileSync(path.join(root, page), 'utf8'), /^<!doctype html>/);
  assert.match(readFileSync(path.join(root, page), 'utf8'), /which was \+37\.4\d\d s ± /);
});

test('a recording without stacks makes a run with the CPU of the one that has them', async () => {
  const bare = splitRun(root, withoutStacks(run), { behindMs: () => BEHIND_MS, name: 'bare' });
  const merged = await merge([bare.load, bare.recording]);
  assert.equal(merged.profile, null);
  const { cpu, costs, bottleneck, timeline } = whole;
  assertNear(merged.cpu?.perRequest?.value, cpu?.perRequest?.value, 0.01, 'CPU per request');
  assertNear(merged.cpu?.cores ?? undefined, cpu?.cores ?? undefined, 0.02, 'cores');
  assert.equal(merged.bottleneck?.id, bottleneck?.id);
  assert.equal(merged.timeline?.workers.length, timeline?.workers.length);
  for (const { name, cpuMsPerRequest } of costs?.endpoints ?? []) {
    const own = merged.costs?.endpoints.find(one => one.name === name);
    assertNear(own?.cpuMsPerRequest?.value, cpuMsPerRequest?.value, 0.03, name);
  }
  assert.match(merged.cpu?.text ?? '', /No stacks were recorded/);
});

test('on one machine the generator takes CPU from the API, whatever its pid', async () => {
  const bootId = 'of-both';
  const one = makeRun(SPEC);
  Object.assign(one.manifest, { bootId });
  const { load, recording } = splitRun(root, one, { behindMs: () => 0, name: 'one' });
  const generator = run.processes.filter(({ role }) => role === 'generator');
  const [worker] = run.processes.filter(({ role }) => role === 'worker');
  const lines = generator.map(record => `${JSON.stringify({ ...record, pid: worker?.pid })}\n`);
  appendFileSync(runFiles(load).processes, lines.join(''));
  const merged = await merge([load, recording]);
  assertSame(merged);
  assertNear(merged.cpu?.generatorCores ?? 0, whole.cpu?.generatorCores ?? 0, 0.02);
  assertNear(merged.bottleneck?.facts.restCores ?? 0, whole.bottleneck?.facts.restCores ?? 0, 0.2);
});

test('the clock is followed where it drifts', async () => {
  const start = run.manifest.startedAtMs;
  const behindMs = (/** @type {number} */ t) => BEHIND_MS + (t - start) * 0.01;
  const drifting = splitRun(root, run, { behindMs, name: 'drift' });
  const merged = await merge([drifting.load, drifting.recording]);
  assertSame(merged);
  const { startMs = 0, endMs = 0, uncertaintyMs = 0 } = merged.run.mergedFrom?.clock ?? {};
  assert.ok(endMs - startMs > 150 && endMs - startMs < 330, `${startMs} … ${endMs}`);
  assert.ok((uncertaintyMs ?? 99) <= 4);
  assert.match(
    merged.quality.find(({ id }) => id === 'merged-clock')?.text ?? '',
    /\+37\.\d{3} s at the start and \+37\.\d{3} s at the end ± \d/,
  );
});

test('clocks that cannot be compared are used unchanged and make the run doubtful', async () => {
  const silent = splitRun(root, run, { behindMs: () => 40, from: null, name: 'silent' });
  const merged = await merge([silent.load, silent.recording]);
  assert.equal(merged.run.mergedFrom?.clock.from, 'unknown');
  assert.equal(merged.reliability.level, 'doubtful');
  assert.ok(merged.reliability.reasons.some(({ id }) => id === 'merged-clock'));
});

test('times of a load that Artillery sent are used unchanged', async () => {
  const sent = splitRun(root, run, { behindMs: () => 0, name: 'artillery' });
  asArtillery(sent.load);
  const own = (await analyseRun(sent.load)).report;
  const merged = await merge([sent.load, sent.recording]);
  assert.ok(own.load && merged.load && own.timeline?.load);
  assert.equal(merged.run.mergedFrom?.clock.from, 'unknown');
  assert.deepEqual(merged.load.window, own.load.window);
  assert.deepEqual(merged.load.seconds, own.load.seconds);
  assert.deepEqual(merged.timeline?.edgesMs, own.timeline.edgesMs);
  assert.deepEqual(merged.timeline?.load?.requests, own.timeline.load.requests);
  assertNear(merged.profile?.samples.active, whole.profile?.samples.active, 0.02, 'samples');
  assertNear(merged.cpu?.perRequest?.value, whole.cpu?.perRequest?.value, 0.01, 'CPU per request');
});

test('a killed recording makes a partial run, and its leftovers are redacted', async () => {
  const killed = splitRun(root, run, { behindMs: () => BEHIND_MS, name: 'killed' });
  const files = runFiles(killed.recording);
  const manifest = JSON.parse(readFileSync(files.manifest, 'utf8'));
  const status = { status: 'running', pid: 2 ** 22, pidStartTicks: 1 };
  writeFileSync(files.manifest, JSON.stringify({ ...manifest, ...status }));
  const left = 'process 7:"app --api-key hunter2hunter2";thread (0x1): main;f (a.py:1) 1\n';
  writeFileSync(files.segment(99), left);
  const { stdout } = await callLoadflame(root, ['report', killed.load, killed.recording]);
  const page = path.resolve(root, /report: (.*)/.exec(stdout)?.[1] ?? '');
  const report = JSON.parse(readFileSync(path.join(path.dirname(page), 'report.json'), 'utf8'));
  assert.equal(report.run.status, 'partial');
  assert.deepEqual(
    report.run.reasons.map((/** @type {{id: string}} */ { id }) => id),
    ['session-killed'],
  );
  const merged = runFiles(path.join(root, 'profiles', report.run.id));
  assert.match(readFileSync(merged.segment(99), 'utf8'), /--api-key \[redacted\]/);
});

describe('refuses folders that make no run', () => {
  /** @param {string[]} args */
  const fail = async args => {
    const count = listRuns().length;
    const { exit, stderr } = await callLoadflame(root, ['report', ...args]);
    assert.equal(exit, 2);
    assert.equal(listRuns().length, count, 'nothing is left behind');
    return readError(stderr);
  };

  test('two loads, two recordings, and a run that has a profile', async () => {
    const { load, recording } = pair;
    const whole = path.join(root, 'whole');
    const places = [load, recording, whole];
    for (const [first, second] of [
      ...places.map(one => [one, one]),
      ...[load, recording].map(one => [one, whole]),
    ])
      assert.equal((await fail([String(first), String(second)])).code, 'REPORT_NO_PAIR');
    const { message, hint } = await fail([load, whole]);
    assert.match(message ?? '', /a-load is of a load, and \S+whole of a load\+profile: /);
    assert.match(hint ?? '', /loadflame compare/);
    assert.equal((await fail([load, recording, whole])).code, 'REPORT_MIXED');
    assert.equal((await fail([load, runFiles(recording).segments])).code, 'REPORT_MIXED');
  });

  test('a load and a recording at different times', async () => {
    const far = splitRun(root, run, { behindMs: () => 600_000, from: null, name: 'far' });
    const { code, message } = await fail([far.load, far.recording]);
    assert.equal(code, 'REPORT_APART');
    assert.match(message ?? '', /covers \d{4}-\d\d-\d\d \d\d:\d\d:\d\d – .* was sent/);
  });

  test('a clock with an impossible time', async () => {
    const mad = splitRun(root, run, { behindMs: () => 0, name: 'mad' });
    const clock = { t: run.manifest.startedAtMs, kind: 'clock', from: 'companion', answers: 1 };
    const { metrics } = runFiles(mad.load);
    const bounds = { lowMs: -9e12, highMs: 9e12 };
    writeFileSync(
      metrics,
      readFileSync(metrics, 'utf8').replaceAll(/^.*"clock".*\n/gm, () => ''),
    );
    appendFileSync(metrics, `${JSON.stringify({ ...clock, ...bounds })}\n`);
    const merged = await merge([mad.load, mad.recording]);
    assert.equal(merged.reliability.level, 'doubtful', 'give or take 285 years');
    appendFileSync(metrics, `${JSON.stringify({ ...clock, lowMs: 9e12, highMs: 9e12 })}\n`);
    assert.equal((await fail([mad.load, mad.recording])).code, 'REPORT_APART');
  });

  test('another API, by the processes that responded or else by the address', async () => {
    const other = splitRun(root, makeRun({ ...SPEC, durationSec: 6 }), {
      behindMs: () => 0,
      name: 'other',
    });
    const { processes } = runFiles(other.recording);
    writeFileSync(
      processes,
      readFileSync(processes, 'utf8').replaceAll(/"pid":4\d\d\d/g, '"pid":7'),
    );
    const byPid = await fail([other.load, other.recording]);
    assert.equal(byPid.code, 'REPORT_OTHER_TARGET');
    assert.match(byPid.message ?? '', /processes \d+, \d+ responded, and 7 were recorded$/);
    await merge([other.load, other.recording], { sameTarget: true });

    const silent = splitRun(root, makeRun({ ...SPEC, durationSec: 6, companion: false }), {
      behindMs: () => 0,
      name: 'named',
    });
    const name = (/** @type {string} */ folder, /** @type {string} */ target) => {
      const { manifest } = runFiles(folder);
      const known = JSON.parse(readFileSync(manifest, 'utf8'));
      writeFileSync(manifest, JSON.stringify({ ...known, target }));
    };
    name(silent.load, 'https://api.example.com');
    name(silent.recording, 'http://127.0.0.1:8000');
    await merge([silent.load, silent.recording]);
    name(silent.recording, 'http://api.example.com:8000');
    await merge([silent.load, silent.recording]);
    name(silent.recording, 'http://other.example.com');
    const byName = await fail([silent.load, silent.recording]);
    assert.equal(byName.code, 'REPORT_OTHER_TARGET');
    assert.match(byName.message ?? '', /went to https:\/\/api\.example\.com, .* of http:\/\/other/);
  });
});

test('compare accepts merged runs', async () => {
  const merged = listRuns()
    .slice(0, 2)
    .map(id => path.join('profiles', id));
  const { exit, stdout, stderr } = await callLoadflame(root, ['compare', ...merged]);
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /CPU per request/);
});

function listRuns() {
  const profiles = path.join(root, 'profiles');
  return existsSync(profiles) ? readdirSync(profiles).sort() : [];
}

test('calls of a load move to the clock of the recording', async () => {
  const load = path.join(root, 'load-with-calls');
  cpSync(pair.load, load, { recursive: true });
  const fromMs = run.metrics.find(({ kind }) => kind === 'second')?.fromMs - BEHIND_MS;
  const record = {
    ...{ t: fromMs, kind: 'calls', fromMs, endpoint: 'GET /a', worker: '0a1b2c3d.42' },
    ...{ responses: 1, perRequest: [[1, 1]], calls: [['00000001', 1, 1, 500, 1, 0, 1, [[65, 1]]]] },
    databaseMs: { count: 1, sum: 0.5, min: 0.5, max: 0.5, zero: 0, bins: [[-34, 1]] },
    ...{ pool: { count: 0, us: 0 }, more: { count: 0, us: 0 } },
  };
  writeFileSync(runFiles(load).loadCalls, `${JSON.stringify(record)}\n`);
  const { calls, quality } = await merge([load, pair.recording]);
  assert.equal(calls?.statements[0]?.count, 1);
  assert.deepEqual(
    (await unpackCalls(/** @type {any} */ (calls?.table))).map(({ window }) => window),
    [0],
  );
  assert.ok(!quality.some(({ id }) => id === 'torn'));
});
