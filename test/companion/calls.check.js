import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findPython, startBeside } from '../../research/shares/start-server.js';
import { FIXTURES } from '../helpers/gunicorn.js';
import { needs, needsModules } from '../helpers/needs.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion');
const APP = path.join(FIXTURES, 'companion_calls_servers.py');
const skip =
  needs('postgres', 'redis-server') ||
  needsModules('sqlalchemy', 'psycopg') ||
  needsModules('django', 'psycopg2', 'requests');

/**
 * What requests of the app are said to have asked of a fresh server.
 * @param {import('node:test').TestContext} t @param {'redis' | 'postgres'} server
 * @param {string[]} modules of the Python that runs it
 */
async function ask(t, server, modules) {
  const { env, stop } = await startBeside({ needs: server }, 'python3', makeTempFolder(t));
  t.after(stop);
  const out = execFileSync(findPython(modules), ['-B', APP], {
    env: { ...process.env, ...env, LOADFLAME: '1', PYTHONPATH: COMPANION },
  });
  return JSON.parse(out.toString());
}

const source = readFileSync(APP, 'utf8').split('\n');

/** Each call in few words: how often, rows, text, what stands in its line of the app. @param {{calls: any[]}} told */
const shorten = ({ calls }) =>
  calls
    .map(({ n, rows, text, line, relation, isOpen }) =>
      [
        n,
        rows,
        `${text}`.slice(0, 44),
        source[line - 1]?.trim().slice(0, 30).trim(),
        relation,
        isOpen,
      ].join(' | '),
    )
    .sort();

test('SQLAlchemy, psycopg and an outgoing call during a transaction', { skip }, async t => {
  const told = await ask(t, 'postgres', ['sqlalchemy', 'psycopg', 'httpx']);
  const { calls, pool } = told.sqlalchemy_async;
  assert.deepEqual(
    shorten({
      calls: calls.filter((/** @type {any} */ one) => /FROM (orders|items)/.test(one.text)),
    }),
    [
      '2 | 6 | SELECT orders.id FROM orders WHERE orders.id | for one in (await session.exec |  | false',
      '6 | 12 | SELECT items.id, items.order_id FROM items W | await session.run_sync(lambda | Order.items | false',
    ],
  );
  // the second of two sessions waits for the only connection
  assert.equal(pool[0], 1);
  assert.deepEqual(shorten(told.psycopg_both), [
    '1 |  | CREATE TEMPORARY TABLE t (a text) | connection.execute("CREATE TEM |  | false',
    '1 |  | SELECT a FROM nowhere WHERE b = ? | connection.execute("SELECT a F |  | false',
    '1 |  | connect postgresql | async with await psycopg.Async |  | false',
    '1 |  | connect postgresql | with psycopg.connect(POSTGRES) |  | false',
    '1 | 2 | INSERT INTO t VALUES (?) | cursor.executemany("INSERT INT |  | false',
    '1 | 4 | SELECT generate_series(?, ?) | await (await connection.execut |  | false',
  ]);
  assert.deepEqual(shorten(told.open_transaction), [
    '1 |  | GET 127.0.0.1:PORT/users/:id/orders | await client.get(URL) |  | true',
    '1 |  | GET 127.0.0.1:PORT/v1/:id/orders | httpx.get(URL.replace("/users" |  | false',
    // anyio connects in a task of its own
    '1 |  | connect 127.0.0.1:PORT |  |  | false',
    '1 |  | connect 127.0.0.1:PORT | httpx.get(URL.replace("/users" |  | false',
    '1 |  | connect postgresql | with psycopg.connect(POSTGRES) |  | false',
    '1 | 1 | SELECT ? | connection.execute("SELECT 1") |  | false',
  ]);
});

test('Django and psycopg2', { skip }, async t => {
  const told = await ask(t, 'postgres', ['django', 'psycopg2']);
  assert.deepEqual(shorten(told.django_queryset), [
    '1 | 4 | SELECT "auth_permission"."id", "auth_permiss | for one in Permission.objects. |  | false',
    '1 | 4 | SELECT "django_content_type"."id", "django_c | for one in ContentType.objects |  | false',
    '4 | 4 | SELECT "django_content_type"."id", "django_c | assert one.content_type.app_la | Permission.content_type | false',
    '4 | 4 | SELECT COUNT(*) AS "__count" FROM "auth_perm | one.permission_set.count() | ContentType.permission_set | false',
  ]);
  assert.deepEqual(shorten(told.psycopg2_cursors), [
    '1 |  | connect postgresql | connection = psycopg2.connect( |  | false',
    '1 | 1 | SELECT ? AS a | cursor.execute("SELECT %(a)s A |  | false',
    '1 | 3 | SELECT generate_series(?, ?) | cursor.execute("SELECT generat |  | false',
  ]);
});

test('Redis and requests', { skip }, async t => {
  const told = await ask(t, 'redis', ['redis', 'requests']);
  // Some releases of redis list the installed packages for each client, to find their own version.
  const calls = told.redis_both.calls.filter((/** @type {any} */ one) => one.kind !== 'folder');
  assert.deepEqual(shorten({ calls }), [
    '1 |  | GET localhost:PORT | assert await client.get("secre |  | false',
    '1 |  | PIPELINE localhost:PORT | pipeline.get("secret").get("se |  | false',
    '1 |  | SET localhost:PORT | redis.Redis(port=REDIS_PORT).s |  | false',
    '1 |  | XREAD BLOCK localhost:PORT | await client.xread({"secret it |  | false',
    '1 |  | XREAD localhost:PORT | await client.xread({"BLOCK": " |  | false',
    '1 |  | connect 127.0.0.1:PORT | assert await client.get("secre |  | false',
    '1 |  | connect 127.0.0.1:PORT | pipeline.get("secret").get("se |  | false',
    '1 |  | connect 127.0.0.1:PORT | redis.Redis(port=REDIS_PORT).s |  | false',
  ]);
  assert.deepEqual(shorten(told.requests_session), [
    '1 |  | GET 127.0.0.1:PORT/users/:id/orders | requests.get(URL) |  | false',
    '1 |  | connect 127.0.0.1:PORT | requests.get(URL) |  | false',
  ]);
});

test('Django: deferred columns and relations that are loaded row by row have their names, and SQLite’s rows their number', {
  skip: needsModules('django'),
}, () => {
  const app = path.join(FIXTURES, 'companion_calls_django.py');
  const out = execFileSync(findPython(['django']), ['-B', app], {
    env: { ...process.env, LOADFLAME: '1', PYTHONPATH: COMPANION },
  });
  const told = JSON.parse(out.toString());
  assert.deepEqual(told.filter((/** @type {any[]} */ [n]) => n > 1).sort(), [
    [6, 0, 'Item.readers'],
    [6, 6, 'Item.author'],
    [6, 6, 'Item.body'],
  ]);
});
