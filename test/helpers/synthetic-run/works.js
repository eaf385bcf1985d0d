/**
 * What a worker may be doing: stacks as py-spy writes them of gunicorn's threaded worker and Flask,
 * with the category (and the known cause) that they belong to in truth.
 */

const SERVE = [
  'Thread._bootstrap (threading.py:1002)',
  'Thread._bootstrap_inner (threading.py:1045)',
  'Thread.run (threading.py:982)',
  '_worker (concurrent/futures/thread.py:83)',
  '_WorkItem.run (concurrent/futures/thread.py:58)',
  'ThreadWorker.handle (gunicorn/workers/gthread.py:553)',
];
const REQUEST = ['ThreadWorker.handle_request (gunicorn/workers/gthread.py:771)'];
const APP = ['Flask.__call__ (flask/app.py:1536)', 'Flask.wsgi_app (flask/app.py:1511)'];
const DISPATCH = [
  'Flask.full_dispatch_request (flask/app.py:917)',
  'Flask.dispatch_request (flask/app.py:902)',
];
const DECORATOR = 'requires_auth.<locals>.decorated (queue_management/auth.py';
const HTTPX = [
  'post (httpx/_api.py:304)',
  'request (httpx/_api.py:109)',
  'Client.request (httpx/_client.py:825)',
  'Client.send (httpx/_client.py:914)',
];
const SQL = [
  'Session.scalars (sqlalchemy/orm/session.py:2445)',
  'Session._execute_internal (sqlalchemy/orm/session.py:2256)',
];

/**
 * @typedef {object} Work
 * @property {string} category
 * @property {string | null} cause id of the known cause that its stacks are evidence of
 * @property {'serve' | 'request' | 'app' | 'guard' | 'view' | 'thread'} place below which frames it is done
 * @property {string[]} frames
 * @property {string[]} leaves innermost frames that take turns
 */

/** @type {Record<string, Work>} */
export const WORKS = {
  business: {
    category: 'business',
    cause: null,
    place: 'view',
    frames: ['summarize (queue_management/summary.py:31)'],
    leaves: [
      'group_rows (queue_management/summary.py:12)',
      'rank (queue_management/summary.py:48)',
    ],
  },
  'auth:introspect': {
    category: 'auth',
    cause: 'remote-introspection',
    place: 'guard',
    frames: [
      'IntrospectValidator.validate (queue_management/tokens/introspect.py:21)',
      'IntrospectValidator._introspect (queue_management/tokens/introspect.py:28)',
      ...HTTPX,
    ],
    leaves: [
      'HTTPTransport.handle_request (httpx/_transports/default.py:250)',
      'Headers.update (httpx/_models.py:276)',
      'Response.json (httpx/_models.py:832)',
    ],
  },
  'auth:tls-context': {
    category: 'auth',
    cause: 'tls-context-per-request',
    place: 'guard',
    frames: [
      'IntrospectValidator.validate (queue_management/tokens/introspect.py:21)',
      'IntrospectValidator._introspect (queue_management/tokens/introspect.py:28)',
      'post (httpx/_api.py:304)',
      'Client.__init__ (httpx/_client.py:688)',
      'create_ssl_context (httpx/_config.py:40)',
      'create_default_context (ssl.py:770)',
    ],
    leaves: [
      'SSLContext.load_verify_locations (ssl.py:610)',
      'SSLContext.load_default_certs (ssl.py:592)',
    ],
  },
  'auth:local': {
    category: 'auth',
    cause: null,
    place: 'guard',
    frames: [
      'CachedKeyValidator.validate (queue_management/tokens/cached.py:24)',
      'decode (jwt/api_jwt.py:210)',
    ],
    leaves: [
      'PyJWS._verify_signature (jwt/api_jws.py:330)',
      'PyJWT._validate_claims (jwt/api_jwt.py:260)',
    ],
  },
  'task-queue:delay': {
    category: 'task-queue',
    cause: 'task-handed-over',
    place: 'view',
    frames: ['Task.delay (celery/app/task.py:444)', 'Task.apply_async (celery/app/task.py:601)'],
    leaves: ['Producer.publish (kombu/messaging.py:190)', 'Redis.lpush (redis/client.py:867)'],
  },
  'database:execute': {
    category: 'database',
    cause: null,
    place: 'view',
    frames: [...SQL, 'Connection.execute (sqlalchemy/engine/base.py:1416)'],
    leaves: [
      'DefaultDialect.do_execute (sqlalchemy/engine/default.py:943)',
      'Connection._execute_context (sqlalchemy/engine/base.py:1843)',
    ],
  },
  'database:load': {
    category: 'database',
    cause: null,
    place: 'view',
    frames: [...SQL, 'instances.<locals>.chunks (sqlalchemy/orm/loading.py:237)'],
    leaves: [
      '_instance_processor.<locals>._instance (sqlalchemy/orm/loading.py:1133)',
      '_WeakInstanceDict._add_unpresent (sqlalchemy/orm/identity.py:211)',
    ],
  },
  serialization: {
    category: 'serialization',
    cause: null,
    place: 'view',
    frames: [
      'jsonify (flask/json/__init__.py:170)',
      'DefaultJSONProvider.response (flask/json/provider.py:214)',
      'DefaultJSONProvider.dumps (flask/json/provider.py:179)',
      'dumps (json/__init__.py:238)',
      'JSONEncoder.encode (json/encoder.py:200)',
    ],
    leaves: [
      'JSONEncoder.iterencode (json/encoder.py:258)',
      'JSONEncoder.default (json/encoder.py:161)',
    ],
  },
  schema: {
    category: 'schema',
    cause: null,
    place: 'view',
    frames: [
      'Schema.dump (marshmallow/schema.py:560)',
      'Schema._serialize (marshmallow/schema.py:521)',
    ],
    leaves: [
      'Field.serialize (marshmallow/fields.py:323)',
      'Schema.get_attribute (marshmallow/schema.py:440)',
    ],
  },
  framework: {
    category: 'framework',
    cause: null,
    place: 'app',
    frames: ['Flask.request_context (flask/app.py:1430)'],
    leaves: [
      'MapAdapter.match (werkzeug/routing/map.py:613)',
      'RequestContext.push (flask/ctx.py:367)',
    ],
  },
  server: {
    category: 'server',
    cause: null,
    place: 'serve',
    frames: [
      'Parser.__next__ (gunicorn/http/parser.py:119)',
      'Request.__init__ (gunicorn/http/message.py:525)',
    ],
    leaves: [
      'Message.parse_headers (gunicorn/http/message.py:348)',
      'SocketUnreader.chunk (gunicorn/http/unreader.py:100)',
    ],
  },
  'dev:reloader': {
    category: 'dev-tools',
    cause: 'auto-reloader',
    place: 'thread',
    frames: ['Reloader.run (gunicorn/reloader.py:46)'],
    leaves: ['Reloader.get_files (gunicorn/reloader.py:34)', 'stat (gunicorn/reloader.py:51)'],
  },
};

