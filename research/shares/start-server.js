/** Starts an app of the bench under a worker class, with what it needs beside it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startDemo } from '../../demo/start.js';
import { pickVariables } from '../../lib/base/process/bare-environment.js';
import { query } from '../database/statements.js';
import { startApp } from '../start-app.js';

/** @import { App, Worker } from './apps.js' */

const ROOT = path.resolve(import.meta.dirname, '../..');
const APPS_DIR = path.join(import.meta.dirname, 'apps');
/** The project's own environment first; the second has what only the bench wants. */
const PYTHONS = ['.venv', '.tools/shares'].map(folder => path.join(ROOT, folder, 'bin/python'));
const NEW_PYTHONS = [path.join(ROOT, '.tools/python-3.15/venv/bin/python')];
const GET_MODULES =
  'python3 -m venv .tools/shares && .tools/shares/bin/pip install -r research/shares/requirements.in';
const GET_NEW_PYTHON = 'scripts/install-python-3.15.sh';
/** Workers that don't heed their master (eventlet's on Python 3.15) are ended with it. */
const STOP_MS = 5000;
/** No greenlets, no threads: one client of the demo per thread that serves. */
const DEMO_THREADS = 4;

/**
 * @typedef {object} Server
 * @property {readonly string[]} urls
 * @property {Record<string, string>} headers
 * @property {number} pid the process to record, with those below it
 * @property {number | null} masterPid whose samples don't count
 * @property {string} clocks folder
 * @property {() => Promise<void>} stop
 */

/** Something is not on this machine: the row is left out and says so. */
export class Missing extends Error {}

/** @type {Set<import('../../lib/base/process/child.js').OwnedChild>} */
const running = new Set();

/** Ends what is started yet: Ctrl+C must leave no server behind. */
export async function stopServers() {
  await Promise.all([...running].map(child => child.stop()));
}

/**
 * Whether a Python has a module. To import it would tell, too: FastAPI takes half a second of CPU.
 * @param {string} python @param {string} module
 */
function hasModule(python, module) {
  const place = `../lib/python3*/site-packages/${module.replaceAll('.', '/')}{,.py}`;
  return existsSync(python) && globSync(path.join(path.dirname(python), place)).length > 0;
}

/**
 * A Python that has the modules.
 * @param {readonly string[]} modules
 * @param {boolean} [isNew] 3.15
 * @returns {string}
 * @throws {Missing}
 */
export function findPython(modules, isNew = false) {
  const pythons = isNew ? NEW_PYTHONS : PYTHONS;
  const found = pythons.find(python => modules.every(module => hasModule(python, module)));
  if (!found)
    throw new Missing(`needs ${modules.join(', ')}: ${isNew ? GET_NEW_PYTHON : GET_MODULES}`);
  return found;
}

/**
 * @param {App} app @param {Worker} worker @param {string} folder for logs, clocks and data
 * @param {boolean} isNew on Python 3.15
 * @returns {Promise<Server>}
 * @throws {Missing}
 */
export async function startServer(app, worker, folder, isNew) {
  const clocks = path.join(folder, 'clocks');
  mkdirSync(clocks, { recursive: true });
  if (app.needs === 'demo' && isNew) throw new Missing('runs on the project’s own Python');
  if (app.needs === 'demo') return startMeasuredDemo(clocks);
  /** @type {readonly string[]} */
  const more = app.needs === 'redis' ? ['redis'] : app.needs === 'postgres' ? ['psycopg'] : [];
  const python = findPython([...worker.modules, ...more], isNew);
  const beside = await startBeside(app, python, folder);
  try {
    const server = await startLogged(python, ['-m', ...worker.args], {
      log: path.join(folder, 'server.log'),
      env: { ...worker.env, ...beside.env, SHARES_APP: app.name, SHARES_CLOCKS: clocks },
      ready: /(?:Listening at:|running on) (http:\/\/127\.0\.0\.1:\d+)/,
    });
    return {
      urls: [`${server.found}/`],
      headers: {},
      pid: server.pid,
      masterPid: worker.hasMaster ? server.pid : null,
      clocks,
      async stop() {
        await server.stop();
        await beside.stop();
      },
    };
  } catch (error) {
    await beside.stop();
    throw error;
  }
}

/**
 * @param {string} program @param {string[]} args
 * @param {{log: string, env: Record<string, string>, ready: RegExp}} options
 * @returns {Promise<{pid: number, found: string, stop: () => Promise<unknown>}>}
 */
function startLogged(program, args, { log, env, ready }) {
  return startApp(program, args, {
    cwd: APPS_DIR,
    env: {
      ...pickVariables(),
      ...{ PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: APPS_DIR },
      TMPDIR: path.dirname(log),
      ...env,
    },
    log,
    find: () => ready.exec(readFileSync(log, 'utf8'))?.[1] ?? '',
    groupGraceMs: STOP_MS,
    onStart(child) {
      running.add(child);
      child.ended.then(() => child.stop()).then(() => running.delete(child));
    },
  });
}

/**
 * What an app talks to.
 * @param {Pick<App, 'needs'>} app @param {string} python @param {string} folder
 * @returns {Promise<{env: Record<string, string>, stop: () => Promise<void>}>}
 * @throws {Missing}
 */
