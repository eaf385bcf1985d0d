/** The least of a WebSocket server: says back each short text message. For the `ws` engine. */
import { createHash } from 'node:crypto';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455, 1.3
/** Of a short masked frame: flags, length, mask. */
const HEAD_BYTES = 6;

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
  let unread = Buffer.alloc(0);
  socket.on('data', (/** @type {Buffer} */ data) => {
    unread = Buffer.concat([unread, data]);
    // Frames come as the network has them: two at once, or half of one.
    while (unread.length >= HEAD_BYTES) {
      const [first = 0, second = 0] = unread;
      const length = second & 0x7f;
      if ((first & 0x0f) !== 1 || length > 125) {
        socket.end();
        return;
      }
      const end = HEAD_BYTES + length;
      if (unread.length < end) return;
      const mask = unread.subarray(2, HEAD_BYTES);
      const text = unread.subarray(HEAD_BYTES, end).map((byte, i) => byte ^ Number(mask[i % 4]));
      unread = unread.subarray(end);
      log.add(`websocket ${request.url} ${JSON.stringify(Buffer.from(text).toString())}`);
      socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
    }
  });
}
