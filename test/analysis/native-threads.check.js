/** Threads without Python in a real gunicorn: their CPU is not the web server's. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
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
