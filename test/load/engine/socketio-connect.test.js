import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { readCertificate } from '../../helpers/certificates.js';
import { serveRaw } from './fixtures/raw-server.js';
import { createLoad, usePythonServer } from './socketio-harness.js';

const server = usePythonServer();
beforeEach(() => void server.told.splice(0));

const ECHO = { emit: ['echo', 1], acknowledge: true };

test('what a login step captured, and its cookie, reach the handshake', async () => {
  const load = await createLoad({
    target: server.target,
    socketio: {
      transports: ['websocket'],
      auth: { token: '{{ token }}' },
      extraHeaders: { 'x-user': '{{ user }}', Cookie: 'theme=dark' },
    },
    flow: [
      { get: { url: '/login', capture: { json: '$.token', as: 'token' } } },
      { think: '10ms' },
    ],
  });
  const { error } = await load.run({ user: 'ann' });
  assert.equal(error, null);
  const [handshake] = await server.of('connect', 1);
  assert.deepEqual(
    server.told.slice(0, 2).map(({ kind }) => kind),
    ['http', 'connect'],
  );

  assert.deepEqual(handshake?.auth, { token: 'from-login' });
  assert.equal(handshake?.cookie, 'session=s1; theme=dark');
  assert.equal(handshake?.user, 'ann');
});

test('the token of the run is in the cookie and in the auth payload, over those of the script', async () => {
  const load = await createLoad({
    target: server.target,
    socketio: { transports: ['websocket'], extraHeaders: { cookie: 'a=1; jwt=old' } },
    tokens: ['first'],
    tokenPlaces: { cookie: 'jwt', authField: 'token' },
    flow: [ECHO],
  });
  await load.run();
  load.tokens.replace(['second']);
  await load.run();
  assert.deepEqual(
    (await server.of('connect', 2)).map(({ cookie, auth }) => [cookie, auth]),
    [
      ['a=1; jwt=first', { token: 'first' }],
      ['a=1; jwt=second', { token: 'second' }],
    ],
  );
});

test('namespaces of a user share one connection, those with headers of their own do not', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      ECHO,
      { emit: ['echo', 2], namespace: '/chat', acknowledge: true },
      { connect: { namespace: '{{ place }}', auth: { name: 'ann' }, query: { room: 7 } } },
    ],
  });
  // The flow has a `connect` step: the default namespace is connected by the first emit.
  const { error } = await load.run({ place: 'news' });
  assert.equal(error, null);
  const [main, chat, news] = await server.of('connect', 3);
  assert.deepEqual([main?.namespace, chat?.namespace, news?.namespace], ['/', '/chat', '/news']);
  assert.equal(main?.port, chat?.port);
  assert.notEqual(main?.port, news?.port);
  assert.deepEqual(news?.auth, { name: 'ann' });
  assert.match(news?.query, /room=7/);
  const { counters, sketches } = load.recorded();
  assert.equal(counters['socketio.connect'], 3);
  assert.equal(sketches['socketio.connect_time'].count, 3);
});

test('forceNew gives each namespace its own connection', async () => {
  const load = await createLoad({
    target: server.target,
    socketio: { transports: ['websocket'], forceNew: true },
    flow: [ECHO, { ...ECHO, namespace: '/chat' }],
  });
  await load.run();
  const [main, chat] = await server.of('connect', 2);
  assert.equal(chat?.namespace, '/chat');
  assert.notEqual(main?.port, chat?.port);
});

test('reconnects a namespace that was left, with current values', async () => {
  const load = await createLoad({
    target: server.target,
    socketio: { transports: ['websocket'], auth: { name: '{{ name }}' } },
    processor: {
      rename: (/** @type {any} */ context, /** @type {any} */ _ee, /** @type {any} */ done) => {
        context.vars.name = 'second';
        done();
      },
    },
    flow: [{ connect: null }, { disconnect: {} }, { function: 'rename' }, { connect: {} }],
  });
  const { error } = await load.run({ name: 'first' });
  assert.equal(error, null);
  assert.deepEqual(
    (await server.of('connect', 2)).map(({ auth }) => auth.name),
    ['first', 'second'],
  );
  assert.equal(load.recorded().counters['socketio.disconnect.io client disconnect'], 2);
});

test('a handshake that is refused ends the user under the name that the server gave', async () => {
  const load = await createLoad({
    target: server.target,
    socketio: { transports: ['websocket'], auth: { token: 'bad' } },
    flow: [ECHO],
  });
  const { error } = await load.run();
  assert.equal(error.message, 'unauthorized');
  const { counters, sketches } = load.recorded();
  assert.equal(counters['errors.unauthorized'], 1);
  assert.equal(counters['socketio.connect_error'], 1);
  assert.equal(counters['socketio.emit'], undefined);
  assert.equal(sketches['socketio.connect_time'], undefined);
  assert.match(load.errors[0]?.body, /bad token/);
});

test('a port without a listener ends the user at once, and the sample shows why', async () => {
  const load = await createLoad({ target: 'http://127.0.0.1:9', flow: [ECHO] });
  const { error } = await load.run();
  assert.equal(error.message, 'websocket error');
  const { counters } = load.recorded();
  assert.equal(counters['errors.websocket error'], 1);
  assert.equal(counters['socketio.connect_error'], 1);
  assert.equal(load.errors[0]?.code, 'ECONNREFUSED');
});

test('a transport that is not there is an error of the user', async () => {
  const load = await createLoad({
    target: server.target,
    socketio: { transports: ['pigeon'] },
    flow: [ECHO],
  });
  const { error } = await load.run();
  assert.equal(error.message, 'unknown transport: pigeon');
});

test('a certificate is checked as config.tls says', async t => {
  const authority = readCertificate('ca');
  const pair = readCertificate('server');
  const target = await serveRaw(t, { tls: pair, answer: (_text, send) => send('40{"sid":"x"}') });
  const flow = [{ connect: {} }];
  for (const tls of [{ rejectUnauthorized: false }, { ca: authority.cert }]) {
    const load = await createLoad({ target, flow, config: { tls } });
    assert.equal((await load.run()).error, null);
  }
  const load = await createLoad({ target, flow });
  assert.equal((await load.run()).error.message, 'websocket error');
  assert.match(load.errors[0]?.code, /^UNABLE_TO|^SELF_SIGNED|^DEPTH/);
});
