/** Declares tests of the requests that an engine sends: ours in the fast lane, Artillery's own in the slow one. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { mergeSketches } from '../../lib/base/math/sketch.js';
import { listen, serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, makeTokens, readLoad, startTestLoad } from './helpers.js';

/** @typedef {'loadflame' | 'artillery'} Engine */

export const KEY = 'Correct-horse:battery';

/** @param {Engine} engine @param {ReturnType<typeof import('./socket-server.js').prepareSocketServer>} server */
export function declareTokens(engine, server) {
  test(`tokens reach requests and handshakes, and new ones those that come later, with --engine ${engine}`, async t => {
    const { seen } = server;
    const target = server.url();
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

/** @param {Engine} engine */
export function declareKey(engine) {
  test(`the key of the companion goes to the target only and into no file, with --engine ${engine}`, async t => {
    /** @type {[string | undefined, unknown][]} */
    const seen = [];
    const other = await serve(t, (request, response) => {
      seen.push([`other ${request.url}`, request.headers['loadflame-key']]);
      response.end();
    });
    const target = await serve(t, (request, response) => {
      seen.push([request.url, request.headers['loadflame-key']]);
      if (request.url === '/away') response.writeHead(302, { location: `${other}/hop` });
      else if (request.url === '/moved') response.writeHead(302, { location: '/arrived' });
      else if (request.url === '/fails') response.writeHead(500);
      response.end(String(request.headers['loadflame-key']));
    });
    const { running, files } = await startTestLoad(makeFolder(t), {
      script: `
config:
  target: "${target}"
  phases: [{ duration: 1, arrivalCount: 1 }]
scenarios:
  - flow:
      - get: { url: /first }
      - get: { url: /moved }
      - get: { url: /fails }
      - get: { url: /away, followRedirect: true }
      - get: { url: "${other}/plain" }
      - get: { url: "http://127.0.0.1:${new URL(target).port}@127.0.0.1:${new URL(other).port}/trick" }
      - post: { url: /last, json: { a: 1 }, headers: { Loadflame-Key: own } }
`,
      settings: {},
      secrets: { LOADFLAME: KEY },
      options: { engine },
    });
    const end = await running.ended;
    assert.equal(end.reason, 'complete', end.logTail);
    assert.deepEqual(seen, [
      ...[
        ['/first', KEY],
        ['/moved', KEY],
        ['/arrived', KEY],
        ['/fails', KEY],
        ['/away', KEY],
      ],
      ...['other /hop', 'other /plain', 'other /trick'].map(url => [url, undefined]),
      ['/last', KEY],
    ]);
    const folder = path.dirname(files.metrics);
    const written = readdirSync(folder, { recursive: true })
      .map(name => path.join(folder, String(name)))
      .filter(file => statSync(file).isFile());
    assert.ok(written.length > 1);
    for (const file of written) assert.ok(!readFileSync(file, 'utf8').includes(KEY), file);
  });
}

/** @param {Engine} engine */
export function declareTargetOnly(engine) {
  test(`nothing is sent anywhere but to the target, with --engine ${engine}`, async t => {
    let connections = 0;
    const proxy = createServer(socket => {
      connections += 1;
      socket.destroy();
    });
    const address = await listen(t, proxy);
    const target = await serve(t, (_, response) => response.end());
    const { running } = await startTestLoad(makeFolder(t), {
      script: `
config: { target: "${target}", phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios: [{ flow: [{ get: { url: / } }] }]
`,
      // What goes to https:// would come here; NODE_USE_ENV_PROXY makes fetch heed it.
      settings: { HTTPS_PROXY: address, NODE_USE_ENV_PROXY: '1' },
      options: { engine },
    });
    const end = await running.ended;
    assert.equal(end.exitCode, 0, end.logTail);
    assert.equal(connections, 0);
  });
}
