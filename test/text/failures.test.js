import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFailure, wordFailure } from '../../lib/text/failures.js';

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

test('a refused method is explained by the redirect that repeats a POST, a timeout by its setting', () => {
  const meaningOf = (/** @type {string} */ code, /** @type {boolean} */ isStatus) =>
    wordFailure({
      ...{ endpoint: 'POST /home', code, isStatus, isOfStep: false, count: 6 },
      ...{ reason: null, challenge: null },
    }).meaning;
  assert.match(meaningOf('405', true) ?? '', /repeats a POST, .*`followRedirect: false`/);
  assert.match(meaningOf('ETIMEDOUT', false) ?? '', /\(`config\.http\.timeout`, by default 10 s\)/);
  assert.equal(meaningOf('404', true), null);
});
