import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mean } from '../../lib/base/math/summary.js';
import { followWarmUp, isSteady } from '../../lib/load/generator/warm-up.js';
import { runPhases } from '../../lib/load/pacing/run-phases.js';
import { serve } from '../helpers/listen.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

/** Responses in each of 9 s that followed 4 s of the same load, on two cores. Their level is known, and their noise. */
const RATES = JSON.parse(readFileSync(new URL('../fixtures/rates.json', import.meta.url), 'utf8'));
/** @type {number[][]} */
const RECORDED = Object.values(RATES).flat();
/** Of a target: until its first response. */
const START_MS = 2500;
const MEASURED_SEC = 10;
const MOST_SEC = 10;

/**
 * Recorded noise on a known curve, which begins at each recorded second.
 * @param {(second: number) => number} curve share of the level
 * @returns {{seconds: number, error: number}[]} length of the warm-up, and what the curve lacks afterwards
 */
function warmUp(curve) {
  return RECORDED.flatMap(rates =>
    rates.map((_, from) => {
      const at = (/** @type {number} */ second) =>
        (rates[(from + second) % rates.length] ?? 0) * curve(second);
      /** @type {number[]} */
      const counts = [];
      do counts.push(at(counts.length));
      while (!isSteady(counts) && counts.length < MOST_SEC);
      return { seconds: counts.length, error: lackAfter(counts.length, curve) };
    }),
  );
}

/** @param {number} seconds @param {(second: number) => number} curve */
const lackAfter = (seconds, curve) =>
  1 - mean(Array.from({ length: MEASURED_SEC }, (_, second) => curve(seconds + second)));

test('ends within 3 s of a steady rate in 90 % of recorded loads', () => {
  const lengths = warmUp(() => 1).map(({ seconds }) => seconds);
  assert.ok(lengths.length > 800);
  assert.ok(Math.min(...lengths) === 2);
  assert.ok(mean(lengths) < 2.5, `${mean(lengths)}`);
  assert.ok(lengths.filter(length => length > 3).length < 0.1 * lengths.length);
});

test('measures a rate that rises for the first seconds at its level', () => {
  for (const [what, curve] of /** @type {[string, (second: number) => number][]} */ ([
    ['one slow second', second => (second < 1 ? 0.4 : 1)],
    ['as recorded of the demo', second => [0.38, 0.8][second] ?? 1],
    ['no response for 4 s', second => (second < 4 ? 0 : 1)],
  ])) {
    const errors = warmUp(curve).map(({ error }) => error);
    assert.ok(mean(errors) < 0.005, `${what}: ${mean(errors)}`);
    assert.ok(Math.max(...errors) <= 0.025, `${what}: ${Math.max(...errors)}`);
  }
});

test('leaves less of a slow rise to the measured time than a fixed 3 s', () => {
  for (const curve of [
    (/** @type {number} */ second) => 1 - 0.6 * Math.exp(-second / 2),
    (/** @type {number} */ second) => Math.min(1, 0.4 + 0.12 * second),
  ]) {
    const errors = warmUp(curve).map(({ error }) => error);
    assert.ok(mean(errors) < lackAfter(3, curve), `${mean(errors)}`);
  }
});

test('waits for all workers, and ends before its planned end without responses', () => {
  /** @type {number[]} */
  const ends = [];
  const follow = () =>
    followWarmUp({ phases: [{ duration: 5 }], workers: 2 }, 500, atMs => ends.push(atMs));
  const record = { sketches: {}, endpoints: {}, usersActive: 1, firstMs: 0, lastMs: 0 };
  const two = follow();
  for (const fromMs of [0, 1000, 2000]) {
    two.addSecond({ ...record, fromMs, counters: { 'http.responses': 10 } });
    two.tick(0, fromMs + 1000);
  }
  assert.deepEqual(ends, []);
  for (const fromMs of [1000, 2000])
    two.addSecond({ ...record, fromMs, counters: { 'socketio.emit': 10 } });
  two.tick(1, 3000);
  assert.deepEqual(ends, [3000]);
  const none = follow();
  for (const fromMs of [0, 1000, 2000, 3000, 4000]) {
    none.addSecond({ ...record, fromMs, counters: {} });
    for (const worker of [0, 1]) none.tick(worker, fromMs + 1000);
    if (ends.length > 1) break;
  }
  assert.deepEqual(ends, [3000, 4000]);
});

test('a phase that ends early hands over its users and its schedule at that time', async () => {
  for (const rates of [{ arrivalRate: 50 }, { users: 2 }]) {
    const startAtMs = Date.now() + 20;
    /** @type {import('../../lib/load/pacing/schedule.js').PhaseControl} */
    const control = { steer: () => {}, endFirst: () => {} };
    // Told 60 ms late.
    setTimeout(() => control.endFirst(startAtMs + 400), 20 + 460);
    /** @type {Record<string, number>} */
    const times = {};
    /** @type {number[]} */
    const startedMs = [];
    /** @type {Set<unknown>} */
    const slots = new Set();
    await runPhases(
      [
        { duration: 5, name: 'warm-up', ...rates },
        { duration: 1, name: 'measured', ...rates },
      ],
      {
        share: { index: 0, of: 1 },
        startAtMs,
        control,
        usersActive: () => 0,
        onPhaseStart: ({ name }, atMs) => (times[`start of ${name}`] = atMs - startAtMs),
        onPhaseEnd: ({ name }, atMs) => (times[`end of ${name}`] = atMs - startAtMs),
        startUser({ slot }, _, done) {
          startedMs.push(Date.now() - startAtMs);
          if (slot) slots.add(slot);
          setTimeout(done, 20);
        },
      },
    );
    assert.deepEqual(times, {
      'start of warm-up': 0,
      'end of warm-up': 400,
      'start of measured': 400,
      'end of measured': 1400,
    });
    if (rates.users) assert.equal(slots.size, 2);
    // 50 a second, in the old schedule and in the new one: no gap between them, and none twice.
    else assert.equal(startedMs.length, 70);
  }
});

test('a load measures whole seconds of the same users after a slow start of its target', async t => {
  const sinceMs = Date.now();
  let firstMs = 0;
  const target = await serve(t, (_, response) => {
    firstMs ||= Date.now();
    setTimeout(() => response.end(), Math.max(20, firstMs + START_MS - Date.now()));
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${target}"
  phases:
    - { duration: 10, users: 3, name: warm-up }
    - { duration: 2, users: 3, name: measured }
scenarios: [{ flow: [{ get: { url: / } }] }]
`,
    settings: {},
    workers: 2,
    options: { untilSteady: true, endsSoon: true },
  });
  const end = await running.ended;
  assert.equal(end.exitCode, 0, end.logTail);
  const { records } = await readLoad(files);
  const timeOf = (/** @type {string} */ kind, /** @type {string} */ name) =>
    records.find(own => own.kind === kind && own.name === name)?.t ?? Number.NaN;
  const measuredMs = timeOf('phase-start', 'measured');
  assert.equal(timeOf('phase-end', 'warm-up'), measuredMs);
  assert.equal(measuredMs % 1000, 0);
  assert.equal(timeOf('phase-end', 'measured'), measuredMs + 2000);
  // Not during the slow start, and before its longest time.
  assert.ok(
    measuredMs >= firstMs + START_MS && measuredMs < firstMs + 8000,
    `${measuredMs - sinceMs}`,
  );
  const users = records.filter(own => own.kind === 'users' && own.name === 'measured');
  assert.equal(users.flatMap(own => own.ended).length, 3);
});
