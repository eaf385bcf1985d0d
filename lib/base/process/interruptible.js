/** Ends the work before a measurement at once when the user interrupts it. */
import { LoadflameError } from '../errors.js';

/**
 * @template T
 * @param {AbortSignal} signal
 * @param {Promise<T>} work its result is ignored after the signal
 * @returns {Promise<T>}
 * @throws {LoadflameError} INTERRUPTED
 */
export async function interruptible(signal, work) {
  // It may fail after an interrupt, also after one that came before: as an unhandled rejection, that would be a crash.
  work.catch(() => {});
  throwIfInterrupted(signal);
  /** @type {PromiseWithResolvers<never>} */
  const { promise, reject } = Promise.withResolvers();
  const stop = () => reject(new LoadflameError('INTERRUPTED'));
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}

/**
 * Calls `stop` when the signal comes, also if it came before, until the work has ended.
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {() => void} stop
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
export async function stoppable(signal, stop, work) {
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  return work.finally(() => signal?.removeEventListener('abort', stop));
}

/** @param {AbortSignal} signal @throws {LoadflameError} INTERRUPTED */
export function throwIfInterrupted(signal) {
  if (signal.aborted) throw new LoadflameError('INTERRUPTED');
}
