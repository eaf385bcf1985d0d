/** Reads what HTML forms and OAuth clients send. */

const MAX_BYTES = 65_536;

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<URLSearchParams>}
 * @throws {RangeError} when the body is larger than 64 KiB
 */
export async function readForm(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new RangeError(`body is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status @param {object} body @param {Record<string, string>} [headers]
 */
export function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(JSON.stringify(body));
}
