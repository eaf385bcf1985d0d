import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startDemo } from '../../demo/start.js';
import { startApi } from '../../demo/start-api.js';
import { readStartMs, readStat } from '../../lib/base/process/process-table.js';
import { measureTree } from '../../research/bench/measure-tree.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { test as quietTest } from '../helpers/quiet.js';
import { listProcessesOfGroups } from './helpers.js';

const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));

test('the demo starts with its workers, the API before the provider is ready, no secret in a command line; stop leaves no process and no folder', async () => {
  const demo = await startDemo({ auth: 'cached', workers: 3 });
  const groups = [demo.gunicornPid, demo.providerPid];
  try {
    assert.equal(listProcessesOfGroups([demo.gunicornPid]).length, 4);
    assert.equal(listProcessesOfGroups([demo.providerPid]).length, 1);
    assert.equal((await readFile(demo.pidFile, 'utf8')).trim(), String(demo.gunicornPid));
    const controlSocket = join(dirname(demo.pidFile), 'gunicorn.ctl');
    await waitUntil(() => existsSync(controlSocket));
    assert.ok(existsSync(controlSocket));
    assert.equal(demo.env.TARGET, demo.apiUrl);
    const { mtimeMs: readyMs } = statSync(join(dirname(demo.pidFile), 'oidc-provider.log'));
    assert.ok((readStartMs(demo.gunicornPid) ?? Infinity) < readyMs);
    const found = await fetch(`${demo.issuer}/.well-known/openid-configuration`);
    const { issuer } = /** @type {{issuer: string}} */ (await found.json());
    assert.equal(issuer, demo.issuer, 'the address that the API knows');
    assert.equal(new Set(demo.users.map(({ password }) => password)).size, demo.users.length);
    for (const pid of listProcessesOfGroups(groups)) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
      for (const { password } of demo.users) assert.ok(!command.includes(password));
      assert.ok(!command.includes(demo.env.OIDC_CLIENT_SECRET ?? '-'));
    }
  } finally {
    await Promise.all([demo.stop(), demo.stop()]);
  }
  assert.deepEqual(listProcessesOfGroups(groups), []);
  assert.equal(existsSync(dirname(demo.pidFile)), false);
});

quietTest('a stop does not wait for connections that clients keep', async () => {
  const demo = await startDemo({ auth: 'cached', workers: 1 });
  const agent = new Agent({ keepAlive: true });
  const readEndedMs = () => readStat(process.pid)?.childCpuMs ?? 0;
  const listUsage = () => [demo.gunicornPid, demo.providerPid].map(pid => measureTree(pid).cpuMs);
  let beganMs = 0;
  let cpuMs = 0;
  try {
    await new Promise((resolve, reject) => {
      const asked = get(`${demo.apiUrl}/api/v1/health`, { agent }, response =>
        response.resume().once('end', resolve),
      );
      asked.once('error', reject);
    });
  } finally {
    cpuMs = listUsage().reduce((sum, ms) => sum - ms, -readEndedMs());
    beganMs = Date.now();
    await demo.stop();
    agent.destroy();
  }
  const stoppedMs = Date.now() - beganMs;
  assert.ok(stoppedMs < 1500, `${stoppedMs} ms`);
  cpuMs += readEndedMs();
  assert.ok(cpuMs < 150, `${cpuMs} ms of CPU, which others would have to leave it`);
});

test('kill -9 of the process that started the demo leaves no process', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'demo-test-'));
  t.after(() => rm(dir, { recursive: true, maxRetries: 5 }));
  const script = fileURLToPath(new URL('fixtures/start-and-wait.js', import.meta.url));
  const parent = spawn(process.execPath, [script, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  /** @type {number[]} */
  const groups = JSON.parse(String(line));
  t.after(() => {
    for (const pid of listProcessesOfGroups(groups)) process.kill(pid, 'SIGKILL');
  });
  assert.ok(listProcessesOfGroups(groups).length >= 4);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await waitUntil(() => listProcessesOfGroups(groups).length === 0);
  assert.deepEqual(listProcessesOfGroups(groups), []);
});

test('an abort signal stops a demo that runs, and a folder that was given stays', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'demo-test-'));
  t.after(() => rm(dir, { recursive: true }));
  const controller = new AbortController();
  const demo = await startDemo({ auth: 'cached', workers: 1, dir, signal: controller.signal });
  controller.abort();
  await demo.stop();
  assert.deepEqual(listProcessesOfGroups([demo.gunicornPid, demo.providerPid]), []);
  assert.ok(existsSync(join(dir, 'queue-management.sqlite')));
  assert.match(await readFile(demo.logFiles.access, 'utf8'), /GET \/api\/v1\/health HTTP/);
});

test('an abort signal while it starts rejects with the reason', async () => {
  const starting = startDemo({ auth: 'cached', signal: AbortSignal.timeout(300) });
  await assert.rejects(starting, { name: 'TimeoutError' });
});

test('an unknown auth mode is refused with the allowed ones', async () => {
  // @ts-expect-error: a value that no type checker stopped
  await assert.rejects(startDemo({ auth: 'magic' }), error => {
    const { message, hint } = /** @type {Error & {hint: string}} */ (error);
    assert.match(message, /"magic"/);
    assert.equal(hint, 'use introspect, decode, cached');
    return true;
  });
});

test('the API itself refuses an unknown DEMO_AUTH, and the error shows why', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'demo-test-'));
  t.after(() => rm(dir, { recursive: true }));
  const options = { auth: 'magic', python: PYTHON, dir, issuer: 'http://127.0.0.1:9', secret: 's' };
  await assert.rejects(
    startApi(options),
    /ended while it was starting[\s\S]*DEMO_AUTH=magic is unknown; allowed are introspect, decode, cached/,
  );
});

test('a missing venv says what to run', async () => {
  await assert.rejects(startDemo({ python: '/nonexistent/python' }), {
    message: "the demo's Python is missing: /nonexistent/python",
    hint: 'run: node scripts/run.js',
  });
});