export async function startBeside({ needs }, python, folder) {
  const log = path.join(folder, 'beside.log');
  if (needs === 'echo') {
    const ready = /port (\d+)/;
    const server = await startLogged(python, ['echo_server.py'], { log, env: {}, ready });
    return {
      env: { SHARES_ECHO_PORT: server.found },
      stop: async () => void (await server.stop()),
    };
  }
  if (needs === 'redis') {
    const port = String(20_000 + (process.pid % 10_000));
    const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    const ready = /(Ready to accept connections)/;
    const server = await startLogged(findServer('redis-server'), args, { log, env: {}, ready });
    return { env: { SHARES_REDIS_PORT: port }, stop: async () => void (await server.stop()) };
  }
  if (needs === 'postgres') return startPostgres(folder, log);
  return { env: {}, stop: async () => {} };
}

/**
 * @param {string} folder @param {string} log
 * @param {readonly string[]} [settings] of the server, beside the defaults: `name=value`
 * @returns {Promise<{env: {SHARES_POSTGRES: string}, stop: () => Promise<void>}>}
 * @throws {Missing}
 */
export async function startPostgres(folder, log, settings = []) {
  const data = path.join(folder, 'postgres');
  // its programs refuse to run as root
  const isRoot = process.getuid?.() === 0;
  const program = findServer('postgres');
  const as = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  mkdirSync(data);
  if (isRoot) {
    execFileSync('chown', ['postgres', data]);
    execFileSync('chmod', ['a+rx', folder, path.dirname(folder)]);
  }
  const initdb = [findServer('initdb'), '-D', data, '-U', 'shares', '-A', 'trust', '--no-sync'];
  const [first = '', ...rest] = [...as, ...initdb];
  execFileSync(first, rest, { stdio: 'ignore', cwd: '/' });
  // below the ports that the kernel gives to clients
  const port = String(20_000 + (process.pid % 10_000));
  const [command = '', ...args] = [
    ...as,
    program,
    '-D',
    data,
    '-h',
    '127.0.0.1',
    '-p',
    port,
    '-k',
    data,
    ...settings.flatMap(setting => ['-c', setting]),
  ];
  const ready = /(ready to accept connections)/;
  const server = await startLogged(command, args, { log, env: { LC_MESSAGES: 'C' }, ready });
  const env = { SHARES_POSTGRES: `postgresql://shares@127.0.0.1:${port}/postgres` };
  return { env, stop: async () => void (await server.stop()) };
}

/**
 * The address of the server that `startBeside` started, for apps of other benches.
 * @param {Record<string, string>} env
 * @param {number} [index] more than 0: of another database, which is empty
 * @returns {Record<string, string>}
 */
export function nameDatabase({ SHARES_POSTGRES: postgres, SHARES_REDIS_PORT: redis }, index = 0) {
  if (redis) return { REDIS_URL: `redis://127.0.0.1:${redis}/${index}` };
  if (!postgres || index === 0) return { DATABASE_URL: postgres ?? '' };
  query(postgres, `CREATE DATABASE side${index}`);
  return { DATABASE_URL: new URL(`/side${index}`, postgres).href };
}

/** @param {string} program @returns {string} @throws {Missing} */
function findServer(program) {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  if (status !== 0) throw new Missing(`needs ${program}: scripts/install-study-servers.sh`);
  return stdout.trim();
}

/** The demo as it is; `apps/sitecustomize.py` puts a clock around its TLS contexts. @param {string} clocks @returns {Promise<Server>} */
async function startMeasuredDemo(clocks) {
  const env = { PYTHONPATH: APPS_DIR, SHARES_DEMO: '1', SHARES_CLOCKS: clocks };
  const demo = await startDemo(
    /** @type {import('../../demo/start.js').DemoOptions} */ ({
      auth: 'introspect',
      threads: DEMO_THREADS,
      env,
    }),
  );
  const token = await logIn(demo.env);
  const paths = ['/api/v1/citizens/', '/api/v1/appointments/'];
  return {
    urls: paths.map(route => demo.apiUrl + route),
    headers: { authorization: `Bearer ${token}` },
    pid: demo.gunicornPid,
    masterPid: demo.gunicornPid,
    clocks,
    stop: demo.stop,
  };
}

/** @param {Record<string, string>} env of the demo @returns {Promise<string>} an access token */
async function logIn(env) {
  const metadata = await fetch(`${env.OIDC_ISSUER}/.well-known/openid-configuration`);
  const { token_endpoint: endpoint } = /** @type {any} */ (await metadata.json());
  const body = new URLSearchParams({
    grant_type: 'password',
    client_id: env.OIDC_CLIENT_ID ?? '',
    client_secret: env.OIDC_CLIENT_SECRET ?? '',
    username: env.OIDC_USERNAME ?? '',
    password: env.OIDC_PASSWORD ?? '',
    scope: 'openid',
  });
  const answer = await fetch(endpoint, { method: 'POST', body });
  const { access_token: token } = /** @type {any} */ (await answer.json());
  if (!token) throw new Error(`the demo's provider gave no token: ${answer.status}`);
  return token;
}
