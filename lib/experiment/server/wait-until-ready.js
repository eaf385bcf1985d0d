/** Waits until a program that was started is ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfInterrupted } from '../../base/process/interruptible.js';

/** @import { ChildEnd } from '../../base/process/child.js' */
/** @import { OwnedGroup } from './start-group.js' */

const POLL_MS = 50;

/**
 * @param {OwnedGroup} group
 * @param {(endOfWait: AbortSignal) => boolean | Promise<boolean>} isReady
 * @param {{seconds: number, signal: AbortSignal}} options `seconds`: at most
 * @returns {Promise<ChildEnd | 'late' | null>} null: it is ready; else how it ended
 * @throws {import('../../base/errors.js').LoadflameError} INTERRUPTED
 */
export async function waitUntilReady(group, isReady, { seconds, signal }) {
  const over = new AbortController();
  const endOfWait = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000), over.signal]);
  void group.ended.then(() => over.abort());
  try {
    while (!(await isReady(endOfWait))) await sleep(POLL_MS, null, { signal: endOfWait });
  } catch (cause) {
    if (!endOfWait.aborted) throw cause;
  }
  throwIfInterrupted(signal);
  // A port that another process holds looks ready, while the program finds it taken and ends.
  if (!group.isAlive()) return group.ended;
  return endOfWait.aborted ? 'late' : null;
}
