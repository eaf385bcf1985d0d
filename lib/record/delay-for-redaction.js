/** What others say waits before it is written: of a secret it may speak before whoever learned that tells us. */

/** An item waits as long, twice at most. */
const HOLD_MS = 500;

/**
 * @template T
 * @param {(items: T[]) => void} write in the order in which they came
 * @returns {{add: (item: T) => void, close: () => void}} `close` writes the rest
 */
export function delayForRedaction(write) {
  /** @type {T[]} since the last tick */
  let fresh = [];
  /** @type {T[]} */
  let held = [];
  const timer = setInterval(() => {
    write(held);
    [held, fresh] = [fresh, []];
  }, HOLD_MS);
  return {
    add: item => {
      fresh.push(item);
    },
    close() {
      clearInterval(timer);
      write([...held, ...fresh]);
      [held, fresh] = [[], []];
    },
  };
}
