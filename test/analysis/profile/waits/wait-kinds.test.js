import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../../lib/analysis/hotpath/load-rules.js';
import { listTaken, nameCalls } from '../../../../lib/analysis/hotpath/name-calls.js';
import { classifyWaits } from '../../../../lib/analysis/profile/waits/wait-kinds.js';
import { parseRaw } from '../../../helpers/parse-raw.js';
import { BOOT, EXECUTE, REQUEST, VIEW } from '../../request-stacks.js';

const rules = await loadRules();

/** Where a thread stands, and what it waits for there; null: it runs, or nobody can tell. @type {[string, string | null][]} */
const TABLE = [
  [`${EXECUTE};DefaultDialect.do_execute (sqlalchemy/engine/default.py:924)`, 'database'],
  [
    `${EXECUTE};do_execute (sqlalchemy/engine/default.py:924);execute (psycopg/cursor.py:97);wait (psycopg/waiting.py:228)`,
    'database',
  ],
  [`${VIEW};items (shop.py:32);eventlet_wait_callback (psycogreen/eventlet.py:36)`, 'database'],
  [`${VIEW};items (shop.py:32);gevent_wait_callback (shop/green.py:12)`, 'database'],
  [
    `${VIEW};connect (psycopg2/__init__.py:122);gevent_wait_callback (psycogreen/gevent.py:36)`,
    'database',
  ],
  [
    `${EXECUTE};do_execute (sqlalchemy/engine/default.py:924);query (pymysql/connections.py:549);_read_bytes (pymysql/connections.py:750);readinto (socket.py:706)`,
    'database',
  ],
  [`${EXECUTE};do_commit (sqlalchemy/engine/default.py:702)`, 'database'],
  [
    `${EXECUTE};_do_get (sqlalchemy/pool/impl.py:145);get (sqlalchemy/util/queue.py:180);wait (threading.py:320)`,
    'pool',
  ],
  [
    `${EXECUTE};_do_get (sqlalchemy/pool/impl.py:150);__connect (sqlalchemy/pool/base.py:899);connect (sqlalchemy/engine/default.py:621)`,
    'database',
  ],
  [`${EXECUTE};_compile_w_cache (sqlalchemy/sql/elements.py:700)`, null],
  [
    `${VIEW};execute (django/db/models/sql/compiler.py:1560);_execute (django/db/backends/utils.py:105)`,
    'database',
  ],
  [
    `${VIEW};get (redis/commands/core.py:1829);recv (redis/_parsers/socket.py:65);recv (socket.py:700)`,
    'database',
  ],
  [
    `${VIEW};get (requests/api.py:73);urlopen (urllib3/connectionpool.py:791);getresponse (http/client.py:1395);readinto (socket.py:706)`,
    'external-call',
  ],
  [
    `${VIEW};get (requests/api.py:73);_get_conn (urllib3/connectionpool.py:255);get (queue.py:171);wait (threading.py:320)`,
    'pool',
  ],
  [
    `${REQUEST};require_token (api/auth.py:20);post (httpx/_api.py:319);read (httpcore/_backends/sync.py:128);SSLSocket.read (ssl.py:1100)`,
    'external-call',
  ],
  [`${VIEW};ThreadPool.spawn (gevent/threadpool.py:559)`, 'thread-pool'],
  // The call runs in a thread, which may have been free.
  [`${VIEW};execute (eventlet/tpool.py:130);wait (eventlet/event.py:120)`, 'lock'],
  [`${VIEW};getaddrinfo (socket.py:962)`, 'external-call'],
  [`${VIEW};communicate (subprocess.py:1209);select (selectors.py:415)`, 'child-process'],
  [
    `${VIEW};get (<string>:2);BaseProxy._callmethod (multiprocessing/managers.py:822);_ConnectionBase.recv (multiprocessing/connection.py:250);Connection._recv (multiprocessing/connection.py:395)`,
    'child-process',
  ],
  [`${VIEW};Event.wait (threading.py:629);Condition.wait (threading.py:320)`, 'lock'],
  [`${VIEW};Queue.get (queue.py:171);Condition.wait (threading.py:320)`, 'queue'],
  [`${VIEW};LifoQueue.put (queue.py:140);Condition.wait (threading.py:320)`, 'lock'],
  [
    `${VIEW};recv (pika/channel.py:9);Queue.get (queue.py:171);wait (threading.py:320)`,
    'external-call',
  ],
  [`${VIEW};Thread.start (threading.py:969);Event.wait (threading.py:629)`, null],
  [`${VIEW};result (concurrent/futures/_base.py:451);wait (threading.py:320)`, 'lock'],
  // the companion calls on to drivers of C, and to other Python
  [`${VIEW};followed_query (/srv/loadflame_companion.py:1651)`, 'database'],
  [
    `${EXECUTE};do_execute (sqlalchemy/engine/default.py:924);followed_query (/srv/loadflame_companion.py:1651)`,
    'database',
  ],
  [
    `${VIEW};followed_request (/srv/loadflame_companion.py:1651);urlopen (urllib3/connectionpool.py:791);readinto (socket.py:706)`,
    'external-call',
  ],
  [
    `${EXECUTE};followed_query (/srv/loadflame_companion.py:1651);get (sqlalchemy/util/queue.py:180);wait (threading.py:320)`,
    'pool',
  ],
  [
    `${VIEW};get_connection (redis/asyncio/connection.py:3086);Condition.wait (asyncio/locks.py:267)`,
    'pool',
  ],
  [
    `${VIEW};get_connection (redis/connection.py:3103);AbstractConnection.connect (redis/connection.py:850);connect (socket.py:836)`,
    'database',
  ],
  [
    `${VIEW};handle_async_request (httpcore/_async/connection.py:76);AsyncLock.__aenter__ (httpcore/_synchronization.py:77);Lock.acquire (anyio/_backends/_asyncio.py:2050)`,
    'pool',
  ],
  [`${VIEW};LockType.acquire (gevent/thread.py:320)`, 'lock'],
  [`${VIEW};_recv_loop (eventlet/greenio/base.py:400)`, 'external-call'],
  [`${VIEW};exclusive (api/files.py:9);fcntl.lockf (<C code>)`, 'lock'],
  [`${VIEW}`, null],
  [`${VIEW};list_rows.<locals>.<listcomp> (api/schemas.py:3)`, null],
  [`${REQUEST};Response.write (gunicorn/http/wsgi.py:475);write (gunicorn/util.py:348)`, 'client'],
  [
    `${REQUEST};websocket (engineio/async_drivers/threading.py:20);receive (simple_websocket/ws.py:95);wait (threading.py:320)`,
    'socket',
  ],
  // what the driver calls back of the application is the application's again
  [`${EXECUTE};do_execute (sqlalchemy/engine/default.py:924);on_query (api/audit.py:8)`, null],
];

