import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateNonNegative, solveNonNegative } from '../../../lib/base/math/least-squares.js';
import { createRandom } from '../../../lib/base/math/random.js';

test('least squares finds what each column costs, and never less than nothing', () => {
  const random = createRandom(3);
  const columns = [0, 1, 2].map(() => Array.from({ length: 60 }, () => Math.round(random() * 50)));
  const y = Array.from(
    { length: 60 },
    (_, at) => 2 * (columns[0]?.[at] ?? 0) + 0.5 * (columns[1]?.[at] ?? 0),
  );
  const beta = solveNonNegative(y, columns);
  for (const [index, expected] of [2, 0.5, 0].entries())
    assert.ok(Math.abs((beta[index] ?? 0) - expected) < 1e-4, `${beta}`);
  const negative = solveNonNegative(
    y.map(value => -value),
    columns,
  );
  assert.deepEqual([...negative], [0, 0, 0]);
});

test('the interval of least squares holds the truth, and is wide where rates rise and fall together', () => {
  const random = createRandom(5);
  const first = Array.from({ length: 80 }, () => 20 + random() * 60);
  const other = Array.from({ length: 80 }, () => 20 + random() * 60);
  const y = first.map(rate => 3 * rate + (random() - 0.5) * 60);
  const [apart] = estimateNonNegative(y, [first, other]);
  assert.ok(apart && apart.low < 3 && apart.high > 3, JSON.stringify(apart));
  assert.ok(apart.high - apart.low < 0.6, JSON.stringify(apart));
  const almost = first.map(rate => rate + random() * 0.5);
  const [together] = estimateNonNegative(y, [first, almost]);
  assert.ok(together && together.high - together.low > 1.5, JSON.stringify(together));
});

test('of columns that say the same one is taken', () => {
  const column = [1, 2, 3];
  const [a = 0, b = 0] = solveNonNegative([2, 4, 6], [column, column]);
  assert.ok(Math.abs(a - 2) < 1e-6 && b === 0, `${a} ${b}`);
});
