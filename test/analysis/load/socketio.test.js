import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLostConnections } from '../../../lib/analysis/judge/findings/errors.js';
import { findUnanswered } from '../../../lib/analysis/load/failures.js';
import { importArtillery } from '../../../lib/analysis/load/import-artillery.js';
import { buildLoadReport } from '../../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../../lib/analysis/read/load/load-totals.js';
import { Sketch } from '../../../lib/base/math/sketch.js';
import { wordsOf } from '../../helpers/words.js';

const START = 1_795_211_100_000;

/** @param {number} value */
function sketch(value) {
  const made = new Sketch();
  made.accept(value);
  return made.toJson();
}

/** @param {Record<string, number>} counters @param {Record<string, any>} [sketches] */
function load(counters, sketches = {}) {
  const report = buildLoadReport({
    load: LoadTotals.of([
      { t: START, kind: 'load-start', engine: 'loadflame' },
      { t: START + 1000, kind: 'second', fromMs: START, counters, sketches },
    ]),
    errors: [],
    tokens: [],
  });
  assert.ok(report);
  return report;
}

test('each time of socket.io has its own field, and other counters are kept', () => {
  const { socketio, counters } = load(
    {
      'socketio.connect': 5,
      'socketio.emit': 9,
      'socketio.received': 7,
      'socketio.reconnect': 1,
      'socketio.disconnect.transport close': 1,
      'socketio.disconnect.io client disconnect': 4,
      'socketio.bytes_sent': 900,
      'socketio.bytes_received': 1200,
      'socketio.push_early': 3,
    },
    {
      'socketio.connect_time': sketch(1),
      'socketio.upgrade_time': sketch(2),
      'socketio.acknowledge_time': sketch(3),
      'socketio.response_wait': sketch(4),
      'socketio.push_wait': sketch(5),
    },
  );
  assert.ok(socketio);
  const { connectTime, upgradeTime, acknowledged, responseWait, pushWait } = socketio;
  assert.deepEqual(
    [connectTime, upgradeTime, acknowledged, responseWait, pushWait].map(times => times?.maxMs),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    [socketio.reconnects, socketio.received, socketio.bytesSent, socketio.bytesReceived],
    [1, 7, 900, 1200],
  );
  assert.deepEqual(socketio.disconnects, [
    { reason: 'io client disconnect', count: 4 },
    { reason: 'transport close', count: 1 },
  ]);
  assert.deepEqual(counters, { 'socketio.push_early': 3 });
});

test('a load test without socket.io has no such part', () => {
  assert.equal(load({ 'http.requests': 1 }).socketio, null);
});

test("connections that ended against the user's will are a finding, goodbyes are none", () => {
  const run = /** @type {any} */ ({});
  const find = (/** @type {Record<string, number>} */ counters) =>
    findLostConnections({ load: load(counters), profile: null, run });
  const goodbyes = { 'socketio.connect': 500, 'socketio.disconnect.io client disconnect': 500 };
  assert.deepEqual(find(goodbyes), []);
  const [few] = find({ ...goodbyes, 'socketio.disconnect.ping timeout': 2 });
  assert.equal(few?.severity, 'info');
  const [many] = find({ ...goodbyes, 'socketio.disconnect.transport close': 20 });
  assert.equal(many?.severity, 'warn');
  assert.match(
    wordsOf(many).title,
    /^20 of 500 socket\.io connections .*4\.0 %.*"transport close"/,
  );
  assert.match(wordsOf(many).detail ?? '', /a worker restarts/);
});

test('drops acknowledgement times of Artillery that include emits without a response', () => {
  const file = (/** @type {Record<string, any>} */ summaries) =>
    importArtillery({ aggregate: { counters: { 'socketio.emit': 3 }, summaries } });
  const times = { count: 3, min: 0, max: 9, mean: 3, p50: 2, p75: 3, p90: 4, p95: 5, p99: 8 };
  assert.equal(file({ 'socketio.response_time': times }).socketio?.acknowledged, null);
  const waited = file({ 'socketio.response_time': { ...times, min: 2 } });
  assert.equal(waited.socketio?.acknowledged?.minMs, 2);
  const ours = file({
    'socketio.response_time': times,
    'socketio.acknowledge_time': times,
  });
  assert.equal(ours.socketio?.acknowledged?.minMs, 0);
});

test('connections, messages and replies of WebSocket have a place of their own', () => {
  const { websocket, counters } = load(
    {
      'websocket.connect': 2,
      'websocket.messages_sent': 9,
      'websocket.messages_received': 8,
      'websocket.replies': 7,
      'websocket.bytes_sent': 900,
      'websocket.bytes_received': 800,
    },
    { 'websocket.connect_time': sketch(3), 'websocket.reply_time': sketch(5) },
  );
  assert.deepEqual(
    { ...websocket, connectTime: null, replyTime: null },
    {
      connects: 2,
      connectErrors: 0,
      sent: 9,
      received: 8,
      replies: 7,
      bytesSent: 900,
      bytesReceived: 800,
      connectTime: null,
      replyTime: null,
    },
  );
  assert.equal(websocket?.connectTime?.count, 1);
  assert.ok(Math.abs((websocket?.replyTime?.p50Ms ?? 0) - 5) < 0.1);
  assert.deepEqual(counters, {});
  assert.equal(load({ 'socketio.connect': 1 }).websocket, null);
});

const WORKER_KILLED = '[2026-11-21 04:15:17 +0000] [7] [ERROR] Worker (pid:9) was sent SIGKILL!';
const RAISED =
  'message async handler error\nTraceback (most recent call last):\n  File "/srv/socketio/server.py", line 611, in _handle_event_internal\nKeyError: 1';

for (const [what, { emits, text, alike, workers = [] }, count] of /** @type {const} */ ([
  [
    'the end of a worker',
    { emits: 1, text: WORKER_KILLED, alike: 1, workers: [WORKER_KILLED] },
    null,
  ],
  ['a few lines alike', { emits: 4, text: 'ERROR:root:no room', alike: 2 }, null],
  ['an HTTP request', { emits: 9, text: 'ERROR in app: Exception on /a [GET]', alike: 9 }, null],
  ['a line per emit', { emits: 9, text: 'ERROR:root:no cookie', alike: 9 }, 9],
  ['the only emit', { emits: 1, text: 'ERROR:root:no cookie', alike: 1 }, 1],
  ['a handler that raised', { emits: 20, text: RAISED, alike: 2 }, 2],
]))
  test(`counts as refused emits what their errors say: ${what}`, () => {
    const socketio = { ...load({ 'socketio.emit': emits }).socketio, received: 5 };
    const said = [{ level: 'error', text, alike }];
    const logs = /** @type {any} */ ({ said, workers: workers.map(line => ({ text: line })) });
    const found = findUnanswered(/** @type {any} */ ({ socketio }), logs);
    assert.equal(found?.line?.count ?? null, count);
  });
