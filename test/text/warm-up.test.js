import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeWarmUp } from '../../lib/text/quality.js';

const QUIET = {
  takenPerSec: 4.62,
  ratePerSec: 2.3,
  freeCores: 1.9,
  cores: 1.6,
  cpus: 2,
  quotaCores: null,
  isFull: false,
  isSmall: false,
  settings: {},
};

test('a load that was found is told with what it was found from', () => {
  assert.equal(
    describeWarmUp(QUIET),
    'In a warm-up this machine took 4.6 new users a second, the profiler and the load generator at work on it; 2.3 new users a second are sent.',
  );
});

test('what others take of the machine, a quota, and what is too small or too full are told', () => {
  assert.match(
    describeWarmUp({ ...QUIET, freeCores: 0.95 }),
    /sent, because others on it left 0\.95 of 2 cores\.$/,
  );
  assert.match(
    describeWarmUp({ ...QUIET, freeCores: 0.1, isFull: true, isSmall: true }),
    /cores\. Too little CPU is free to measure: stop other programs\.$/,
  );
  assert.match(
    describeWarmUp({ ...QUIET, freeCores: 0.5, cores: 0.5, quotaCores: 0.5, isSmall: true }),
    /^In a warm-up a CPU quota of 0\.50 cores took .* sent\. That is too small for a profile/,
  );
});
