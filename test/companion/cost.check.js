import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PYTHON } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

// 10 and 20 µs on a quiet machine; the bounds leave room for a busy one
test('the companion costs a request less than 30 µs, of an ASGI app less than 90', t => {
  const out = execFileSync(PYTHON, [
    '-B',
    path.join(ROOT, 'scripts/bench/companion/cost.py'),
    path.join(ROOT, 'companion/loadflame_companion.py'),
  ]);
  const { microseconds, asgi } = JSON.parse(out.toString());
  t.diagnostic(
    `${microseconds.toFixed(1)} µs; ASGI ${asgi.microseconds.toFixed(1)} µs, ${asgi.perStep.toFixed(1)} µs per step`,
  );
  assert.ok(microseconds > 0 && microseconds < 30, `${microseconds} µs`);
  assert.ok(asgi.microseconds > 0 && asgi.microseconds < 90, `${asgi.microseconds} µs`);
  assert.ok(asgi.perStep > 0 && asgi.perStep < 15, `${asgi.perStep} µs`);
});
