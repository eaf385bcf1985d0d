import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { before, test } from 'node:test';
import { io } from 'socket.io-client';
import { ownUntilEndOfFile, startLoneApi } from './redis.js';

const owner = ownUntilEndOfFile();
const LONG = randomBytes(32 * 1024).toString('hex');

/** @param {string} api */
async function openWebSocket(api) {
  const websocket = new WebSocket(`${api.replace('http:', 'ws:')}/echo/ws`);
  await once(websocket, 'open');
  return websocket;
}

/** @param {WebSocket} websocket @param {string | Uint8Array<ArrayBuffer>} message */
async function exchange(websocket, message) {
  const reply = once(websocket, 'message');
  websocket.send(message);
  return /** @type {MessageEvent[]} */ (await reply)[0]?.data;
}

/** @type {string} */
let api;
before(async () => {
  // So few threads that one that a WebSocket keeps is missed.
  ({ api } = await startLoneApi(owner, {}, { threads: 2 }));
});

test('64 KiB come back the same and uncompressed over HTTP, WebSocket and socket.io', async t => {
  const answer = await fetch(`${api}/echo`, { method: 'POST', body: LONG });
  assert.ok((await answer.text()) === LONG);

  const websocket = await openWebSocket(api);
  assert.equal(websocket.extensions, '');
  for (const message of ['', 'ü', LONG])
    assert.ok((await exchange(websocket, message)) === message);
  websocket.binaryType = 'arraybuffer';
  const bytes = await exchange(websocket, Uint8Array.of(0, 255));
  assert.deepEqual(new Uint8Array(bytes), Uint8Array.of(0, 255));
  websocket.close();
  await once(websocket, 'close');

  const socket = io(new URL(api).origin, {
    path: '/api/v1/socket.io',
    transports: ['websocket'],
    reconnection: false,
  });
  t.after(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(undefined));
    socket.once('connect_error', reject);
  });
  assert.ok((await socket.timeout(5000).emitWithAck('echo', LONG)) === LONG);
});

test('a WebSocket gives its thread back when it is closed or cut off', async () => {
  for (let round = 0; round < 5; round++) {
    const websocket = await openWebSocket(api);
    assert.equal(await exchange(websocket, 'x'), 'x');
    websocket.close();
    await once(websocket, 'close');
  }
  assert.equal((await fetch(`${api}/health`)).status, 200);
});
