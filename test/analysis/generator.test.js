import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGeneratorLimit } from '../../lib/analysis/judge/findings/machine.js';
import {
  judgeQuality,
  judgeReliability,
  NOTHING_BESIDES,
} from '../../lib/analysis/judge/quality/index.js';
import { buildGenerator } from '../../lib/analysis/load/generator.js';
import { buildLoadReport } from '../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../lib/analysis/load/load-totals.js';
import { Sketch } from '../../lib/math/sketch.js';
import { describeSign } from '../../lib/text/generator-sign.js';
import { describeQuality } from '../../lib/text/quality.js';
import { recordsOf } from '../helpers/records.js';
import { wordsOf } from '../helpers/words.js';

const START = 1_795_211_100_000;

/** @param {number[]} values */
function sketch(values) {
  const made = new Sketch();
  for (const value of values) made.accept(value);
  return made.toJson();
}

/**
 * What a second of a worker is, where it is not idle.
 * @typedef {{busy?: number, cores?: number | null, queued?: number, lag?: number | number[] | null, delay?: number, lengthMs?: number}} Second
 */

/**
 * A load test with answers of 20 ms all the time.
 * @param {Second[][]} workers the seconds of each
 * @param {{answerMs?: number, engine?: string}} [options]
 */
function load(workers, { answerMs = 20, engine = 'loadflame' } = {}) {
  const length = Math.max(5, ...workers.map(series => series.length));
  const seconds = Array.from({ length }, (_, i) => ({
    t: START + i * 1000 + 1000,
    kind: 'second',
    fromMs: START + i * 1000,
    counters: { 'http.requests': 10, 'http.responses': 10, 'http.codes.200': 10 },
    sketches: { 'http.response_time': sketch([answerMs]), 'http.total': sketch([answerMs]) },
  }));
  const watched = workers.flatMap((series, index) =>
    series.map(
      ({ busy = 0.05, cores = busy, queued = 0, lag = 0.4, delay = 0.5, lengthMs = 1000 }, i) => ({
        t: START + i * 1000 + 1000,
        kind: 'generator',
        fromMs: START + i * 1000,
        lengthMs,
        worker: index + 1,
        cpuMs: cores === null ? null : cores * lengthMs,
        queuedMs: queued * lengthMs,
        utilization: busy,
        delayMs: { p50: 0, p99: delay, max: delay },
        ...(lag !== null && { lagMs: sketch(Array.isArray(lag) ? lag : Array(50).fill(lag)) }),
        arrivals: 50,
        skipped: 0,
        sockets: 4 + i,
        gcMaxMs: 0.7,
        rssBytes: 1e8 + i,
      }),
    ),
  );
  const report = buildLoadReport({
    load: LoadTotals.of(
      recordsOf('metrics', [
        { t: START, kind: 'load-start', engine },
        ...seconds,
        ...watched,
        { t: START + length * 1000, kind: 'load-end', reason: 'complete' },
      ]),
    ),
    errors: [],
    tokens: [],
  });
  assert.ok(report);
  return report;
}

/** @param {number} n @param {Second} [second] */
const secs = (n, second = {}) => Array.from({ length: n }, () => second);

/** @param {ReturnType<typeof load>} report */
const qualityOf = report =>
  judgeQuality(
    { run: /** @type {any} */ ({ reasons: [] }), load: report, profile: null, logs: null },
    NOTHING_BESIDES,
  );

/** @type {[string, Second[][], string[], {answerMs?: number}?][]} */
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
  const { generator } = load([secs(20, { cores: 0.1, queued: 0.85 })]);
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
    const { generator } = load(workers, options);
    assert.deepEqual(
      generator?.signs.map(({ id }) => id),
      signs,
    );
    const limits = signs.filter(id => id !== 'paused');
    assert.equal(generator?.signs.filter(({ isLimit }) => isLimit).length, limits.length);
  });
}

