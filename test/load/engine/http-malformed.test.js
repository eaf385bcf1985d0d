/** Responses that break HTTP: ours names each as Node's client does, and sees what undici sees. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { request } from 'undici';
import { Link } from '../../../lib/load/engine/http/connection/client.js';
import { createConnector } from '../../../lib/load/engine/http/connection/connector.js';
import { ResponseParser } from '../../../lib/load/engine/http/connection/response-parser.js';
import { createTimeLimits } from '../../../lib/load/engine/http/connection/time-limits.js';
import { test } from '../../helpers/quiet.js';
import { serveBytes } from './http-run.js';
import { MALFORMED } from './malformed-responses.js';

/** @typedef {import('./malformed-responses.js').Malformed} Malformed */
/** @typedef {{code?: string, body?: string}} Outcome */

const services = /** @type {any} */ ({ sockets: { open: 0 }, recorder: { measure() {} } });
const options = {
  connector: createConnector({
    tls: { options: {}, servername: undefined },
    proxies: { http: null, https: null, direct: [] },
    services,
  }),
  limits: createTimeLimits(),
  timeoutMs: 10_000,
};

/** @param {string} origin @param {string} method @returns {Promise<Outcome>} */
function askOurs(origin, method) {
  const link = new Link(origin, 1, options);
  /** @type {Buffer[]} */
  const chunks = [];
  return new Promise(resolve => {
    const sent = {
      method,
      path: '/',
      headers: [],
      body: null,
      address: { origin },
      encoded: null,
    };
    link.dispatch(/** @type {any} */ (sent), {
      onConnect() {},
      onRequestSent() {},
      onHeaders() {},
      onData: chunk => void chunks.push(Buffer.from(chunk)),
      onComplete: () => resolve({ body: Buffer.concat(chunks).toString('latin1') }),
      onError: error => resolve(describe(error)),
    });
    link.close();
  });
}

/** @param {string} origin @param {string} method @returns {Promise<Outcome>} */
function askNode(origin, method) {
  return new Promise(resolve => {
    const asked = http.request(origin, { method, agent: false }).end();
    const fail = (/** @type {any} */ error) => resolve(describe(error));
    asked.on('error', fail).on('response', response => {
      // Why its body breaks off, the request says in the same turn.
      response.on('error', error => setImmediate(fail, error));
      response.toArray().then(
        chunks => resolve({ body: Buffer.concat(chunks).toString('latin1') }),
        () => {},
      );
    });
  });
}

/** @param {string} origin @param {any} method @returns {Promise<Outcome>} */
async function askUndici(origin, method) {
  try {
    const { body } = await request(origin, { method });
    return { body: Buffer.from(await body.arrayBuffer()).toString('latin1') };
  } catch (error) {
    return describe(error);
  }
}

/** @param {any} error @returns {Outcome} */
function describe({ name, code, message }) {
  if (name !== 'HTTPParserError') return { code: NAMES[code] ?? code };
  return { code: REASONS.find(([says]) => says.test(message))?.[1] ?? message };
}

/** undici's names → Node's. @type {Record<string, string>} */
const NAMES = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
};

/** What llhttp says → its code, which undici 7 does not tell. @type {[RegExp, string][]} */
const REASONS = [
  [/chunk size overflow|character in chunk size/i, 'HPE_INVALID_CHUNK_SIZE'],
  [/expected CR after/i, 'HPE_CR_EXPECTED'],
  [/chunk extension|expected LF after (?:CR|headers|chunk)/i, 'HPE_STRICT'],
  [/expected LF after/i, 'HPE_LF_EXPECTED'],
  [/header (?:token|field char|value char)|whitespace after header/i, 'HPE_INVALID_HEADER_TOKEN'],
  [/unexpected space after start line/i, 'HPE_UNEXPECTED_SPACE'],
  [/duplicate content-length/i, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  [/^[^(]*\((?:empty |invalid character in )?transfer-encoding/i, 'HPE_INVALID_TRANSFER_ENCODING'],
  [/content-length/i, 'HPE_INVALID_CONTENT_LENGTH'],
  [/status code|response status/i, 'HPE_INVALID_STATUS'],
  [/version|expected dot/i, 'HPE_INVALID_VERSION'],
  [/expected HTTP\//i, 'HPE_INVALID_CONSTANT'],
];

for (const [title, one] of Object.entries(MALFORMED)) {
  const { bytes, method = 'GET', code, body, node, undici } = one;
  test(`${title}: ${code ?? 'a response'}`, async t => {
    const { target } = await serveBytes(t, socket => socket.end(bytes, 'latin1'));
    const expected = [code, body];
    const ours = await askOurs(target, method);
    assert.deepEqual([ours.code, ours.body], expected);
    const byNode = await askNode(target, method);
    assert.deepEqual([byNode.code, byNode.body], node ?? expected, 'Node');
    const byUndici = await askUndici(target, method);
    assert.deepEqual([byUndici.code, byUndici.body], undici ?? expected, 'undici');
  });
}

/** @param {Buffer[]} pieces @param {boolean} isHead @returns {Outcome} */
function parse(pieces, isHead) {
  const parser = new ResponseParser();
  let body = '';
  const handler = {
    onHeaders() {},
    /** @param {Buffer} chunk */
    onData(chunk) {
      body += chunk.toString('latin1');
    },
  };
  parser.expect(handler, isHead);
  try {
    for (const piece of pieces) if (parser.execute(piece, piece.length, 0)) return { body };
    return parser.finish() ? { body } : { code: 'ECONNRESET' };
  } catch (error) {
    return describe(error);
  }
}

test('a response is read the same wherever the network cuts it', () => {
  for (const [title, { bytes, method }] of Object.entries(MALFORMED)) {
    const all = Buffer.from(bytes, 'latin1');
    if (all.length > 1000) continue;
    const whole = parse([all], method === 'HEAD');
    const single = Array.from(all, byte => Buffer.of(byte));
    assert.deepEqual(parse(single, method === 'HEAD'), whole, title);
    for (let at = 1; at < all.length; at++) {
      const cut = parse([all.subarray(0, at), all.subarray(at)], method === 'HEAD');
      assert.deepEqual(cut, whole, `${title}, cut at ${at}`);
    }
  }
});