for (const [stack, kind] of TABLE) {
  test(`… ${stack.split(';').slice(-3).join(' → ')} waits for ${kind ?? 'nothing that is known'}`, () => {
    const profile = parseRaw(`${stack} 1\n`);
    const classes = classifyWaits(profile, classifyProfile(profile, rules), rules);
    const leaf = profile.rows.node[0] ?? -1;
    assert.equal(classes.kindOf(leaf), kind);
    assert.equal(classes.request[leaf], 1);
    assert.equal(classes.slot[leaf], 1);
  });
}

const WAIT = 'Event.wait (anyio/_backends/_asyncio.py:2009);Event.wait (asyncio/locks.py:213)';
const CALL_NEXT = `middle (api/main.py:9);BaseHTTPMiddleware.__call__.<locals>.call_next (starlette/middleware/base.py:158);MemoryObjectReceiveStream.receive (anyio/streams/memory.py:131);${WAIT}`;
const INNER = `${CALL_NEXT};TaskHandle._run_coro (anyio/_core/_tasks.py:327);BaseHTTPMiddleware.__call__.<locals>.call_next.<locals>.coro (starlette/middleware/base.py:149)`;
const IN_THREAD =
  'AsyncIOBackend.run_sync_in_worker_thread (anyio/_backends/_asyncio.py:2743);CapacityLimiter.__aenter__ (anyio/_backends/_asyncio.py:2200);CapacityLimiter.acquire (anyio/_backends/_asyncio.py:2261)';

