import assert from 'node:assert/strict';
import { test } from '../../helpers/quiet.js';
import { serveRaw } from './fixtures/raw-server.js';
import { createLoad } from './socketio-harness.js';

const CONNECTED = '40{"sid":"x"}';
const ASK = { emit: ['ask', 1], acknowledge: { timeout: 0.3 } };

/**
 * What becomes of a user whose server answers its emit with this.
 * @param {import('node:test').TestContext} t
 * @param {string[]} packets
 * @param {Record<string, any>} [step]
 */
async function ask(t, packets, step = ASK) {
  const target = await serveRaw(t, {
    answer(text, send) {
      if (text === '40') send(CONNECTED);
      else if (text.startsWith('42')) packets.forEach(send);
    },
  });
  const load = await createLoad({ target, flow: [step] });
  const { error, context } = await load.run();
  return { message: error?.message ?? null, vars: context.vars, ...load.recorded() };
}

test('an acknowledgement without content is one', async t => {
  const { message, sketches } = await ask(t, ['430']);
  assert.equal(message, null);
  assert.equal(sketches['socketio.acknowledge_time'].count, 1);
});

test('does not count a second or an unrequested acknowledgement', async t => {
  const { message, sketches } = await ask(t, ['4399[1]', '430[1]', '430[2]']);
  assert.equal(message, null);
  assert.equal(sketches['socketio.acknowledge_time'].count, 1);
  assert.equal(sketches['socketio.response_time'].count, 1);
});

test('an acknowledgement of any shape is judged, never fatal', async t => {
  for (const answer of ['[]', '[null]', '[[]]', '[{"length":-1}]', '[{"__proto__":{"a":1}}]']) {
    const acknowledge = {
      data: 'text',
      match: { json: '$.0.a.b', value: 1 },
      capture: { regexp: '(', as: 'x' },
    };
    const { message } = await ask(t, [`430${answer}`], { emit: ['ask'], acknowledge });
    assert.equal(message, 'data is not valid', answer);
  }
  const acknowledge = { capture: { regexp: '(', as: 'x' } };
  const { message } = await ask(t, ['430["text"]'], { emit: ['ask'], acknowledge });
  assert.match(`${message}`, /Invalid regular expression/);
});

test('packets that are none break the connection, and with it the wait', async t => {
  for (const packet of ['43{"not":"a list"}', '49', '45x-["x"]', 'b!!!', '42["connect"]']) {
    const { message, counters } = await ask(t, [packet], {
      emit: ['ask'],
      acknowledge: { timeout: 5 },
    });
    assert.equal(message, 'disconnected: parse error', packet);
    assert.equal(counters['socketio.disconnect.parse error'], 1);
  }
});

test('an event without a name is passed over, a packet of no known kind is not', async t => {
  assert.equal((await ask(t, ['42', '430[1]'])).message, null);
  assert.equal((await ask(t, ['9'])).message, 'disconnected: transport error');
});

test('a greeting that is not readable ends the user at once', async t => {
  for (const greeting of ['0', '0{', '0null', '0{"sid":1}']) {
    const load = await createLoad({ target: await serveRaw(t, { greeting }), flow: [ASK] });
    assert.equal((await load.run()).error.message, 'invalid handshake', greeting);
    assert.equal(load.sockets.open, 0);
  }
});

test('a refusal of any shape ends the user under a name', async t => {
  /** @type {[string, string][]} */
  const refusals = [
    ['44', 'connect error'],
    ['44"why not"', 'why not'],
    ['44{"message":"no","data":{"a":1}}', 'no'],
    ['44{}', 'connect error'],
  ];
  for (const [packet, name] of refusals) {
    const target = await serveRaw(t, { answer: (_text, send) => send(packet) });
    const load = await createLoad({ target, flow: [ASK] });
    assert.equal((await load.run()).error.message, name);
    assert.equal(load.recorded().counters[`errors.${name}`], 1);
  }
});

test('does not wait forever for a namespace that never connects, or whose connection ends', async t => {
  const silent = await serveRaw(t, {});
  const socketio = { transports: ['websocket'], timeout: 200 };
  const waiting = await createLoad({ target: silent, socketio, flow: [ASK] });
  assert.equal((await waiting.run()).error.message, 'connect timeout');
  assert.equal(waiting.recorded().counters['socketio.connect_error'], 1);

  const target = await serveRaw(t, { answer: (_text, _send, socket) => socket.destroy() });
  const ended = await createLoad({ target, flow: [ASK] });
  assert.equal((await ended.run()).error.message, 'disconnected: transport close');
  assert.equal(ended.recorded().sketches['socketio.connect_time'], undefined);
});

test('a header that may not be sent is an error of the user, at once', async () => {
  const load = await createLoad({
    target: 'http://127.0.0.1:9',
    socketio: { transports: ['websocket'], extraHeaders: { 'x-user': '{{ user }}' } },
    flow: [ASK],
  });
  const { error } = await load.run({ user: 'two\nlines' });
  assert.equal(error.message, 'websocket error');
  assert.equal(load.errors[0]?.code, 'ERR_INVALID_CHAR');
});

test('a server that does not read for a while slows its user down instead of filling the memory', async t => {
  const count = 1000;
  const size = 20_000;
  let connected = false;
  const target = await serveRaw(t, {
    answer(_text, send, socket) {
      if (connected) return;
      connected = true;
      send(CONNECTED);
      socket.pause();
      setTimeout(() => socket.resume(), 500);
    },
  });
  const load = await createLoad({
    target,
    flow: [{ loop: [{ emit: ['note', 'x'.repeat(size)] }], count }],
  });
  const running = load.run();
  await new Promise(resolve => setTimeout(resolve, 400));
  const early = Number(load.recorded().counters['socketio.emit']);
  assert.equal((await running).error, null);
  // What the system's own buffers take is sent.
  assert.ok(early > 0 && early < 0.9 * count, `${early}`);
  assert.equal(load.recorded().counters['socketio.emit'], count);
  // The last ones leave after the user.
  await new Promise(resolve => setTimeout(resolve, 50));
  assert.ok(Number(load.recorded().counters['socketio.bytes_sent']) > count * size);
});
