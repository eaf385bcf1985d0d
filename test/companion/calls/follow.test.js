import assert from 'node:assert/strict';
import path from 'node:path';
import { APP, lineOf, nameCalls, python } from '../../helpers/companion.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @type {any[] | undefined} */
let told;
/** What one process reports of requests to the paths of several tests. */
const tell = () => {
  told ??= python([APP, '/lazy', '/lazy', '/failing', '/drivers', '/held', '/many']);
  return /** @type {any[]} */ (told);
};

test('a statement of SQLAlchemy is counted once, with the line of the app and the relation that it loads', () => {
  const [first, second] = nameCalls(tell().slice(0, 2));
  assert.deepEqual(
    first
      .map((/** @type {any} */ { n, rows, line, name, relation }) => [
        n,
        rows,
        line,
        name,
        relation,
      ])
      .sort(),
    [
      [1, 5, lineOf('session.query(Order)'), 'lazy', null],
      [5, 10, lineOf('# the line of the relation'), 'lazy', 'Order.items'],
    ],
  );
  assert.equal(second.length, 2);
  assert.match(second.map((/** @type {any} */ one) => one.text).join(), /orders\.name != \?/);
});

test('a driver used directly is followed, and its errors are the app’s', () => {
  const [failing, drivers] = nameCalls(tell().slice(2, 4));
  assert.deepEqual(failing.map((/** @type {any} */ one) => [one.text, one.n, one.rows]).sort(), [
    ['SELECT ?', 1, 1],
    ['SELECT a FROM nowhere WHERE b = ?', 1, null],
    ['SELECT a FROM nowhere', 1, null],
  ]);
  assert.deepEqual(drivers.map((/** @type {any} */ one) => [one.text, one.rows]).sort(), [
    ['CREATE TABLE IF NOT EXISTS t (a, b)', null],
    ['DELETE FROM t; SELECT ?', null],
    ['INSERT INTO t VALUES (?, ?)', 2],
    ['SELECT * FROM t WHERE b = ?', null],
  ]);
});

test('commits and the time of open transactions are counted, and what opens none is not', () => {
  const [{ calls, commits, held }, many] = tell().slice(4);
  assert.equal(calls.length, 3);
  assert.equal(commits[0], 1);
  assert.equal(held[0], 2, 'a commit, and a rollback of another connection');
  assert.ok(held[1] >= 50_000 && commits[1] < held[1] - 50_000, `${commits} ${held}`);
  assert.equal(many.held, undefined);
});

test('a transaction is open from its own first statement, and not from those before it', () => {
  const [{ commits, held }] = python([APP, '/autocommit']);
  assert.deepEqual([commits[0], held[0]], [1, 1]);
  assert.ok(held[1] >= 20_000 && held[1] < 100_000, `${held}`);
});

test('the end of a transaction of SQLAlchemy is counted without a deprecated attribute', () => {
  const program = `
import json
import warnings
import sqlalchemy
import loadflame_companion as companion
engine = sqlalchemy.create_engine("sqlite://")
def app(environ, start_response):
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE t (a)"))
        connection.execute(sqlalchemy.text("INSERT INTO t VALUES (1)"))
    start_response("200 OK", [])
    return [b""]
told = []
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1", "SERVER_PROTOCOL": "HTTP/1.1"}
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    companion.Companion(app, "0.1")(environ, lambda _, headers: told.extend(headers))
calls = json.loads(dict(told)["Loadflame-Calls"])
print(json.dumps([calls["commits"][0], calls["held"][0], *[str(one.message) for one in warned]]))`;
  assert.deepEqual(python(['-c', program]), [1, 1]);
});

test('an error of the companion never reaches the app', () => {
  for (const BROKEN of ['find_call', 'count_call', 'remember']) {
    const [failing, drivers] = python([APP, '/failing', '/drivers'], { BROKEN });
    assert.equal(failing === null && drivers === null, BROKEN !== 'remember', BROKEN);
  }
});

