import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { io } from 'socket.io-client';
import { startDemo } from '../../demo/start.js';
import { callApi, login } from './helpers.js';

/** @type {import('../../demo/start.js').Demo} */
let demo;
before(async () => {
  demo = await startDemo({ auth: 'introspect' });
});
after(() => demo.stop());

/**
 * Connects over WebSocket, asks to join and closes.
 * @param {string} [cookie]
 * @returns {Promise<{acknowledged: unknown[], events: unknown[][]}>} events up to the acknowledgement of
 *   another emit, which comes after all that the first one brings
 */
async function join(cookie) {
  const socket = connect(cookie);
  /** @type {unknown[][]} */
  const events = [];
  socket.onAny((...event) => events.push(event));
  try {
    await waitForConnection(socket);
    /** @type {unknown[]} */
    const acknowledged = await new Promise(resolve => {
      socket.emit('joinRoom', { count: 0 }, (/** @type {unknown[]} */ ...args) => resolve(args));
    });
    await socket.timeout(5000).emitWithAck('echo', 1);
    return { acknowledged, events };
  } finally {
    socket.close();
  }
}

/** @param {string} [cookie] */
function connect(cookie) {
  return io(demo.apiUrl, {
    path: '/api/v1/socket.io',
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    ...(cookie ? { extraHeaders: { cookie } } : {}),
  });
}

/** @param {import('socket.io-client').Socket} socket @returns {Promise<void>} */
function waitForConnection(socket) {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
}

test('joinRoom with the token in its cookie gets an empty acknowledgement and an event', async () => {
  const answer = await join(`theme=dark; oidc-jwt=${await login(demo)}`);
  assert.deepEqual(answer, {
    acknowledged: [],
    events: [['joinRoomSuccess', { sucess: true }]],
  });
});

test('joinRoom without a cookie, or with a bad one, is acknowledged all the same, and logged', async () => {
  assert.deepEqual(await join(), { acknowledged: [], events: [] });
  assert.deepEqual(await join('oidc-jwt=nonsense'), { acknowledged: [], events: [] });
  const log = readFileSync(demo.logFiles.error, 'utf8');
  assert.match(log, /Socket error no token was sent/);
  assert.match(log, /Socket error token is not active/);
});

test('echo is acknowledged with what was sent, one argument or several', async () => {
  const socket = connect();
  try {
    await waitForConnection(socket);
    assert.deepEqual(await socket.timeout(5000).emitWithAck('echo', { a: 'ü' }), { a: 'ü' });
    /** @type {unknown[]} */
    const several = await new Promise(resolve => {
      socket.emit('echo', 1, 'two', (/** @type {unknown[]} */ ...args) => resolve(args));
    });
    assert.deepEqual(several, [1, 'two']);
  } finally {
    socket.close();
  }
});

test('thirty open sockets leave room for requests', async t => {
  const token = await login(demo);
  const sockets = Array.from({ length: 30 }, () => connect(`oidc-jwt=${token}`));
  t.after(() => {
    for (const socket of sockets) socket.close();
  });
  await Promise.all(sockets.map(waitForConnection));
  const answers = await Promise.all(
    sockets.map(socket => socket.timeout(10_000).emitWithAck('echo', 1)),
  );
  assert.ok(answers.every(answer => answer === 1));
  const calls = Array.from({ length: 10 }, () => callApi(demo, 'GET', '/channels/', { token }));
  for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
});

test('long polling is refused with a message instead of failing at random', async () => {
  const url = `${demo.apiUrl}/api/v1/socket.io/?EIO=4&transport=polling`;
  const response = await fetch(url);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /Invalid transport/);
});
