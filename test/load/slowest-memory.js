/** Declares a test of the memory that the slowest requests of 300 endpoints take. */
import assert from 'node:assert/strict';
import { createRedactor } from '../../lib/base/files/redaction.js';
import { RawHeaders } from '../../lib/load/engine/http/raw-headers.js';
import { createSlowest } from '../../lib/load/metrics/slowest.js';
import { describeRequest } from '../../lib/load/metrics/whole-request.js';
import { collectGarbage } from '../helpers/collect-garbage.js';
import { test } from '../helpers/quiet.js';

const KEYS = Array.from({ length: 300 }, (_, n) => `GET /${n}`);
const ADDRESS = new URL('http://localhost/');

/** @param {number} n @param {number} totalMs @param {object} vars @returns {any} an exchange that has ended */
const makeExchange = (n, totalMs, vars) => ({
  options: {
    endpoint: { key: KEYS[n % 300] },
    method: 'GET',
    address: ADDRESS,
    body: null,
  },
  execution: { context: { _uid: `user-${n}`, scenario: { name: 'all' }, vars } },
  status: 200,
  rawHeaders: new RawHeaders(`content-type: application/json\r\nx-number: ${n}\r\n`.repeat(5)),
  queuedAtMs: 1,
  connectedMs: 1,
  sentMs: 1,
  headersMs: 1 + totalMs,
  endMs: 1 + totalMs,
  opening: null,
  bytes: 100,
  reported: null,
  chunks: n % 100 ? null : [Buffer.alloc(50_000)],
});

/** @param {string} how @param {number} seconds @param {(n: number) => number} timeOf of the nth request, in ms */
export function declareMemory(how, seconds, timeOf) {
  test(`${how} at 500 requests per second takes at most 3 MB`, () => {
    const redactor = createRedactor();
    let nowMs = 0;
    let [written, most] = [0, 0];
    const slowest = createSlowest(
      () => {
        written += 1;
      },
      (exchange, outcome) => describeRequest(exchange, outcome, redactor),
      { now: () => nowMs },
    );
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let second = 0; second < seconds; second++) {
      // What the users of this second captured: 800 kB.
      const vars = { pages: new Array(100_000).fill(second) };
      for (let n = 0; n < 500; n++)
        slowest.offer(makeExchange(n, timeOf(second * 500 + n), vars), {});
      nowMs += 1000;
      if (second % Math.min(60, seconds / 2) === 9) {
        collectGarbage();
        most = Math.max(most, process.memoryUsage().heapUsed - before);
      }
      slowest.flush();
    }
    slowest.flush({ all: true });
    assert.ok(written >= 200, `${written} records`);
    assert.ok(most < 3e6, `${Math.round(most / 1000)} kB`);
  });
}
