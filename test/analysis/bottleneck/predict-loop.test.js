/** Predictions for a blocked event loop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictFix } from '../../../lib/analysis/bottleneck/predict-fix.js';
import { makeWaits } from '../facts.js';
import { isNear, makeFacts } from './waiting-run.js';

const BLOCKED = { share: { value: 0.98, low: 0.9, high: 1 }, where: [] };
test('a loop that waits 50 ms for each request serves 8 users at once when it does not', () => {
  const waits = makeWaits({ sleep: 1 }, { slots: null, busy: 1 });
  const { afterPerSec } = predictFix('loop', makeFacts({ waits, loopWaits: BLOCKED })) ?? {};
  assert.ok(isNear(160, afterPerSec?.value), `${afterPerSec?.value}`);
});

test('beside a blocked loop, suspended requests wait for a service for none to all of their time', () => {
  const waits = makeWaits({ 'external-call': 0.8 }, { slots: null, busy: 5, suspended: 4 });
  const facts = makeFacts({ throughputPerSec: 35, waits, loopWaits: BLOCKED });
  const { low, value, high } = predictFix('loop', facts)?.afterPerSec ?? {};
  assert.ok(isNear(94, value) && Number(low) < 70 && Number(high) > 250, `${low} to ${high}`);
});
