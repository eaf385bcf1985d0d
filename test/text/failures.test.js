import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFailure } from '../../lib/text/failures.js';

test('the full stop of a response’s sentence is left to the sentence that quotes it', () => {
  const nameWith = (/** @type {string} */ reason) =>
    nameFailure({
      .../** @type {import('../../lib/run/facts/load-report.d.ts').Failure} */ ({}),
      ...{ endpoint: 'GET /tickets', code: '403', isStatus: true, isOfStep: false, count: 6 },
      ...{ reason, challenge: null },
    });
  assert.equal(
    nameWith('Authentication credentials were not provided.'),
    'GET /tickets 403 Authentication credentials were not provided',
  );
  assert.equal(nameWith('cut...'), 'GET /tickets 403 cut...');
});
