import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { interruptible, stoppable } from '../../../lib/base/process/interruptible.js';

test('work that fails after an interrupt, or after one that came before it, is no unhandled rejection', async t => {
  /** @type {unknown[]} */
  const unhandled = [];
  const note = (/** @type {unknown} */ reason) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  const fail = async () => {
    await turn();
    throw new Error('the server has gone');
  };
  await assert.rejects(interruptible(AbortSignal.abort(), fail()), { code: 'INTERRUPTED' });
  const stopping = new AbortController();
  const work = interruptible(stopping.signal, fail());
  stopping.abort();
  await assert.rejects(work, { code: 'INTERRUPTED' });
  await turn();
  await turn();
  assert.deepEqual(unhandled, []);
});

test('passes on how the work ends where nobody interrupts it', async () => {
  const { signal } = new AbortController();
  assert.equal(await interruptible(signal, Promise.resolve(5)), 5);
  await assert.rejects(interruptible(signal, Promise.reject(new Error('no'))), { message: 'no' });
});

test('work is stopped by a signal that comes, or came before it, and no longer once it has ended', async () => {
  for (const isEarly of [true, false]) {
    const control = new AbortController();
    const work = Promise.withResolvers();
    if (isEarly) control.abort();
    const result = stoppable(control.signal, () => work.resolve('stopped'), work.promise);
    control.abort();
    assert.equal(await result, 'stopped');
  }
  const control = new AbortController();
  let stops = 0;
  assert.equal(await stoppable(control.signal, () => stops++, Promise.resolve('done')), 'done');
  control.abort();
  assert.equal(stops, 0);
});
