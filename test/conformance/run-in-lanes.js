/** A few runs at a time, each with servers that no other run talks to. */
import { startServers } from './server/start-servers.js';

/**
 * @typedef {object} Lanes
 * @property {<T>(use: (servers: import('./server/start-servers.js').Servers) => Promise<T>) => Promise<T>} run
 *   when a lane is free
 * @property {() => Promise<void>} close
 */

/**
 * @param {number} count
 * @returns {Promise<Lanes>}
 */
export async function openLanes(count) {
  const all = await Promise.all(Array.from({ length: count }, startServers));
  const free = [...all];
  /** @type {(() => void)[]} */
  const waiting = [];
  return {
    run: async use => {
      while (free.length === 0) await new Promise(resolve => waiting.push(() => resolve(null)));
      const servers = /** @type {import('./server/start-servers.js').Servers} */ (free.pop());
      try {
        return await use(servers);
      } finally {
        free.push(servers);
        waiting.shift()?.();
      }
    },
    close: async () => {
      await Promise.all(all.map(servers => servers.close()));
    },
  };
}