/** What coroutines that are on no stack wait for: a hand-over inside a request is no lock. @type {[string, string | null][]} */
const SUSPENDED = [
  [CALL_NEXT, null],
  [
    `${INNER};send_no_error (starlette/middleware/base.py:134);MemoryObjectSendStream.send (anyio/streams/memory.py:278);${WAIT}`,
    null,
  ],
  ['middle (api/main.py:9);TaskGroup.__aexit__ (asyncio/taskgroups.py:71)', null],
  ['middle (api/main.py:9);TaskGroup.__aexit__ (anyio/_backends/_asyncio.py:844)', null],
  ['middle (api/main.py:9);wait (asyncio/tasks.py:428);_wait (asyncio/tasks.py:535)', null],
  // the inner task counts
  [`${INNER};fetch (asyncpg/connection.py:690)`, 'database'],
  [`${INNER};acquire (filelock/asyncio.py:10)`, 'lock'],
  [`${INNER};show (api/views.py:30);Lock.acquire (asyncio/locks.py:113)`, 'lock'],
  [
    `${INNER};${IN_THREAD};CapacityLimiter.acquire_on_behalf_of (anyio/_backends/_asyncio.py:2281);${WAIT}`,
    'thread-pool',
  ],
  // the thread is there, and starts
  [`${INNER};AsyncIOBackend.run_sync_in_worker_thread (anyio/_backends/_asyncio.py:2779)`, null],
  // a stream of the app's own may lead to another request
  [
    `show (api/views.py:30);MemoryObjectReceiveStream.receive (anyio/streams/memory.py:131);${WAIT}`,
    'queue',
  ],
];

for (const [stack, kind] of SUSPENDED) {
  test(`a coroutine at … ${stack.split(';').slice(-2).join(' → ')} waits for ${kind ?? 'nothing that is known'}`, () => {
    const shown = ['1', 'GET /rows', ...stack.split(';')].join('\t');
    const profile = parseRaw(`thread (9);${shown} (<loadflame await>:144) 1\n`, 'all');
    const classes = classifyWaits(profile, classifyProfile(profile, rules), rules);
    const leaf = profile.rows.node[0] ?? -1;
    assert.equal(classes.suspended[leaf], 1);
    assert.equal(classes.kindOf(leaf), kind);
  });
}

