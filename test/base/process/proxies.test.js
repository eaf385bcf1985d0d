/** One proxy for all requests, a real one: sockets, logins; `NO_PROXY` leaves hosts out. */
import assert from 'node:assert/strict';

import { afterEach } from 'node:test';
import { WebSocketServer } from 'ws';
import { awaitResponse } from '../../../lib/base/files/read-body.js';
import { fetchByProxy, optionsOfProxy } from '../../../lib/base/process/proxies.js';
import { readCertificate } from '../../helpers/certificates.js';
import { listen, serve, serveTunnels } from '../../helpers/listen.js';
import { test } from '../../helpers/quiet.js';
import { createLoad, usePythonServer } from '../../load/engine/socketio-harness.js';

/** `CONNECT`s that the proxy was asked for. @type {string[]} */
let tunnels = [];

afterEach(() => {
  for (const name of ['HTTP_PROXY', 'NO_PROXY']) delete process.env[name];
});

/** @param {import('node:test').TestContext} t */
async function startProxy(t) {
  tunnels = [];
  delete process.env.NO_PROXY;
  process.env.HTTP_PROXY = await serveTunnels(t, ({ url, headers }) =>
    tunnels.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim()),
  );
}

const server = usePythonServer();

for (const transports of [['websocket'], ['polling']])
  test(`socket.io connects by the proxy, with ${transports}`, async t => {
    await startProxy(t);
    const load = await createLoad({
      target: server.target,
      socketio: { transports },
      flow: [{ emit: ['echo', 'a'], acknowledge: { data: 'a' } }],
    });
    process.env.NO_PROXY = 'example.org, 127.0.0.1';
    assert.equal((await load.run()).error, null);
    assert.deepEqual(tunnels, []);

    delete process.env.NO_PROXY;
    assert.equal((await load.run()).error, null);
    const { host } = new URL(server.target);
    assert.ok(tunnels.length > 0);
    assert.ok(tunnels.every(asked => asked === host));
  });

test('a WebSocket connects by the proxy, and names one that fails without its password', async t => {
  await startProxy(t);
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  t.after(() => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  });
  sockets.on('connection', socket => socket.on('message', data => socket.send(String(data))));
  await new Promise(resolve => sockets.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (sockets.address());
  const target = `ws://127.0.0.1:${port}`;
  const load = await createLoad({ target, engine: 'ws', flow: [{ send: 'a', reply: true }] });
  assert.equal((await load.run()).error, null);
  assert.deepEqual(tunnels, [`127.0.0.1:${port}`]);

  process.env.HTTP_PROXY = 'http://ann:secret@127.0.0.1:9';
  const { error } = await load.run();
  assert.match(String(error), /the proxy http:\/\/127\.0\.0\.1:9 of HTTP_PROXY .*ECONNREFUSED/);
  process.env.NO_PROXY = `127.0.0.1:${port}`;
  assert.equal((await load.run()).error, null);
});

test('a login goes by the proxy: method, body and cookies are those of fetch', async t => {
  /** @type {string[]} */
  const seen = [];
  const target = await serve(t, async (request, response) => {
    const chunks = await Array.fromAsync(request);
    seen.push(`${request.method} ${request.headers['content-type']} ${Buffer.concat(chunks)}`);
    const status = request.url === '/empty' ? 204 : 302;
    response.writeHead(status, { location: '/next', 'set-cookie': ['a=1', 'b=2'] }).end();
  });
  await startProxy(t);
  process.env.HTTP_PROXY = String(process.env.HTTP_PROXY).replace('//', '//ann:p%40ss@');
  const body = new URLSearchParams({ user: 'ä' });
  for (const entry of ['', '127.0.0.1']) {
    process.env.NO_PROXY = entry;
    const init = { method: 'POST', body, redirect: /** @type {const} */ ('manual') };
    const response = await fetchByProxy(`${target}/login`, init);
    assert.equal(response.status, 302);
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.equal((await fetchByProxy(`${target}/empty`, {})).status, 204);
  }
  assert.equal(seen[0], 'POST application/x-www-form-urlencoded;charset=UTF-8 user=%C3%A4');
  assert.deepEqual(seen.slice(2), seen.slice(0, 2));
  const { host } = new URL(target);
  const asked = `${host} Basic ${Buffer.from('ann:p@ss').toString('base64')}`;
  assert.deepEqual(tunnels, [asked, asked]);

  process.env.HTTP_PROXY = 'http://ann:secret@127.0.0.1:9';
  process.env.NO_PROXY = '';
  await assert.rejects(fetchByProxy(target, {}), error => {
    assert.match(String(error), /the proxy http:\/\/127\.0\.0\.1:9 of HTTP_PROXY/);
    assert.doesNotMatch(String(error), /secret/);
    return true;
  });
});

test('a provider over TLS is checked by its own certificate, not by that of the proxy', async t => {
  const { createServer: createTls } = await import('node:https');
  const { key, cert } = readCertificate('server');
  const target = await listen(
    t,
    createTls({ key, cert }, (_, response) => response.end('hello')),
  );
  await startProxy(t);
  const address = `https://localhost:${new URL(target).port}`;
  await assert.rejects(fetchByProxy(address, {}), /certificate|self-signed|issuer/);
  assert.equal(tunnels.length, 1);
  const { request } = await import('node:https');
  const sent = request(address, { ...optionsOfProxy(new URL(address)), rejectUnauthorized: false });
  const { socket } = await awaitResponse(sent.end());
  assert.equal(/** @type {import('node:tls').TLSSocket} */ (socket).servername, 'localhost');
});
