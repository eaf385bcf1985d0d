import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { get } from '../../../lib/experiment/preflight/preflight.js';
import { readCertificate } from '../../helpers/certificates.js';
import { listen, serveTunnels } from '../../helpers/listen.js';
import { test } from '../../helpers/quiet.js';
import { runScenario, serve } from './http-run.js';

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
  const address = await serveTunnels(t, ({ url, headers }) =>
    asked.push([url, headers['proxy-authorization']]),
  );
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
  let tunnels = 0;
  process.env.HTTP_PROXY = await serveTunnels(t, () => {
    tunnels += 1;
  });
  t.after(() => {
    delete process.env.HTTP_PROXY;
  });
  const plain = await serve(t);
  assert.equal((await get(plain.target)).status, 200);
  assert.equal((await get(secure.target, { trustsAnyone: true })).status, 200);
  await assert.rejects(get(secure.target), { code: 'TARGET_UNTRUSTED' });
  assert.equal(tunnels, 3);
});
