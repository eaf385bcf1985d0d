/** Starts the demo target (identity provider and API) on free ports, and stops it for sure. */
import { randomBytes } from 'node:crypto';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApi } from './start-api.js';
import { startProvider } from './start-provider.js';

export const AUTH_MODES = Object.freeze(/** @type {const} */ (['introspect', 'decode', 'cached']));

const DEFAULT_PYTHON = fileURLToPath(new URL('../.venv/bin/python', import.meta.url));
const USER_NAMES = [
  'cfms-postman-operator',
  'cfms-postman-non-operator',
  'cfms-office-manager',
  'cfms-counter-clerk',
  'cfms-exam-invigilator',
];

/** Seeded by the API: an office and a service that it offers. */
const SCRIPT = 'scenarios/csr-all.yaml';
/** What `loadflame try` sends to it. Without pauses, the next request always waits for a free worker. */
export const TRY = { script: 'scenarios/csr-http.yaml', users: 4, target: 'http://127.0.0.1' };
const OFFICE_ID = '3';
const SERVICE_ID = '5';

/**
 * @typedef {object} DemoOptions
 * @property {'introspect' | 'decode' | 'cached'} [auth] how the API validates tokens; `introspect`
 * @property {number} [workers] gunicorn workers; 2
 * @property {number} [threads] threads of each; every open WebSocket holds one; 32
 * @property {number} [slowQueryMs] how long the first query of each request takes, without CPU; 0
 * @property {boolean} [companion] gunicorn says which request a sample belongs to; false
 * @property {string} [dir] folder for database, logs and pid file; a temporary one, removed by
 *   `stop`, when absent
 * @property {string} [python] the interpreter that has the API's packages; `.venv/bin/python`
 * @property {Record<string, string>} [env] more of the API's environment
 * @property {number} [tokenTtlSec] life of access tokens; 300
 * @property {boolean} [rotateRefreshTokens] refresh tokens work once only; false
 * @property {AbortSignal} [signal] stops everything, also while starting
 */

/**
 * @typedef {object} Demo
 * @property {string} apiUrl `http://127.0.0.1:<port>`, without a path
 * @property {string} issuer
 * @property {number} gunicornPid of the master
 * @property {number} providerPid
 * @property {string} pidFile
 * @property {{access: string, error: string}} logFiles of gunicorn
 * @property {string} script that shows all of it
 * @property {Record<string, string>} env what `envs.sh` needs to load-test this target
 * @property {{username: string, password: string}[]} users
 * @property {() => Promise<void>} stop ends both programs and removes the folder; idempotent
 */

/**
 * Both programs keep the calling process running until `stop`.
 * @param {DemoOptions} [options]
 * @returns {Promise<Demo>} when both programs answer and every worker is ready
 * @throws {Error & {hint: string}} when something is missing or does not start; nothing is left
 *   running then
 */
export async function startDemo(options = {}) {
  const { auth = 'introspect', python = DEFAULT_PYTHON, signal } = options;
  if (!AUTH_MODES.includes(auth)) {
    throw withHint(`the demo has no auth mode "${auth}"`, `use ${AUTH_MODES.join(', ')}`);
  }
  await checkInstallation(python);
  signal?.throwIfAborted();

  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'loadflame-demo-')));
  const users = USER_NAMES.map(username => ({ username, password: makeSecret() }));
  const secrets = { client: makeSecret(), api: makeSecret() };
  /** @type {(() => Promise<void>)[]} */
  const stops = [];
  /** @type {Promise<void> | undefined} */
  let stopping;
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  async function stopAll() {
    signal?.removeEventListener('abort', stop);
    await Promise.all(stops.map(stopOne => stopOne()));
    if (!options.dir) await rm(dir, { recursive: true, force: true });
  }

  const failed = new AbortController();
  const own = {
    ...options,
    dir,
    signal: AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]),
  };
  /** @template {{stop: () => Promise<void>}} T @param {Promise<T>} starting */
  const keep = async starting => {
    try {
      const started = await starting;
      stops.push(started.stop);
      return started;
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  };
  try {
    const socket = await listen();
    stops.push(async () => void socket.close());
    const { port } = /** @type {import('node:net').AddressInfo} */ (socket.address());
    const issuer = `http://127.0.0.1:${port}`;
    // the API asks the provider for nothing before its first request
    const starting = /** @type {const} */ ([
      keep(startProvider({ ...own, users, secrets, socket })),
      keep(startApi({ ...own, auth, python, issuer, secret: secrets.api })),
    ]);
    await Promise.allSettled(starting);
    const [provider, api] = await Promise.all(starting);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', stop, { once: true });
    return {
      apiUrl: api.url,
      issuer: provider.issuer,
      gunicornPid: api.pid,
      providerPid: provider.pid,
      pidFile: api.pidFile,
      logFiles: api.logFiles,
      /** what `loadflame start` runs */
      script: SCRIPT,
      env: {
        TARGET: api.url,
        OIDC_ISSUER: provider.issuer,
        OIDC_FLOW: 'password',
        OIDC_CLIENT_ID: 'queue-management',
        OIDC_CLIENT_SECRET: secrets.client,
        OIDC_USERNAME: users[0]?.username ?? '',
        OIDC_PASSWORD: users[0]?.password ?? '',
        OFFICE_ID,
        SERVICE_ID,
        SERVER_PID: String(api.pid),
        LOG_FILES: `${api.logFiles.access},${api.logFiles.error}`,
      },
      users,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @returns {Promise<import('node:net').Server>} */
function listen() {
  const socket = createServer();
  return new Promise((resolve, reject) => {
    socket.once('error', reject).listen(0, '127.0.0.1', () => resolve(socket));
  });
}

/** @param {string} python */
async function checkInstallation(python) {
  try {
    await access(python);
  } catch (cause) {
    throw withHint(`the demo's Python is missing: ${python}`, 'run: node scripts/run.js', cause);
  }
  try {
    import.meta.resolve('oidc-provider');
  } catch (cause) {
    const hint = 'the demo runs in a clone of the repository; run there: node scripts/run.js';
    throw withHint("the demo's npm package oidc-provider is missing", hint, cause);
  }
}

function makeSecret() {
  return randomBytes(18).toString('base64url');
}

/** @param {string} message @param {string} hint what to do about it @param {unknown} [cause] */
function withHint(message, hint, cause) {
  return Object.assign(new Error(message, { cause }), { hint });
}
