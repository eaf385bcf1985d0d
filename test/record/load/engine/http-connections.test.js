import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { get } from '../../../../lib/preflight/preflight.js';
import { createTransport } from '../../../../lib/record/load/engine/http/connection/connections.js';
import { readCertificate } from '../../../helpers/certificates.js';
import { listen } from '../../../helpers/listen.js';
import { test } from '../../../helpers/quiet.js';
import { runScenario, serve, serveBytes } from './http-run.js';

const pair = readCertificate('self-signed');

/**
 * @param {import('node:test').TestContext} t
 * @param {https.ServerOptions} [options]
 */
async function serveTls(t, options = {}) {
  /** @type {any[]} */
  const seen = [];
  const server = https.createServer({ ...pair, ...options }, (request, response) => {
    const socket = /** @type {import('node:tls').TLSSocket} */ (request.socket);
    seen.push({
      url: request.url,
      reused: socket.isSessionReused(),
      by: socket.getPeerCertificate().subject?.CN,
    });
    response.end('{"id":7}');
  });
  const target = await listen(t, server);
  return { target, seen };
}

const flow = [{ get: { url: '/' } }];

test('a certificate is checked by the authorities of the script, or not at all if it says so', async t => {
  const { target, seen } = await serveTls(t);
  const unknown = await runScenario({ target, flow });
  assert.equal(unknown.counters['errors.DEPTH_ZERO_SELF_SIGNED_CERT'], 1);
  assert.equal(unknown.counters['http.requests'], 1);
  const known = await runScenario({ target, flow, config: { tls: { ca: pair.cert } } });
  assert.deepEqual(known.errors, []);
  assert.ok(known.seconds[0].sketches['http.tls'], 'tls time');
  const byGotsName = await runScenario({
    target,
    flow,
    config: { tls: { certificateAuthority: pair.cert } },
  });
  assert.deepEqual(byGotsName.errors, []);
  const unchecked = await runScenario({
    target,
    flow,
    config: { tls: { rejectUnauthorized: false } },
  });
  assert.deepEqual(unchecked.errors, []);
  const wrongName = await runScenario({
    target,
    flow,
    config: { tls: { ca: pair.cert, servername: 'other.example' } },
  });
  assert.equal(wrongName.counters['errors.ERR_TLS_CERT_ALTNAME_INVALID'], 1);
  assert.equal(seen.length, 3);
});

test('no TLS session goes from one user to another', async t => {
  const { target, seen } = await serveTls(t);
  // Long enough for a closed connection to be over when the user after the next one begins.
  const paused = [...flow, { think: 0.02 }];
  await runScenario({
    target,
    flow: paused,
    users: 4,
    config: { tls: { rejectUnauthorized: false } },
  });
  assert.deepEqual(
    seen.map(({ reused }) => reused),
    [false, false, false, false],
  );
});

test('a client certificate is shown, by the script or by a hook for its request', async t => {
  const { target, seen } = await serveTls(t, { requestCert: true, rejectUnauthorized: false });
  await runScenario({ target, flow, config: { tls: { ca: pair.cert, ...pair } } });
  await runScenario({
    target,
    config: { tls: { ca: pair.cert } },
    processor: {
      show(/** @type {any[]} */ ...args) {
        Object.assign(args[0].https, { certificate: pair.cert, key: pair.key });
        args.at(-1)();
      },
    },
    flow: [...flow, { get: { url: '/', beforeRequest: 'show' } }],
  });
  assert.deepEqual(
    seen.map(({ by }) => by),
    ['localhost', undefined, 'localhost'],
  );
});

test('TLS to a server without it, and without a certificate that it wants, ends the user', async t => {
  const plain = await serve(t);
  const { counters } = await runScenario({ target: plain.target.replace('http:', 'https:'), flow });
  assert.equal(counters['errors.EPROTO'], 1, JSON.stringify(counters));
  const strict = await serveTls(t, { requestCert: true, rejectUnauthorized: true, ca: pair.cert });
  const refused = await runScenario({
    target: strict.target,
    flow,
    config: { tls: { ca: pair.cert } },
  });
  // Which of the two is seen first, the alert or the end, is chance.
  assert.match(refused.errors[0].code, /^(ECONNRESET|ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)$/);
});

test('requests a tunnel from a proxy of the environment, with its credentials', async t => {
  const secure = await serveTls(t);
  const plain = await serve(t);
  /** @type {any[]} */
  const asked = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, client) => {
    asked.push([request.url, request.headers['proxy-authorization']]);
    const [host, port] = String(request.url).split(':');
    const upstream = net.connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  const address = await listen(t, proxy);
  process.env.HTTP_PROXY = address.replace('//', '//bob:s%20x@');
  t.after(() => {
    delete process.env.HTTP_PROXY;
  });
  const twice = [...flow, ...flow];
  const tunneled = await runScenario({ target: plain.target, flow: twice });
  assert.deepEqual(tunneled.errors, []);
  const tls = await runScenario({
    target: secure.target,
    flow,
    config: { tls: { ca: pair.cert } },
  });
  assert.deepEqual(tls.errors, []);
  const credentials = `Basic ${Buffer.from('bob:s x').toString('base64')}`;
  assert.deepEqual(asked, [
    [plain.target.slice(7), credentials],
    [secure.target.slice(8), credentials],
  ]);
  assert.equal(plain.seen.length, 2);
});

