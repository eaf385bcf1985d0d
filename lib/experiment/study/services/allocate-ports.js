/** Free ports of 127.0.0.1 for the servers of a study. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { readText } from '../../../base/process/process-table.js';

/** @import { Server } from 'node:net' */

/** Servers that a machine usually has use ports below this. */
const LOWEST = 10_000;
const HIGHEST = 65_535;
/** IANA's dynamic ports, which systems other than Linux use for outgoing connections. */
const USUAL_OUTGOING = { from: 49_152, to: 65_535 };
const MOST_TRIES = 2_000;

/**
 * Picks free ports at random, so that two studies at the same time hardly ever collide. The ports lie outside of the
 * range for outgoing connections: a load test makes thousands of those, and one of them could take the port before
 * the server starts.
 * @param {string[]} names
 * @returns {Promise<Record<string, number>>} no port twice; each call returns others
 * @throws {Error} when the machine has hardly any free port
 */
export async function allocatePorts(names) {
  const outgoing = readOutgoingRange();
  /** @type {Map<number, Server>} held until all are found, so that none is given twice */
  const held = new Map();
  try {
    for (let tries = 0; held.size < names.length; tries++) {
      if (tries > MOST_TRIES) throw new Error(`no free port was found in ${MOST_TRIES} tries`);
      const port = randomInt(LOWEST, HIGHEST + 1);
      if (port >= outgoing.from && port <= outgoing.to) continue;
      const server = createServer().unref();
      server.listen({ port, host: '127.0.0.1', exclusive: true });
      await once(server, 'listening').then(
        () => held.set(port, server),
        () => {},
      );
    }
    const ports = [...held.keys()];
    return Object.fromEntries(names.map((name, index) => [name, ports[index] ?? 0]));
  } finally {
    await Promise.all([...held.values()].map(server => once(server.close(), 'close')));
  }
}

/** @returns {{from: number, to: number}} */
function readOutgoingRange() {
  const text = readText('/proc/sys/net/ipv4/ip_local_port_range');
  if (text === null) return USUAL_OUTGOING;
  const [from = NaN, to = NaN] = text.trim().split(/\s+/).map(Number);
  // A machine may use nearly all ports for outgoing connections; then there is nothing to avoid.
  return from > LOWEST + 5_000 || to < HIGHEST - 5_000 ? { from, to } : { from: 0, to: 0 };
}
