/** Starts the API under gunicorn. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from './program.js';

const API_DIR = fileURLToPath(new URL('api/', import.meta.url));
const START_TIMEOUT_MS = 30_000;

/**
 * @param {{auth: string, python: string, dir: string, issuer?: string, secret?: string,
 *   workers?: number, threads?: number, companion?: boolean, slowQueryMs?: number,
 *   env?: Record<string, string>, signal?: AbortSignal}} options
 *   without `issuer` and `secret` only routes work that want no token; `env`: more settings
 * @returns {Promise<{url: string, pid: number, pidFile: string,
 *   logFiles: {access: string, error: string}, stop: () => Promise<void>}>}
 * @throws {Error & {hint: string}} when it does not start
 */
export async function startApi(options) {
  const { auth, python, dir, issuer = '', secret = '', signal } = options;
  const { workers = 2, threads = 32, companion = false, slowQueryMs = 0 } = options;
  const pidFile = join(dir, 'gunicorn.pid');
  const logFiles = { access: join(dir, 'access.log'), error: join(dir, 'gunicorn.log') };
  const database = `sqlite:///${join(dir, 'queue-management.sqlite')}`;
  const args = ['-m', 'gunicorn', '--config', join(API_DIR, 'gunicorn.conf.py')];
  const program = await startProgram('API', python, args, {
    // stderr and gunicorn's own log are one file, so that its tail explains a failed start
    logFile: logFiles.error,
    // SIGTERM would wait 2 s for connections that are kept alive
    stopSignal: 'SIGQUIT',
    env: {
      DEMO_AUTH: auth,
      LOADFLAME: companion ? '1' : '',
      DEMO_SLOW_QUERY_MS: String(slowQueryMs),
      DATABASE_URL: process.env.DATABASE_URL || database,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_SECRET: secret,
      WEB_CONCURRENCY: String(workers),
      GUNICORN_THREADS: String(threads),
      GUNICORN_BIND: '127.0.0.1:0',
      GUNICORN_PID_FILE: pidFile,
      GUNICORN_ACCESS_LOG: logFiles.access,
      ...options.env,
    },
  });
  const url = await program.waitFor(
    async log => {
      const ready = log.match(/Worker is ready/g)?.length ?? 0;
      const address = /Listening at: (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
      return address && ready >= workers && (await isHealthy(address)) ? address : undefined;
    },
    START_TIMEOUT_MS,
    signal,
  );
  return { url, pid: program.pid, pidFile, logFiles, stop: program.stop };
}

/** @param {string} url */
async function isHealthy(url) {
  // a kept-alive connection would hold up the stop of its worker for 2 s
  const init = { headers: { connection: 'close' } };
  const response = await fetch(`${url}/api/v1/health`, init).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok === true;
}
