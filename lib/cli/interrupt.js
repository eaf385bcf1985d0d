/** Ctrl+C and its relatives: once means "stop and keep what there is"; more often must not lose it. */

/**
 * Until `release`, SIGINT, SIGTERM and SIGHUP abort the signal instead of ending the process.
 * @param {(text: string) => void} say
 * @param {{first?: string, later?: string}} [texts] said at the first one, and at all that follow
 * @returns {{signal: AbortSignal, release: () => void}}
 */
export function catchInterrupts(
  say,
  {
    first = 'stopping; what was measured is kept …',
    later = 'still writing; nothing is lost',
  } = {},
) {
  const controller = new AbortController();
  const press = () => {
    say(controller.signal.aborted ? later : first);
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
