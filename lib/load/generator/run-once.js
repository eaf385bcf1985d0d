/** Runs scenarios one after the other, instead of a load. */
import { createUsers } from './users.js';

/** @import { UserSlot } from '../engine/engine.d.ts' */
/** @import { Once } from '../messages.js' */
/** @import { RunnableScenario } from './users.js' */

/**
 * One user per scenario, in the order of the script, each time; it keeps its connections from one time to the next.
 * @param {Once} once
 * @param {object} options
 * @param {RunnableScenario[]} options.scenarios of the script
 * @param {Parameters<typeof createUsers>[0]['contexts']} options.contexts
 * @param {Parameters<typeof createUsers>[0]['recorder']} options.recorder
 * @param {AbortSignal} options.signal
 */
export async function runOnce({ scenarios: names, times }, { scenarios, signal, ...shared }) {
  const chosen = scenarios
    .filter(({ name }) => names.includes(name))
    .map(scenario => {
      /** @type {UserSlot} */
      const slot = { index: 0, connections: null };
      return { users: createUsers({ ...shared, pick: () => scenario }), slot };
    });
  for (let left = times; left > 0; left--)
    for (const { users, slot } of signal.aborted ? [] : chosen)
      await new Promise(done => {
        users.start({ intendedAtMs: performance.now(), slot }, {}, done);
      });
  for (const { slot } of chosen) slot.connections?.close();
}