/** What a call does, where its kind does not say so, and the call as the application makes it. @type {[string, string | null, string | null, string][]} */
const ACTS = [
  ['Queue.join (queue.py:90);Condition.wait (threading.py:320)', null, null, 'Queue.join'],
  [
    'Future.result (concurrent/futures/_base.py:451);Condition.wait (threading.py:320)',
    'lock',
    'future',
    'Future.result',
  ],
  [
    'import_module (importlib/__init__.py:126);_find_and_load (<frozen importlib._bootstrap>:1173);_ModuleLock.acquire (<frozen importlib._bootstrap>:120)',
    'lock',
    'import',
    'import_module',
  ],
  ['FileLock.acquire (filelock/_api.py:331)', 'lock', 'file-lock', 'FileLock.acquire'],
  ['fcntl.flock (<C code>)', 'lock', 'file-lock', 'fcntl.flock'],
  ['os.write (<C code>)', 'file', 'pipe', 'os.write'],
  [
    'Logger.info (logging/__init__.py:1489);Handler.handle (logging/__init__.py:978);StreamHandler.emit (logging/__init__.py:1114)',
    'file',
    'pipe',
    'Logger.info',
  ],
  [
    'Logger.info (logging/__init__.py:1489);Handler.handle (logging/__init__.py:976);Handler.acquire (logging/__init__.py:927)',
    'lock',
    null,
    'Logger.info',
  ],
  [
    'Connection.connect (psycopg/connection.py:109);wait_conn (psycopg/waiting.py:105)',
    'database',
    'connect',
    'Connection.connect',
  ],
  ['psycopg2.connect (<C code>)', 'database', 'connect', 'psycopg2.connect'],
  [
    'ListCommands.blpop (redis/commands/core.py:2711);recv (redis/_parsers/socket.py:65);recv (socket.py:700)',
    'database',
    'message',
    'ListCommands.blpop',
  ],
  [
    'PubSub.get_message (redis/asyncio/client.py:1085);can_read_destructive (redis/asyncio/connection.py:520)',
    'database',
    'message',
    'PubSub.get_message',
  ],
  [
    'get (requests/api.py:73);HTTPSConnection.connect (urllib3/connection.py:730);do_handshake (ssl.py:1375)',
    'external-call',
    'connect',
    'get',
  ],
  [
    'execute (sqlalchemy/orm/session.py:2351);__connect (sqlalchemy/pool/base.py:899);connect (sqlalchemy/engine/default.py:621)',
    'database',
    'connect',
    'execute',
  ],
  [
    'execute (sqlalchemy/orm/session.py:2351);Pool.connect (sqlalchemy/pool/base.py:450);do_ping (sqlalchemy/engine/default.py:712)',
    'database',
    null,
    'execute',
  ],
  // a session of the application's own
  [
    'LoggedSession.execute (api/db.py:9);Session.execute (sqlalchemy/orm/session.py:2362);do_execute (sqlalchemy/engine/default.py:736)',
    'database',
    null,
    'Session.execute',
  ],
  ['time.sleep (<C code>)', 'sleep', null, 'time.sleep'],
  // between tries to take a lock in a store, or of a call that failed: no query, and no call
  ['Lock.acquire (redis/lock.py:235);time.sleep (<C code>)', 'sleep', null, 'Lock.acquire'],
  ['Lock.acquire (redis/lock.py:235);sleep (gevent/hub.py:166)', 'sleep', null, 'Lock.acquire'],
  [
    'Lock.acquire (redis/asyncio/lock.py:225);sleep (asyncio/tasks.py:655)',
    'sleep',
    null,
    'Lock.acquire',
  ],
  [
    'get (requests/api.py:73);Retry.sleep (urllib3/util/retry.py:360);time.sleep (<C code>)',
    'sleep',
    null,
    'get',
  ],
  [
    'FileLock.acquire (filelock/_api.py:331);time.sleep (<C code>)',
    'lock',
    'file-lock',
    'FileLock.acquire',
  ],
  [
    'run (subprocess.py:550);Popen._wait (subprocess.py:2050);time.sleep (<C code>)',
    'child-process',
    null,
    'run',
  ],
  [
    'cached_property.__get__ (functools.py:997)',
    'lock',
    'cached-property',
    'cached_property.__get__',
  ],
  [
    'cached_property.__get__ (functools.py:1001);Model.rows (sqlalchemy/orm/mapper.py:9);Condition.wait (threading.py:320)',
    'lock',
    null,
    'cached_property.__get__',
  ],
  ['Event.wait (threading.py:629);Condition.wait (threading.py:320)', 'lock', null, 'Event.wait'],
];

for (const [stack, kind, as, call] of ACTS) {
  test(`a view that calls ${call} waits for ${as ?? kind}`, () => {
    const profile = parseRaw(`${VIEW};${stack} 1\n`);
    const classes = classifyWaits(profile, classifyProfile(profile, rules), rules);
    const leaf = profile.rows.node[0] ?? -1;
    assert.equal(classes.kindOf(leaf), kind);
    const place = { function: 'list_rows', file: 'api/views.py', line: 12 };
    assert.deepEqual(classes.placeOf(leaf), { ...place, call, as });
  });
}

