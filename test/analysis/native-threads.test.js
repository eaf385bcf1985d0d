import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { tieNative } from '../../lib/analysis/profile/native-threads.js';
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
const follows = (/** @type {ReturnType<typeof rate>} */ { perWindow }) => [
  {
    pid: 1,
    sinceMs: 0,
    libraries: [],
    // 40 ms for each request, and a little of chance
    cpuMsOf: (/** @type {number} */ startMs) =>
      40 * (perWindow[startMs / 1000] ?? 0) + ((startMs / 1000) % 3),
  },
];

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
