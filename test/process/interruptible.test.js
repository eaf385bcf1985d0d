import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { interruptible } from '../../lib/process/interruptible.js';

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
