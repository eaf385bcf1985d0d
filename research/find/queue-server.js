/**
 * A queue with a known truth: each request takes one of `servers` places for exactly `serviceMs`, first come first
 * served. Times are reserved in advance, so that a busy machine delays responses, and not the next service.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @param {{servers: number, serviceMs: number, port?: number}} queue
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function startQueueServer({ servers, serviceMs, port = 0 }) {
  const freeAtMs = new Float64Array(servers);
  const server = createServer((_, response) => {
    const nowMs = performance.now();
    const place = freeAtMs.indexOf(Math.min(...freeAtMs));
    const endMs = Math.max(nowMs, freeAtMs[place] ?? 0) + serviceMs;
    freeAtMs[place] = endMs;
    setTimeout(() => response.end('done'), endMs - nowMs);
  });
  server.listen(port, '127.0.0.1');
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

if (process.argv[1] === import.meta.filename) {
  const [servers, serviceMs, port] = process.argv.slice(2).map(Number);
  const { url } = await startQueueServer({
    servers: servers ?? 4,
    serviceMs: serviceMs ?? 100,
    port,
  });
  console.log(url);
}
