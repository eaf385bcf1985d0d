/** Ctrl+C and its relatives: once means "stop and keep what there is"; more often must not lose it. */

/**
 * Until `release`, SIGINT, SIGTERM and SIGHUP abort the signal instead of ending the process.
 * @param {(presses: number) => void} [onPress] told of each one
 * @returns {{signal: AbortSignal, release: () => void}}
 */
export function catchInterrupts(onPress) {
  const controller = new AbortController();
  let presses = 0;
  const press = () => {
    presses++;
    onPress?.(presses);
    controller.abort();
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const name of signals) process.on(name, press);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of signals) process.off(name, press);
    },
  };
}
