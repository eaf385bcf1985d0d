/** Runs the steps of a flow one after the other; steps that end at once cost no promise. */

/** @import { Step } from '../engine.d.ts' */

/**
 * @param {Step[]} steps
 * @param {any} context
 * @returns {void | Promise<void>} a promise only if a step gave one
 */
export function runSteps(steps, context) {
  for (let index = 0; index < steps.length; index++) {
    const pending = /** @type {Step} */ (steps[index])(context);
    if (pending !== undefined) {
      const rest = index + 1;
      return rest === steps.length ? pending : runRest(pending, steps, rest, context);
    }
  }
  return undefined;
}

/** @param {Promise<void>} first @param {Step[]} steps @param {number} from @param {any} context */
async function runRest(first, steps, from, context) {
  await first;
  for (let index = from; index < steps.length; index++) {
    const pending = /** @type {Step} */ (steps[index])(context);
    if (pending !== undefined) await pending;
  }
}
