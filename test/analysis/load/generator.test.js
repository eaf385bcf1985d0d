import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGeneratorLimit } from '../../../lib/analysis/judge/findings/machine.js';
import { judgeReliability } from '../../../lib/analysis/judge/quality/index.js';
import { buildGenerator } from '../../../lib/analysis/load/generator.js';
import { buildLoadReport } from '../../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../../lib/analysis/read/load/load-totals.js';
import { recordsOf } from '../../helpers/records.js';
import { qualityOf, START, secs, watchedLoad } from './watched-load.js';

/** @type {[string, import('./watched-load.js').Second[][], string[], {answerMs?: number}?][]} */
const TABLE = [
  ['an idle generator', [secs(60)], []],
  ['a slow target and an idle generator', [secs(60, { busy: 0.02 })], [], { answerMs: 4000 }],
  ['a busy start of three seconds in sixty', [[...secs(3, { busy: 1 }), ...secs(57)]], []],
  ['two busy seconds in the middle', [[...secs(9), ...secs(2, { busy: 1 }), ...secs(9)]], []],
  ['four busy seconds in sixty', [[...secs(30), ...secs(4, { busy: 1 }), ...secs(26)]], []],
  ['a load of four seconds, all busy', [secs(4, { busy: 1 })], []],
  ['much work, and time left', [secs(60, { busy: 0.85 })], []],
  ['no time left', [secs(60, { busy: 0.97 })], ['busy']],
  ['no time left in the last fifth', [[...secs(48), ...secs(12, { busy: 0.97 })]], ['busy']],
  ['one of two workers without time', [secs(60), secs(60, { busy: 0.97 })], ['busy']],
  ['no time left, CPU not known', [secs(60, { busy: 0.97, cores: null })], ['busy']],
  ['always at work on less than a core', [secs(60, { busy: 0.97, cores: 0.4 })], ['starved']],
  ['woken, and let wait for a core', [secs(60, { cores: 0.1, queued: 0.85 })], ['starved']],
  ['a wait for a core now and then', [secs(60, { cores: 0.3, queued: 0.3 })], []],
  ['a third of the time one long second', [[...secs(10), { busy: 1, lengthMs: 5000 }]], ['busy']],
  ['users late by a large part of an answer', [secs(60, { lag: 40 })], ['late']],
  ['the same lag beside slow answers', [secs(60, { lag: 40 })], [], { answerMs: 900 }],
  ['one second with a lag', [[...secs(30), { lag: 300 }, ...secs(29)]], []],
  ['users late for a quarter of the time', [[...secs(45), ...secs(15, { lag: 80 })]], ['late']],
  ['late because busy: said once', [secs(60, { busy: 0.99, lag: 400 })], ['busy']],
  ['a closed loop has no schedule', [secs(60, { lag: null })], []],
  ['pauses', [secs(60, { delay: 45 })], ['paused']],
  ['the same pauses beside slow answers', [secs(60, { delay: 45 })], [], { answerMs: 900 }],
  [
    'a limit before a doubt',
    [secs(60, { delay: 45 }), secs(60, { busy: 0.95 })],
    ['busy', 'paused'],
  ],
];
test('what says that a worker waited for a core says so of all its figures', () => {
  const { generator } = watchedLoad([secs(20, { cores: 0.1, queued: 0.85 })]);
  const [worker] = generator?.workers ?? [];
  for (const told of [
    worker?.utilization,
    worker?.utilizationMax,
    generator?.signs[0]?.utilization,
  ])
    assert.equal(told?.toFixed(3), '0.950');
});

for (const [title, workers, signs, options] of TABLE) {
  test(`${title}: ${signs.join(' and ') || 'nothing to say against the generator'}`, () => {
    const { generator } = watchedLoad(workers, options);
    assert.deepEqual(
      generator?.signs.map(({ id }) => id),
      signs,
    );
    const limits = signs.filter(id => id !== 'paused');
    assert.equal(generator?.signs.filter(({ isLimit }) => isLimit).length, limits.length);
  });
}

