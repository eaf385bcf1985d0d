/** The least of a WebSocket server: says back each short text message. For the `ws` engine. */
import { createHash } from 'node:crypto';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455, 1.3

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:stream').Duplex} socket
 * @param {import('./request-log.js').RequestLog} log
 */
export function echoWebSocket(request, socket, log) {
  const key = `${request.headers['sec-websocket-key']}${GUID}`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  socket.on('error', () => socket.destroy());
  socket.on('data', (/** @type {Buffer} */ data) => {
    const [first = 0, second = 0] = data;
    const length = second & 0x7f;
    if ((first & 0x0f) !== 1 || length > 125) {
      socket.end();
      return;
    }
    const mask = data.subarray(2, 6);
    const text = data.subarray(6, 6 + length).map((byte, i) => byte ^ Number(mask[i % 4]));
    log.add(`websocket ${request.url} ${JSON.stringify(Buffer.from(text).toString())}`);
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
  });
}
