import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLoadReport } from '../../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../../lib/analysis/read/load/load-totals.js';
import { Sketch } from '../../../lib/base/math/sketch.js';

/** @param {number} n @param {number} ms */
function times(n, ms) {
  const sketch = new Sketch();
  for (let i = 0; i < n; i++) sketch.accept(ms);
  return sketch.toJson();
}

/** @param {Record<string, number>} counters @param {Record<string, any>} [sketches] @param {Record<string, any>} [endpoints] */
const second = (counters, sketches = {}, endpoints = {}) => ({
  t: 1,
  kind: /** @type {const} */ ('second'),
  fromMs: 0,
  counters,
  sketches,
  endpoints,
});

const START = { t: 0, kind: /** @type {const} */ ('load-start') };

/** @param {ReturnType<typeof second>} record */
function countResponses(record) {
  const load = LoadTotals.of([START, record]);
  const report = buildLoadReport({ load, errors: [], tokens: [], artillery: null });
  assert.ok(report?.responses);
  const { failures, responses } = report;
  const { count, good, latency } = responses;
  return { failures, numbers: [failures.tried, count, good, failures.failed, latency?.count] };
}

test('counts redirects as good, and a response that fails a capture as a failure', () => {
  const counters = {
    'http.requests': 20,
    'http.codes.200': 10,
    'http.codes.302': 6,
    'http.codes.404': 3,
    'errors.ECONNRESET': 1,
    'errors.Failed capture or match': 2,
  };
  const endpoints = { 'GET /': { requests: 20, errors: 4, statuses: { 404: { count: 3 } } } };
  const counted = countResponses(second(counters, { 'http.total': times(19, 5) }, endpoints));
  assert.deepEqual(counted.numbers, [20, 19, 16, 6, 19]);
  assert.deepEqual(
    counted.failures.kinds.map(({ code, count }) => [code, count]),
    [
      ['404', 3],
      ['Failed capture or match', 2],
      ['ECONNRESET', 1],
    ],
  );
});

test('counts acknowledgements as responses, and each connection and emit as a request', () => {
  const counters = {
    'socketio.connect': 2,
    'socketio.emit': 50,
    'errors.acknowledge timeout': 3,
    'errors.data is not valid': 2,
  };
  const sketches = { 'socketio.acknowledge_time': times(30, 4) };
  // 30 came, and two of them were wrong; three did not come.
  assert.deepEqual(countResponses(second(counters, sketches)).numbers, [52, 30, 30, 5, 30]);
});

test('counts WebSocket replies beside HTTP responses in the same second', () => {
  const counters = {
    'websocket.messages_sent': 41,
    'websocket.replies': 40,
    'errors.response timeout': 1,
    'errors.ECONNREFUSED': 2,
    'http.requests': 7,
    'http.codes.200': 5,
  };
  const sketches = { 'websocket.reply_time': times(40, 2), 'http.total': times(5, 9) };
  const endpoints = { 'GET /': { requests: 7, errors: 2, statuses: {} } };
  const counted = countResponses(second(counters, sketches, endpoints));
  assert.deepEqual(counted.numbers, [48, 45, 45, 3, 45]);
});
