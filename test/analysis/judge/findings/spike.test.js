/** Victims of a spike are told with the endpoint that caused it, and nobody is blamed where nobody can know. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSpikeVictims } from '../../../../lib/analysis/judge/findings/trends.js';
import { findSpike } from '../../../../lib/analysis/load/timeline/find-spike.js';
import { Sketch } from '../../../../lib/base/math/sketch.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad, makeNoise, makeRecorded, makeRunInfo } from '../../facts.js';

const LENGTH_SEC = 40;
const SEEDS = Array.from({ length: 20 }, (_, n) => n + 1);
const isSpike = (/** @type {number} */ second) => second >= 15 && second < 25;

/** @typedef {{rate: (second: number) => number, ms: (second: number) => number}} Truth */

/**
 * What is told of endpoints whose rate and typical latency are known, over several seeds.
 * @param {Record<string, Truth>} truths
 * @param {(second: number) => number} [othersCores] that other programs use
 * @param {(second: number) => number} [partsCores] that parts of the target use which were recorded
 * @param {object[]} [kinds] what requests waited for
 */
function tell(truths, othersCores = () => 0.1, partsCores = () => 0, kinds = []) {
  return SEEDS.map(seed => {
    const noise = makeNoise(seed);
    const seconds = Array.from({ length: LENGTH_SEC }, (_, second) => second);
    const edgesMs = [...seconds, LENGTH_SEC].map(second => second * 1000);
    const endpoints = Object.entries(truths).map(([name, { rate, ms }]) => {
      const requests = seconds.map(second => Math.max(0, Math.round(rate(second) + noise())));
      const latency = seconds.map((second, at) => {
        const sketch = new Sketch();
        for (let n = 0; n < (requests[at] ?? 0); n++)
          sketch.accept(ms(second) * Math.exp(0.4 * noise()));
        return sketch;
      });
      return { name, requests, latency };
    });
    const timeline = /** @type {any} */ ({
      edgesMs,
      load: { spike: findSpike(edgesMs, endpoints) },
      hostCores: seconds.map(second => 0.8 + othersCores(second) + partsCores(second)),
      recordedCores: seconds.map(second => 0.8 + partsCores(second)),
      workers: [{ pid: 1, cpuMs: seconds.map(() => 600), rssBytes: [] }],
      generator: { cores: seconds.map(() => 0.2) },
    });
    const load = { ...makeLoad(), window: { startMs: 0, endMs: LENGTH_SEC * 1000 } };
    const profile = /** @type {any} */ ({ waits: { kinds } });
    const facts = { run: makeRunInfo(), ...makeRecorded(), load, timeline, profile };
    return findSpikeVictims(facts)[0] ?? null;
  });
}

const steady = { rate: () => 20, ms: () => 20 };
const waits = { rate: () => 20, ms: (/** @type {number} */ at) => (isSpike(at) ? 200 : 20) };
const comesMore = { rate: (/** @type {number} */ at) => (isSpike(at) ? 40 : 2), ms: () => 110 };

test('reports endpoints that waited during a spike of another endpoint, and no others', () => {
  const search = { rate: () => 10, ms: () => 30 };
  for (const finding of tell({
    'GET /slots': waits,
    'POST /emails': comesMore,
    'GET /near': search,
  })) {
    const { title, evidence, advice } = wordsOf(/** @type {any} */ (finding));
    assert.match(
      title,
      /^A spike of POST \/emails made 1 of 2 other endpoints slower: p95 of GET \/slots \d\d(\.\d)? ms → [2-9]\d\d ms\.$/,
    );
    assert.deepEqual(
      evidence.map(({ label }) => label),
      ['GET /slots'],
    );
    assert.match(String(advice), /POST \/emails/);
  }
});