test('a proxy that refuses, and a connection that never comes about, end the user', async t => {
  const { target } = await serve(t);
  const silent = net.createServer(() => {});
  process.env.HTTP_PROXY = await listen(t, silent);
  t.after(() => {
    delete process.env.HTTP_PROXY;
  });
  const waited = await runScenario({ target, flow, config: { timeout: 0.2 } });
  assert.equal(waited.counters['errors.ETIMEDOUT'], 1);
  const refusing = http.createServer();
  refusing.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  process.env.HTTP_PROXY = await listen(t, refusing);
  const refused = await runScenario({ target, flow });
  assert.equal(refused.counters['errors.Bad response: 403'], 1);
  assert.deepEqual(refused.warnings, [
    `the proxy ${process.env.HTTP_PROXY} of HTTP_PROXY or HTTPS_PROXY failed: Bad response: 403`,
  ]);
});

test('NO_PROXY names hosts that the load and its checks reach without the proxy', async t => {
  const { target } = await serve(t);
  const { port } = new URL(target);
  process.env.HTTP_PROXY = 'http://ann:secret@127.0.0.1:9';
  t.after(() => {
    delete process.env.HTTP_PROXY;
    delete process.env.NO_PROXY;
  });
  const entries = {
    '': 1,
    'example.org, 127.0.0.1': 0,
    '*': 0,
    [`127.0.0.1:${port}`]: 0,
    '127.0.0.1:1': 1,
    '.0.0.1': 0,
    '7.0.0.1': 1,
  };
  for (const [entry, failed] of Object.entries(entries)) {
    process.env.NO_PROXY = entry;
    const { counters, warnings } = await runScenario({ target, flow });
    assert.equal(counters['errors.ECONNREFUSED'] ?? 0, failed, entry);
    assert.doesNotMatch(warnings.join(), /secret/);
    const checked = await get(target).then(
      ({ status }) => status,
      error => error.message,
    );
    if (failed) assert.match(checked, /the proxy http:\/\/127\.0\.0\.1:9 of HTTP_PROXY/);
    else assert.equal(checked, 200, entry);
  }
});

