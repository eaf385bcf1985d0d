import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PYTHON } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

// 10 µs on a quiet machine; the bound leaves room for a busy one
test('the companion costs a request less than 30 µs', t => {
  const out = execFileSync(PYTHON, [
    '-B',
    path.join(ROOT, 'scripts/bench/companion/cost.py'),
    path.join(ROOT, 'companion/loadflame_gunicorn.py'),
  ]);
  const { microseconds } = JSON.parse(out.toString());
  t.diagnostic(`${microseconds.toFixed(1)} µs`);
  assert.ok(microseconds > 0 && microseconds < 30, `${microseconds} µs`);
});
