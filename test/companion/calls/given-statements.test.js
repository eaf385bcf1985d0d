import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { python } from '../../helpers/companion.js';
import { COMPANION } from '../../helpers/joined-companion.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const GIVEN = `
import asyncio
import loadflame_companion as companion
from sqlalchemy import create_engine, pool, select, text
from sqlalchemy.util.concurrency import greenlet_spawn
engine = create_engine("sqlite://", poolclass=pool.StaticPool)
engine.connect().close()
async def execute(connection, statement):
    return await greenlet_spawn(connection.execute, statement)
def run(connection, sql):
    return connection.execute(text(sql)).all()
def first(connection, statement):
    return connection.execute(statement.limit(1)).all()
def named(connection, name):
    return connection.execute(text("SELECT 4 AS " + name)).all()
def page(connection, sql):
    return connection.execute(text(f"""
        {sql}
        LIMIT 5""")).all()
async def app(scope, receive, send):
    with engine.connect() as connection:
        for _ in range(9):
            await execute(connection, select(text("1 AS a")))
        run(connection, "SELECT 2 AS b")
        first(connection, select(text("3 AS c")))
        named(connection, "d")
        page(connection, "select 5 AS e")
    await send({"type": "http.response.start", "status": 200, "headers": []})
async def ask():
    async def send(message):
        print(dict(message["headers"])[b"loadflame-calls"].decode())
    scope = {"type": "http", "method": "GET", "path": "/", "client": ("127.0.0.1", 1)}
    await companion.wrap(app)(scope, None, send)
`;

test('a function that executes the statement it is given is no place, one that makes or changes it is', t => {
  for (const name of ['src', 'site-packages']) {
    const folder = path.join(makeTempFolder(t), name);
    mkdirSync(path.join(folder, 'shop'), { recursive: true });
    writeFileSync(path.join(folder, 'shop/__init__.py'), '');
    writeFileSync(path.join(folder, 'shop/app.py'), GIVEN);
    const { calls, named } = python(
      ['-c', 'import asyncio\nfrom shop.app import ask\nasyncio.run(ask())'],
      { PYTHONPATH: `${COMPANION}:${folder}` },
    );
    const places = calls.map((/** @type {any[]} */ [id, n]) => `${n} ${lineAt(named[id])}`);
    assert.deepEqual(
      places.sort(),
      [
        '1 page(connection, "select 5 AS e")',
        '1 return connection.execute(statement.limit(1)).all()',
        '1 return connection.execute(text("SELECT 4 AS " + name)).all()',
        '1 run(connection, "SELECT 2 AS b")',
        '9 await execute(connection, select(text("1 AS a")))',
      ],
      name,
    );
  }
});

/** @param {{line: number}} named */
const lineAt = ({ line }) => GIVEN.split('\n')[line - 1]?.trim();
