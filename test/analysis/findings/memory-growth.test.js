import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMemoryGrowth } from '../../../lib/analysis/judge/findings/trends.js';
import { wordsOf } from '../../helpers/words.js';
import { makeNoise, makeRecorded, makeRunInfo, makeTimeline } from '../facts.js';

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

test('workers that came and went are judged by what is known of them', () => {
  const timeline = makeTimeline({
    lengthSec: 120,
    rssBytes: [second => 100 * MB + second * 0.5 * MB],
  });
  timeline.workers[0].rssBytes.fill(null, 40);
  const facts = { run: makeRunInfo(), load: null, ...makeRecorded(), timeline };
  assert.deepEqual(findMemoryGrowth(facts), []);
});

test('reports what a request leaves behind, and the endpoint where only one was requested', () => {
  const timeline = makeTimeline({ lengthSec: 30, rssBytes: [second => 95 * MB + second * 5 * MB] });
  const windows = [{ startMs: 0, endMs: 30_000 }];
  const endpoints = [{ name: 'GET /leak', codes: [{ code: '200', count: 300 }] }];
  const load = /** @type {any} */ ({ windows, endpoints, http: { responses: 300 } });
  const facts = { run: makeRunInfo(), ...makeRecorded(), timeline };
  const [one] = findMemoryGrowth({ ...facts, load });
  assert.match(
    wordsOf(one).detail ?? '',
    /^A request leaves behind: of GET \/leak 500 kB\. .* a cache that has not filled yet would, too\./,
  );
});

/**
 * A worker whose memory is what requests left, at rates that are drawn.
 * @param {Record<string, number>} kB that a request of each endpoint leaves
 * @param {{seed?: number, together?: boolean, kBPerSec?: number}} [how] `together`: requests of all endpoints come
 *   as one; `kBPerSec`: of no request
 */
function leak(kB, { seed = 1, together = false, kBPerSec = 0 } = {}) {
  const draw = makeNoise(seed);
  const lengthSec = 40;
  const names = Object.keys(kB);
  const all = Array.from({ length: lengthSec }, () => Math.round(10 + 6 * draw()));
  const counts = names.map(() => (together ? all : all.map(() => Math.round(10 + 6 * draw()))));
  let bytes = 60 * MB;
  const rss = Array.from({ length: lengthSec }, (_, second) => {
    names.forEach((name, index) => {
      bytes += (kB[name] ?? 0) * 1000 * (counts[index]?.[second] ?? 0);
    });
    // Allocators take memory in pieces.
    return Math.ceil((bytes + kBPerSec * 1000 * second + 200_000 * draw()) / 262_144) * 262_144;
  });
  // Requests of a second have left what they leave at its end, and memory is known in its middle.
  const middle = (/** @type {number} */ second) =>
    ((rss[second] ?? 0) + (rss[Math.max(0, second - 1)] ?? 0)) / 2;
  const timeline = makeTimeline({ lengthSec, rssBytes: [middle] });
  const series = names.map((name, index) => ({ name, requests: counts[index], answered: null }));
  timeline.load = /** @type {any} */ ({ endpoints: series });
  const endpoints = names.map(name => ({ name, codes: [{ code: '200', count: 1 }] }));
  const responses = counts.flat().reduce((sum, count) => sum + count, 0);
  const windows = [{ startMs: 0, endMs: lengthSec * 1000 }];
  const load = /** @type {any} */ ({ windows, endpoints, http: { responses } });
  const [found] = findMemoryGrowth({ run: makeRunInfo(), ...makeRecorded(), timeline, load });
  return wordsOf(found);
}

test('a leak is named with its endpoint where the growth follows its requests', () => {
  const { title, detail } = leak({ 'GET /a': 0, 'GET /leak': 300, 'GET /b': 0 });
  assert.match(title, /, with the requests of GET \/leak\.$/);
  const [, kB] =
    /^A request leaves behind: of GET \/leak (\d+) kB\. The/.exec(String(detail)) ?? [];
  assert.ok(Math.abs(Number(kB) - 300) < 30, String(detail));
  const both = leak({ 'GET /a': 300, 'GET /leak': 600, 'GET /b': 0 });
  assert.match(
    String(both.detail),
    /^A request leaves behind: of GET \/leak [56]\d\d kB and of GET \/a/,
  );
});

test('a leak that no endpoint explains better than another names none, and says how to find it', () => {
  const alike = leak({ 'GET /a': 0, 'GET /leak': 300 }, { together: true });
  assert.match(
    String(alike.detail),
    /^A request leaves 1\d\d kB behind on average\. The endpoint is not known/,
  );
  assert.match(String(alike.advice), /^To find the endpoint, request each alone/);
  for (let seed = 1; seed <= 40; seed++) {
    const { title } = leak({ 'GET /a': 0, 'GET /b': 0, 'GET /c': 0 }, { seed, kBPerSec: 3000 });
    assert.doesNotMatch(title, /with the requests of/, `seed ${seed}`);
  }
});
