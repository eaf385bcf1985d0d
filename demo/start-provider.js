/** Starts the identity provider as a program of its own. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from './program.js';

const SERVER = fileURLToPath(new URL('oidc-provider/server.js', import.meta.url));
const START_TIMEOUT_MS = 15_000;

/**
 * @param {{dir: string, users: {username: string, password: string}[],
 *   secrets: {client: string, api: string}, tokenTtlSec?: number, rotateRefreshTokens?: boolean,
 *   host?: string, socket?: import('node:net').Server, signal?: AbortSignal}} options `host`: it
 *   listens there, and not on 127.0.0.1; `socket`: that already listens
 * @returns {Promise<{issuer: string, pid: number, stop: () => Promise<void>}>}
 * @throws {Error & {hint: string}} when it does not start
 */
export async function startProvider(options) {
  const { dir, users, secrets, host = '', socket = null, signal } = options;
  const { tokenTtlSec = 300, rotateRefreshTokens = false } = options;
  const program = await startProgram('identity provider', process.execPath, [SERVER], {
    logFile: join(dir, 'oidc-provider.log'),
    ipc: true,
    socket,
    env: {
      DEMO_OIDC_PORT: socket ? 'sent' : '0',
      DEMO_OIDC_HOST: host,
      DEMO_TOKEN_TTL_S: String(tokenTtlSec),
      DEMO_ROTATE_REFRESH: rotateRefreshTokens ? '1' : '0',
      DEMO_CLIENT_SECRET: secrets.client,
      DEMO_API_SECRET: secrets.api,
      DEMO_USERS: JSON.stringify(
        Object.fromEntries(users.map(({ username, password }) => [username, password])),
      ),
    },
  });
  const issuer = await program.waitFor(
    async log => /^\{"issuer":"([^"]+)"\}$/m.exec(log)?.[1],
    START_TIMEOUT_MS,
    signal,
  );
  return { issuer, pid: program.pid, stop: program.stop };
}
