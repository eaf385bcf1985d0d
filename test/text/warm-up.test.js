import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeWarmUp } from '../../lib/text/quality.js';

const QUIET = { takenPerSec: 4.62, ratePerSec: 2.3, isSmall: false, settings: {} };

test('a load that was found is shown with what it was found from', () => {
  assert.equal(
    describeWarmUp(QUIET),
    'In a warm-up this machine took 4.6 new users a second, with the profiler and the load generator running on it; 2.3 new users a second are sent.',
  );
});

test('a load that is too small for a profile says so', () => {
  assert.match(describeWarmUp({ ...QUIET, isSmall: true }), /are sent\. That is too small/);
});
