import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeWarmUp } from '../../lib/text/quality.js';

const QUIET = { takenPerSec: 4.62, ratePerSec: 2.3, isSmall: false, settings: {} };

test('shows a chosen load with the measurement behind it', () => {
  assert.equal(
    describeWarmUp(QUIET),
    'In the warm-up, this machine handled 4.6 new users a second beside the profiler and the load generator. The load starts 2.3 new users a second.',
  );
});

test('a load that is too small for a profile says so', () => {
  assert.match(describeWarmUp({ ...QUIET, isSmall: true }), /a second\. That is too little/);
});
