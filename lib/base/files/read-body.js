/** Reads responses of servers that may misbehave: every promise settles, and bodies are limited. */

/**
 * @param {AsyncIterable<Uint8Array> & {destroy?: () => unknown} | null} body reading ends at the limit
 * @param {number} mostBytes
 * @param {number} [mostMs] for a body that arrives slowly or never ends
 * @returns {Promise<{text: string, isWhole: boolean}>} its beginning
 */
export async function readBeginning(body, mostBytes, mostMs) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let bytes = 0;
  const late = mostMs === undefined ? null : AbortSignal.timeout(mostMs);
  late?.addEventListener('abort', () => body?.destroy?.());
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) break;
    }
  } catch (error) {
    if (!late?.aborted) throw error;
  }
  const text = Buffer.concat(chunks).toString('utf8', 0, Math.min(bytes, mostBytes));
  return { text, isWhole: !late?.aborted && bytes <= mostBytes };
}

/**
 * GET over a connection of its own, because a kept one would occupy a worker of a synchronous server. Follows no redirect.
 * @param {URL} url
 * @param {import('node:https').RequestOptions} [options]
 * @returns {Promise<import('node:http').IncomingMessage>} when its head has arrived
 * @throws {Error} as `awaitResponse`, or of the signal
 */
export function sendGet(url, options) {
  // `import` would read every export of the module; for three of them Node would load its fetch.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'https' : 'http');
  return awaitResponse(request(url, { ...options, agent: false }).end());
}

/**
 * If a server switches protocols unasked, or closes without a response, Node emits only `close`: a promise that waits
 * for `response` alone would never settle.
 * @param {import('node:http').ClientRequest} sent
 * @returns {Promise<import('node:http').IncomingMessage>}
 * @throws {Error} of the connection, or the status of a server that switches protocols
 */
export function awaitResponse(sent) {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
    sent.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(new Error(`it switches protocols with status ${statusCode} instead`));
    });
    sent.once('close', () => reject(new Error('the connection was closed without a response')));
  });
}
