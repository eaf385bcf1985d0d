/**
 * A queue with a known truth: each request takes one of `servers` places for exactly `serviceMs`, first come first
 * served. Times are reserved in advance, so that a busy machine delays responses, and not the next service.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @param {{servers: number, serviceMs: number}} queue
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function startQueueServer({ servers, serviceMs }) {
  const freeAtMs = new Float64Array(servers);
  const server = createServer((_, response) => {
    const nowMs = performance.now();
    const place = freeAtMs.indexOf(Math.min(...freeAtMs));
    const endMs = Math.max(nowMs, freeAtMs[place] ?? 0) + serviceMs;
    freeAtMs[place] = endMs;
    setTimeout(() => response.end('done'), endMs - nowMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
