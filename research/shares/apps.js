/**
 * What the bench runs. Each app is a module of `apps/` whose parts are functions with a clock around them.
 * Every second one is held out: no rule of the analysis may be made on it, so that it can judge the rule.
 */

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} file the end of its file's name, as py-spy writes it
 */

/**
 * @typedef {object} App
 * @property {string} name of the module, too
 * @property {string} title
 * @property {boolean} heldOut
 * @property {readonly Part[]} parts in the order of the app's `PARTS`
 * @property {'echo' | 'postgres' | 'redis' | 'demo' | null} needs
 * @property {readonly WorkerName[] | null} only null: under all
 */

/** @typedef {'sync' | 'gthread' | 'gevent' | 'eventlet' | 'uvicorn' | 'uvicorn-pool'} WorkerName */

/**
 * @param {string} name @param {string} title @param {readonly string[]} parts
 * @param {Partial<Pick<App, 'heldOut' | 'needs' | 'only'>>} [more]
 * @returns {App}
 */
function app(name, title, parts, { heldOut = false, needs = null, only = null } = {}) {
  const file = `${name}.py`;
  return { name, title, heldOut, needs, only, parts: parts.map(part => ({ name: part, file })) };
}

const HELD_OUT = { heldOut: true };
/** Their clients wait in C code that greenlets can't replace, or in threads. @type {readonly WorkerName[]} */
const THREADED = ['sync', 'gthread', 'uvicorn', 'uvicorn-pool'];

/** @type {readonly App[]} */
export const APPS = [
  app('loops', 'loops of Python', ['loop_big', 'loop_mid', 'loop_small']),
  app('calls', 'many tiny functions', ['many_calls', 'recursion', 'loop_flat'], HELD_OUT),
  app('syscalls', 'cheap system calls', ['cheap_calls', 'long_loop']),
  app(
    'files',
    'files and pipes',
    ['stat_files', 'write_read', 'pipe_bytes', 'count_words'],
    HELD_OUT,
  ),
  app('locks', 'locks and hand-overs of the GIL', ['take_turns', 'give_up', 'own_loop']),
  app('hand_overs', 'work handed to a thread', ['ask_helper', 'help_out', 'own_work'], HELD_OUT),
  app('tls', 'TLS contexts', ['make_context', 'work']),
  app('releases_gil', 'C without the GIL', ['hash_bytes', 'compress_bytes', 'loop'], HELD_OUT),
  app('keeps_gil', 'C with the GIL', ['dump_json', 'search_text', 'sort_list', 'loop']),
  app('sqlite', 'queries of SQLite', ['many_queries', 'big_query', 'use_rows'], HELD_OUT),
  app('echo', 'a socket to a process beside', ['ask_echo', 'loop'], { needs: 'echo' }),
  app('echo_async', 'the same by asyncio', ['ask_echo', 'loop'], {
    ...HELD_OUT,
    needs: 'echo',
    only: ['uvicorn'],
  }),
  app('redis_client', 'commands to Redis', ['ask_redis', 'loop'], { needs: 'redis' }),
  app('postgres', 'queries of PostgreSQL', ['small_queries', 'many_rows', 'use_rows'], {
    ...HELD_OUT,
    needs: 'postgres',
    only: THREADED,
  }),
  {
    ...app('demo', 'the demo, introspect', [], { ...HELD_OUT, needs: 'demo', only: ['gthread'] }),
    parts: [{ name: 'create_default_context', file: 'ssl.py' }],
  },
];

/**
 * @typedef {object} Worker
 * @property {WorkerName} name
 * @property {readonly string[]} modules that its Python must have
 * @property {readonly string[]} args behind `python -m`
 * @property {Record<string, string>} env
 * @property {number} users of the closed loop
 * @property {boolean} hasMaster its first process only waits
 */

const GUNICORN = ['gunicorn', 'serve:wsgi', '--bind', '127.0.0.1:0', '--workers', '1'];
const GUNICORN_MORE = ['--graceful-timeout', '2', '--keep-alive', '30', '--worker-class'];
const UVICORN = ['uvicorn', 'serve:asgi', '--port', '0', '--no-access-log', '--loop', 'asyncio'];
const GREENLETS = { SHARES_GREENLETS: '1' };

/** @type {readonly Worker[]} */
export const WORKERS = [
  {
    name: 'sync',
    modules: ['gunicorn'],
    args: [...GUNICORN, ...GUNICORN_MORE, 'sync'],
    env: {},
    users: 2,
    hasMaster: true,
  },
  {
    name: 'gthread',
    modules: ['gunicorn'],
    args: [...GUNICORN, ...GUNICORN_MORE, 'gthread', '--threads', '4'],
    env: {},
    users: 4,
    hasMaster: true,
  },
  {
    name: 'gevent',
    modules: ['gunicorn', 'gevent'],
    args: [...GUNICORN, ...GUNICORN_MORE, 'gevent'],
    env: GREENLETS,
    users: 4,
    hasMaster: true,
  },
  {
    name: 'eventlet',
    modules: ['gunicorn.workers.geventlet', 'eventlet'],
    args: [...GUNICORN, ...GUNICORN_MORE, 'eventlet'],
    env: GREENLETS,
    users: 4,
    hasMaster: true,
  },
  {
    name: 'uvicorn',
    modules: ['uvicorn'],
    args: UVICORN,
    env: {},
    users: 4,
    hasMaster: false,
  },
  {
    name: 'uvicorn-pool',
    modules: ['uvicorn'],
    args: UVICORN,
    env: { SHARES_THREADS: '4' },
    users: 4,
    hasMaster: false,
  },
];

/** Ways of sampling: what is added to `py-spy record`, or our own recorder, which needs Python 3.15. */
export const WAYS = Object.freeze({
  /** no profiler: what the others cost is told against it */
  none: /** @type {string[]} */ ([]),
  blocking: [],
  nonblocking: ['--nonblocking'],
  gil: ['--gil'],
  'gil-nonblocking': ['--gil', '--nonblocking'],
  remote: /** @type {null} */ (null),
});

/** @typedef {keyof typeof WAYS} Way */

/** As `lib/record/profiler` records. @type {Way} */
export const DEFAULT_WAY = 'nonblocking';