test('a line of several calls waits in the one that can; its CPU time belongs to none of them', () => {
  const profile = parseRaw(`${VIEW} 1\n`);
  const calls = ['os.write', 'json.dumps', 'ljust'];
  const line = { t: 0, kind: 'line', function: 'list_rows', file: 'api/views.py', line: 12 };
  const lines = /** @type {any[]} */ ([{ ...line, inLoop: false, calls }]);
  const nameOf = (/** @type {boolean} */ areWaiting) => {
    const named = nameCalls(profile, lines, rules, areWaiting);
    return named.frames[named.nodes.frame[named.rows.node[0] ?? -1] ?? -1]?.name;
  };
  assert.equal(nameOf(true), 'os.write');
  assert.equal(nameOf(false), 'list_rows');
});

test('a sleep is a wait of its own in a line of a library, too, but its other calls are not', () => {
  for (const [call, leaf] of [
    ['time.sleep', 'time.sleep'],
    ['recv', 'Lock.acquire'],
  ]) {
    const profile = parseRaw(`${VIEW};Lock.acquire (redis/lock.py:235) 1\n`);
    const line = { t: 0, kind: 'line', function: 'Lock.acquire', file: 'redis/lock.py', line: 235 };
    const lines = /** @type {any[]} */ ([{ ...line, inLoop: false, calls: [call] }]);
    const nameOf = (/** @type {boolean} */ areWaiting) => {
      const named = nameCalls(profile, lines, rules, areWaiting);
      return named.frames[named.nodes.frame[named.rows.node[0] ?? -1] ?? -1]?.name;
    };
    assert.deepEqual([nameOf(true), nameOf(false)], [leaf, 'Lock.acquire']);
  }
});

test('a greenlet at a line that takes a lock waits for it, and at any other line for another greenlet', () => {
  const lines = [
    '    with gate:',
    '    lot.gate.acquire()',
    '    done.wait()',
    '    with open(name):',
  ];
  const source = {
    t: 0,
    kind: 'function',
    function: 'show',
    file: 'api/views.py',
    from: 30,
    lines,
  };
  const taken = listTaken(/** @type {any[]} */ ([source]));
  const found = lines.map((_, at) => {
    const shown = ['1', 'GET /rows', `show (api/views.py:${30 + at})`].join('\t');
    const raw = parseRaw(`thread (9);${shown} (<loadflame await>:144) 1\n`, 'all');
    const profile = nameCalls(raw, taken, rules, true);
    const classes = classifyWaits(profile, classifyProfile(profile, rules), rules);
    const leaf = profile.rows.node[0] ?? -1;
    return [classes.kindOf(leaf), classes.placeOf(leaf)?.line, classes.placeOf(leaf)?.as];
  });
  assert.deepEqual(found, [
    ['lock', 30, null],
    ['lock', 31, null],
    [null, 32, 'task'],
    [null, 33, 'task'],
  ]);
});

test('the companion is not a place where requests wait', () => {
  const around = `${REQUEST.replace(/;[^;]+$/, '')};Companion.__call__ (/srv/loadflame_companion.py:310)`;
  const wait = 'Event.wait (threading.py:629)';
  for (const [stack, place] of [
    [`${around};${wait}`, undefined],
    [`${around};list_rows (api/views.py:12);${wait}`, 'list_rows'],
  ]) {
    const profile = parseRaw(`${stack} 1\n`);
    const classes = classifyWaits(profile, classifyProfile(profile, rules), rules);
    assert.equal(classes.placeOf(profile.rows.node[0] ?? -1)?.function, place);
  }
});

test('a middleware is not the place where the framework waits inside of it', () => {
  const around = `${BOOT};ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);Stats.__call__ (shop/stats.py:9)`;
  const query = 'execute (django/db/models/sql/compiler.py:1560)';
  const inside = `${around};BaseHandler._get_response (django/core/handlers/base.py:197);ListView.get (django/views/generic/list.py:158)`;
  for (const [stack, place] of [
    [`${around};${query}`, 'Stats.__call__'],
    [`${inside};${query}`, undefined],
    [`${inside};Rows.get_queryset (shop/views.py:9);${query}`, 'Rows.get_queryset'],
  ]) {
    const profile = parseRaw(`${stack} 1\n`);
    const classes = classifyWaits(profile, classifyProfile(profile, rules), rules);
    assert.equal(classes.placeOf(profile.rows.node[0] ?? -1)?.function, place);
  }
});