test('statements belong to the request of their task or thread', () => {
  /** @param {string} name @param {number} times */
  const of = (name, times) => ({
    [`SELECT ? AS ${name}`]: times,
    [`SELECT ? AS ${name}_task`]: 2 * times,
    [`SELECT ? AS ${name}_thread`]: times,
    [`SELECT ? AS ${name}_executor`]: times,
  });
  assert.deepEqual(python([path.join(FIXTURES, 'companion_calls_asgi.py')]), [
    of('a', 2),
    of('bcd', 4),
    null,
    of('late', 5),
    { ...of('late', 5), 'SELECT ? AS late_after': 3 }, // of the request before
  ]);
});

test('statements of threads that share a connection wait for each other, which is no time of the statement', () => {
  const program = `
import json, threading, time
import loadflame_companion as companion
class Connection:
    lock = threading.Lock()
shared = Connection()
class Cursor:
    connection = shared
    def execute(self, text):
        with self.connection.lock:
            time.sleep(0.2)
companion.follow_calls_of(Cursor, ["execute"], companion.describe_sql("postgresql"))
barrier = threading.Barrier(4)
told = []
def app(environ, start_response):
    barrier.wait()
    Cursor().execute("SELECT 1")
    start_response("200 OK", [])
    return []
served = companion.Companion(app, "00000000.1")
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}
def ask():
    served(environ, lambda _, headers: told.append(json.loads(dict(headers)["Loadflame-Calls"])))
threads = [threading.Thread(target=ask) for _ in range(4)]
[one.start() for one in threads]
[one.join() for one in threads]
print(json.dumps(told))`;
  const told = python(['-c', program]);
  const pools = told.flatMap((/** @type {any} */ { pool }) => (pool ? [pool[1]] : []));
  const times = told.map((/** @type {any} */ { calls }) => calls[0][2]);
  assert.equal(pools.length, 3, 'all but the first wait');
  assert.ok(Math.max(...pools) > 500_000, `the last one waits for three: ${pools}`);
  assert.ok(Math.min(...times) >= 150_000, `each lasts 0.2 s: ${times}`);
  assert.ok(Math.min(...times) < 300_000, `without its wait: ${times}`);
});

test('refused calls count apart, by their status, and so does waiting for SQLite’s write lock', () => {
  const { calls, named } = python([path.join(FIXTURES, 'companion_refused.py')]);
  const told = calls.map((/** @type {any[]} */ [id, n]) => {
    return `${n} ${named[id].text.replace(/:\d{4,}/, ':PORT')}`;
  });
  assert.deepEqual(told.sort(), [
    '1 BEGIN IMMEDIATE',
    '1 GET 127.0.0.1:PORT/free',
    '1 connect sqlite',
    '2 GET 127.0.0.1:PORT/full: 429',
    '3 connect 127.0.0.1:PORT',
  ]);
});

test('rows that SQLite finds while they are fetched are time of their statement, in a frame of its own', () => {
  const program = `
import json
import sqlite3
import sys
import time
import loadflame_companion as companion
below = set()
def slow(value):
    below.add(sys._getframe(1).f_code.co_name)
    time.sleep(0.02)
    return value
each = {
    "fetchall": lambda cursor: cursor.fetchall(),
    "fetchone": lambda cursor: list(iter(cursor.fetchone, None)),
    "list": list,
    "two by two": lambda cursor: [row for rows in zip(cursor, cursor) for row in rows],
    "first": lambda cursor: [next(iter(cursor))],
}
rows = sqlite3.connect(":memory:")
rows.create_function("slow", 1, slow)
def app(environ, start_response):
    statement = "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t WHERE a < 6) SELECT slow(a) FROM t"
    found.extend(each[environ["PATH_INFO"][1:]](rows.execute(statement)))
    start_response("200 OK", [])
    return []
told = {}
for name in each:
    below.clear()
    headers, found = [], []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/" + name, "REMOTE_ADDR": "127.0.0.1"}
    companion.Companion(app, "00000000.1")(environ, lambda _, own: headers.extend(own))
    calls = json.loads(dict(headers)["Loadflame-Calls"])["calls"]
    [call] = [one for one in calls if one[3] is not None]
    told[name] = [*call[1:4], sorted(below), len(found)]
print(json.dumps(told))`;
  for (const [name, [n, us, rows, below, found]] of Object.entries(python(['-c', program]))) {
    const isFirst = name === 'first';
    assert.deepEqual([n, rows, found], isFirst ? [1, 1, 1] : [1, 6, 6], name);
    assert.deepEqual(below, ['fetch', 'followed_query'], name);
    if (name.startsWith('fetch')) assert.ok(us >= 120_000, `${name}: ${us}`);
  }
});

