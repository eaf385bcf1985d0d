import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurePressure } from '../../../lib/analysis/limit/pressure.js';
import { makeLoad, makeNoise } from '../facts.js';

const noise = makeNoise(7);

/** @type {[what: string, isPressed: boolean | null, load: Parameters<typeof makeLoad>[0]][]} */
const TABLE = [
  ['a steady open load', false, {}],
  ['a noisy open load', false, { lengthSec: 60, p50Ms: () => 40 + 15 * noise() }],
  ['answers that get slower and slower', true, { lengthSec: 40, p50Ms: second => 20 + 5 * second }],
  ['answers that get slower by a little', false, { lengthSec: 40, p50Ms: second => 200 + second }],
  [
    'answers of milliseconds that double',
    false,
    { lengthSec: 40, p50Ms: second => 3 + second / 10 },
  ],
  [
    'answers that get quicker after a cold start',
    false,
    { lengthSec: 40, p50Ms: second => 20 + 400 / (1 + second) },
  ],
  ['one slow second', false, { lengthSec: 40, p50Ms: second => (second === 30 ? 900 : 20) }],
  ['users of a closed loop that wait', true, { model: 'closed', users: 8, inFlight: () => 7 }],
  ['users of a closed loop that think', false, { model: 'closed', users: 8, inFlight: () => 2 }],
  ['as many under way, but users arrive', false, { users: 8, inFlight: () => 7 }],
  ['skipped arrivals', true, { created: 100, skipped: 5 }],
  ['hardly a skipped arrival', false, { created: 1000, skipped: 5 }],
  ['requests that time out', true, { errors: [{ name: 'ETIMEDOUT', count: 20 }] }],
  ['other errors', false, { errors: [{ name: 'ECONNRESET', count: 20 }] }],
  ['three seconds', null, { lengthSec: 3 }],
];

for (const [what, isPressed, load] of TABLE) {
  test(`${what}: ${isPressed === null ? 'not enough data' : isPressed ? 'presses' : 'does not press'}`, () => {
    const found = measurePressure(makeLoad(load));
    assert.equal(found.isPressed, isPressed, found.why);
    assert.doesNotMatch(found.why, /undefined|NaN/);
  });
}
