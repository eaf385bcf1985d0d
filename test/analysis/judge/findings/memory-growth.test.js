import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMemoryGrowth } from '../../../../lib/analysis/judge/findings/trends.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeNoise, makeRecorded, makeRunInfo, makeTimeline } from '../../facts.js';

const MB = 1e6;
const noise = makeNoise(11);

/** @type {[what: string, rss: ((second: number) => number)[], lengthSec: number, isTold: boolean][]} */
const TABLE = [
  ['20 MB a minute', [second => 100 * MB + second * 0.33 * MB], 120, true],
  [
    '20 MB a minute with noise',
    [second => 100 * MB + second * 0.33 * MB + noise() * MB],
    120,
    true,
  ],
  ['20 MB a minute in steps', [second => 100 * MB + Math.floor(second / 10) * 3.3 * MB], 120, true],
  ['one of two workers', [() => 100 * MB, second => 100 * MB + second * 0.5 * MB], 120, true],
  ['flat', [() => 100 * MB], 120, false],
  ['flat with noise', [() => 100 * MB + noise() * 2 * MB], 120, false],
  ['a warm-up that ends', [second => 60 * MB + Math.min(second, 25) * 2 * MB], 120, false],
  ['a cache that fills', [second => 100 * MB + 80 * MB * (1 - Math.exp(-second / 25))], 120, false],
  ['one step up', [second => (second < 60 ? 100 : 130) * MB], 120, false],
  ['a saw: it grows and is given back', [second => 100 * MB + (second % 20) * MB], 120, false],
  [
    'a buffer of 64 MB, which requests take ever more often',
    [second => (143 + 64 * (((second * 37) % 101) / 101) * (0.1 + (0.9 * second) / 120)) * MB],
    120,
    false,
  ],
  ['it shrinks', [second => 200 * MB - second * 0.3 * MB], 120, false],
  ['growth of a hundredth', [second => 900 * MB + second * 0.07 * MB], 120, false],
  ['the first minute of a process', [second => 75 * MB + second * 0.25 * MB], 60, false],
  ['a leak in a short run', [second => 95 * MB + second * 5.3 * MB], 30, true],
  [
    'a warm-up that fills a short run',
    [second => 95 * MB + 80 * MB * (1 - Math.exp(-second / 8))],
    30,
    false,
  ],
  ['a run that is too short', [second => 100 * MB + second * MB], 30, false],
];

for (const [what, rssBytes, lengthSec, isTold] of TABLE) {
  test(`${what}: ${isTold ? 'told' : 'silent'}`, () => {
    const timeline = makeTimeline({ lengthSec, rssBytes });
    const findings = findMemoryGrowth({
      run: makeRunInfo(),
      load: null,
      ...makeRecorded(),
      timeline,
    });
    assert.equal(findings.length, isTold ? 1 : 0, JSON.stringify(findings));
  });
}

test('it says how much, where, and what an hour would take', () => {
  const timeline = makeTimeline({
    lengthSec: 120,
    rssBytes: [() => 80 * MB, second => 100 * MB + second * 0.5 * MB],
  });
  const [finding] = findMemoryGrowth({
    run: makeRunInfo(),
    load: null,
    ...makeRecorded(),
    timeline,
  });
  assert.match(
    wordsOf(finding).title,
    /^The memory of 1 worker keeps growing: 30 MB a minute, from 1\d\d MB to 160 MB in \d+ s\.$/,
  );
  assert.match(wordsOf(finding).detail ?? '', /1\.8 GB more in an hour/);
  assert.deepEqual(
    wordsOf(finding).evidence.map(({ label }) => label),
    ['worker 2'],
  );
});

test('judges workers that came and went by their known values', () => {
  const timeline = makeTimeline({
    lengthSec: 120,
    rssBytes: [second => 100 * MB + second * 0.5 * MB],
  });
  timeline.workers[0].rssBytes.fill(null, 40);
  const facts = { run: makeRunInfo(), load: null, ...makeRecorded(), timeline };
  assert.deepEqual(findMemoryGrowth(facts), []);
});

test('reports what a request leaves behind on average', () => {
  const timeline = makeTimeline({ lengthSec: 30, rssBytes: [second => 95 * MB + second * 5 * MB] });
  const windows = [{ startMs: 0, endMs: 30_000 }];
  const endpoints = [{ name: 'GET /leak', codes: [{ code: '200', count: 300 }] }];
  const load = /** @type {any} */ ({ windows, endpoints, http: { responses: 300 } });
  const facts = { run: makeRunInfo(), ...makeRecorded(), timeline };
  const [one] = findMemoryGrowth({ ...facts, load });
  assert.match(wordsOf(one).detail ?? '', /^A request leaves 500 kB behind on average\./);
});
