import assert from 'node:assert/strict';
import test from 'node:test';
import { createRandom } from '../../lib/base/math/random.js';
import {
  arrivalOffsets,
  divideUsers,
  phaseLengthMs,
  userBegins,
  userWindow,
} from '../../lib/load/pacing/schedule.js';

const ALONE = { index: 0, of: 1 };

/** @param {() => number} random @returns {import('../../lib/load/pacing/schedule.js').Phase} */
function inventPhase(random) {
  const duration = 1 + Math.floor(random() * 20) / 2;
  const rate = () => Math.floor(random() * 400) / (random() < 0.3 ? 7 : 1);
  const kinds = [
    () => ({ duration, arrivalRate: rate() }),
    () => ({ duration, arrivalRate: rate(), rampTo: rate() }),
    () => ({ duration, rampTo: rate() }),
    () => ({ duration, arrivalCount: Math.floor(random() * 300) }),
  ];
  const invent = /** @type {() => any} */ (kinds[Math.floor(random() * kinds.length)]);
  return invent();
}

test('the shares of all workers together are exactly the schedule of one', () => {
  const random = createRandom(1);
  for (let round = 0; round < 300; round += 1) {
    const phase = inventPhase(random);
    const of = 1 + Math.floor(random() * 7);
    const whole = [...arrivalOffsets(phase, ALONE)];
    const shares = Array.from({ length: of }, (_, index) => [
      ...arrivalOffsets(phase, { index, of }),
    ]);
    assert.deepEqual(
      shares.flat().sort((a, b) => a - b),
      whole,
      JSON.stringify({ phase, of }),
    );
    const counts = shares.map(({ length }) => length);
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, 'even shares');
  }
});

test('a schedule that turns stays one schedule for all workers, at the rate of each part', () => {
  const random = createRandom(7);
  for (let round = 0; round < 300; round += 1) {
    const rate = () => Math.floor(random() * 400) / (random() < 0.3 ? 7 : 1);
    const duration = 1 + Math.floor(random() * 20) / 2;
    const phase = { duration, arrivalRate: rate() };
    const turns = Array.from({ length: Math.floor(random() * 6) }, () => ({
      offsetMs: Math.floor(random() * duration * 1000),
      to: random() < 0.2 ? 0 : rate(),
    })).sort((a, b) => a.offsetMs - b.offsetMs);
    const of = 1 + Math.floor(random() * 7);
    const whole = [...arrivalOffsets(phase, ALONE, random, { turns })];
    const shares = Array.from({ length: of }, (_, index) => [
      ...arrivalOffsets(phase, { index, of }, random, { turns }),
    ]);
    const about = JSON.stringify({ phase, turns, of });
    assert.deepEqual(
      shares.flat().sort((a, b) => a - b),
      whole,
      about,
    );
    assert.deepEqual(
      whole.toSorted((a, b) => a - b),
      whole,
      about,
    );
    assert.ok(
      whole.every(offsetMs => offsetMs >= 0 && offsetMs <= duration * 1000 + 1e-6),
      about,
    );
    const parts = [...turns, { offsetMs: duration * 1000, to: 0 }];
    for (const [at, { offsetMs, to }] of parts.slice(0, -1).entries()) {
      const untilMs = parts[at + 1]?.offsetMs ?? 0;
      const count = whole.filter(ms => ms >= offsetMs && ms < untilMs).length;
      assert.ok(Math.abs(count - (to * (untilMs - offsetMs)) / 1000) < 2, about);
    }
  }
});

test('turning often sends nothing on top of the rate', () => {
  const turns = Array.from({ length: 400 }, (_, at) => ({ offsetMs: at * 20, to: 1 }));
  const offsets = [
    ...arrivalOffsets({ duration: 10, arrivalRate: 1 }, ALONE, Math.random, { turns }),
  ];
  assert.deepEqual(
    offsets.map(ms => Math.round(ms)),
    Array.from({ length: 10 }, (_, at) => at * 1000),
  );
});

