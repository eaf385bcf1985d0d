import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSlow } from '../../lib/text/slowest.js';

/** @param {any} own */
const describe = own =>
  describeSlow({
    endpoint: 'GET /a',
    startedAtMs: 0,
    status: 200,
    code: null,
    error: null,
    phases: { totalMs: 100 },
    parts: [],
    blockers: [],
    worker: 'a',
    cause: null,
    ...own,
  }).replace(/ at [\d:]+/, '');

test('a slow request has its end and its cause, or why that is not known', () => {
  const parts = [{ id: 'lock', ms: 60 }];
  assert.equal(
    describe({ cause: 'lock', parts }),
    'GET /a took 100 ms (200): waiting for a lock, 60 ms of 100 ms',
  );
  assert.match(describe({ worker: null }), /not known: no report of the companion$/);
  assert.match(describe({ isBound: true }), /not known: its calls may have waited for the CPU/);
  assert.match(describe({ samples: { count: 2, locks: 0 } }), /not known: no part has half of it$/);
  assert.match(
    describe({ samples: null }),
    /half of it, and no sample fell into it \(--profile shows locks\)$/,
  );
  assert.match(describe({ status: 500, code: '500' }), /\(500\)/);
  assert.match(describe({ status: null, code: 'ETIMEDOUT' }), /\(no response, ETIMEDOUT\)/);
});
