import assert from 'node:assert/strict';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { mergeSketches } from '../../lib/base/math/sketch.js';
import { startChild } from '../../lib/base/process/child.js';
import { createTokenHolder } from '../../lib/load/token-holder.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, makeTokens, readLoad, startTestLoad } from './helpers.js';

const PYTHON = path.resolve('.venv/bin/python');
const SERVER = path.join(import.meta.dirname, 'fixtures', 'socket_server.py');

/** @type {import('../../lib/base/process/child.js').OwnedChild} */
let server;
/** @type {Record<string, any>[]} what the server was sent */
const seen = [];
let target = '';

before(async () => {
  server = startChild(PYTHON, [SERVER], { stdout: 'pipe', stderr: 'inherit' });
  const stdout = /** @type {import('node:stream').Readable} */ (server.process.stdout);
  await new Promise(resolve => {
    createInterface({ input: stdout }).on('line', line => {
      const message = JSON.parse(line);
      if (message.kind !== 'listening') seen.push({ ...message, at: Date.now() });
      else {
        target = `http://127.0.0.1:${message.port}`;
        resolve(undefined);
      }
    });
  });
});
after(() => server.stop({ signal: 'SIGKILL' }));

for (const engine of /** @type {const} */ (['loadflame', 'artillery'])) {
  test(`tokens reach requests and handshakes, and new ones those that come later, with --engine ${engine}`, async t => {
    /** @type {(string | undefined)[]} */
    const elsewhere = [];
    const other = await serve(t, (request, response) => {
      elsewhere.push(request.headers.authorization);
      response.end();
    });
    seen.length = 0;
    const tokens = makeTokens(['first-token-of-a', 'first-token-of-b']);
    const { running, files } = await startTestLoad(makeFolder(t), {
      script: `
config:
  target: "${target}"
  socketio: { path: /sock, transports: [websocket], extraHeaders: { cookie: theme=dark } }
  phases: [{ duration: 3, arrivalRate: 4 }]
scenarios:
  - name: page
    engine: socketio
    flow:
      - emit: { channel: joinRoom, data: 1 }
        acknowledge: { match: { json: "$[0].success", value: true } }
      - get: { url: /early }
      - think: 1
      - get: { url: /late }
      - get: { url: /own, headers: { AUTHORIZATION: Basic abc } }
      - get: { url: "${other}/other" }
      - get: { url: "http://127.0.0.1:${new URL(target).port}@127.0.0.1:${new URL(other).port}/trick" }
`,
      settings: { SOCKETIO_AUTH: 'token' },
      tokens,
      options: { engine },
    });
    while (!seen.some(({ kind }) => kind === 'connect')) {
      assert.ok(await Promise.race([setTimeout(20, true), running.ended.then(() => false)]));
    }
    // Three users are at work by now, and none has asked for /late.
    await setTimeout(700);
    tokens.renew(['second-token-of-a', 'second-token-of-b']);
    const end = await running.ended;
    assert.equal(end.reason, 'complete', end.logTail);
    assert.equal(end.counters['vusers.completed'], 12, JSON.stringify(end.counters));
    const renewedAt = Number(seen.find(({ cookie }) => cookie?.includes('second'))?.at);
    assert.ok(renewedAt > 0, 'no handshake brought a new token');
    const connects = seen.filter(({ kind }) => kind === 'connect');
    for (const { cookie, auth } of connects) {
      assert.match(cookie, /^theme=dark; oidc-jwt=(first|second)-token-of-[ab]$/);
      // The payload is asked for a moment after the cookie: it may be newer, and is of the same user.
      assert.match(
        auth.token,
        new RegExp(
          `^(${cookie.includes('=second') ? '' : 'first|'}second)-token-of-${cookie.at(-1)}$`,
        ),
      );
    }
    const requests = seen.filter(({ kind }) => kind === 'http');
    const values = (/** @type {string} */ at) =>
      new Set(requests.filter(r => r.path === at).map(({ authorization }) => authorization));
    const [first, second] = ['first', 'second'].map(age =>
      ['a', 'b'].map(user => `Bearer ${age}-token-of-${user}`),
    );
    const [early, late] = [[...(first ?? []), ...(second ?? [])], second ?? []];
    if (engine === 'loadflame') {
      assert.deepEqual([...values('/early')].sort(), early);
      assert.deepEqual([...values('/late')].sort(), late);
    } else {
      // Artillery gives each user one of the tokens by chance.
      assert.ok(values('/early').isSubsetOf(new Set(early)), String([...values('/early')]));
      assert.ok(values('/late').isSubsetOf(new Set(late)), String([...values('/late')]));
    }
    assert.deepEqual([...values('/own')], ['Basic abc']);
    // The second address names the target as its user: Basic, and no token.
    assert.ok(!elsewhere.some(value => value?.startsWith('Bearer')));
    assert.equal(elsewhere.length, 24);

    if (engine === 'artillery') return;
    const { counters, records } = await readLoad(files);
    assert.equal(counters['socketio.connect'], connects.length);
    const seconds = records.filter(({ kind }) => kind === 'second');
    const waits = mergeSketches(
      seconds.flatMap(({ sketches }) => sketches['socketio.acknowledge_time'] ?? []),
    );
    assert.equal(waits.count, 12);
    assert.ok(waits.min >= 45, `the server answers after 50 ms, measured ${waits.min}`);
  });
}

