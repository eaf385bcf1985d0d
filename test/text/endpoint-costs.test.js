/** What is said of CPU time that no endpoint has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayLeft } from '../../lib/text/endpoint-costs.js';

/** @param {'view' | 'companion'} basis @param {number} share @param {number} [later] */
const left = (basis, share, later = 0) =>
  sayLeft(/** @type {any} */ ({ basis, tying: { later }, unattributed: { samples: 9, share } }));

test('much CPU that no measured request has is a doubt about what requests cost', () => {
  assert.match(
    left('companion', 0.86),
    /^ 86\.0 % of the CPU is in no row: a request may cost more/,
  );
  assert.equal(left('companion', 0.1), '');
});

test('responses that are rendered after their view are the reason that a view has no cost', () => {
  assert.match(left('view', 0.633, 1), /^ 63\.3 % of the CPU is in no row: responses are rendered/);
  assert.doesNotMatch(left('view', 0.633), /rendered/);
});