test('a Poisson schedule that turns has the rate of each part', () => {
  const random = createRandom(8);
  const turns = [{ offsetMs: 100_000, to: 50 }];
  const phase = { duration: 200, arrivalRate: 10, mode: 'poisson' };
  const offsets = [...arrivalOffsets(phase, ALONE, random, { turns })];
  const before = offsets.filter(ms => ms < 100_000).length;
  assert.ok(Math.abs(before - 1000) < 4 * Math.sqrt(1000), `${before}`);
  assert.ok(Math.abs(offsets.length - before - 5000) < 4 * Math.sqrt(5000), `${offsets.length}`);
});

test('users of a phase that turns join and leave then, the last first', () => {
  const phase = { duration: 10, users: 3 };
  const turns = [
    { offsetMs: 1000, to: 5 },
    { offsetMs: 2000, to: 1 },
    { offsetMs: 3000, to: 4 },
  ];
  const windows = [1, 2, 3].map(count =>
    [0, 2, 4].map(index => userWindow(phase, index, turns.slice(0, count))),
  );
  const toEnd = (/** @type {number} */ fromMs) => ({ fromMs, toMs: 10_000 });
  assert.deepEqual(windows, [
    [toEnd(0), toEnd(0), toEnd(1000)],
    [toEnd(0), { fromMs: 0, toMs: 2000 }, { fromMs: 1000, toMs: 2000 }],
    [toEnd(0), toEnd(3000), { fromMs: 1000, toMs: 2000 }],
  ]);
  const begun = [...userBegins(phase, ALONE, turns)].map(({ index }) => index);
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('arrivals never go back in time and lie inside their phase, as many as the rate integrates to', () => {
  const random = createRandom(2);
  for (let round = 0; round < 300; round += 1) {
    const phase = inventPhase(random);
    const offsets = [...arrivalOffsets(phase, ALONE)];
    const what = JSON.stringify(phase);
    offsets.forEach((offset, i) => {
      assert.ok(offset >= (offsets[i - 1] ?? 0) && offset <= phaseLengthMs(phase) + 1e-6, what);
    });
    const { arrivalRate = 0, rampTo = arrivalRate, duration = 0, arrivalCount } = phase;
    const expected = arrivalCount ?? ((arrivalRate + rampTo) / 2) * duration;
    const count = expected > 0 ? Math.max(1, Math.floor(expected + 1e-6)) : 0;
    assert.equal(offsets.length, count, what);
  }
});

test('a ramp has in each of its parts what its rate integrates to there', () => {
  const offsets = [...arrivalOffsets({ duration: 10, arrivalRate: 20, rampTo: 120 }, ALONE)];
  for (let sec = 0; sec <= 10; sec += 1) {
    const before = offsets.filter(offset => offset < sec * 1000).length;
    assert.ok(Math.abs(before - (20 * sec + 5 * sec ** 2)) <= 1, `${before} before second ${sec}`);
  }
  const down = [...arrivalOffsets({ duration: 10, arrivalRate: 100, rampTo: 0 }, ALONE)];
  assert.equal(down.length, 500);
  assert.ok(down.every(Number.isFinite));
});

test('a pause, a rate of 0, a count of 0 and a closed loop have no arrivals', () => {
  const phases = [
    { pause: 3 },
    { duration: 3, arrivalRate: 0 },
    { duration: 3, arrivalCount: 0 },
    { duration: 3, arrivalRate: 0, rampTo: 0 },
    { duration: 3, users: 5, rampTo: 9 },
  ];
  for (const phase of phases) {
    assert.deepEqual([...arrivalOffsets(phase, ALONE)], []);
    assert.equal(phaseLengthMs(phase), 3000);
  }
});

test('Poisson arrivals have the rate on average and exponential gaps, in every worker of its own', () => {
  const phase = { duration: 200, arrivalRate: 50, mode: 'poisson' };
  for (const index of [0, 1]) {
    const offsets = [...arrivalOffsets(phase, { index, of: 2 }, createRandom(3 + index))];
    // 5,000 expected; the standard deviation is 71.
    assert.ok(Math.abs(offsets.length - 5000) < 300, `${offsets.length}`);
    const gaps = offsets.map((offset, i) => offset - (offsets[i - 1] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, g) => sum + (g - mean) ** 2, 0) / gaps.length);
    assert.ok(Math.abs(deviation / mean - 1) < 0.1, `${deviation} of ${mean}`);
  }
  const again = () => [...arrivalOffsets(phase, ALONE, createRandom(9))];
  assert.deepEqual(again(), again());
});

test('a Poisson ramp follows its rate, and a count stays exact', () => {
  const ramp = { duration: 100, arrivalRate: 0, rampTo: 200, mode: 'poisson' };
  const offsets = [...arrivalOffsets(ramp, ALONE, createRandom(5))];
  const firstHalf = offsets.filter(offset => offset < 50_000).length;
  assert.ok(Math.abs(offsets.length - 10_000) < 500, `${offsets.length}`);
  assert.ok(Math.abs(firstHalf - 2500) < 250, `${firstHalf}`);
  const counted = { duration: 5, arrivalCount: 12, mode: 'poisson' };
  assert.equal([...arrivalOffsets(counted, ALONE)].length, 12);
});

test('a schedule of 360 million arrivals costs no memory', () => {
  const schedule = arrivalOffsets({ duration: 3600, arrivalRate: 100_000 }, { index: 1, of: 2 });
  assert.ok(Math.abs(/** @type {number} */ (schedule.next().value) - 0.01) < 1e-12);
  for (let i = 0; i < 99_999; i += 1) schedule.next();
  assert.ok(Math.abs(/** @type {number} */ (schedule.next().value) - 2000.01) < 1e-6);
});

test('users that are divided over workers are none too many and none too few', () => {
  for (const users of [0, 1, 3, 7, 10, 1000]) {
    for (const of of [1, 2, 3, 8]) {
      const parts = Array.from({ length: of }, (_, index) => divideUsers(users, { index, of }));
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0),
        users,
      );
      assert.ok(Math.max(...parts) - Math.min(...parts) <= 1);
    }
  }
});