test('reports a generator that was the limit, with worker, share and time', () => {
  const report = load([secs(60), [...secs(26), ...secs(34, { busy: 0.97 })]]);
  const text = 'worker 2 was busy 97.0 % of the time in 34 of 58 s';
  const [sign] = report.generator?.signs ?? [];
  assert.equal(sign && describeSign(sign), text);
  const item = qualityOf(report).find(({ id }) => id === 'generator-limit');
  assert.equal(item?.level, 'bad');
  assert.ok(
    item && describeQuality(item).startsWith(`The load generator was the bottleneck: ${text}.`),
  );
});

test('reports a few late users, without calling the generator the bottleneck', () => {
  const few = { lag: [...Array(98).fill(0.8), 41.7, 41.7] };
  const report = load([[...secs(20), ...secs(9, few), ...secs(31)]], { answerMs: 1.9 });
  assert.deepEqual(
    report.generator?.signs.map(({ id, isLimit }) => [id, isLimit]),
    [['late', false]],
  );
  const run = /** @type {any} */ ({ host: { cpus: 2 } });
  assert.deepEqual(findGeneratorLimit({ load: report, run, profile: null }), []);
  const item = qualityOf(report).find(({ id }) => id === 'generator-paused');
  assert.equal(
    item && describeQuality(item),
    "The load generator's worker 1 started users up to 41.7 ms behind schedule (p99 of a second) in 9 of 58 s: the total time from the scheduled start includes such delays.",
  );
  assert.equal(judgeReliability(qualityOf(report)).level, 'doubtful');
});

test('users that start late one by one wait for no other: the rate is held', () => {
  const rare = { lag: [37, 38, 36] };
  const { generator } = load([secs(60, rare)]);
  assert.deepEqual(
    generator?.signs.map(({ id, isLimit }) => [id, isLimit]),
    [['late', false]],
  );
});

test('reports pauses of a generator that waits for a CPU', () => {
  const crowded = secs(60, { busy: 0.6, cores: 0.2, delay: 80 });
  const [sign] = load([crowded]).generator?.signs ?? [];
  assert.equal(
    sign && describeSign(sign),
    'worker 1 stalled for up to 80 ms (p99 of a second), because other processes took the CPU (it had work to do 60.0 % of the time, but ran on a core only 20.0 %), in 58 of 58 s',
  );
});

test('advice against a limit depends on what it was', () => {
  /** @type {[Second, number, RegExp][]} */
  const table = [
    [{ busy: 1 }, 4, /`--workers 2`/],
    [{ busy: 1 }, 1, /^Lower the rate/],
    [{ busy: 1, cores: 0.3 }, 4, /another machine than the target/],
    [{ lag: 100 }, 4, /^Lower the rate/],
  ];
  for (const [second, cpus, advice] of table) {
    const run = /** @type {any} */ ({ host: { cpus } });
    const [finding] = findGeneratorLimit({ load: load([secs(60, second)]), run, profile: null });
    assert.match(wordsOf(finding).advice ?? '', advice);
  }
  const run = /** @type {any} */ ({ host: null });
  assert.deepEqual(findGeneratorLimit({ load: load([secs(60)]), run, profile: null }), []);
});

test('what a worker used is summed up over the load window and nothing else', () => {
  const report = load([[...secs(10, { busy: 0.2 }), { busy: 0.6, cores: 0.5 }]]);
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
  const ok = qualityOf(report).find(({ id }) => id === 'generator');
  assert.match(
    ok ? describeQuality(ok) : '',
    /kept up: its busiest worker was busy 23\.6 % of the time/,
  );
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
  const report = load([], { engine: 'artillery' });
  assert.equal(report.generator, null);
  const item = qualityOf(report).find(({ id }) => id === 'not-checked');
  assert.equal(item?.level, 'warn');
  assert.match(
    item ? describeQuality(item) : '',
    /^Not checked: whether the load generator kept up \(Artillery's engine does not measure itself\)/,
  );
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
