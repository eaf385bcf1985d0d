/** A real gunicorn whose clock is ahead of ours, loaded by our clock and recorded by its own. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runFiles } from '../../lib/run/run-folder.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { makeScene } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const AHEAD_MS = 37_400;
const COMPANION = path.resolve(import.meta.dirname, '../../companion');
const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases:
    - { name: only, duration: 12, arrivalRate: 12, maxVusers: 20 }
scenarios:
  - flow:
      - get: { url: /json }
      - get: { url: /n-plus-one }
`;
/** All that its processes see of the time, as on a machine with another clock; the profiler has ours. */
const CONF = `
import sys, time
real = time.time
time.time = lambda: real() + ${AHEAD_MS / 1000}
sys.path.append("${COMPANION}")
import loadflame_companion
`;
const TIMES = ['t', 'startMs', 'endMs', 'fromMs', 'startedAtMs', 'endedAtMs'];

for (const [name, companion, leastMs] of /** @type {const} */ ([
  ['the companion tells', '1', 10],
  ['Date headers tell', '0', 500],
])) {
  test(`a clock that is 37.4 s ahead, as ${name}: the merged run is the one that one machine records`, async t => {
    const home = makeTempFolder(t);
    const [script, conf] = ['load.yaml', 'conf.py'].map(file => path.join(home, file));
    writeFileSync(String(script), SCRIPT);
    writeFileSync(String(conf), CONF);
    const env = { LOADFLAME: companion, PYTHONDONTWRITEBYTECODE: '1' };
    const args = ['-c', String(conf), '-k', 'gthread', '--threads', '4'];
    const { url, masterPid } = await startGunicorn(t, { app: 'five_endpoints:app', args, env });
    const scene = makeScene(t, { TARGET: url, SERVER_PID: `${masterPid}` });
    const there = scene.start(['profile', '--profiles', path.join(home, 'there')]);
    await there.waitFor(/samples/);
    const here = scene.test([String(script)]);
    assert.equal(await here.ended, 0, here.output());
    there.signal('SIGINT');
    assert.equal(await there.ended, 0, there.output());
    const load = (await scene.waitForRun()).folder;
    const recording = /report: (.*)\/report\.html/.exec(there.output())?.[1] ?? '';

    const whole = readReport(await report(scene, [joinFolders(home, load, recording)]));
    moveTimes(recording);
    const merged = readReport(await report(scene, [load, recording]));

    const { startMs, uncertaintyMs } = merged.run.mergedFrom.clock;
    t.diagnostic(`${startMs} ± ${uncertaintyMs} ms`);
    assert.ok(Math.abs(startMs - AHEAD_MS) <= uncertaintyMs + 1, `${startMs} ± ${uncertaintyMs}`);
    assert.ok(uncertaintyMs <= leastMs, `± ${uncertaintyMs} ms`);
    assertSame('responses', merged.load.http.responses, whole.load.http.responses);
    const [own, known] = [merged, whole].map(({ bottleneck }) => bottleneck);
    assertNear('CPU', merged.cpu.perRequest.value, whole.cpu.perRequest.value, 0.03);
    assertSame('bottleneck', own?.id, known?.id);
    assert.ok(known?.facts.workers, JSON.stringify(known));
    assertNear('cores', own.facts.workers.cores, known.facts.workers.cores, 0.03);
    assertSame('basis', merged.costs.basis, whole.costs.basis);
    assertSame('endpoints', merged.costs.endpoints.length, whole.costs.endpoints.length);
    for (const own of merged.costs.endpoints) {
      const known = whole.costs.endpoints.find(
        (/** @type {{name: string}} */ one) => one.name === own.name,
      );
      t.diagnostic(`${own.name}: ${own.shareOfCpu.value}, ${known.shareOfCpu.value} of the CPU`);
      assertNear(own.name, own.shareOfCpu.value, known.shareOfCpu.value, 0.05);
      const [ownMs, knownMs] = [own, known].map(({ cpuMsPerRequest }) => cpuMsPerRequest?.value);
      assertNear(own.name, ownMs ?? 0, knownMs ?? 0, 0.05);
    }
  });
}

/** @param {string} what @param {unknown} a @param {unknown} b */
function assertSame(what, a, b) {
  assert.ok(a === b, `${what}: ${a} and not ${b}`);
}

/** @param {string} what @param {number} a @param {number} b @param {number} share */
function assertNear(what, a, b, share) {
  assert.ok(Math.abs(a - b) <= b * share, `${what}: ${a} and not ${b}`);
}

/** @param {ReturnType<typeof makeScene>} scene @param {string[]} folders */
async function report(scene, folders) {
  const command = scene.start(['report', ...folders, '--profiles', scene.root]);
  assert.equal(await command.ended, 0, command.output());
  return /report: (.*)\/report\.html/.exec(command.output())?.[1] ?? '';
}

/** @param {string} folder @returns {any} */
function readReport(folder) {
  return JSON.parse(readFileSync(runFiles(folder).reportJson, 'utf8'));
}

/** As two terminals of one machine leave it. @param {string} home @param {string} load @param {string} recording */
function joinFolders(home, load, recording) {
  const folder = path.join(home, 'joined');
  cpSync(recording, folder, { recursive: true });
  cpSync(path.join(load, 'load'), path.join(folder, 'load'), { recursive: true });
  const { manifest, processes } = runFiles(folder);
  const lines = readFileSync(runFiles(load).processes, 'utf8').match(/.*"role":"generator".*\n/g);
  appendFileSync(processes, lines?.join('') ?? '');
  const text = readFileSync(manifest, 'utf8').replace(
    '"kind": "profile"',
    '"kind": "load+profile"',
  );
  writeFileSync(manifest, text);
  return folder;
}

/** @param {string} folder whose machine's clock is ahead */
function moveTimes(folder) {
  const { manifest, events, segments, calls, processes } = runFiles(folder);
  const move = (/** @type {Record<string, any>} */ record) => {
    for (const name of TIMES) if (typeof record[name] === 'number') record[name] += AHEAD_MS;
    return record;
  };
  writeFileSync(manifest, JSON.stringify(move(JSON.parse(readFileSync(manifest, 'utf8')))));
  for (const file of [events, segments, calls, processes]) {
    const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim().split('\n');
    const moved = lines.filter(Boolean).map(line => `${JSON.stringify(move(JSON.parse(line)))}\n`);
    writeFileSync(file, moved.join(''));
  }
}
