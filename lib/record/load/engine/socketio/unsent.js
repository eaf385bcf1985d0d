/** An emit that waits for no answer is no faster than its connection: what is unsent is in memory. */
import { setImmediate, setTimeout } from 'node:timers/promises';

const MAX_UNSENT_BYTES = 65_536;
const MAX_UNSENT_PACKETS = 64;
const POLL_MS = 1;

/** @typedef {import('./namespace-socket.js').NamespaceSocket} NamespaceSocket */

/**
 * @param {NamespaceSocket} space
 * @returns {void | Promise<void>} a promise only where the emit has to wait; it ends with the
 *   connection, too
 */
export function waitUntilSent(space) {
  return isFull(space) ? wait(space) : undefined;
}

/** @param {NamespaceSocket} space */
async function wait(space) {
  // Mostly, packets only wait for the event loop.
  await setImmediate();
  while (isFull(space) && !space.isOver) await setTimeout(POLL_MS);
}

/** @param {NamespaceSocket} space */
function isFull({ socket }) {
  const { engine } = socket.io;
  if (!socket.connected || !engine) return false;
  const { writeBuffer, transport } = engine;
  return (
    writeBuffer.length >= MAX_UNSENT_PACKETS ||
    Number(/** @type {any} */ (transport).unsentBytes?.()) >= MAX_UNSENT_BYTES
  );
}
