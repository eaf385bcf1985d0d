/**
 * Errors that nobody catches: a rejection that a hook forgot, an exception in one of its timers. They
 * are counted and named, and the load goes on.
 */

import { runningHook } from '../engine/flow/hooks.js';
import { nameError } from '../metrics/error-samples.js';

/** Stacks that are printed; the counter goes on. */
const MAX_PRINTED = 20;

/**
 * @param {(code: string) => void} count an error that ended no user
 * @param {(text: string) => void} say
 */
export function surviveUncaught(count, say) {
  let printed = 0;
  const take = (/** @type {any} */ error) => {
    const hook = runningHook();
    // A hook that is still waited for ends its user, whose error is counted there.
    if (!hook?.fail(error)) count(nameError(error));
    printed += 1;
    if (printed > MAX_PRINTED) return;
    say(`uncaught error${hook ? ` in the hook ${hook.name}` : ''}: ${error?.stack ?? error}`);
    if (printed === MAX_PRINTED) say('further uncaught errors are counted and not shown');
  };
  process.on('uncaughtException', take);
  process.on('unhandledRejection', take);
}
