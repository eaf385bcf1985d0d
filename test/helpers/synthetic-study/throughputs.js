/** How the throughput of a simulated target depends on the load. */

/**
 * A closed loop that rises with its users until something is full.
 * @param {{mostPerSec: number, minMs: number}} bounds `minMs`: an answer when nobody waits
 */
export function riseTo({ mostPerSec, minMs }) {
  // both asymptotes, rounded where they meet
  return (/** @type {number} */ n) =>
    (mostPerSec ** -8 + (n * 1000) ** -8 * minMs ** 8) ** (-1 / 8);
}

/**
 * The most that a machine serves: until one of the components is full, or all cores are.
 * @param {{cpus: number, otherCores?: number, components: {demandMs: number, most: number}[], generatorMs: number}} machine
 */
export function boundOfMachine({ cpus, otherCores = 0.03, components, generatorMs }) {
  const sum = components.reduce((ms, { demandMs }) => ms + demandMs, generatorMs);
  const bounds = components.map(({ demandMs, most }) => (most * 1000) / demandMs);
  return Math.min(...bounds, ((cpus - otherCores) * 1000) / sum);
}
