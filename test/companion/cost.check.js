import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PYTHON } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Multiples of a fixed piece of work in Python; seen: 2.9 to 3.2, 4.6 to 6.5 and 0.6 to 0.8, on a full machine, and of
 * statements 0.9 to 1.1 and 1.6 to 2.8: those of the ORM find the caches cold.
 */
const MOST = { wsgi: 4.5, asgi: 9, step: 1.5, statement: 1.5, orm: 4 };

test('the companion costs a request little, of a WSGI app and of an ASGI app, and a statement', t => {
  const out = execFileSync(PYTHON, [
    '-B',
    path.join(ROOT, 'research/bench/companion/cost.py'),
    path.join(ROOT, 'companion/loadflame_companion.py'),
  ]);
  const costs = JSON.parse(out.toString());
  for (const [name, most] of Object.entries(MOST)) {
    const { microseconds, of_work: multiple } = costs[name];
    const told = `${name}: ${microseconds.toFixed(1)} µs, ${multiple.toFixed(2)} of the fixed work`;
    t.diagnostic(told);
    assert.ok(multiple > 0 && multiple < most, told);
  }
});
