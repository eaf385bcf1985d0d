/** Each remedy of the companion, quickly, in one process. What they leave alone: remedies.check.js. */
import assert from 'node:assert/strict';
import https from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import { readCertificate } from '../helpers/certificates.js';
import { FIXTURES } from '../helpers/gunicorn.js';
import { listen } from '../helpers/listen.js';
import { runRemedy, startRemedy } from '../helpers/remedy.js';

const CA = path.join(FIXTURES, 'tls/ca.crt');

/** A service that says how often it was asked, and over how many connections. @param {import('node:test').TestContext} t */
async function startOther(t) {
  const facts = { active: true, requests: 0, connections: 0 };
  const server = https.createServer(readCertificate('server'), (request, response) => {
    facts.requests++;
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(facts));
  });
  server.on('secureConnection', () => facts.connections++);
  return { env: { OTHER: await listen(t, server), CA }, facts };
}

/** @param {string} call of a test client of Flask, five times @param {string} [app] */
const askFive = (call, app = 'remedy_app') =>
  `from ${app} import app\nclient = app.test_client()\nprint(json.dumps([client.${call}.get_json() for _ in range(5)]))`;

test('TLS contexts with the same set-up load certificates once', async t => {
  const { env, facts } = await startOther(t);
  const { acted, replaced } = await runRemedy(
    'tls-context-per-request',
    askFive('get("/httpx")'),
    env,
  );
  assert.deepEqual([acted, replaced], [4, ['ssl.SSLContext.__new__']]);
  assert.equal(facts.connections, 5);
});

test('HTTP clients with the same options share a connection', async t => {
  const { env, facts } = await startOther(t);
  const { acted } = await runRemedy('http-client-per-request', askFive('get("/httpx")'), env);
  assert.deepEqual([acted, facts.requests, facts.connections], [4, 5, 1]);
});

test('keeps the introspection of a token', async t => {
  const { env, facts } = await startOther(t);
  const call = 'get("/introspect/httpx", headers={"x-token": "ada"})';
  const { acted } = await runRemedy('remote-introspection:60', askFive(call), env);
  assert.deepEqual([acted, facts.requests], [4, 1]);
});

test('loads a relation with its query', async () => {
  const call = askFive('get("/orders")', 'relation_app');
  const { acted, output } = await runRemedy('lazy-loading:Order.items', call);
  assert.deepEqual([acted, output[0].queries], [5, 2 + 60]);
});

test('loads the relation that a report names, in queries for another class', async () => {
  for (const [at, first, later] of [
    ['/chosen', 1 + 1 + 60, 1 + 1 + 1],
    ['/joined', 1 + 60, 1 + 1],
    ['/orders', 1 + 20 + 60, 1 + 20 + 20],
  ]) {
    const call = askFive(`get("${at}")`, 'relation_app');
    const { acted, output } = await runRemedy('lazy-loading:Item.product', call);
    const sent = output.map((/** @type {{queries: number}} */ { queries }) => queries);
    assert.deepEqual(sent, [first, later, later, later, later], String(at));
    assert.equal(acted, 4);
    assert.deepEqual(output[1].items, output[0].items);
  }
});

test("writes no line of gunicorn's access log", async () => {
  const { acted, replaced } = await runRemedy(
    'access-log',
    `from gunicorn.config import Config
from gunicorn.glogging import Logger
config = Config()
config.set("accesslog", "-")
Logger(config).access(None, None, {}, None)`,
  );
  assert.deepEqual([acted, replaced], [1, ['gunicorn.glogging.Logger.access']]);
});

test('its lines carry the token of the run that asked for it', async () => {
  const { log } = await runRemedy('access-log', '', { LOADFLAME_REMEDY_TOKEN: 'abc123' });
  assert.match(log, /^loadflame remedy abc123 \{"remedy": "access-log", /m);
});

test('refuses an unknown remedy, or one without an active companion, with a reason', async () => {
  /** @param {string} remedy @param {Record<string, string>} [env] */
  const refuse = async (remedy, env) => (await runRemedy(remedy, '', env)).refused;
  const [unknown, value, inactive] = await Promise.all([
    refuse('no-such-cause'),
    refuse('access-log:5'),
    refuse('access-log', { LOADFLAME: '' }),
  ]);
  assert.match(unknown, /no such remedy; the remedies are tls-context-per-request, /);
  assert.match(value, /takes no value, but got '5'/);
  assert.match(inactive, /LOADFLAME=1 is not in its environment/);
});

test('garbage collections change in each worker with its first one in a request', async t => {
  const [freeze, threshold] = await Promise.all(
    ['gc-freeze', 'gc-threshold:50000'].map(async remedy => {
      const { ask, end } = await startRemedy(t, remedy, { app: 'collector_app:app' });
      const asked = [await ask('/'), await ask('/')];
      return { asked, ...(await end()) };
    }),
  );
  const live = freeze?.asked.map(({ frozen }) => frozen > 50_000);
  assert.deepEqual(live, [true, true]);
  assert.deepEqual(
    threshold?.asked.map(({ first }) => first),
    [50_000, 50_000],
  );
  assert.deepEqual([freeze?.acted, freeze?.replaced], [1, ['full collections of all objects']]);
  assert.equal(threshold?.acted, 1);
  assert.match(threshold?.replaced[0] ?? '', /^the threshold \d+$/);
  const { refused } = await runRemedy('gc-threshold:often', '');
  assert.match(
    refused,
    /takes a number of allocations, such as gc-threshold:50000, but got 'often'/,
  );
});
