/**
 * `node socketio-server.js`: as much of a socket.io 4 server as load tests of connections and
 * acknowledgements need, and fast: WebSocket only, every namespace is there, every event that wants
 * an acknowledgement gets its own arguments back. Prints its port. `GET /counts` tells what it has
 * seen: `{connections, acknowledged}`.
 *
 * The protocols: https://socket.io/docs/v4/engine-io-protocol/ (version 4) and
 * https://socket.io/docs/v4/socket-io-protocol/ (version 5).
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { OPCODES, readFrames, writeFrame } from './websocket-frames.js';

/** RFC 6455, section 1.3. */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const PING_INTERVAL_MS = 25_000;
const PING = writeFrame('2');

/** @type {Set<import('node:stream').Duplex>} */
const connections = new Set();
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

/** @param {import('node:stream').Duplex} socket @param {Buffer} bytes @returns {Buffer} what is no complete frame yet */
function receive(socket, bytes) {
  const { frames, rest } = readFrames(bytes);
  const answers = [];
  for (const { opcode, text } of frames) {
    if (opcode === OPCODES.close) socket.end(writeFrame('', OPCODES.close));
    else if (opcode === OPCODES.ping) answers.push(writeFrame(text, OPCODES.pong));
    else {
      const reply = answer(text);
      if (reply !== null) answers.push(writeFrame(reply));
    }
  }
  if (answers.length > 0 && socket.writable) socket.write(Buffer.concat(answers));
  return rest;
}

const server = createServer((request, response) => {
  if (request.url === '/counts') {
    const counts = { connections: connections.size, acknowledged };
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify(counts));
  } else response.writeHead(404).end();
});

server.on('upgrade', (request, socket) => {
  const key = request.headers['sec-websocket-key'];
  const accept = createHash('sha1').update(`${key}${WEBSOCKET_GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const open = { sid: randomUUID(), upgrades: [], pingInterval: PING_INTERVAL_MS };
  const limits = { pingTimeout: 20_000, maxPayload: 1_000_000 };
  socket.write(writeFrame(`0${JSON.stringify({ ...open, ...limits })}`));
  connections.add(socket);
  socket.on('close', () => connections.delete(socket));
  socket.on('error', () => socket.destroy());
  let pending = Buffer.alloc(0);
  socket.on('data', (/** @type {Buffer<ArrayBuffer>} */ chunk) => {
    const rest = receive(socket, pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk);
    pending = rest.length > 0 ? Buffer.from(rest) : Buffer.alloc(0);
  });
});

setInterval(() => {
  for (const socket of connections) socket.write(PING);
}, PING_INTERVAL_MS).unref();

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(port);
});