test('a message without a response ends its user, and the load still ends', async t => {
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${target}"
  timeout: 1
  socketio: { path: /sock, transports: [websocket] }
  phases: [{ duration: 1, arrivalCount: 2 }]
scenarios:
  - engine: socketio
    flow:
      - emit: { channel: ignored, data: 1 }
        acknowledge: {}
`,
    settings: {},
  });
  const end = await running.ended;
  const { counters, errors, records } = await readLoad(files);
  assert.equal(end.reason, 'complete', end.logTail);
  assert.equal(counters['errors.acknowledge timeout'], 2, JSON.stringify(counters));
  assert.equal(counters['vusers.failed'], 2);
  assert.deepEqual(
    [errors[0]?.endpoint, errors[0]?.code],
    ['socket.io ignored', 'acknowledge timeout'],
  );
  assert.ok(!records.some(({ sketches }) => sketches?.['socketio.acknowledge_time']));
});

test('shows an unexpected response, which does not end the worker', async t => {
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${target}"
  socketio: { path: /sock, transports: [websocket] }
  phases: [{ duration: 1, arrivalCount: 4 }]
scenarios:
  - engine: socketio
    flow:
      - emit: { channel: refused, data: 1 }
        acknowledge: { data: a text and no object }
`,
    settings: {},
  });
  const end = await running.ended;
  const { counters, errors } = await readLoad(files);
  assert.equal(end.reason, 'complete', end.logTail);
  assert.equal(counters['vusers.failed'], 4);
  assert.equal(errors[0]?.endpoint, 'socket.io refused');
  assert.equal(errors[0]?.body, '[{"success":false,"why":"no such room"}]');
});

test('connections that fail are counted as such', async t => {
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: http://127.0.0.1:1
  socketio: { transports: [websocket] }
  phases: [{ duration: 1, arrivalCount: 2 }]
scenarios:
  - engine: socketio
    flow: [{ emit: { channel: x, data: 1 } }]
`,
    settings: {},
  });
  const end = await running.ended;
  const { counters, errors } = await readLoad(files);
  assert.equal(end.reason, 'complete', end.logTail);
  assert.equal(counters['socketio.connect_error'], 2);
  assert.equal(counters['socketio.connect'], undefined);
  assert.equal(errors[0]?.endpoint, 'socket.io connect');
});

test('a virtual user keeps its token, and a scenario can do without', () => {
  const holder = createTokenHolder(['a', 'b']);
  const [one, two] = [{}, {}];
  assert.deepEqual(
    [holder.pick(one, {}), holder.pick(two, {}), holder.pick(one, {})],
    ['a', 'b', 'a'],
  );
  holder.replace(['A', 'B']);
  assert.deepEqual([holder.pick(one, {}), holder.pick(two, {})], ['A', 'B']);
  assert.equal(holder.pick({ scenario: { loadflame: { auth: false } } }, {}), null);
  assert.equal(holder.pick({}, { loadflame: { auth: false } }), null);
  assert.equal(createTokenHolder().pick({}, {}), null);
});
