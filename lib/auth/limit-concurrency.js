/** Runs at most so many tasks at a time, in the order in which they come. */

/**
 * @param {number} most
 * @returns {<T>(task: () => Promise<T>) => Promise<T>}
 */
export function limitConcurrency(most) {
  let running = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  return async task => {
    if (running >= most) await new Promise(resolve => waiting.push(() => resolve(undefined)));
    else running++;
    try {
      return await task();
    } finally {
      // The place goes on to the next in line without ever being free in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
