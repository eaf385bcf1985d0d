import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStall } from '../../lib/analysis/load/stalls.js';
import { Sketch } from '../../lib/math/sketch.js';

const START = 1_795_211_100_000;

/** @param {number[]} values */
function sketch(values) {
  const made = new Sketch();
  for (const value of values) made.accept(value);
  return made;
}

test('a worker that is gone, or not there yet, does not stand still', () => {
  // 11 is stuck from 20 s on and killed at 30 s; 12 takes its place, and the backlog.
  const seconds = Array.from({ length: 60 }, (_, n) => {
    const isStuck = n >= 20 && n < 30;
    const answers = isStuck ? [] : n === 30 ? [9000, 9500, 5, 5] : [5, 5, 5, 5];
    return /** @type {Parameters<typeof findStall>[0][number]} */ ([
      START + n * 1000,
      {
        ...{ requests: 4, errors: 0, refused: 0, usersActive: null, totalMs: 0 },
        responses: answers.length,
        timeToFirstByte: sketch(answers),
      },
    ]);
  });
  const samples = seconds
    .flatMap(([startMs], n) => [
      { kind: 'sample', t: startMs, role: 'master', pid: 10, startTicks: 1, cpuMs: 50 },
      n < 30
        ? { pid: 11, startTicks: 2, cpuMs: Math.min(n, 20) * 100 }
        : { pid: 12, startTicks: 3, cpuMs: (n - 30) * 100 + 300 },
    ])
    .map((sample, n) => ({
      ...{ kind: 'sample', t: START + Math.floor(n / 2) * 1000, role: 'worker' },
      ...sample,
    }));
  const stall = findStall(seconds, samples, []);
  assert.deepEqual(
    stall && [stall.pids, stall.startMs - START, stall.endMs - START, stall.waited, stall.workers],
    [[11], 20_000, 30_000, 2, 1],
  );
});
