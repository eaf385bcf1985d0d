/** Threads without Python in a real gunicorn: their CPU is not the web server's. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readThreadTimes } from '../../../lib/base/process/process-table.js';
import { listWorkers } from '../../../lib/record/target/process-family.js';
import { FIXTURES, startGunicorn } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { runLoadflame } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../../companion/loadflame_companion.py');

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
    /** @type {import('../../../lib/run/facts/report.d.ts').Report} */
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

/** CPU time of a process, with that of its ended threads. @param {number} pid @returns {number} ms */
function readProcessMs(pid) {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = rest.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

for (const [users, server] of /** @type {const} */ ([
  [1, ['-k', 'sync']],
  [4, ['-k', 'gthread', '--threads', '4']],
]))
  test(`CPU of threads that end is of the requests that started them, or of none (${server[1]})`, async t => {
    const { url, masterPid } = await startGunicorn(t, {
      workers: 1,
      app: 'native_app:app',
      args: ['-c', COMPANION, ...server],
      env: { LOADFLAME: '1' },
    });
    const [worker = 0] = listWorkers(masterPid);
    const folder = makeTempFolder(t);
    const script = path.join(folder, 'script.yaml');
    const flow = '[{ get: { url: /ended } }, { get: { url: /plain } }]';
    writeFileSync(script, `config: { target: "${url}" }\nscenarios: [{ flow: ${flow} }]\n`);
    const load = ['test', script, '--users', String(users), '--duration', '8s', '--profile'];
    const beforeMs = readProcessMs(worker);
    const { exit, stderr } = await runLoadflame(folder, load, {
      ...{ TARGET: url, SERVER_PID: String(masterPid), PROFILER: 'py-spy' },
    });
    const usedMs = readProcessMs(worker) - beforeMs;
    assert.equal(exit, 0, stderr);
    const [run = ''] = readdirSync(path.join(folder, 'profiles'));
    const text = readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8');
    /** @type {import('../../../lib/run/facts/report.d.ts').Report} */
    const { profile, costs } = JSON.parse(text);
    const rowOf = (/** @type {string} */ name) =>
      costs?.endpoints.find(row => row.name === name) ?? assert.fail(text.slice(0, 2000));
    const [ended, plain] = [rowOf('GET /ended'), rowOf('GET /plain')];
    const shareOf = (/** @type {string} */ id) =>
      profile?.categories.find(one => one.id === id)?.share.value ?? 0;
    const trueMs = usedMs / (ended.requests ?? 0);
    assert.ok(shareOf('native') > 0.4, `${shareOf('native')} of threads without Python`);
    assert.ok(shareOf('server') < 0.3, `${shareOf('server')} of the server`);
    if (users > 1) {
      assert.equal(ended.cpuMsPerRequest, null);
      assert.ok((ended.leastMsPerRequest ?? Infinity) < 0.7 * trueMs, JSON.stringify(ended));
      assert.ok((costs?.unattributed?.nativeShare ?? 0) > 0.4, JSON.stringify(costs?.unattributed));
      return;
    }
    const [endedMs, plainMs] = [ended, plain].map(row => row.cpuMsPerRequest?.value ?? 0);
    const both = (endedMs ?? 0) + (plainMs ?? 0);
    assert.ok(Math.abs(both / trueMs - 1) < 0.15, `${both} ms reported, ${trueMs} true`);
    assert.ok((plainMs ?? 0) < 0.35 * both, `${plainMs} of ${both} ms, though it takes 4`);
    assert.ok(ended.byCategory.some(({ category, share }) => category === 'native' && share > 0.5));
    assert.match(text, /native threads in strfry \(native_app\.py\)|"strfry \(native_app\.py\)"/);
  });
