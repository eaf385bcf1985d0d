import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundCauses, findCause } from '../../../lib/analysis/load/slowest.js';

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

test('a call that could not end while others kept the loop, or a collection ran, is no cause', () => {
  assert.equal(causeOf({ loop: 68, statements: 80, cpu: 6 }), 'loop');
  assert.equal(causeOf({ gc: 84, statements: 95 }), 'gc');
  assert.equal(causeOf({ loop: 40, statements: 70 }), null);
  assert.equal(causeOf({ loop: 10, statements: 70 }), 'statements');
});

test('where times of calls are upper bounds, only a single one that is long is a cause', () => {
  /** @param {number[]} calls ms of each @returns {any} */
  const request = (...calls) => ({
    cause: 'statements',
    phases: { totalMs: 100 },
    calls: calls.map(ms => ({ ms, count: 1 })),
  });
  const [many, one, cpu] = boundCauses([
    request(40, 40),
    request(60, 2),
    { ...request(40, 40), cause: 'cpu' },
  ]);
  assert.deepEqual([many?.cause, many?.isBound], [null, true]);
  assert.deepEqual([one?.cause, one?.isBound, cpu?.cause], ['statements', undefined, 'cpu']);
});
