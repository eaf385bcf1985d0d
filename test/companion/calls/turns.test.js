import assert from 'node:assert/strict';
import path from 'node:path';
import { python } from '../../helpers/companion.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';

/** @param {'one' | 'all'} atOnce calls that the service works for, 20 ms each @returns {{first: number | null, last: number | null}} µs */
const callService = atOnce => python([path.join(FIXTURES, 'companion_turns.py'), atOnce]);

test('calls report the quickest of them, where a service works for one at a time', () => {
  const { first, last } = callService('one');
  assert.equal(first, null, 'one call shows nothing');
  assert.ok((last ?? 0) >= 10_000 && (last ?? 0) < 80_000, `${last} µs`);
});

test('calls of a service that works for all at once do not wait for each other', () => {
  assert.equal(callService('all').last, null);
});
