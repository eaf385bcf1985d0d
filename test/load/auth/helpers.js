/** The demo's identity provider as tests want it: on a port of its own, stopped and started at will. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../../demo/program.js';

const SERVER = fileURLToPath(new URL('../../../demo/oidc-provider/server.js', import.meta.url));

const makeSecret = () => randomBytes(12).toString('base64url');

/** @typedef {import('../../../lib/load/auth/auth-config.js').AuthConfig} AuthConfig */

/**
 * @param {{tokenTtlSec?: number, rotate?: boolean, userCount?: number}} [options]
 */
export async function startTestProvider({ tokenTtlSec = 300, rotate = false, userCount = 3 } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-auth-'));
  const users = Array.from({ length: userCount }, (_, index) => ({
    username: `user-${index}`,
    password: makeSecret(),
  }));
  const clientSecret = makeSecret();
  let port = '0';

  const start = async () => {
    const program = await startProgram('identity provider', process.execPath, [SERVER], {
      logFile: path.join(folder, 'provider.log'),
      ipc: true,
      env: {
        DEMO_OIDC_PORT: port,
        DEMO_TOKEN_TTL_S: String(tokenTtlSec),
        DEMO_ROTATE_REFRESH: rotate ? '1' : '0',
        DEMO_CLIENT_SECRET: clientSecret,
        DEMO_API_SECRET: makeSecret(),
        DEMO_USERS: JSON.stringify(
          Object.fromEntries(users.map(({ username, password }) => [username, password])),
        ),
      },
    });
    const issuer = await program.waitFor(async log => /"issuer":"([^"]+)"/.exec(log)?.[1], 10_000);
    port = new URL(issuer).port;
    return { issuer, program };
  };
  let { issuer, program } = await start();

  return {
    issuer,
    users,
    clientSecret,
    /** @param {Partial<AuthConfig>} [changes] @returns {AuthConfig} */
    authConfig: (changes = {}) => ({
      issuer,
      flow: 'password',
      clientId: 'queue-management',
      clientSecret,
      scope: 'openid',
      audience: null,
      redirectUri: 'http://127.0.0.1/callback',
      users,
      mode: 'per-user',
      ...changes,
    }),
    /** Ends the provider, which forgets all sessions and keys; `resume` starts another one in its place. */
    pause: () => program.stop(),
    resume: async () => {
      ({ program } = await start());
    },
    /** It takes requests, and responds to none until it is woken. */
    hang: () => process.kill(program.pid, 'SIGSTOP'),
    wake: () => process.kill(program.pid, 'SIGCONT'),
    stop: async () => {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A server that plays the provider in moods that the real one can't be put in.
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, origin: string, body: string) => void} answer
 *   whatever it does not answer itself
 * @param {{describe?: (origin: string) => object, host?: string}} [options] `describe` adds to the
 *   discovery document
 */
export async function startFakeProvider(answer, options = {}) {
  const { describe = () => ({}), host = '127.0.0.1' } = options;
  /** @type {{method: string, path: string, body: string}[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { pathname } = new URL(request.url ?? '/', origin);
    requests.push({ method: request.method ?? '', path: pathname, body });
    if (pathname !== '/.well-known/openid-configuration') {
      return answer(request, response, origin, body);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        ...describe(origin),
      }),
    );
  });
  await new Promise(resolve => server.listen(0, host, () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const origin = `http://${host}:${port}`;
  return {
    origin,
    requests,
    /** @param {Partial<AuthConfig>} [changes] @returns {AuthConfig} */
    authConfig: (changes = {}) => ({
      issuer: origin,
      flow: 'password',
      clientId: 'client',
      clientSecret: null,
      scope: null,
      audience: null,
      redirectUri: 'http://127.0.0.1/callback',
      users: [{ username: 'anna', password: 'correct horse' }],
      mode: 'shared',
      ...changes,
    }),
    stop: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {object} body */
export function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} html */
export function sendHtml(response, status, html) {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(html);
}
