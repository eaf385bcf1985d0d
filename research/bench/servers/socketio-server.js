/**
 * `node socketio-server.js`: as much of a socket.io 4 server as load tests of connections and
 * acknowledgements need: WebSocket only, every namespace is there, every event that wants
 * an acknowledgement gets its own arguments back. Prints its port. `GET /counts` tells what it has
 * seen: `{connections, acknowledged}`.
 *
 * The protocols: https://socket.io/docs/v4/engine-io-protocol/ (version 4) and
 * https://socket.io/docs/v4/socket-io-protocol/ (version 5).
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const PING_INTERVAL_MS = 25_000;

let acknowledged = 0;

/**
 * @param {string} packet of engine.io
 * @returns {string | null} the answer
 */
function answer(packet) {
  const [, type, namespace = '', id, payload] =
    /^4(\d)(?:(\/[^,]*),)?(\d+)?(.*)$/s.exec(packet) ?? [];
  const prefix = namespace && `${namespace},`;
  if (type === '0') return `40${prefix}${JSON.stringify({ sid: randomUUID() })}`;
  if (type !== '2' || id === undefined) return null;
  acknowledged += 1;
  const [, ...args] = JSON.parse(payload ?? '[]');
  return `43${prefix}${id}${JSON.stringify(args)}`;
}

const server = createServer((request, response) => {
  if (request.url === '/counts') {
    const counts = { connections: sockets.clients.size, acknowledged };
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify(counts));
  } else response.writeHead(404).end();
});
const sockets = new WebSocketServer({ server });

sockets.on('connection', socket => {
  const open = { sid: randomUUID(), upgrades: [], pingInterval: PING_INTERVAL_MS };
  socket.send(`0${JSON.stringify({ ...open, pingTimeout: 20_000, maxPayload: 1_000_000 })}`);
  socket.on('error', () => socket.terminate());
  socket.on('message', packet => {
    const reply = answer(String(packet));
    if (reply !== null) socket.send(reply);
  });
});

setInterval(() => {
  for (const socket of sockets.clients) socket.send('2');
}, PING_INTERVAL_MS).unref();

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(port);
});
