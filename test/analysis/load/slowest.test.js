import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCause } from '../../../lib/analysis/load/slowest.js';

/** @import { RequestPart } from '../../../lib/run/facts/slow-requests.d.ts' */

/** @param {Partial<Record<RequestPart['id'], number>>} lengths ms of the parts of a request of 100 ms */
const causeOf = lengths =>
  findCause(
    Object.entries(lengths).map(([id, ms]) => {
      return { id: /** @type {RequestPart['id']} */ (id), ms, startMs: null };
    }),
    100,
  );

test('the cause of a slow request has half of its time, and is not the CPU that something else used', () => {
  assert.equal(causeOf({ front: 3, lock: 60, other: 37 }), 'lock');
  assert.equal(causeOf({ lock: 45, other: 55 }), null);
  // a statement of SQLite runs on the CPU of its request
  assert.equal(causeOf({ statements: 94, cpu: 96 }), 'statements');
  assert.equal(causeOf({ statements: 40, cpu: 96 }), 'cpu');
});
