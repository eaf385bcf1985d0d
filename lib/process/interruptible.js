/** What comes before the measurement ends at once when the user wants it to. */
import { LoadflameError } from '../errors.js';

/**
 * @template T
 * @param {AbortSignal} signal
 * @param {Promise<T>} work what is left of it when the signal comes is of no interest
 * @returns {Promise<T>}
 * @throws {LoadflameError} INTERRUPTED
 */
export async function interruptible(signal, work) {
  throwIfInterrupted(signal);
  /** @type {PromiseWithResolvers<never>} */
  const { promise, reject } = Promise.withResolvers();
  const stop = () => reject(new LoadflameError('INTERRUPTED'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** @param {AbortSignal} signal @throws {LoadflameError} INTERRUPTED */
export function throwIfInterrupted(signal) {
  if (signal.aborted) throw new LoadflameError('INTERRUPTED');
}
