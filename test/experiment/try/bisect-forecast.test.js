import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foretellSteps } from '../../../lib/experiment/try/run-bisect.js';

test('a bisection says how long its steps take as soon as it has measured one between its ends', () => {
  const step = (/** @type {any} */ ms) => ({ t: 1, kind: 'run', ms });
  assert.equal(foretellSteps(16, []), 'about 6 steps');
  assert.equal(foretellSteps(1, []), 'about 1 step');
  assert.equal(foretellSteps(16, [step(60_000)]), 'about 5 steps');
  assert.equal(
    foretellSteps(8, [step(60_000), step(120_000)]),
    'about 4 steps, 7 min at the pace so far',
  );
  const older = [step(undefined), step(-1), step('9')];
  assert.equal(foretellSteps(4, older.slice(0, 2)), 'about 3 steps');
});
