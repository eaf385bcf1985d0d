import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../demo/program.js';
import { startApi } from '../../demo/start-api.js';
import { findFreePort } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { ownUntilEndOfFile, PYTHON, startLoneApi } from './redis.js';

const owner = ownUntilEndOfFile();
const PYTHONPATH = fileURLToPath(new URL('../../demo/api', import.meta.url));

/** @param {string} api how long five requests at once take that each wait for 400 ms */
async function askFiveAtOnce(api) {
  const startedAtMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(`${api}/health`)));
  for (const { status } of answers) assert.equal(status, 200);
  return performance.now() - startedAtMs;
}

for (const [workerClass, isConcurrent] of /** @type {[string, boolean][]} */ ([
  ['gthread', true],
  ['gevent', true],
  ['sync', false],
]))
  test(`a ${workerClass} worker serves ${isConcurrent ? 'several requests' : 'one request'} at a time`, async t => {
    const { api } = await startLoneApi(t, {
      GUNICORN_WORKER_CLASS: workerClass,
      DEMO_SLOW_QUERY_MS: '400',
    });
    const tookMs = await askFiveAtOnce(api);
    if (isConcurrent) assert.ok(tookMs < 1600, `${tookMs} ms`);
    else assert.ok(tookMs >= 2000, `${tookMs} ms`);
  });

/** On two addresses, without provider and Redis. @type {string} */
let api;
/** @type {string[]} */
let origins;
before(async () => {
  const ports = [await findFreePort(), await findFreePort()];
  const addresses = ports.map(port => `127.0.0.1:${port}`);
  origins = addresses.map(address => `http://${address}`);
  const env = { GUNICORN_BIND: `${addresses}`, CONTENT_ORIGINS: `${origins}` };
  ({ api } = await startLoneApi(owner, env));
});

test('gunicorn listens on each of several addresses, and links take turns with them', async () => {
  for (const origin of origins) {
    const page = await (await fetch(`${origin}/api/v1/content/`)).text();
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link]) => String(link));
    assert.equal(links.length, 10);
    for (const [i, link] of links.entries()) assert.ok(link.startsWith(String(origins[i % 2])));
  }
});

test('without provider and Redis the API starts, and what needs them says which setting is missing', async () => {
  assert.equal((await fetch(`${api}/health`)).status, 200);
  assert.equal((await fetch(`${api}/offices/`)).status, 401);
  const task = { method: 'POST', headers: { 'content-type': 'application/json' } };
  for (const [path, init, setting] of /** @type {[string, RequestInit, RegExp][]} */ ([
    ['/offices/', { headers: { authorization: 'Bearer x' } }, /OIDC_ISSUER is not set/],
    ['/tasks', { ...task, body: '{"kind": "noop"}' }, /TASK_QUEUE_URL is not set/],
    ['/tasks/stats', {}, /TASK_QUEUE_URL is not set/],
    ['/emails?mode=queued', { method: 'POST' }, /TASK_QUEUE_URL is not set/],
    ['/emails?mode=inline', { method: 'POST' }, /SMTP_SERVER is not set/],
  ])) {
    const answer = await fetch(`${api}${path}`, init);
    assert.equal(answer.status, 503);
    assert.match(/** @type {{message: string}} */ (await answer.json()).message, setting);
  }
});

test('waitress serves the same application on a database that was seeded before', async t => {
  const dir = makeTempFolder(t);
  const port = await findFreePort();
  const env = { PYTHONPATH, DATABASE_URL: `sqlite:///${join(dir, 'demo.sqlite')}` };
  const seeded = spawnSync(PYTHON, ['-m', 'queue_management.seed'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  assert.equal(seeded.status, 0, seeded.stderr);
  const args = ['-m', 'waitress', `--listen=127.0.0.1:${port}`, 'queue_management.wsgi:app'];
  const logFile = join(dir, 'log');
  const program = await startProgram('waitress', PYTHON, args, { env, logFile });
  t.after(program.stop);
  await program.waitFor(async log => /Serving on/.test(log) || undefined, 20_000);
  const url = `http://127.0.0.1:${port}/api/v1/content/shelf-01/item-001`;
  assert.equal((await fetch(url, { redirect: 'manual' })).status, 302);
});

test('half an identity provider is refused at the start, with the setting that is missing', async t => {
  const dir = makeTempFolder(t);
  const options = { auth: 'cached', python: PYTHON, dir, issuer: 'http://127.0.0.1:9' };
  await assert.rejects(startApi(options), /OIDC_CLIENT_SECRET is not set/);
});