test('LOADFLAME_CALLS=0 turns it off', () => {
  assert.deepEqual(python([APP, '/lazy', '/drivers'], { LOADFLAME_CALLS: '0' }), [null, null]);
});

test('what a pool sends to see whether a connection works is no statement of the app', t => {
  const file = path.join(makeTempFolder(t), 'shop.db');
  const program = `
import json
import sqlalchemy
import loadflame_companion as companion
engine = sqlalchemy.create_engine("sqlite:///" + ${JSON.stringify(file)}, pool_pre_ping=True)
engine.connect().close()
def app(environ, start_response):
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text("SELECT 1"))
    start_response("200 OK", [])
    return []
told = []
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}
companion.Companion(app, "00000000.1")(environ, lambda _, headers: told.extend(headers))
counted = json.loads(dict(told)["Loadflame-Calls"])
texts = ("", ";", " ;\\n", ";SELECT 1", "-- a\\nSELECT 1")
skipped = [companion.find_call("sql", "postgresql", text) is companion.SKIP for text in texts]
print(json.dumps({"calls": counted["calls"], "skipped": skipped}))`;
  const { calls, skipped } = python(['-c', program]);
  assert.deepEqual(
    calls.map((/** @type {any[]} */ [, n]) => n),
    [1],
  );
  assert.deepEqual(skipped, [true, true, true, false, false]);
});

test('the check of a connection that a pool has is no wait for the pool', () => {
  const program = (/** @type {string} */ asked) => `
import json, time
import loadflame_companion as companion
class Cursor:
    def execute(self, text):
        time.sleep(0.4)
class ConnectionPool:
    def getconn(self):
        ${asked}
    def _getconn_unchecked(self):
        time.sleep(0.1)
class AsyncConnectionPool:
    pass
if "unchecked" not in ${JSON.stringify(asked)}:
    del ConnectionPool._getconn_unchecked
class psycopg_pool:
    ConnectionPool, AsyncConnectionPool = ConnectionPool, AsyncConnectionPool
companion.of_psycopg_pool(psycopg_pool)
companion.follow_calls_of(Cursor, ["execute"], companion.describe_sql("postgresql"))
def app(environ, start_response):
    ConnectionPool().getconn()
    start_response("200 OK", [])
    return []
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}
companion.Companion(app, "00000000.1")(environ, lambda _, headers: print(dict(headers)["Loadflame-Calls"]))`;
  const checks = python(['-c', program('self._getconn_unchecked(); Cursor().execute("SELECT 1")')]);
  assert.deepEqual([checks.pool[0], checks.calls.length], [1, 1]);
  assert.ok(checks.pool[1] >= 100_000 && checks.pool[1] < 400_000, `${checks.pool}`);
  assert.ok(checks.calls[0][2] >= 400_000, `${checks.calls}`);
  const { pool } = python(['-c', program('time.sleep(0.1)')]);
  assert.ok(pool[0] === 1 && pool[1] >= 100_000, `${pool}`);
});
