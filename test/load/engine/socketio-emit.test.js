import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
import { test } from '../../helpers/quiet.js';
import { createLoad, usePythonServer } from './socketio-harness.js';

const server = usePythonServer();
beforeEach(() => void server.told.splice(0));

test('an acknowledgement is captured, matched and timed', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      {
        emit: { channel: 'echo', data: { id: '{{ id }}', deep: { on: true } } },
        acknowledge: {
          data: { id: 7, deep: { on: true } },
          capture: [
            { json: '$[0].id', as: 'first' },
            { json: '$.0', as: 'all' },
          ],
          match: { json: '$[0].deep.on', value: true },
        },
      },
      { emit: ['echo', 'a', { b: 2 }], acknowledge: { args: ['a', { b: 2 }] } },
      { emit: ['echo', 'text and more'], acknowledge: { data: 'and' } },
      { emit: ['echo', 5], acknowledge: { data: 5, capture: { as: 'number' } } },
      // Without data a null is sent, as Artillery does.
      { emit: { channel: 'echo' }, acknowledge: { data: [null] } },
    ],
  });
  const { error, context } = await load.run({ id: 7 });
  assert.equal(error, null);
  assert.equal(context.vars.first, 7);
  assert.deepEqual(context.vars.all, { id: 7, deep: { on: true } });
  assert.equal(context.vars.number, 5);
  const { counters, sketches } = load.recorded();
  assert.equal(counters['socketio.emit'], 5);
  assert.equal(sketches['socketio.acknowledge_time'].count, 5);
  assert.equal(sketches['socketio.response_time'].count, 5);
});

test('a captured value with a secret name becomes a secret, also in a list or a map', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      {
        emit: ['echo', { id: 'a-b-c', deep: { password: 'first', keys: ['second', 'third'] } }],
        acknowledge: {
          capture: [
            { json: '$[0].id', as: 'id' },
            { json: '$[0].deep.password', as: 'x' },
            { json: '$[0].deep.keys', as: 'apiKeys' },
          ],
        },
      },
      {
        emit: ['ask', { session: { token: 'fourth' } }],
        response: {
          channel: 'reply',
          data: { about: { session: { token: 'fourth' } } },
          capture: { json: '$[1].about', as: 'about' },
        },
      },
    ],
  });
  const { error } = await load.run();
  assert.equal(error, null);
  const learned = ['first', 'fourth', 'second', 'third'];
  assert.deepEqual([...new Set(load.learned)].sort(), learned);
});

test('an emit without a response has no latency', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [{ emit: ['echo', 1] }, { emit: ['echo', 2], acknowledge: { capture: { as: 'last' } } }],
  });
  const { context } = await load.run();
  assert.equal(context.vars.last, 2);
  const { counters, sketches } = load.recorded();
  assert.equal(counters['socketio.emit'], 2);
  assert.equal(sketches['socketio.response_time'].count, 1);
  assert.equal(sketches['socketio.acknowledge_time'].count, 1);
});

test('an acknowledgement that does not come in time ends the user and enters no latency', async () => {
  const load = await createLoad({
    target: server.target,
    config: { timeout: 0.2 },
    flow: [{ emit: ['ignored', 1], acknowledge: true }, { emit: ['echo', 'never'] }],
  });
  const { error } = await load.run();
  assert.equal(error.message, 'acknowledge timeout');
  const { counters, sketches } = load.recorded();
  assert.equal(counters['errors.acknowledge timeout'], 1);
  assert.equal(counters['socketio.emit'], 1);
  assert.equal(sketches['socketio.acknowledge_time'], undefined);
  assert.equal(sketches['socketio.response_time'], undefined);
  assert.deepEqual(
    load.errors.map(({ endpoint, code }) => [endpoint, code]),
    [['socket.io ignored', 'acknowledge timeout']],
  );
});

test('an unexpected response is timed, shown and ends the user', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      { emit: ['echo', { ok: false }], acknowledge: { match: { json: '$.0.ok', value: true } } },
    ],
  });
  assert.equal((await load.run()).error.message, 'Failed match');
  const { counters, sketches } = load.recorded();
  assert.equal(counters['errors.Failed match'], 1);
  assert.equal(sketches['socketio.acknowledge_time'].count, 1);
  assert.equal(sketches['socketio.response_time'], undefined);
  assert.equal(load.errors[0]?.body, '[{"ok":false}]');
  assert.equal(load.errors[0]?.requestBody, '[{"ok":false}]');
});

test('another type than the expected text causes no error of the thread', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [{ emit: ['echo', { not: 'text' }], acknowledge: { data: 'text' } }],
  });
  assert.equal((await load.run()).error.message, 'data is not valid');
});

