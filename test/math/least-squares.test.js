import assert from 'node:assert/strict';
import { test } from 'node:test';
import { solveNonNegative } from '../../lib/math/least-squares.js';
import { createRandom } from '../../lib/math/random.js';

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

test('of columns that say the same one is taken', () => {
  const column = [1, 2, 3];
  const [a = 0, b = 0] = solveNonNegative([2, 4, 6], [column, column]);
  assert.ok(Math.abs(a - 2) < 1e-6 && b === 0, `${a} ${b}`);
});
