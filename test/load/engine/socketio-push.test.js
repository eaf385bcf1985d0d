import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createLoad, usePythonServer } from './socketio-harness.js';

const server = usePythonServer();
beforeEach(() => void server.told.splice(0));

test('a step waits for a push, and the wait is measured', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      { emit: ['push', 1, 0.15] },
      {
        on: {
          channel: 'pushed',
          capture: { json: '$.0.n', as: 'n' },
          match: { json: '$.0.n', value: 0 },
        },
      },
    ],
  });
  const { error, context } = await load.run();
  assert.equal(error, null);
  assert.equal(context.vars.n, 0);
  const { counters, sketches } = load.recorded();
  assert.equal(counters['socketio.push'], 1);
  assert.ok(sketches['socketio.push_wait'].min > 100);
  assert.equal(sketches['socketio.push_wait'].count, 1);
  assert.equal(sketches['socketio.response_time'], undefined);
});

test('takes early pushes in order, without a wait', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      { emit: ['push', 4, 0] },
      { emit: ['slow', 0.2], acknowledge: true },
      { on: 'pushed' },
      { on: { channel: 'pushed', capture: { json: '$.0.n', as: 'second' } } },
    ],
  });
  const { error, context } = await load.run();
  assert.equal(error, null);
  assert.equal(context.vars.second, 1);
  const { counters, sketches } = load.recorded();
  assert.equal(counters['socketio.push_early'], 2);
  assert.equal(counters['socketio.push'], 2);
  assert.equal(counters['socketio.received'], 4);
  assert.equal(sketches['socketio.push_wait'], undefined);
});

test('a push that does not come ends the user and enters no latency', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [{ on: { channel: 'pushed', timeout: 0.1 } }],
  });
  assert.equal((await load.run()).error.message, 'push timeout');
  const { counters, sketches } = load.recorded();
  assert.equal(counters['errors.push timeout'], 1);
  assert.equal(sketches['socketio.push_wait'], undefined);
  assert.equal(load.errors[0]?.endpoint, 'socket.io pushed');
});

test('a server that wants its event acknowledged gets the response of the script', async () => {
  const load = await createLoad({
    target: server.target,
    flow: [
      { emit: ['question'] },
      { on: { channel: 'asked', answer: { name: '{{ name }}' } } },
      { think: '50ms' },
    ],
  });
  assert.equal((await load.run({ name: 'ann' })).error, null);
  const [told] = await server.of('answer', 1);
  assert.deepEqual(told?.answer, [{ name: 'ann' }]);
});
