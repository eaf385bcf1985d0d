import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoopDelay } from '../../lib/load/generator/generator-watch.js';
import { test } from '../helpers/quiet.js';
import { block } from './pacing-helpers.js';

test('reports a whole stall once, right after it', async t => {
  const delay = startLoopDelay();
  t.after(delay.stop);
  await sleep(50);
  delay.take();
  block(150);
  const seen = delay.take();
  // The probe was due up to 20 ms after the stall began.
  assert.ok(seen.max >= 128, JSON.stringify(seen));
  assert.ok(delay.take().max < 100, 'not told twice');
});

test('reports a stall also later', async t => {
  const delay = startLoopDelay();
  t.after(delay.stop);
  await sleep(50);
  block(150);
  await sleep(100);
  const { p50, max } = delay.take();
  assert.ok(max >= 128, `${max}`);
  assert.ok(p50 < max, `one of several probes: ${p50}`);
});

test('who is awake anyway probes in time, and a stall is seen all the same', async t => {
  const delay = startLoopDelay();
  t.after(delay.stop);
  const arrivals = setInterval(delay.touch, 5);
  t.after(() => clearInterval(arrivals));
  await sleep(50);
  delay.take();
  block(150);
  await sleep(100);
  const { p50, max } = delay.take();
  assert.ok(max >= 128, `${max}`);
  assert.ok(p50 < max, `one of several probes: ${p50}`);
});
