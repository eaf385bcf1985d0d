import assert from 'node:assert/strict';
import { before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer, prepareStart } from '../experiment/study/services/services.js';
import { PATIENCE_MS, waitUntil } from '../helpers/gunicorn.js';
import { needs } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { listProcessesOfGroups } from './helpers.js';
import {
  ownUntilEndOfFile,
  startLoneApi,
  startRedis,
  startRelay,
  startTaskProgram,
} from './redis.js';

const skip = needs('redis-server');
const RELAY_MS = 400;

const owner = ownUntilEndOfFile();
/** @type {Record<string, string>} */
let env;
/** @type {string} */
let api;

before(async () => {
  if (skip) return;
  const redis = await startRedis(owner);
  env = { TASK_QUEUE_URL: redis.url, SMTP_SERVER: await startRelay(owner, RELAY_MS) };
  ({ api } = await startLoneApi(owner, env));
});

/** @typedef {Record<'dispatched' | 'started' | 'completed' | 'inbox' | 'queued' | 'failed', number>} Stats */

/** @param {unknown} body @param {string} [path] */
const post = (body, path = '/tasks') =>
  fetch(`${api}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** @returns {Promise<Stats>} */
const readStats = async () =>
  /** @type {Stats} */ (await (await fetch(`${api}/tasks/stats`)).json());

/** @param {(stats: Stats) => boolean} isReached @returns {Promise<Stats>} */
async function waitForStats(isReached) {
  const deadlineMs = Date.now() + PATIENCE_MS;
  let stats = await readStats();
  while (!isReached(stats)) {
    assert.ok(Date.now() < deadlineMs, JSON.stringify(stats));
    await sleep(50);
    stats = await readStats();
  }
  return stats;
}

test('tasks wait in the queue until workers do them, and every step is counted', {
  skip,
}, async t => {
  const one = await post({ kind: 'noop' });
  assert.deepEqual([one.status, await one.json()], [202, { accepted: 1 }]);
  const many = await post({ kind: 'noop', ms: 1 }, '/tasks?count=46');
  assert.deepEqual(await many.json(), { accepted: 46 });
  // to a mail server; what it refuses would be a failure
  await post({ kind: 'email' }, '/tasks?count=3');
  const waiting = { dispatched: 50, started: 0, completed: 0, inbox: 0, queued: 50, failed: 0 };
  assert.deepEqual(await readStats(), waiting);

  const program = await startTaskProgram(t, 'worker', { ...env, TASK_WORKERS: '3' });
  const list = () => listProcessesOfGroups([program.pid]).sort();
  await waitUntil(() => list().length === 4);
  const before = list();
  const stats = await waitForStats(({ completed }) => completed === 50);
  assert.deepEqual(stats, { ...waiting, started: 50, completed: 50, queued: 0 });
  // no fork for a task, and none left behind
  assert.equal(before.length, 4);
  assert.deepEqual(list(), before);
  await program.stop();
  assert.deepEqual(list(), []);
});

test('an e-mail is sent before the response or by a worker; DELETE drops the waiting ones', {
  skip,
}, async () => {
  const startedAtMs = performance.now();
  const inline = await post({}, '/emails?mode=inline');
  assert.deepEqual([inline.status, await inline.json()], [200, { sent: true }]);
  assert.ok(performance.now() - startedAtMs >= RELAY_MS);
  const queued = await post({}, '/emails?mode=queued');
  assert.deepEqual([queued.status, await queued.json()], [202, { sent: false }]);
  const before = await readStats();
  assert.equal(before.queued, 1);
  assert.equal((await fetch(`${api}/tasks`, { method: 'DELETE' })).status, 204);
  assert.deepEqual(await readStats(), { ...before, queued: 0 });
});

test('an invalid task or e-mail is 400 with the allowed values', { skip }, async () => {
  const cases = /** @type {[unknown, string, RegExp][]} */ ([
    [[], '/tasks', /^The body is no JSON object/],
    [{ kind: 'x' }, '/tasks', /^kind is none of noop, email/],
    [{ kind: ['noop'] }, '/tasks', /^kind is none of noop, email/],
    [{ kind: 'noop', ms: -1 }, '/tasks', /^ms is no whole number from 0 to 60000/],
    [{ kind: 'noop', ms: true }, '/tasks', /^ms is no whole number/],
    [{ kind: 'noop' }, '/tasks?count=0', /^count is no whole number from 1 to 10000/],
    [{}, '/emails?mode=later', /^mode is none of inline, queued/],
  ]);
  for (const [body, path, message] of cases) {
    const answer = await post(body, path);
    assert.equal(answer.status, 400, path);
    assert.match(/** @type {{message: string}} */ (await answer.json()).message, message);
  }
});

/** Everything on a PostgreSQL of its own. @param {import('node:test').TestContext} t @param {Record<string, string>} settings */
async function startOnPostgres(t, settings) {
  const { ports, start } = await prepareStart(t, ['postgres']);
  await start([findServer('postgres')]);
  const at = `127.0.0.1:${ports.postgres}`;
  const DATABASE_URL = `postgresql+psycopg://postgres@${at}/postgres`;
  const all = { ...env, ...settings, DATABASE_URL };
  ({ api } = await startLoneApi(t, all));
  return all;
}

test('with a manager no task reaches a worker but through it, and none has a resource that another has', {
  skip: skip || needs('initdb', 'postgres'),
}, async t => {
  const settings = await startOnPostgres(t, { TASK_HANDOUT: 'manager' });
  const before = await readStats();
  await post({ kind: 'noop' }, '/tasks?count=100');
  assert.deepEqual(await readStats(), {
    ...before,
    dispatched: before.dispatched + 100,
    inbox: 100,
  });

  // nobody does them, so nothing is free again: of 128 resources 64 tasks at most have two each
  await startTaskProgram(t, 'manager', settings);
  await waitForStats(({ queued }) => queued > 0);
  let stuck = await readStats();
  for (let last = -1; last !== stuck.queued; stuck = await readStats()) {
    last = stuck.queued;
    await sleep(500);
  }
  assert.ok(stuck.queued <= 64 && stuck.inbox >= 35, JSON.stringify(stuck));

  await startTaskProgram(t, 'worker', settings);
  const done = await waitForStats(({ completed }) => completed === before.completed + 100);
  assert.deepEqual([done.inbox, done.queued, done.failed], [0, 0, before.failed]);
});

test('workers that fetch tasks themselves do each once, without a dispatcher', {
  skip: skip || needs('initdb', 'postgres'),
}, async t => {
  const settings = await startOnPostgres(t, { TASK_HANDOUT: 'locks', TASK_WORKERS: '4' });
  const before = await readStats();
  await post({ kind: 'noop', ms: 5 }, '/tasks?count=60');
  const waiting = await readStats();
  assert.deepEqual([waiting.queued, waiting.inbox], [60, 0]);
  const program = await startTaskProgram(t, 'worker', settings);
  const done = await waitForStats(
    ({ queued, completed }) => queued === 0 && completed >= before.completed + 60,
  );
  await sleep(200);
  const last = await readStats();
  assert.deepEqual(
    [last.started, last.completed, last.failed],
    [before.started + 60, done.completed, before.failed],
  );
  assert.equal(last.completed, before.completed + 60);
  const list = () => listProcessesOfGroups([program.pid]);
  // four, the one that started them, and Python's own keeper of what they share
  assert.ok(list().length >= 5, `${list()}`);
  await program.stop();
  await waitUntil(() => list().length === 0);
});
