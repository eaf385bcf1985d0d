/** Remedies of the companion in an app under gunicorn, with httpx and requests. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { findPython } from '../../research/shares/start-server.js';
import { readCertificate } from '../helpers/certificates.js';
import { FIXTURES } from '../helpers/gunicorn.js';
import { listen } from '../helpers/listen.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { runRemedy, startRemedy } from '../helpers/remedy.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const CA = path.join(FIXTURES, 'tls/ca.crt');
const MODULES = ['flask', 'gunicorn', 'httpx', 'requests'];
const skip = needsModules(...MODULES);

/** A service that reports the cookies and the connection of a request. @param {import('node:test').TestContext} t */
async function startOther(t) {
  let connections = 0;
  const server = https.createServer(readCertificate('server'), (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ cookie: request.headers.cookie ?? '', connections }));
  });
  server.on('secureConnection', () => connections++);
  const OTHER = await listen(t, server);
  return { env: { OTHER, CA }, count: () => connections };
}

test('TLS contexts with the same set-up load certificates once per process', {
  skip,
}, async t => {
  const { env } = await startOther(t);
  const { ask, end } = await startRemedy(t, 'tls-context-per-request', { modules: MODULES, env });
  for (let times = 0; times < 5; times++)
    for (const at of ['/httpx', '/requests', '/changed'])
      assert.equal('connections' in (await ask(at)), true, at);
  // what one caller trusts, or changes, is no other's
  assert.deepEqual(await ask('/httpx?trust=default'), { failed: 'ConnectError' });
  assert.deepEqual(await ask('/requests?trust=default'), { failed: 'SSLError' });
  assert.equal('connections' in (await ask('/httpx?trust=nothing')), true);
  assert.deepEqual(await ask('/httpx?trust=default'), { failed: 'ConnectError' });
  const { acted, replaced, left, refused } = await end();
  assert.deepEqual([replaced, left, refused], [['ssl.SSLContext.__new__'], [], null]);
  // of 5 contexts of each kind the first one loads them
  assert.ok(acted >= 12 && acted <= 20, `${acted}`);
});

test('HTTP clients with the same options share connections, but no cookies', { skip }, async t => {
  const { env, count } = await startOther(t);
  const { ask, end } = await startRemedy(t, 'http-client-per-request', { modules: MODULES, env });
  for (const at of ['/httpx', '/requests'])
    for (let times = 0; times < 5; times++) {
      const { cookie } = await ask(`${at}?cookie=${times}`);
      assert.equal(cookie, `own=${times}`);
    }
  assert.equal(count(), 2);
  assert.deepEqual(await ask('/httpx?trust=default'), { failed: 'ConnectError' });
  assert.deepEqual(await ask('/requests?trust=default'), { failed: 'SSLError' });
  assert.equal('connections' in (await ask('/requests?trust=nothing')), true);
  assert.deepEqual(await ask('/requests?trust=default'), { failed: 'SSLError' });
  const { acted, left, refused } = await end();
  assert.deepEqual([left, refused], [[], null]);
  assert.ok(acted >= 8 && acted <= 10, `${acted}`);
});

test('gunicorn writes no access log', { skip }, async t => {
  const file = path.join(makeTempFolder(t), 'access.log');
  const { ask, end } = await startRemedy(t, 'access-log', { args: ['--access-logfile', file] });
  for (let times = 0; times < 5; times++) await ask('/ready');
  const { acted, replaced } = await end();
  assert.ok(acted >= 5, `${acted}`);
  assert.deepEqual(replaced, ['gunicorn.glogging.Logger.access']);
  assert.equal(readFileSync(file, 'utf8'), '');
});

test('agents do not start: their switches are set, and Sentry is left out', {
  skip: needsModules('sentry_sdk', 'opentelemetry.trace'),
}, async () => {
  const code = `
import sentry_sdk
import opentelemetry.trace
from opentelemetry.sdk.trace import TracerProvider
with sentry_sdk.init("http://key@127.0.0.1:9/1", traces_sample_rate=1.0):
    active = sentry_sdk.get_client().is_active()
tracer = TracerProvider().get_tracer("test")
print(json.dumps([active, tracer.start_span("one").is_recording()]))`;
  const python = findPython(['sentry_sdk', 'opentelemetry.trace']);
  const { acted, replaced, output } = await runRemedy('observability-off', code, {}, python);
  assert.deepEqual(output, [false, false]);
  assert.deepEqual(replaced.toSorted(), [
    'opentelemetry.trace with OTEL_SDK_DISABLED=true',
    'sentry_sdk.init',
  ]);
  assert.equal(acted, 2);
});
