import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { tieNative } from '../../lib/analysis/profile/native-threads.js';
import { createRandom } from '../../lib/math/random.js';
import { readThreadTimes } from '../../lib/process/process-table.js';
import { listWorkers } from '../../lib/target/process-family.js';
import { FIXTURES, startGunicorn } from '../helpers/gunicorn.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');

for (const companion of ['1', '0']) {
  test(`CPU of threads without Python is no work of the web server (companion ${companion})`, async t => {
    const { url, masterPid } = await startGunicorn(t, {
      workers: 1,
      app: 'native_app:app',
      args: ['-c', COMPANION],
      env: { LOADFLAME: companion },
    });
    const [worker = 0] = listWorkers(masterPid);
    const folder = makeTempFolder(t);
    const mainMs = () => readThreadTimes(worker).find(({ tid }) => tid === worker)?.runMs ?? 0;
    const before = mainMs();
    const load = ['test', path.join(FIXTURES, 'native-load.yaml'), '--profile'];
    const env = { TARGET: url, SERVER_PID: String(masterPid), PROFILER: 'py-spy' };
    const { exit, stderr } = await runLoadflame(folder, load, env);
    const pythonMs = mainMs() - before;
    // On a busy machine arrivals are dropped, which is 5.
    assert.ok(exit === 0 || exit === 5, stderr);
    const [run = ''] = readdirSync(path.join(folder, 'profiles'));
    const text = readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8');
    /** @type {import('../../lib/facts/report.d.ts').Report} */
    const { profile, cpu, costs } = JSON.parse(text);
    const shareOf = (/** @type {string} */ id) =>
      profile?.categories.find(one => one.id === id)?.share.value ?? 0;
    const workersMs = cpu?.workersMs ?? 0;
    const nativeShare = 1 - pythonMs / workersMs;
    assert.ok(nativeShare > 0.5, `the app has its work done by another thread: ${nativeShare}`);
    assert.ok(
      Math.abs(shareOf('native') - nativeShare) < 0.12,
      `${shareOf('native')} reported, ${nativeShare} true`,
    );
    assert.ok(
      shareOf('server') < 0.9 * (1 - nativeShare) + 0.05,
      `${shareOf('server')} of the server`,
    );
    const inside = costs?.endpoints.find(({ name }) => name === 'GET /native');
    if (companion === '1') assert.ok((inside?.shareOfCpu.value ?? 0) > 0.6, JSON.stringify(inside));
  });
}

const grid = {
  edgesMs: Array.from({ length: 25 }, (_, n) => n * 1000),
  basis: /** @type {const} */ ('seconds'),
};
const rate = (/** @type {string} */ name, /** @type {(at: number) => number} */ of) => {
  const perWindow = Array.from({ length: 24 }, (_, at) => of(at));
  return { name, requests: perWindow.reduce((sum, n) => sum + n, 0), perWindow };
};
/** Native threads of a process since a second before the load. @param {(at: number) => number} of CPU-ms in a second */
const spending = (of, idleMs = 0) => [
  {
    ...{ pid: 1, sinceMs: -1000, libraries: [] },
    cpuMsOf: (/** @type {number} */ startMs) => idleMs + (startMs < 0 ? 0 : of(startMs / 1000)),
  },
];
// 40 ms for each request, and a little of chance
const follows = (/** @type {ReturnType<typeof rate>} */ { perWindow }) =>
  spending(at => 40 * (perWindow[at] ?? 0) + (at % 3));

test('native CPU is of the endpoint whose requests it follows', () => {
  const [a, b] = [rate('GET /a', at => 3 + (at % 5)), rate('GET /b', at => 3 + (at % 7))];
  const [own, other] = tieNative(follows(a), grid, { endpoints: [a, b] }, ['GET /a', 'GET /b'], 0);
  assert.ok(own && Math.abs(own.value - 40) < 2, JSON.stringify(own));
  assert.equal(other, null);
});

test('native CPU is of no endpoint where several move alike', () => {
  const [a, b] = [rate('GET /a', at => 3 + (at % 5)), rate('GET /b', at => 3 + (at % 5))];
  const ties = tieNative(follows(a), grid, { endpoints: [a, b] }, ['GET /a', 'GET /b'], 0);
  assert.deepEqual(ties, [null, null]);
});

test('native threads that spin after calls are all of the endpoint that calls', () => {
  const random = createRandom(3);
  const poisson = () => Array.from({ length: 20 }, () => random() < 0.25).filter(Boolean).length;
  const [a, b] = [rate('GET /a', poisson), rate('GET /b', poisson)];
  // 60 ms in the second of a call and 20 in the next one; calls that come close together share the spinning
  const spent = a.perWindow.map(
    (n, at) => 60 * n * (1 - 0.03 * n) + 20 * (a.perWindow[at - 1] ?? 0) + 40 * random(),
  );
  const native = spending(at => spent[at] ?? 0);
  const [own, other] = tieNative(native, grid, { endpoints: [a, b] }, ['GET /a', 'GET /b'], 0);
  const mean = spent.reduce((sum, ms) => sum + ms, 0) / a.requests;
  assert.ok(own && Math.abs(own.value / mean - 1) < 0.06, `${JSON.stringify(own)}, true ${mean}`);
  assert.equal(other, null);
});

test('native CPU that was there before the load is of no endpoint', () => {
  const a = rate('GET /a', at => 3 + (at % 5));
  const native = spending(at => 40 * (a.perWindow[at] ?? 0) + (at % 3), 300);
  const [own] = tieNative(native, grid, { endpoints: [a] }, ['GET /a'], 0);
  assert.ok(own && Math.abs(own.value - 40) < 2, JSON.stringify(own));
});
