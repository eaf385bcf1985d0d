import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInvalid } from '../../../lib/analysis/judge/quality/validity.js';
import { importArtillery } from '../../../lib/analysis/load/import-artillery.js';
import { findMistake } from '../../../lib/run/folder-shapes.js';

const START = 1_795_211_100_000;

test("Artillery's own JSON is imported with rates from its counters, not from its rounded rates", () => {
  const report = importArtillery({
    aggregate: {
      counters: {
        'http.requests': 100,
        'http.responses': 100,
        'http.codes.200': 90,
        'http.codes.404': 10,
        'vusers.created': 7,
      },
      firstCounterAt: START,
      lastCounterAt: START + 20_000,
      summaries: {
        'http.response_time': {
          count: 100,
          min: 1,
          max: 9,
          mean: 3,
          p50: 2,
          p75: 3,
          p90: 4,
          p95: 5,
          p99: 8,
        },
      },
    },
    intermediate: [
      { period: String(START), counters: { 'http.requests': 50, 'http.codes.404': 10 } },
    ],
  });
  assert.equal(report.http.meanRatePerSec, 5);
  assert.equal(report.http.throughputPerSec, 4.5);
  assert.deepEqual([report.seconds[0]?.requests, report.seconds[0]?.errors], [5, 1]);
  assert.equal(report.http.timeToFirstByte?.p95Ms, 5);
});

test('what Artillery measured without a number, TLS without TLS, is read as not measured', () => {
  const none = {
    min: null,
    max: null,
    count: 9,
    mean: null,
    p50: 0,
    p75: 0,
    p90: 0,
    p95: 0,
    p99: 0,
  };
  const file = {
    aggregate: { counters: { 'http.requests': 9 }, summaries: { 'http.tls': none } },
  };
  assert.equal(findMistake('artillery', file), null);
  assert.equal(importArtillery(file).http.connections?.tls, null);
});

test("messages of Artillery's WebSocket engine are a load with unknown connections", () => {
  const importCounters = (/** @type {Record<string, number>} */ counters) =>
    importArtillery({ aggregate: { counters: { 'vusers.created': 9, ...counters } } });
  const sent = importCounters({ 'websocket.messages_sent': 90, 'websocket.messages_received': 80 });
  assert.equal(findInvalid(sent), null);
  const { websocket } = sent;
  assert.deepEqual([websocket?.sent, websocket?.received], [90, 80]);
  assert.deepEqual([websocket?.connects, websocket?.bytesSent], [null, null]);
  const silent = importCounters({});
  assert.equal(silent.websocket, null);
  assert.equal(findInvalid(silent)?.id, 'nothing-sent');
  const own = importCounters({ 'websocket.connect': 9, 'websocket.bytes_sent': 300 });
  const { connects, connectErrors, bytesSent } = own.websocket ?? {};
  assert.deepEqual([connects, connectErrors, bytesSent], [9, 0, 300]);
});
