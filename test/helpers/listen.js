/** Servers that a test answers with: on a free port of this machine, and closed with the test. */
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';

/** @import { AddressInfo, Server, Socket } from 'node:net' */

/**
 * @param {{after: (stop: () => void) => void}} t its connections end with it
 * @param {Server} server of HTTP, of HTTPS or of bytes
 * @returns {Promise<string>} its address
 */
export async function listen(t, server) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = /** @type {AddressInfo} */ (server.address());
  return `${server instanceof tls.Server ? 'https' : 'http'}://127.0.0.1:${port}`;
}

/**
 * @param {{after: (stop: () => void) => void}} t
 * @param {http.RequestListener} answer
 * @returns {Promise<string>} its address
 */
export function serve(t, answer) {
  return listen(t, http.createServer(answer));
}

/**
 * A proxy that only opens tunnels.
 * @param {{after: (stop: () => void) => void}} t
 * @param {(request: http.IncomingMessage) => void} onTunnel
 * @returns {Promise<string>} its address
 */
export function serveTunnels(t, onTunnel) {
  const proxy = http.createServer((_, response) => response.writeHead(500).end());
  proxy.on('connect', (request, client) => {
    onTunnel(request);
    const [host, port] = String(request.url).split(':');
    const upstream = net.connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const event of ['error', 'close']) {
      upstream.on(event, () => client.destroy());
      client.on(event, () => upstream.destroy());
    }
  });
  return listen(t, proxy);
}
