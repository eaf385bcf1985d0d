import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { beforeEach } from 'node:test';
import { test } from '../../helpers/quiet.js';
import { createLoad, usePythonServer } from './socketio-harness.js';

const server = usePythonServer();
beforeEach(() => void server.told.splice(0));

/**
 * A network between user and server that fails when it is told to.
 * @param {import('node:test').TestContext} t
 */
async function putNetworkBetween(t) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const network = createServer(user => {
    const other = connect(Number(new URL(server.target).port), '127.0.0.1');
    for (const socket of [user, other]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        user.destroy();
        other.destroy();
      });
    }
    user.pipe(other).pipe(user);
  });
  await new Promise(resolve => network.listen(0, '127.0.0.1', () => resolve(undefined)));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    cut();
    network.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (network.address());
  return { target: `http://127.0.0.1:${port}`, cut, stop: () => network.close() };
}

test('polling is upgraded; bytes both ways are counted; nothing stays open', async () => {
  const load = await createLoad({
    target: server.target,
    socketio: {},
    flow: [
      { get: { url: '/login' } },
      { emit: ['echo', 'x'.repeat(1000)], acknowledge: true },
      { think: '300ms' },
      { emit: ['echo', 'y'.repeat(1000)], acknowledge: true },
    ],
  });
  const { error } = await load.run();
  assert.equal(error, null);
  const { counters, sketches } = load.recorded();
  assert.equal(sketches['socketio.upgrade_time'].count, 1);
  for (const name of ['socketio.bytes_sent', 'socketio.bytes_received']) {
    assert.ok(Number(counters[name]) > 2000 && Number(counters[name]) < 2500, `${counters[name]}`);
  }
  assert.equal(counters['socketio.disconnect.io client disconnect'], 1);
  assert.equal(load.sockets.open, 0);
  // A login's cookie goes with polls and with the upgrade.
  const [handshake] = await server.of('connect', 1);
  assert.equal(handshake?.cookie, 'session=s1');
});

test('a socket that the server ends is over: what waits for it fails at once, with the reason', async () => {
  const waiting = await createLoad({
    target: server.target,
    flow: [{ emit: ['leave'], acknowledge: true }],
  });
  const startedAt = performance.now();
  assert.equal((await waiting.run()).error.message, 'disconnected: io server disconnect');
  assert.ok(performance.now() - startedAt < 2000);
  assert.equal(waiting.recorded().counters['socketio.disconnect.io server disconnect'], 1);

  const later = await createLoad({
    target: server.target,
    flow: [{ emit: ['leave'] }, { think: '100ms' }, { emit: ['echo', 'into the void'] }],
  });
  assert.equal((await later.run()).error.message, 'disconnected: io server disconnect');

  const pushed = await createLoad({
    target: server.target,
    flow: [{ emit: ['leave'] }, { on: 'x' }],
  });
  assert.equal((await pushed.run()).error.message, 'disconnected: io server disconnect');
});

test('restores a broken connection with the newest token, and the flow continues', async t => {
  const network = await putNetworkBetween(t);
  const load = await createLoad({
    target: network.target,
    config: { timeout: 3 },
    socketio: { transports: ['websocket'], reconnectionDelay: 20, randomizationFactor: 0 },
    tokens: ['first'],
    tokenPlaces: { cookie: 'jwt', authField: 'token' },
    processor: {
      cut: (/** @type {any} */ _context, /** @type {any} */ _ee, /** @type {any} */ done) => {
        load.tokens.replace(['second']);
        network.cut();
        setTimeout(done, 50);
      },
    },
    flow: [
      { emit: ['echo', 1], acknowledge: true },
      { function: 'cut' },
      { emit: ['echo', 2], acknowledge: { data: 2 } },
    ],
  });
  const { error } = await load.run();
  assert.equal(error, null);
  assert.deepEqual(
    (await server.of('connect', 2)).map(({ cookie, auth }) => [cookie, auth.token]),
    [
      ['jwt=first', 'first'],
      ['jwt=second', 'second'],
    ],
  );
  const { counters, sketches } = load.recorded();
  assert.equal(counters['socketio.reconnect'], 1);
  assert.equal(counters['socketio.connect'], 2);
  // The second was no wait of the flow.
  assert.equal(sketches['socketio.connect_time'].count, 1);
  assert.equal(counters['socketio.disconnect.transport close'], 1);
  assert.equal(sketches['socketio.acknowledge_time'].count, 2);
  assert.equal(load.sockets.open, 0);
});

test('an acknowledgement that was under way when the connection broke is lost, not late', async t => {
  const network = await putNetworkBetween(t);
  const load = await createLoad({
    target: network.target,
    flow: [{ emit: ['slow', 5], acknowledge: true }],
  });
  const running = load.run();
  await new Promise(resolve => setTimeout(resolve, 200));
  network.cut();
  const { error } = await running;
  assert.equal(error.message, 'disconnected: transport close');
  assert.equal(load.recorded().sketches['socketio.acknowledge_time'], undefined);
});

test('a user whose server stays away fails when socket.io gives up', async t => {
  const network = await putNetworkBetween(t);
  const load = await createLoad({
    target: network.target,
    socketio: {
      transports: ['websocket'],
      reconnectionAttempts: 2,
      reconnectionDelay: 20,
      randomizationFactor: 0,
    },
    flow: [{ on: 'never' }],
  });
  const running = load.run();
  await new Promise(resolve => setTimeout(resolve, 200));
  network.stop();
  network.cut();
  const { error } = await running;
  assert.equal(error.message, 'disconnected: reconnect failed');
  assert.equal(load.recorded().counters['socketio.connect_error'], 2);
  assert.equal(load.sockets.open, 0);
});

test('a user that fails leaves no socket and no timer behind', async () => {
  const load = await createLoad({
    target: server.target,
    config: { timeout: 5 },
    flow: [
      {
        parallel: [
          { emit: ['echo', 1], acknowledge: { data: 2 } },
          { on: 'never' },
          { emit: ['ignored'], acknowledge: true },
          { connect: { namespace: '/chat' } },
        ],
      },
    ],
  });
  const { error } = await load.run();
  assert.equal(error.message, 'data is not valid');
  await new Promise(resolve => setTimeout(resolve, 100));
  const { counters } = load.recorded();
  assert.equal(counters['errors.data is not valid'], 1);
  assert.equal(load.sockets.open, 0);
  const timers = process.getActiveResourcesInfo().filter(kind => kind === 'Timeout');
  assert.deepEqual(timers, []);
});
