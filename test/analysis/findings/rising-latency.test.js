import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRisingLatency } from '../../../lib/analysis/judge/findings/trends.js';
import { wordsOf } from '../../helpers/words.js';
import { makeLoad, makeNoise, makeRecorded, makeRunInfo, makeWaits } from '../facts.js';

const noise = makeNoise(5);

/** @type {[what: string, p50Ms: (second: number) => number | null, profile: any, isTold: boolean][]} */
const TABLE = [
  ['a queue grows, CPU idle', second => 20 + second * 3, {}, true],
  ['a queue grows, with noise', second => 60 + second * 3 + noise() * 20, {}, true],
  ['a queue grows, workers busy', second => 20 + second * 3, { cores: [0.9, 0.9] }, false],
  ['a queue grows, CPU time not known', second => 20 + second * 3, { cores: [null] }, false],
  ['nearly twice as slow, CPU idle', second => 40 + (35 * second) / 59, {}, true],
  ['steady', () => 20, {}, false],
  ['steady with noise', () => 60 + noise() * 30, {}, false],
  ['slower by a quarter', second => 200 + second, {}, false],
  ['doubles, but is milliseconds', second => 3 + second / 12, {}, false],
  ['a cold start', second => 20 + 500 / (1 + second), {}, false],
  ['a hiccup at the end', second => (second > 55 ? 500 : 20), {}, false],
  ['most seconds without an answer', second => (second % 10 ? null : 20 + second * 3), {}, false],
];

for (const [what, p50Ms, profile, isTold] of TABLE) {
  test(`${what}: ${isTold ? 'told' : 'silent'}`, () => {
    const findings = findRisingLatency({
      run: makeRunInfo(),
      load: makeLoad({ lengthSec: 60, p50Ms }),
      ...makeRecorded(profile),
    });
    assert.equal(findings.length, isTold ? 1 : 0, JSON.stringify(findings));
  });
}

test('where all threads are taken it says that requests queue before them', () => {
  const waits = makeWaits({ database: 0.9, cpu: 0.1 }, { slots: 4, busy: 4 });
  const [finding] = findRisingLatency({
    run: makeRunInfo(),
    load: makeLoad({ lengthSec: 60, p50Ms: second => 20 + second * 3 }),
    ...makeRecorded({ waits }),
  });
  assert.match(wordsOf(finding).title, /median rose from 2\d ms to 19\d ms\.$/);
  assert.match(wordsOf(finding).detail ?? '', /All 4 threads .* listen backlog/);
  assert.match(JSON.stringify(wordsOf(finding).evidence), /the database","value":"90 % ± 5/);
});