test('reports what requests waited for most', () => {
  const where = [{ function: 'send_email', file: 'mail.py', share: 1 }];
  const share = (/** @type {number} */ value) => ({ value, low: value - 0.02, high: value + 0.02 });
  const evidenceOf = (/** @type {object[]} */ kinds) => {
    const all = { 'GET /slots': waits, 'POST /emails': comesMore };
    const [finding] = tell(all, undefined, undefined, kinds);
    return wordsOf(/** @type {any} */ (finding)).evidence.slice(1);
  };
  assert.deepEqual(evidenceOf([{ id: 'external-call', share: share(0.94), where }]), [
    {
      label: 'time of requests in the whole run: calls to other services',
      value: '94 % ± 2, most of it in send_email (mail.py)',
    },
  ]);
  assert.deepEqual(evidenceOf([{ id: 'external-call', share: share(0.3), where }]), []);
  assert.deepEqual(evidenceOf([{ id: 'cpu', share: share(0.9), where: [] }]), []);
});

test('an endpoint that came in the spike alone is the cause, too', () => {
  const alone = { rate: (/** @type {number} */ at) => (isSpike(at) ? 30 : -9), ms: () => 110 };
  for (const finding of tell({ 'GET /slots': waits, 'POST /emails': alone }))
    assert.match(wordsOf(/** @type {any} */ (finding)).title, /^A spike of POST \/emails/);
});

test('reports the one of two spikes in which others were slower', () => {
  const harmless = {
    rate: (/** @type {number} */ at) => (at >= 3 && at < 9 ? 40 : 2),
    ms: () => 9,
  };
  for (const finding of tell({
    'GET /near': harmless,
    'GET /slots': waits,
    'POST /emails': comesMore,
  }))
    assert.match(wordsOf(/** @type {any} */ (finding)).title, /^A spike of POST \/emails/);
});

test('what a spike leaves behind, a queue that lasts as long as all before it, hides nothing', () => {
  const queue = (/** @type {number} */ at) =>
    at < 15 ? 20 : 200 + 40 * Math.min(at - 15, 45 - at);
  const drained = (/** @type {number} */ at) => (at < 15 ? 0 : 15);
  const all = {
    'GET /slots': { rate: () => 20, ms: queue },
    'POST /emails': { rate: drained, ms: queue },
  };
  for (const finding of tell(all))
    assert.match(wordsOf(/** @type {any} */ (finding)).title, /^A spike of POST \/emails/);
});

test('CPU of parts of the target that were recorded, such as the workers of its queue, hides nothing', () => {
  const all = { 'GET /slots': waits, 'POST /emails': comesMore };
  const busy = (/** @type {number} */ at) => (isSpike(at) ? 3.1 : 0.1);
  for (const finding of tell(all, () => 0.1, busy)) assert.ok(finding);
});

/** @type {[what: string, truths: Record<string, Truth>, othersCores?: (second: number) => number][]} */
const SILENT = [
  ['nothing got slower', { a: steady, b: comesMore }],
  ['all got slower, and none came more often: the machine', { a: waits, b: waits }],
  ['all come more often', { a: { ...comesMore, ms: waits.ms }, b: { ...comesMore, ms: waits.ms } }],
  [
    'the others come more often by two thirds',
    { a: { rate: at => (isSpike(at) ? 34 : 20), ms: waits.ms }, b: comesMore },
  ],
  [
    'other programs took a core at the same time',
    { a: waits, b: comesMore },
    at => (isSpike(at) ? 1.1 : 0.1),
  ],
  [
    'other programs have half of a full machine all the time',
    { a: waits, b: comesMore },
    () => 3.15,
  ],
  [
    'the latency is a fifth longer',
    { a: { rate: () => 20, ms: at => (isSpike(at) ? 24 : 20) }, b: comesMore },
  ],
  [
    'the spike is two seconds long',
    {
      a: { rate: () => 60, ms: at => (at === 15 || at === 16 ? 200 : 20) },
      b: { rate: at => (at === 15 || at === 16 ? 40 : 2), ms: () => 110 },
    },
  ],
  [
    'the latency rose at another time',
    { a: { rate: () => 20, ms: at => (at >= 30 ? 200 : 20) }, b: comesMore },
  ],
  ['too few requests say so', { a: { rate: () => 1, ms: waits.ms }, b: comesMore }],
];

for (const [what, truths, othersCores] of SILENT) {
  test(`blames no endpoint if ${what}`, () => {
    assert.deepEqual(tell(truths, othersCores).filter(Boolean), []);
  });
}
