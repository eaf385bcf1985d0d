import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createTimeLimits,
  findExceeded,
} from '../../../lib/load/engine/http/connection/time-limits.js';
import { collectGarbage } from '../../helpers/collect-garbage.js';

const UNDER_WAY = 50;
const PAYLOAD_BYTES = 2000;

/** @returns {any} an exchange as far as time limits look at it, and what hangs on it */
function createExchange() {
  return {
    timeoutMs: 10_000,
    watchedAt: -1,
    connectedMs: performance.now(),
    sentMs: performance.now(),
    headersMs: 0,
    gotData: false,
    lastDataMs: 0,
    aborted: 0,
    exceeds(/** @type {number} */ nowMs) {
      return findExceeded(/** @type {any} */ (this), nowMs);
    },
    abort() {
      this.aborted += 1;
    },
    answer: Array.from({ length: PAYLOAD_BYTES / 8 }, () => null),
  };
}

test('requests that are over leave nothing that outlives the young generation', () => {
  const limits = createTimeLimits();
  const underWay = Array.from({ length: UNDER_WAY }, createExchange);
  underWay.forEach(limits.watch);
  const goOn = (/** @type {number} */ requests) => {
    for (let index = 0; index < requests; index++) {
      const at = (index * 7) % UNDER_WAY;
      limits.forget(underWay[at]);
      underWay[at] = createExchange();
      limits.watch(underWay[at]);
      // What survives twice is moved to the old generation.
      if (index % 1000 === 0) collectGarbage({ type: 'minor' });
    }
  };
  goOn(20_000);
  collectGarbage({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  goOn(20_000);
  collectGarbage({ type: 'minor' });
  collectGarbage({ type: 'minor' });
  const kept = (process.memoryUsage().heapUsed - before) / PAYLOAD_BYTES;
  underWay.forEach(limits.forget);
  assert.ok(kept < 1000, `${Math.round(kept)} of 20,000 requests were kept`);
});

test('each request that is late is ended, whichever others have ended before', {
  timeout: 30_000,
}, async () => {
  const limits = createTimeLimits();
  const all = Array.from({ length: 20 }, createExchange);
  all.forEach(limits.watch);
  for (const at of [0, 19, 7, 7, 8]) limits.forget(all[at]);
  for (const exchange of all) exchange.timeoutMs = 0;
  const late = all.filter(({ watchedAt }) => watchedAt >= 0);
  const { promise, resolve } = Promise.withResolvers();
  for (const exchange of late) {
    exchange.abort = () => {
      exchange.aborted += 1;
      limits.forget(exchange);
      if (late.every(({ aborted }) => aborted > 0)) resolve(null);
    };
  }
  await promise;
  assert.equal(late.length, 16);
  assert.deepEqual(
    all.map(({ aborted }) => aborted),
    all.map(exchange => Number(late.includes(exchange))),
  );
});
