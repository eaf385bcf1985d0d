import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCurve, fitPhases } from '../../../lib/load/traffic/arrival-curve.js';

/** @import { CurvePhase } from '../../../lib/run/facts/traffic.d.ts' */

/** @param {CurvePhase[]} phases @returns {number[]} requests of each minute */
const countMinutes = phases =>
  phases.flatMap(({ seconds, fromPerSec, toPerSec }) => {
    const minutes = seconds / 60;
    const slope = (toPerSec - fromPerSec) / minutes;
    return Array.from({ length: minutes }, (_, at) => 60 * (fromPerSec + slope * (at + 0.5)));
  });

test('few lines follow a rise, a plateau, a spike and a fall within 5 %', () => {
  const counts = Array.from({ length: 60 }, (_, at) => {
    if (at < 20) return 3000 + 150 * at;
    if (at >= 40 && at < 43) return 15_000;
    return at < 45 ? 6000 : 6000 - 250 * (at - 45);
  });
  const phases = fitPhases(counts);
  assert.ok(phases.length <= 7, `${phases.length}`);
  for (const [at, count] of countMinutes(phases).entries())
    assert.ok(Math.abs(count / (counts[at] ?? 0) - 1) <= 0.05, `minute ${at}: ${count}`);
});

test('chance makes no phases, and minutes without requests are a phase of their own', () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  // Of 2,000 that arrive in 20 of the 40 minutes.
  const counts = Array.from({ length: 40 }, () => 0);
  for (let one = 0; one < 2000; one++) {
    const at = Math.floor(random() * 20);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const phases = fitPhases(counts);
  assert.ok(phases.length <= 4, JSON.stringify(phases));
  assert.deepEqual(phases.at(-1), { seconds: 1200, fromPerSec: 0, toPerSec: 0 });
});

test('takes the busiest hour, and no minute in which the log began or ended', () => {
  const perMinute = new Map(Array.from({ length: 180 }, (_, at) => [at, at < 90 ? 60 : 120]));
  perMinute.set(180, 20);
  const { fromMs, phases } = buildCurve(perMinute, { firstMs: 0, lastMs: 180 * 60_000 + 9000 });
  assert.ok(fromMs >= 90 * 60_000, `${fromMs}`);
  assert.deepEqual(phases, [{ seconds: 3600, fromPerSec: 2, toPerSec: 2 }]);
});

test('a log of a few seconds has one phase with its rate', () => {
  const span = { firstMs: 30_000, lastMs: 40_000 };
  const { phases } = buildCurve(new Map([[0, 50]]), span);
  assert.deepEqual(phases, [{ seconds: 10, fromPerSec: 5, toPerSec: 5 }]);
});