/**
 * The frames of a stack, outermost first, without process and thread.
 * @param {Work} work
 * @param {{view: string, file: string}} endpoint
 * @param {number} variant from 0: stacks of the same work that differ in their inner frames
 * @param {string[]} markers frames of the companion around the app
 */
export function buildStack({ place, frames, leaves }, { view, file }, variant, markers) {
  const leaf = leaves[variant % leaves.length] ?? '';
  const turn = Math.floor(variant / leaves.length);
  const inner = [
    ...frames.slice(0, -1),
    moveOn(frames.at(-1) ?? '', turn >> 3),
    moveOn(leaf, turn),
  ];
  if (place === 'thread') return [...SERVE.slice(0, 2), ...inner];
  if (place === 'serve') return [...SERVE, ...inner];
  const app = [...SERVE, ...REQUEST, ...markers, ...APP];
  if (place === 'app') return [...app, ...inner];
  const dispatched = [...app, ...DISPATCH];
  if (place === 'guard')
    return [
      ...dispatched,
      `${DECORATOR}:38)`,
      'TokenGuard.validate (queue_management/auth.py:25)',
      ...inner,
    ];
  return [...dispatched, `${DECORATOR}:39)`, `${view} (${file}:${30 + (turn >> 6)})`, ...inner];
}

/** Another function, further down in the file. @param {string} frame @param {number} by 0: the same */
function moveOn(frame, by) {
  if (by === 0) return frame;
  return frame.replace(/^(.*) \((.*):(\d+)\)$/, (_, name, file, line) => {
    return `${name}_${by} (${file}:${Number(line) + by})`;
  });
}

/** Where a worker's main thread waits for work. */
export const IDLE_STACK = [
  '_run_module_as_main (<frozen runpy>:198)',
  '_run_code (<frozen runpy>:88)',
  '<module> (gunicorn/__main__.py:10)',
  'run (gunicorn/app/wsgiapp.py:66)',
  'Application.run (gunicorn/app/base.py:236)',
  'BaseApplication.run (gunicorn/app/base.py:72)',
  'Arbiter.run (gunicorn/arbiter.py:247)',
  'Arbiter.manage_workers (gunicorn/arbiter.py:700)',
  'Arbiter.spawn_workers (gunicorn/arbiter.py:787)',
  'Arbiter.spawn_worker (gunicorn/arbiter.py:752)',
  'ThreadWorker.init_process (gunicorn/workers/gthread.py:280)',
  'Worker.init_process (gunicorn/workers/base.py:146)',
  'ThreadWorker.run (gunicorn/workers/gthread.py:425)',
  'ThreadWorker.wait_for_and_dispatch_events (gunicorn/workers/gthread.py:398)',
  'EpollSelector.select (selectors.py:468)',
];

/** A thread of the pool without work, and the master. */
export const IDLE_THREAD = [...SERVE.slice(0, 3), '_worker (concurrent/futures/thread.py:81)'].join(
  ';',
);
export const MASTER_STACK =
  'run (gunicorn/app/base.py:236);Arbiter.run (gunicorn/arbiter.py:249);Arbiter.sleep (gunicorn/arbiter.py:380)';

/** Where a thread inside a request waits, by kind. @type {Record<string, Work>} */
export const WAITS = {
  database: waitAt([...SQL, 'DefaultDialect.do_execute (sqlalchemy/engine/default.py:924)']),
  'external-call': waitAt([
    'post (requests/api.py:115)',
    'HTTPConnectionPool.urlopen (urllib3/connectionpool.py:790)',
    'SocketIO.readinto (socket.py:706)',
  ]),
  pool: waitAt([
    'QueuePool._do_get (sqlalchemy/pool/impl.py:166)',
    'Queue.get (sqlalchemy/util/queue.py:160)',
    'Condition.wait (threading.py:320)',
  ]),
  lock: waitAt(['reserve (queue_management/seats.py:12)', 'Condition.wait (threading.py:320)']),
};

/** @param {string[]} frames @returns {Work} */
function waitAt(frames) {
  return {
    category: 'database',
    cause: null,
    place: 'view',
    frames: frames.slice(0, -1),
    leaves: frames.slice(-1),
  };
}