test('a worker that was busy in most seconds was the limit', () => {
  const report = watchedLoad([secs(60), [...secs(26), ...secs(34, { busy: 0.97 })]]);
  const [sign] = report.generator?.signs ?? [];
  assert.deepEqual([sign?.id, sign?.worker, sign?.seconds, sign?.ofSeconds], ['busy', 2, 34, 58]);
  const item = qualityOf(report).find(({ id }) => id === 'generator-limit');
  assert.equal(item?.level, 'bad');
  const run = /** @type {any} */ ({ host: null });
  assert.deepEqual(findGeneratorLimit({ load: watchedLoad([secs(60)]), run, profile: null }), []);
});

test('a few late users are a doubt, and no bottleneck', () => {
  const few = { lag: [...Array(98).fill(0.8), 41.7, 41.7] };
  const seconds = [...secs(20), ...secs(9, few), ...secs(31)];
  const report = watchedLoad([seconds], { answerMs: 1.9 });
  assert.deepEqual(
    report.generator?.signs.map(({ id, isLimit }) => [id, isLimit]),
    [['late', false]],
  );
  const run = /** @type {any} */ ({ host: { cpus: 2 } });
  assert.deepEqual(findGeneratorLimit({ load: report, run, profile: null }), []);
  assert.ok(qualityOf(report).some(({ id }) => id === 'generator-paused'));
  assert.equal(judgeReliability(qualityOf(report)).level, 'doubtful');
});

test('users that start late one by one wait for no other: the rate is held', () => {
  const rare = { lag: [37, 38, 36] };
  const { generator } = watchedLoad([secs(60, rare)]);
  assert.deepEqual(
    generator?.signs.map(({ id, isLimit }) => [id, isLimit]),
    [['late', false]],
  );
});

test('what a worker used is summed up over the load window and nothing else', () => {
  const report = watchedLoad([[...secs(10, { busy: 0.2 }), { busy: 0.6, cores: 0.5 }]]);
  assert.deepEqual(report.generator?.workers, [
    {
      worker: 1,
      seconds: 11,
      cores: (10 * 0.2 + 0.5) / 11,
      utilization: (10 * 0.2 + 0.6) / 11,
      utilizationMax: 0.6,
      delayP99Ms: 0.5,
      gcMaxMs: 0.7,
    },
  ]);
  assert.equal(report.generator?.rssBytesMax, 1e8 + 10);
  assert.ok(Math.abs((report.generator?.lag?.p99Ms ?? 0) - 0.4) < 0.005);
  assert.ok(qualityOf(report).some(({ id }) => id === 'generator'));
});

test('a first second that was only half recorded counts, and one before the load does not', () => {
  const watched = (/** @type {number} */ fromMs, /** @type {number} */ lengthMs) => ({
    t: fromMs + 1000,
    kind: 'generator',
    fromMs,
    lengthMs,
    worker: 1,
    cpuMs: lengthMs / 2,
    utilization: 0.5,
    arrivals: 3,
  });
  const report = buildLoadReport({
    load: LoadTotals.of(
      recordsOf('metrics', [
        { t: START + 500, kind: 'load-start', engine: 'loadflame' },
        watched(START - 1000, 1000),
        watched(START, 490),
        { t: START, kind: 'second', fromMs: START, counters: { 'http.requests': 1 } },
      ]),
    ),
    errors: [],
    tokens: [],
  });
  assert.equal(report?.generator?.cores, 0.5);
  assert.equal(report?.generator?.workers[0]?.gcMaxMs, null);
});

test('a generator that does not watch itself is not called idle', () => {
  const report = watchedLoad([], { engine: 'artillery' });
  assert.equal(report.generator, null);
  const item = qualityOf(report).find(({ id }) => id === 'not-checked');
  assert.equal(item?.level, 'warn');
});

test('a generator may be watched for days', () => {
  const records = Array.from({ length: 200_000 }, (_, second) => ({
    kind: 'generator',
    fromMs: second * 1000,
    lengthMs: 1000,
    worker: 1,
    utilization: 0.97,
    cpuMs: 970,
    delayMs: { p99: 3 },
    gcMaxMs: 1,
    sockets: 4,
    arrivals: 1,
    rssBytes: second,
    lagMs: null,
  }));
  const tests = /** @type {any} */ ([{ records }]);
  const report = buildGenerator(tests, [{ startMs: 0, endMs: 200_000_000 }], 20);
  assert.equal(report?.rssBytesMax, 199_999);
  assert.equal(report.signs[0]?.pauseMaxMs, 3);
});