test('where fewer users are allowed at once than there are workers, each running worker has one', () => {
  const phase = { duration: 10, arrivalRate: 8, maxVusers: 2 };
  const counts = [0, 1, 2, 3].map(index => [...arrivalOffsets(phase, { index, of: 4 })].length);
  assert.deepEqual(counts, [40, 40, 0, 0]);
});

test('closed-loop users are at every moment as many as the phase says', () => {
  for (const [users, rampTo] of /** @type {const} */ ([
    [50, 100],
    [100, 20],
    [0, 7],
    [5, undefined],
    [4, 0],
  ])) {
    const phase = { duration: 10, users, ...(rampTo !== undefined && { rampTo }) };
    const windows = Array.from({ length: 120 }, (_, index) => userWindow(phase, index));
    for (let ms = 1; ms < 10_000; ms += 37) {
      const present = windows.filter(w => w && w.fromMs <= ms && ms < w.toMs).length;
      const meant = users + ((rampTo ?? users) - users) * (ms / 10_000);
      assert.ok(Math.abs(present - meant) <= 0.51, `${present} for ${meant}`);
    }
  }
});

test('every closed-loop user belongs to one worker', () => {
  const phase = { duration: 10, users: 3, rampTo: 11 };
  const shares = [0, 1, 2].map(index => [...userBegins(phase, { index, of: 3 })]);
  const all = shares.flat().map(({ index }) => index);
  assert.deepEqual(
    all.sort((a, b) => a - b),
    Array.from({ length: 11 }, (_, i) => i),
  );
  for (const begins of shares) {
    const times = begins.map(({ offsetMs }) => offsetMs);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  }
});
