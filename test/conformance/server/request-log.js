/** What a server saw, in lines that are the same whichever ports and boundaries a run has. */
import { createHash } from 'node:crypto';

const LONGEST_BODY = 300;

/** Values that differ from run to run, and what stands for them. */
const VOLATILE = /** @type {[RegExp, string][]} */ ([
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<uuid>'],
  [/\b00-(a9|be)[0-9a-f]{30}-[0-9a-f]{16}-0([01])\b/g, '<traceparent $1 $2>'],
  [/-{20,}[0-9a-z-]{10,}/g, '<boundary>'],
  [/Werkzeug\/[\d.]+ Python\/[\d.]+/g, '<Python server>'],
]);

/**
 * @typedef {object} RequestLog
 * @property {(line: string) => void} add
 * @property {(name: string, address: string) => void} nameAddress say `name` instead of `address`
 * @property {(text: string) => string} normalize
 * @property {() => string[]} lines sorted; equal ones once, with their number before them
 * @property {() => void} reset
 */

/** @returns {RequestLog} */
export function createRequestLog() {
  /** @type {string[]} */
  let seen = [];
  /** @type {[address: string, name: string][]} */
  const addresses = [];
  const normalize = (/** @type {string} */ text) => {
    let normal = text;
    for (const [address, name] of addresses) normal = normal.replaceAll(address, name);
    for (const [pattern, name] of VOLATILE) normal = normal.replace(pattern, name);
    return normal;
  };
  return {
    add: line => seen.push(line),
    nameAddress: (name, address) => addresses.push([address, name]),
    normalize,
    lines: () => countEqual(seen.map(normalize)),
    reset: () => {
      seen = [];
    },
  };
}

/** @param {string[]} lines */
export function countEqual(lines) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, n]) => `${n} × ${line}`).sort();
}

/**
 * @param {string} where name of the server
 * @param {import('node:http').IncomingMessage} request
 * @param {Buffer} body
 */
export function describeRequest(where, request, body) {
  const headers = Object.entries(request.headers)
    .filter(([name]) => name !== 'connection')
    .map(([name, value]) => `${name}: ${value}`)
    .sort();
  const head = `${where} ${request.method} ${request.url} [${headers.join(' | ')}]`;
  return body.length > 0 ? `${head} ${describeBody(body)}` : head;
}

/** @param {Buffer} body */
function describeBody(body) {
  if (body.length > LONGEST_BODY && !body.includes('\r\nContent-Disposition')) {
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
    return `${body.length} bytes ${hash}`;
  }
  return JSON.stringify(body.toString());
}
