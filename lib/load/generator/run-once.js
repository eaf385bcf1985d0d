/** Runs scenarios one after the other, instead of a load. */
import { createUsers } from './users.js';

/** @import { UserSlot } from '../engine/engine.d.ts' */
/** @import { Once } from '../messages.js' */
/** @import { RunnableScenario } from './users.js' */

const MORE_WITHIN_MS = 1300;

/**
 * One user per scenario, in the order of the script, each time; it keeps its connections from one time to the next.
 * @param {Once} once
 * @param {object} options
 * @param {RunnableScenario[]} options.scenarios of the script
 * @param {Parameters<typeof createUsers>[0]['contexts']} options.contexts
 * @param {Parameters<typeof createUsers>[0]['recorder']} options.recorder
 * @param {AbortSignal} options.signal
 */
export async function runOnce(once, { scenarios, signal, ...shared }) {
  const { scenarios: names, times, mostTimes = times } = once;
  const chosen = scenarios
    .filter(({ name }) => names.includes(name))
    .map(scenario => {
      /** @type {UserSlot} */
      const slot = { index: 0, connections: null };
      return { users: createUsers({ ...shared, pick: () => scenario }), slot };
    });
  const beganMs = performance.now();
  const goesOn = (/** @type {number} */ done) =>
    done < times || (done < mostTimes && performance.now() - beganMs < MORE_WITHIN_MS);
  for (let done = 0; goesOn(done); done++)
    for (const { users, slot } of signal.aborted ? [] : chosen)
      await new Promise(resolve => {
        users.start({ intendedAtMs: performance.now(), slot }, {}, resolve);
      });
  for (const { slot } of chosen) slot.connections?.close();
}
