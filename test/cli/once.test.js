import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const PASSWORD = 'hunter2-hunter2';
/** Only the header in which it is sent says that it is secret. */
const SENT = 'some-words-of-a-key';

/** @param {import('node:test').TestContext} t */
async function makeScript(t) {
  /** @type {string[]} */
  const asked = [];
  const target = await serve(t, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    if (request.url === '/missing') response.statusCode = 404;
    response.end(
      JSON.stringify({ id: 7, access_token: 'c2VjcmV0LXRva2VuLTEyMzQ1', evil: '\u001b[2J' }),
    );
  });
  const folder = makeTempFolder(t);
  const capture = [
    { json: '$.id', as: 'order' },
    { json: '$.access_token', as: 'token' },
    { json: '$.evil', as: 'evil' },
  ];
  const body = { password: '{{ password }}', n: '{{ $randomNumber(3, 3) }}' };
  const script = {
    config: {
      target,
      phases: [{ duration: 60, arrivalRate: 50 }],
      variables: { password: PASSWORD, room: ['blue'], note: SENT },
      plugins: { expect: {} },
    },
    scenarios: [
      {
        name: 'order',
        flow: [
          {
            post: { url: '/{{ room }}/login', json: body, capture, expect: [{ statusCode: 200 }] },
          },
          {
            get: {
              url: '/orders/{{ order }}',
              headers: { 'x-api-key': '{{ note }}' },
              match: { json: '$.id', value: 8, strict: false },
            },
          },
        ],
      },
      { name: 'broken', flow: [{ get: { url: '/missing' } }] },
      { name: 'off', weight: 0, flow: [{ get: { url: '/off' } }] },
    ],
  };
  writeFileSync(path.join(folder, 'own.json'), JSON.stringify(script));
  /** @param {...string} more */
  const once = (...more) => callLoadflame(folder, ['test', 'own.json', '--once', ...more]);
  return { folder, asked, once };
}

test('runs every scenario once, in order, and prints what each request used, captured and checked', async t => {
  const { folder, asked, once } = await makeScript(t);
  const { exit, stdout, stderr } = await once();
  assert.equal(exit, 5, stderr);
  assert.deepEqual(asked, ['POST /blue/login', 'GET /orders/7', 'GET /missing']);
  assert.match(stdout, /order: POST .*\/blue\/login\n✔ 200\n +time .*first byte/);
  assert.match(stdout, /used +password = \[redacted\], \$randomNumber\(3, 3\) = 3, room = blue\n/);
  assert.match(stdout, /captured +order = 7, token = \[redacted\]/);
  assert.match(stdout, /✔ statusCode: got 200/);
  assert.match(
    stdout,
    /order: GET .*\n✖ 200\n.*\n +used +order = 7, note = \[redacted\]\n✖ \$\.id: expected 8, got 7/,
  );
  assert.match(stdout, /broken: GET .*\n✖ 404/);
  assert.match(stdout, /\n3 HTTP requests, 1 failed; 2 scenarios, 0 failed\./);
  for (const secret of [PASSWORD, SENT, 'c2VjcmV0', '\u001b'])
    assert.ok(!(stdout + stderr).includes(secret), secret);
  assert.deepEqual(readdirSync(folder), ['own.json'], 'it leaves a folder');
});

test('runs only the scenarios that are named, and names those that exist', async t => {
  const { asked, once } = await makeScript(t);
  assert.equal((await once('--scenario', 'order')).exit, 0);
  assert.deepEqual(asked.splice(0), ['POST /blue/login', 'GET /orders/7']);
  assert.equal((await once('--scenario', 'order', '--set', 'ALLOWED_FAILURES=60%')).exit, 0);
  asked.splice(0);
  const unknown = await once('--scenario', 'order,ordr');
  assert.deepEqual([unknown.exit, asked], [2, []]);
  assert.equal(readError(unknown.stderr).code, 'SCENARIO_UNKNOWN');
  assert.match(unknown.stderr, /ordr\nhint: +name one of: order, broken/);
});

test('runs a WebSocket scenario, and says that its messages are not listed', async t => {
  const url = await serve(t, (_, response) => response.end());
  const folder = makeTempFolder(t);
  const config = { target: url.replace('http', 'ws'), phases: [{ duration: 1, arrivalRate: 1 }] };
  const script = { config, scenarios: [{ name: 'live', engine: 'ws', flow: [{ send: 'x' }] }] };
  writeFileSync(path.join(folder, 'own.json'), JSON.stringify(script));
  const { exit, stdout, stderr } = await callLoadflame(folder, ['test', 'own.json', '--once']);
  assert.equal(exit, 5, stderr);
  assert.match(
    stdout,
    /0 HTTP requests, 0 failed; 1 scenario, 1 failed\. Messages of .*WebSocket are not listed/,
  );
});

test('refuses options of a load', async t => {
  const { asked, once } = await makeScript(t);
  for (const option of [
    ['--command', 'true'],
    ['--users', '3'],
    ['--profile'],
    ['--output', 'x'],
  ]) {
    const { exit, stderr } = await once(...option);
    assert.deepEqual([exit, asked], [2, []], stderr);
  }
});
