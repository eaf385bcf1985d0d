/**
 * An identity provider for the demo. Listens on loopback and, once it can be used, prints one line
 * of JSON: {"issuer": "http://127.0.0.1:<port>"}. Settings: see settings.js.
 */
import { createServer } from 'node:http';
import { createProvider, INTROSPECTION_PATH } from './create-provider.js';
import { sendJson } from './http-body.js';
import { createIntrospection } from './introspection.js';
import { createLoginForm } from './login-form.js';
import { readSettings } from './settings.js';
import { createSigningKey } from './signing-key.js';

const settings = readSettings(process.env);
const signingKey = await createSigningKey();
const server = createServer();
const place = settings.port === null ? await takeSocket() : settings;
await new Promise((resolve, reject) => {
  server.once('error', reject);
  server.listen(place, () => resolve(undefined));
});
const address = /** @type {import('node:net').AddressInfo} */ (server.address());
const issuer = `http://${settings.host}:${address.port}`;

const provider = createProvider(issuer, settings, signingKey.jwks);
provider.on('server_error', (_ctx, error) => console.error(error));
const answerByLibrary = provider.callback();
const login = createLoginForm(provider, settings);
const introspect = createIntrospection(provider, signingKey.publicKey);

server.on('request', (request, response) => {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (path === '/health') return sendJson(response, 200, { status: 'ok' });
  if (path === INTROSPECTION_PATH && request.method === 'POST') {
    return answer(introspect, request, response);
  }
  if (path.startsWith('/interaction/')) return answer(login, request, response);
  return answerByLibrary(request, response);
});

process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// started over IPC by a parent: end with it, however it ends
process.once('disconnect', stop);
console.log(JSON.stringify({ issuer }));

/**
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>} handler
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function answer(handler, request, response) {
  handler(request, response).catch(error => {
    if (response.headersSent) return response.destroy();
    if (error instanceof RangeError) return sendJson(response, 413, { error: 'invalid_request' });
    console.error(error);
    return sendJson(response, 500, { error: 'server_error' });
  });
}

/** @returns {Promise<import('node:net').Server>} */
function takeSocket() {
  return new Promise(resolve =>
    process.once('message', (_, socket) => resolve(/** @type {any} */ (socket))),
  );
}

function stop() {
  server.close(() => process.exit(0));
  server.closeAllConnections();
}
