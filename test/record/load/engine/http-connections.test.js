import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
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

test('a proxy of the environment is asked for a tunnel, with its credentials', async t => {
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

// -- Clients of undici serve one user after the other; users share nothing that they would notice.

/** @param {string} target */
function openTransport(target) {
  const services = /** @type {any} */ ({ sockets: { open: 0 }, recorder: { measure() {} } });
  const { openConnections, closeConnections } = createTransport({ target, http: {} }, services);
  const { origin } = new URL(target);
  /** A user with a link of its own. */
  const begin = () => {
    const connections = openConnections();
    const link = connections.to(origin);
    /** @param {string} [path] @param {(abort: (error?: Error) => void) => void} [onConnect] */
    const ask = (path = '/', onConnect = () => {}) =>
      new Promise((resolve, reject) => {
        /** @type {any} */
        const handler = {
          onConnect,
          onHeaders: () => true,
          onData: () => true,
          onComplete: resolve,
          onError: reject,
        };
        link.dispatcher.dispatch({ origin, path, method: 'GET' }, handler);
      });
    const end = async () => {
      const closed = [...link.sockets].map(waitForClose);
      closeConnections(connections);
      await Promise.all(closed);
    };
    return { link, ask, end };
  };
  return { begin, services };
}

/** Whether of an error or not. @param {import('node:net').Socket} socket */
function waitForClose(socket) {
  return new Promise(resolve => socket.once('close', resolve));
}

test('the client of a user that has ended serves the next user, with nothing of the one before', async t => {
  const { target, connections } = await serve(t);
  const { begin, services } = openTransport(target);
  const [one, other] = [begin(), begin()];
  assert.notEqual(one.link.dispatcher, other.link.dispatcher);
  await one.ask();
  const { times } = one.link;
  one.link.session = Buffer.from('a session');
  await one.end();
  assert.equal(services.sockets.open, 0);
  const next = begin();
  assert.equal(next.link.dispatcher, one.link.dispatcher);
  assert.deepEqual([next.link.times, next.link.session], [{}, undefined]);
  assert.ok(times.tcp !== undefined && times.tcp >= 0, 'kept for whoever still has them');
  await Promise.all([next.ask(), other.ask()]);
  assert.equal(connections.size, 3);
});

test('a client with an active request serves no other user', async t => {
  const { target } = await serve(t, (request, response) => {
    if (request.url !== '/never') response.end('{}');
  });
  const { begin } = openTransport(target);
  const late = begin();
  const pending = late.ask('/never');
  pending.catch(() => {});
  while (late.link.sockets.size === 0) await sleep(1);
  const closed = [...late.link.sockets].map(waitForClose);
  await Promise.race([late.end(), sleep(20)]);
  assert.notEqual(begin().link.dispatcher, late.link.dispatcher);
  for (const socket of late.link.sockets) socket.destroy();
  await Promise.all(closed);
  await assert.rejects(pending);
  assert.notEqual(begin().link.dispatcher, late.link.dispatcher);
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
