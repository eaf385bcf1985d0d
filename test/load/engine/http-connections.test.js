import assert from 'node:assert/strict';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from '../../../lib/load/engine/http/connection/connections.js';
import { test } from '../../helpers/quiet.js';
import { runScenario, serve, serveBytes } from './http-run.js';

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
