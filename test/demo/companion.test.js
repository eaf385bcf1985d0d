import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { io } from 'socket.io-client';
import { startDemo } from '../../demo/start.js';

/** @type {import('../../demo/start.js').Demo} */
let demo;

before(async () => {
  demo = await startDemo({ auth: 'cached', workers: 1, companion: true });
});
after(() => demo?.stop());

test('responses of the demo report their cost if it has the companion', async () => {
  const response = await fetch(`${demo.apiUrl}/api/v1/echo?a=1`);
  assert.deepEqual(await response.json(), { a: '1' });
  assert.match(
    response.headers.get('server-timing') ?? '',
    /^total;dur=[\d.]+, cpu;dur=[\d.]+, worker;desc="[0-9a-f]{8}-\d+\.\d+", around;dur=[\d.]+(?:, ended;dur=[\d.]+)?, now;dur=\d{13}\.\d, companion;desc="[\d.]+"(?:, pools;desc="[^"]+")?(?:, gc;desc="[^"]+")?(?:, paused;dur=[\d.]+)?(?:, route;desc="\/[^"]*")?$/,
  );
});

test('a WebSocket works through the companion', async () => {
  const socket = io(demo.apiUrl, {
    path: '/api/v1/socket.io',
    transports: ['websocket'],
    reconnection: false,
  });
  try {
    await new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(undefined));
      socket.once('connect_error', reject);
    });
    assert.deepEqual(await socket.timeout(3000).emitWithAck('echo', 'x'), 'x');
  } finally {
    socket.disconnect();
  }
});
