/** What is said of a try before it begins, and of the noise of a machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeForecast, describeNoise } from '../../lib/text/try.js';

const FORECAST = {
  pairMs: 36_000,
  leastMs: 72_000,
  spread: 0.05,
  isKnown: false,
  changes: [
    { change: 0.3, ms: 180_000 },
    { change: 0.1, ms: 612_000 },
  ],
};

test('says before a try how long it takes, and what --max is too short for', () => {
  assert.equal(
    describeForecast(FORECAST, 720_000),
    'a pair takes about 36 s; if runs vary by 5 %, a decision takes about 3 min for a change of 30 % and about 10 min 12 s for a change of 10 %',
  );
  assert.match(
    describeForecast({ ...FORECAST, spread: 0.02, isKnown: true }, 60_000),
    /^a pair takes .*; as runs of earlier tries varied by 2 %, .*; --max is too short: the first test is after about 72 s$/,
  );
});

test('names the smallest change of each figure, or that the runs are too few', () => {
  /** @param {number | null} change */
  const noise = change =>
    describeNoise(
      /** @type {any} */ ({
        withinMs: 720_000,
        figures: ['throughputPerSec', 'cpuMsPerRequest'].map(measure => ({ measure, change })),
      }),
    );
  assert.equal(
    noise(0.056),
    'in 12 min this machine shows changes of throughput from 6 % and of CPU per request from 6 %',
  );
  assert.match(noise(null), /not known: too few pairs/);
});
