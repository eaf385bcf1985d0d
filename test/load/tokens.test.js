import assert from 'node:assert/strict';
import { createTokenHolder } from '../../lib/load/token-holder.js';
import { test } from '../helpers/quiet.js';
import { declareTokens } from './declare-engines.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';
import { prepareSocketServer } from './socket-server.js';

const server = prepareSocketServer();

declareTokens('loadflame', server);

test('a message without a response ends its user, and the load still ends', async t => {
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${server.url()}"
  timeout: 1
  socketio: { path: /sock, transports: [websocket] }
  phases: [{ duration: 1, arrivalCount: 2 }]
scenarios:
  - engine: socketio
    flow:
      - emit: { channel: ignored, data: 1 }
        acknowledge: {}
`,
    settings: {},
  });
  const end = await running.ended;
  const { counters, errors, records } = await readLoad(files);
  assert.equal(end.reason, 'complete', end.logTail);
  assert.equal(counters['errors.acknowledge timeout'], 2, JSON.stringify(counters));
  assert.equal(counters['vusers.failed'], 2);
  assert.deepEqual(
    [errors[0]?.endpoint, errors[0]?.code],
    ['socket.io ignored', 'acknowledge timeout'],
  );
  assert.ok(!records.some(({ sketches }) => sketches?.['socketio.acknowledge_time']));
});

test('shows an unexpected response, which does not end the worker', async t => {
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${server.url()}"
  socketio: { path: /sock, transports: [websocket] }
  phases: [{ duration: 1, arrivalCount: 4 }]
scenarios:
  - engine: socketio
    flow:
      - emit: { channel: refused, data: 1 }
        acknowledge: { data: a text and no object }
`,
    settings: {},
  });
  const end = await running.ended;
  const { counters, errors } = await readLoad(files);
  assert.equal(end.reason, 'complete', end.logTail);
  assert.equal(counters['vusers.failed'], 4);
  assert.equal(errors[0]?.endpoint, 'socket.io refused');
  assert.equal(errors[0]?.body, '[{"success":false,"why":"no such room"}]');
});

test('connections that fail are counted as such', async t => {
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: http://127.0.0.1:1
  socketio: { transports: [websocket] }
  phases: [{ duration: 1, arrivalCount: 2 }]
scenarios:
  - engine: socketio
    flow: [{ emit: { channel: x, data: 1 } }]
`,
    settings: {},
  });
  const end = await running.ended;
  const { counters, errors } = await readLoad(files);
  assert.equal(end.reason, 'complete', end.logTail);
  assert.equal(counters['socketio.connect_error'], 2);
  assert.equal(counters['socketio.connect'], undefined);
  assert.equal(errors[0]?.endpoint, 'socket.io connect');
});

test('a virtual user keeps its token, and a scenario can do without', () => {
  const holder = createTokenHolder(['a', 'b']);
  const [one, two] = [{}, {}];
  assert.deepEqual(
    [holder.pick(one, {}), holder.pick(two, {}), holder.pick(one, {})],
    ['a', 'b', 'a'],
  );
  holder.replace(['A', 'B']);
  assert.deepEqual([holder.pick(one, {}), holder.pick(two, {})], ['A', 'B']);
  assert.equal(holder.pick({ scenario: { loadflame: { auth: false } } }, {}), null);
  assert.equal(holder.pick({}, { loadflame: { auth: false } }), null);
  assert.equal(createTokenHolder().pick({}, {}), null);
});