test('checks use the tunnel of the load, for TLS as well', async t => {
  const secure = await serveTls(t);
  const proxy = http.createServer();
  let tunnels = 0;
  proxy.on('connect', (request, client) => {
    tunnels += 1;
    const [host, port] = String(request.url).split(':');
    const upstream = net.connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  process.env.HTTP_PROXY = await listen(t, proxy);
  t.after(() => {
    delete process.env.HTTP_PROXY;
  });
  const plain = await serve(t);
  assert.equal((await get(plain.target)).status, 200);
  assert.equal((await get(secure.target, { trustsAnyone: true })).status, 200);
  await assert.rejects(get(secure.target), { code: 'TARGET_UNTRUSTED' });
  assert.equal(tunnels, 3);
});

test('http.maxSockets gives each user several connections', async t => {
  const { target, connections } = await serve(t, (_request, response) => {
    setTimeout(() => response.end(), 30);
  });
  await runScenario({
    target,
    config: { http: { maxSockets: 3 } },
    flow: [{ parallel: Array.from({ length: 5 }, () => ({ get: { url: '/' } })) }],
  });
  assert.equal(connections.size, 3);
});

// -- What a connection leaves behind for the next request, and for the next user.

/**
 * @param {string} target
 * @param {Record<string, any>} [http] settings of the script
 */
function openTransport(target, http = {}) {
  const services = /** @type {any} */ ({ sockets: { open: 0 }, recorder: { measure() {} } });
  const { openConnections, closeConnections } = createTransport({ target, http }, services);
  const { origin } = new URL(target);
  const connections = openConnections();
  const link = connections.to(origin);
  /** @param {string} [path] @param {Record<string, any>} [handler] @param {any} [body] */
  const ask = (path = '/', handler = {}, body = null) =>
    new Promise((resolve, reject) => {
      const options = {
        method: 'GET',
        path,
        headers: [],
        body,
        address: { origin },
        encoded: null,
      };
      link.dispatch(/** @type {any} */ (options), {
        onConnect() {},
        onRequestSent() {},
        onHeaders() {},
        onData() {},
        onComplete: () => resolve(undefined),
        onError: reject,
        ...handler,
      });
    });
  return { services, link, ask, close: () => closeConnections(connections) };
}

test('requests that are under way when their user ends come to their end, and the connection with them', async t => {
  const { target, seen } = await serve(t, (_request, response) => {
    setTimeout(() => response.end('{}'), 20);
  });
  const { ask, close, services } = openTransport(target);
  const both = [ask('/1'), ask('/2')];
  close();
  await Promise.all(both);
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/1', '/2'],
  );
  while (services.sockets.open > 0) await sleep(1);
});

test('a connection is used for no longer than its server keeps it', async t => {
  const { target, connections } = await serve(t, (request, response) => {
    response.setHeader('keep-alive', `timeout=${request.url === '/short' ? 1 : 2}`);
    response.end('{}');
  });
  const { ask, services } = openTransport(target);
  await ask('/short');
  while (services.sockets.open > 0) await sleep(1);
  await ask();
  await ask();
  assert.equal(connections.size, 2);
  const beganMs = performance.now();
  while (services.sockets.open > 0) await sleep(10);
  const idleMs = performance.now() - beganMs;
  assert.ok(idleMs > 900 && idleMs < 4000, `${idleMs}`);
});

test('a connection that the server has closed is not used again', async t => {
  let asked = 0;
  const { target } = await serveBytes(t, socket => {
    asked += 1;
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  });
  const { ask, services } = openTransport(target);
  for (let round = 0; round < 3; round++) {
    await ask();
    while (services.sockets.open > 0) await sleep(1);
  }
  assert.equal(asked, 3);
});

test('requests wait for a connection in their order, whichever handler sends the next at once', async t => {
  const { target, seen } = await serve(t);
  const { ask } = openTransport(target, { pool: 1 });
  /** @type {Promise<unknown>[]} */
  const all = [];
  let first = true;
  const onComplete = (/** @type {() => void} */ done) => () => {
    if (first) all.push(ask('/late'));
    first = false;
    done();
  };
  for (const path of ['/1', '/2', '/3']) {
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve } = Promise.withResolvers();
    ask(path, { onComplete: onComplete(resolve) });
    all.push(promise);
  }
  await Promise.all(all);
  while (seen.length < 4) await sleep(1);
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/1', '/2', '/3', '/late'],
  );
});

test('a connection that cannot be opened fails all requests that wait for it', async t => {
  const { target } = await serve(t);
  const free = net.createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => free.once('listening', resolve));
  const { port } = /** @type {net.AddressInfo} */ (free.address());
  await new Promise(resolve => free.close(resolve));
  const { ask } = openTransport(target.replace(/\d+$/, String(port)));
  const ends = await Promise.allSettled([ask(), ask(), ask()]);
  assert.deepEqual(
    ends.map(end => end.status === 'rejected' && end.reason.code),
    ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'],
  );
});

test('an aborted request ends alone, before it is written and in the middle of a body', async t => {
  const { target, seen } = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('x');
  });
  const { ask, services } = openTransport(target);
  /** @type {(error?: Error) => void} */
  let abort = () => {};
  await assert.rejects(
    ask('/1', {
      onConnect(/** @type {typeof abort} */ given) {
        given(new Error('not now'));
      },
    }),
    /^Error: not now/,
  );
  await assert.rejects(
    ask('/2', {
      onConnect(/** @type {typeof abort} */ given) {
        abort = given;
      },
      onData: () => abort(),
    }),
    { code: 'ECONNRESET', message: 'aborted' },
  );
  abort(new Error('too late'));
  while (services.sockets.open > 0) await sleep(1);
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/2'],
  );
});

test('data sent after a response reaches no later user', async t => {
  let asked = 0;
  const { target } = await serveBytes(t, socket => {
    asked += 1;
    const own = `HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${asked}`;
    socket.write(`${own}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstale`);
  });
  /** @type {string[]} */
  const bodies = [];
  const { counters } = await runScenario({
    target,
    users: 6,
    processor: {
      keep(/** @type {any[]} */ ...args) {
        bodies.push(args[1].body);
        args.at(-1)();
      },
    },
    flow: [{ get: { url: '/', afterResponse: 'keep' } }, { think: 0.02 }],
  });
  assert.deepEqual(bodies, ['1', '2', '3', '4', '5', '6'], JSON.stringify(counters));
});

test('a user that fails leaves the users after it what they had: a connection of their own', async t => {
  let asked = 0;
  const { target } = await serveBytes(t, socket => {
    asked += 1;
    if (asked % 2 === 0) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab');
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  });
  const { errors, counters } = await runScenario({
    target,
    users: 8,
    flow: [{ get: { url: '/' } }, { think: 0.02 }],
  });
  assert.equal(errors.length, 4);
  assert.equal(counters['errors.ECONNRESET'], 4, JSON.stringify(counters));
});