test('a response is the first event that fits; others of its channel stay heard', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      {
        emit: { channel: 'ask', data: 'tea' },
        response: { on: 'reply', data: { about: 'tea' }, capture: { json: '$[1].about', as: 'x' } },
      },
      {
        parallel: [
          { emit: ['ask', 1], response: { channel: 'reply', data: { about: 1 } } },
          { emit: ['ask', 2], response: { channel: 'reply', data: { about: 2 } } },
        ],
      },
      {
        emit: ['ask', 3],
        response: { channel: 'reply', match: { json: '$.0', value: 'not this' } },
      },
    ],
  });
  const { error, context } = await load.run();
  assert.equal(error, null);
  assert.equal(context.vars.x, 'tea');
  const { counters, sketches } = load.recorded();
  assert.equal(sketches['socketio.response_wait'].count, 4);
  assert.equal(sketches['socketio.response_time'].count, 4);
  assert.ok((counters['socketio.received'] ?? 0) >= 7);
});

test('distinguishes a missing response from a wrong one', async () => {
  const flow = (/** @type {any} */ response) => [{ emit: ['ask', 1], response }];
  const wanting = await createLoad({
    target: server.target,
    flow: flow({ channel: 'nothing', timeout: 0.2 }),
  });
  assert.equal((await wanting.run()).error.message, 'response timeout');
  const misfit = await createLoad({
    target: server.target,
    flow: flow({ channel: 'reply', data: { about: 2 }, timeout: 0.3 }),
  });
  assert.equal((await misfit.run()).error.message, 'data is not valid');
  assert.match(misfit.errors[0]?.body, /not this/);
  for (const load of [wanting, misfit]) {
    const { sketches } = load.recorded();
    assert.equal(sketches['socketio.response_wait'], undefined);
    assert.equal(sketches['socketio.response_time'], undefined);
  }
});

test('an emit may wait for both, its acknowledgement and a response', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      {
        emit: ['bytes', '{{ bytes }}'],
        acknowledge: { capture: { json: '$.0', as: 'acknowledged' } },
        response: { channel: 'bytes', capture: { json: '$.0', as: 'answered' } },
      },
    ],
  });
  const { error, context } = await load.run({ bytes: Buffer.from([1, 2, 255]) });
  assert.equal(error, null);
  assert.deepEqual([...context.vars.acknowledged], [1, 2, 255]);
  assert.deepEqual([...context.vars.answered], [255, 2, 1]);
  const { sketches } = load.recorded();
  assert.equal(sketches['socketio.acknowledge_time'].count, 1);
  assert.equal(sketches['socketio.response_wait'].count, 1);
});

test('the channel of a loop comes from its variables, in the namespace that they name', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      {
        loop: [
          {
            emit: { channel: 'echo', data: '{{ $loopElement }}' },
            namespace: '{{ $loopElement }}',
            acknowledge: true,
          },
          { think: '10ms' },
        ],
        over: ['/chat', '/'],
      },
    ],
  });
  const { error } = await load.run();
  assert.equal(error, null);
  assert.deepEqual(
    (await server.of('echo', 2)).map(({ args }) => args),
    [['/chat'], ['/']],
  );
});

test('an emit without a channel is an error of the user', async () => {
  const load = await createLoad({ target: server.target, flow: [{ emit: { data: 1 } }] });
  assert.equal((await load.run()).error.message, 'invalid arguments');
});

test('integers above 2^53 keep their digits, in both directions', async () => {
  const big = { id: 9007199254740993n, list: [-90071992547409931n], text: '9007199254740993' };
  const load = await createLoad({
    target: server.target,
    flow: [
      { emit: ['echo', '{{ big }}'], acknowledge: { capture: { json: '$.0', as: 'back' } } },
      { emit: ['echo', '{{ big.id }}'], acknowledge: { data: 2 ** 53 } },
      {
        emit: ['ask', '{{ big }}'],
        response: {
          channel: 'reply',
          data: { about: '{{ big }}' },
          capture: { json: '$.1', as: 'pushed' },
        },
      },
    ],
  });
  const { error, context } = await load.run({ big });
  assert.equal(error, null);
  assert.deepEqual(context.vars.back, big);
  assert.deepEqual(context.vars.pushed.about, big);
});

test('counts variables that are empty in a namespace, a channel and expected data, once per step', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      {
        namespace: '{{ space }}',
        emit: ['ask', 1],
        response: { channel: 'reply{{ room }}', data: ['{{ want }}'], timeout: 0.2 },
      },
    ],
  });
  await load.run({});
  const empty = Object.entries(load.recorded().counters).filter(([name]) => /^empty_/.test(name));
  assert.deepEqual(Object.fromEntries(empty), {
    'empty_variables.space of emit ask': 1,
    'empty_variables.room of emit ask': 1,
    'empty_variables.want of emit ask': 1,
  });
});

test('counts variables that are empty, by the emit that needs them', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      { emit: { channel: 'echo', data: ['{{ id }}', '{{ id }}', '{{ name }}'] }, acknowledge: {} },
      { loop: [{ emit: ['say {{ room }}', '{{ name }}'] }], count: 3 },
    ],
  });
  assert.equal((await load.run({ name: 'a' })).error, null);
  const { counters } = load.recorded();
  const empty = Object.entries(counters).filter(([name]) => name.startsWith('empty_variables.'));
  assert.deepEqual(Object.fromEntries(empty), {
    'empty_variables.id of emit echo': 1,
    'empty_variables.room of emit say {{ room }}': 3,
  });
});
