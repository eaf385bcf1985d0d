/** Two services of a package registry that no rule was tuned to: how each is started, filled and read. */
import { seedAra } from './seed-ara.js';
import { seedPrefect } from './seed-prefect.js';

/**
 * @typedef {{method: 'get' | 'post', url: string, json?: object}} Request
 * @typedef {object} Service
 * @property {string} name
 * @property {readonly string[]} prepare arguments of Python that make the tables
 * @property {(port: number) => readonly string[]} serve
 * @property {(database: URL) => Record<string, string>} env
 * @property {string} none path of a request that executes nothing
 * @property {(post: (path: string, body: object) => Promise<any>) => Promise<void>} seed
 * @property {(rows: number) => Request[]} ask each endpoint once
 */

/** @type {readonly Service[]} */
export const SERVICES = [
  {
    name: 'ara',
    prepare: ['-m', 'ara.server', 'migrate'],
    serve: port => [
      ...['gunicorn', '-c', 'python:loadflame_companion', '-w', '2', '-k', 'gthread'],
      ...['--threads', '2', '-b', `127.0.0.1:${port}`, '--no-control-socket'],
      'ara.server.wsgi:application',
    ],
    env: ({ hostname, port, username }) => ({
      ARA_DATABASE_ENGINE: 'django.db.backends.postgresql',
      ARA_DATABASE_NAME: 'ara',
      ARA_DATABASE_HOST: hostname,
      ARA_DATABASE_PORT: port,
      ARA_DATABASE_USER: username,
      ARA_SECRET_KEY: 'for tests only',
    }),
    none: '/api/',
    seed: seedAra,
    ask: rows => [
      ...['playbooks', 'plays', 'tasks', 'hosts', 'latesthosts', 'results', 'files', 'records']
        .map(name => `/api/v1/${name}?limit=${rows}`)
        .map(get),
      ...['/', '/hosts', '/tasks', '/playbooks/7.html'].map(path => get(`${path}?limit=${rows}`)),
      ...['playbooks', 'results', 'tasks'].map(name => get(`/api/v1/${name}/7`)),
    ],
  },
  {
    name: 'prefect',
    prepare: ['-m', 'prefect', 'server', 'database', 'upgrade', '-y'],
    serve: port => ['uvicorn', '--port', `${port}`, '--log-level', 'warning', 'prefect_server:app'],
    env: ({ host, username }) => ({
      PREFECT_API_DATABASE_CONNECTION_URL: `postgresql+asyncpg://${username}@${host}/prefect`,
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      DO_NOT_TRACK: '1',
    }),
    none: '/api/version',
    seed: seedPrefect,
    ask: rows => [
      ...[
        ...['flows', 'flow_runs', 'task_runs', 'deployments', 'work_pools', 'work_queues'],
        ...['variables', 'concurrency_limits', 'v2/concurrency_limits', 'artifacts'],
        ...['block_types', 'block_schemas', 'block_documents'],
      ].map(name => post(`/api/${name}/filter`, { limit: rows })),
      post('/api/flow_runs/bulk_set_state', {
        limit: rows,
        state: { type: 'RUNNING' },
        force: true,
      }),
    ],
  },
];

/** @param {string} url @returns {Request} */
function get(url) {
  return { method: 'get', url };
}

/** @param {string} url @param {object} json @returns {Request} */
function post(url, json) {
  return { method: 'post', url, json };
}
