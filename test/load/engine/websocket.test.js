import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { WebSocketServer } from 'ws';
import { test } from '../../helpers/quiet.js';
import { createLoad } from './socketio-harness.js';

/** @type {WebSocketServer} */
let server;
let target = '';
/** @type {{path: string, headers: import('node:http').IncomingHttpHeaders, protocol: string}[]} */
const connections = [];

before(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('headers', headers => headers.push('Set-Cookie: pod=a; Path=/'));
  server.on('connection', (socket, { url = '', headers }) => {
    connections.push({ path: url, headers, protocol: socket.protocol });
    socket.on('message', data => {
      const text = String(data);
      if (text === 'silence') return;
      if (text === 'bye') return socket.close(1001);
      if (text === 'twice') socket.send('first');
      socket.send(text);
    });
  });
  await new Promise(resolve => server.once('listening', resolve));
  target = `ws://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
});
after(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

/** @param {Record<string, any>[]} flow @param {Record<string, any>} [more] */
async function run(flow, more = {}) {
  connections.length = 0;
  const load = await createLoad({ target, engine: 'ws', flow, ...more });
  const { error, context } = await load.run(more.vars);
  return { load, error, context, ...load.recorded() };
}

test('a message and its reply are timed; nothing stays open', async () => {
  const { error, counters, sketches, load } = await run(
    [
      { send: '{{ word }}', reply: true },
      { loop: [{ send: { id: 7, text: 'ü' }, reply: true }], count: 3 },
      { send: 'no answer is waited for' },
    ],
    { vars: { word: 'hello' } },
  );
  assert.equal(error, null);
  assert.equal(counters['websocket.connect'], 1);
  assert.equal(counters['websocket.messages_sent'], 5);
  assert.equal(counters['websocket.replies'], 4);
  assert.equal(sketches['websocket.reply_time'].count, 4);
  assert.equal(sketches['websocket.connect_time'].count, 1);
  const bytes = 5 + 3 * Buffer.byteLength('{"id":7,"text":"ü"}') + 23;
  assert.equal(counters['websocket.bytes_sent'], bytes);
  assert.equal(load.sockets.open, 0);
});

test("captures and matches work as in Artillery's engine, with `wait`, too", async () => {
  const { error, context } = await run([
    {
      send: {
        payload: { id: 42, list: [1, 2] },
        capture: { json: '$.id', as: 'id' },
        match: { json: '$.list.length', value: 2 },
      },
    },
    { send: { payload: 'twice', capture: { regexp: '.+', as: 'first' } } },
    { wait: { capture: { regexp: '.+', as: 'second' } } },
  ]);
  assert.equal(error, null);
  assert.equal(context.vars.id, 42);
  assert.equal(context.vars.first, 'first');
  assert.equal(context.vars.second, 'twice');
});

test('a failed match ends the user, and the response is kept', async () => {
  const { error, counters, load } = await run([
    { send: { payload: { id: 1 }, match: { json: '$.id', value: 2 } } },
    { send: 'never sent' },
  ]);
  assert.match(error.message, /Failed capture or match/);
  assert.equal(counters['errors.Failed capture or match'], 1);
  assert.equal(counters['websocket.messages_sent'], 1);
  assert.equal(load.errors[0]?.endpoint, 'WebSocket');
  assert.equal(load.errors[0]?.body, '{"id":1}');
  assert.equal(load.errors[0]?.requestBody, '{"id":1}');
});

test('a missing response ends the user at its timeout, and a closed connection at once', async () => {
  const silence = await run([{ send: 'silence', reply: true, timeout: 0.1 }]);
  assert.equal(silence.counters['errors.response timeout'], 1);
  const beganMs = performance.now();
  const bye = await run([{ send: 'bye', reply: true }]);
  assert.ok(performance.now() - beganMs < 5000);
  assert.equal(bye.counters['errors.disconnected: 1001'], 1);
  assert.equal(bye.load.sockets.open, 0);
});

test('a step says where to connect, with headers and subprotocols; cookies of the user go with it', async () => {
  const { error } = await run(
    [
      {
        connect: {
          target: `${target}/room?id={{ id }}`,
          headers: { 'x-user': '{{ id }}', cookie: 'own=1' },
          subprotocols: ['chat'],
        },
      },
      { connect: '/other' },
    ],
    { vars: { id: 9 }, tokens: ['secret'], tokenPlaces: { cookie: 'jwt', authField: null } },
  );
  assert.equal(error, null);
  const [first, second] = connections;
  assert.equal(first?.path, '/room?id=9');
  assert.equal(first?.headers['x-user'], '9');
  assert.equal(first?.headers.cookie, 'own=1; jwt=secret');
  assert.equal(first?.protocol, 'chat');
  assert.equal(second?.path, '/other');
  assert.equal(second?.headers.cookie, 'pod=a; jwt=secret');
});

test('a hook of the processor can change the connection', async () => {
  const processor = {
    /** @param {any} args @param {any} context @param {() => void} done */
    choose(args, context, done) {
      args.target = `${target}/${context.vars.room}`;
      done();
    },
  };
  const { error } = await run([{ connect: { function: 'choose' } }], {
    processor,
    vars: { room: 'b' },
  });
  assert.equal(error, null);
  assert.equal(connections[0]?.path, '/b');
});

test('without a listener, the error is counted once and the user ends', async () => {
  const { error, counters } = await run([{ connect: 'ws://127.0.0.1:1/' }, { send: 'x' }]);
  assert.equal(error.code, 'ECONNREFUSED');
  assert.equal(counters['errors.ECONNREFUSED'], 1);
  assert.equal(counters['websocket.connect_error'], 1);
});

test('the token goes to the origin of the target alone', async () => {
  const elsewhere = target.replace('127.0.0.1', 'localhost');
  const { error } = await run([{ connect: { target: elsewhere } }, { connect: '/here' }], {
    ...{ tokens: ['secret'], tokenPlaces: { cookie: 'jwt', authField: null } },
  });
  assert.equal(error, null);
  const [there, here] = connections.map(({ headers }) => headers.cookie);
  assert.deepEqual([there, here], [undefined, 'jwt=secret']);
});

test('integers above 2^53 keep their digits', async () => {
  const { error, context } = await run([
    { send: { payload: '{"id":9007199254740993}', capture: { json: '$.id', as: 'id' } } },
    { send: { payload: { again: '{{ id }}' }, capture: { json: '$', as: 'all' } } },
    { send: { payload: { x: '{{ id }}' }, match: { json: '$.x', value: 2 ** 53 } } },
  ]);
  assert.equal(error, null);
  assert.equal(context.vars.id, 9007199254740993n);
  assert.deepEqual(context.vars.all, { again: 9007199254740993n });
});

test('counts variables that are empty, by step', async () => {
  const { counters } = await run(
    [
      { connect: { target, headers: { 'x-a': 'a {{ token }}' } } },
      { send: 'a {{ name }} {{ name }}', reply: true },
      { send: { id: '{{ id }}', zero: '{{ zero }}' }, reply: true },
      { log: '{{ deep.of it }}' },
    ],
    { vars: { name: '', zero: 0 } },
  );
  const empty = Object.entries(counters).filter(([name]) => name.startsWith('empty_variables.'));
  assert.deepEqual(Object.fromEntries(empty), {
    'empty_variables.token of connect': 1,
    'empty_variables.name of send': 1,
    'empty_variables.id of send': 1,
    'empty_variables.deep.of it of log': 1,
  });
});
