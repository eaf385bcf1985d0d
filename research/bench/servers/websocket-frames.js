/** The frames of WebSocket (RFC 6455, section 5) that short texts need: no fragments, no extensions. */

export const OPCODES = Object.freeze({ text: 1, close: 8, ping: 9, pong: 10 });

/** @param {string} text shorter than 64 KiB @param {number} [opcode] @returns {Buffer} a frame of a server */
export function writeFrame(text, opcode = OPCODES.text) {
  const length = Buffer.byteLength(text);
  const headerLength = length < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(headerLength + length);
  frame[0] = 0x80 | opcode;
  if (length < 126) frame[1] = length;
  else {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  }
  frame.write(text, headerLength);
  return frame;
}

/**
 * Cuts the complete frames of a client off the front of what has come.
 * @param {Buffer} bytes
 * @returns {{frames: {opcode: number, text: string}[], rest: Buffer}}
 */
export function readFrames(bytes) {
  const frames = [];
  let start = 0;
  while (bytes.length - start >= 6) {
    const short = (bytes[start + 1] ?? 0) & 0x7f;
    if (short === 127) throw new Error('a frame of more than 64 KiB');
    const maskAt = start + (short === 126 ? 4 : 2);
    if (bytes.length < maskAt + 4) break;
    const length = short === 126 ? bytes.readUInt16BE(start + 2) : short;
    const end = maskAt + 4 + length;
    if (bytes.length < end) break;
    const payload = bytes.subarray(maskAt + 4, end);
    for (let index = 0; index < length; index++) {
      payload[index] = (payload[index] ?? 0) ^ (bytes[maskAt + (index & 3)] ?? 0);
    }
    frames.push({ opcode: (bytes[start] ?? 0) & 0x0f, text: payload.toString() });
    start = end;
  }
  return { frames, rest: bytes.subarray(start) };
}
