/** Pools of connections for coroutines, with a real database. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { findPython, nameDatabase, startBeside } from '../../research/shares/start-server.js';
import { needs, needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion');

const PROGRAM = `
import asyncio, os, sys, time
import asyncpg, sqlalchemy
from sqlalchemy.ext.asyncio import create_async_engine
import loadflame_companion as companion

async def run():
    url = os.environ["DATABASE_URL"]
    pool = await asyncpg.create_pool(url, min_size=0, max_size=2)
    engine = create_async_engine(url.replace("://", "+psycopg://"), pool_size=3, max_overflow=0)
    boundless = create_async_engine(url.replace("://", "+psycopg://"), pool_size=3, max_overflow=-1)
    end = asyncio.Event()
    async def use(ask):
        async with ask(): await end.wait()
    tasks = [asyncio.ensure_future(use(ask)) for ask, n in ((pool.acquire, 6), (engine.connect, 5)) for _ in range(n)]
    while len(pool._queue._getters) < 4 or len(engine.pool._pool._queue._getters) < 2: await asyncio.sleep(0.01)
    for at in tasks:
        while at is not None: _, at, _ = companion.look_into(at)
    pools, told = companion.POOLS, []
    async with boundless.connect():
        pools.add(boundless.sync_engine.pool)
        pools.told_at = time.perf_counter() - 1
        pools.read({})
    told.append(pools.tell())
    end.set()
    await asyncio.gather(*tasks)
    pools.told_at = time.perf_counter() - 1
    for _ in range(4): pools.read({})
    told.append(pools.tell())
    return told
print(*asyncio.run(run()), sep="\\n")
`;

const skip = needs('postgres') || needsModules('asyncpg', 'sqlalchemy', 'psycopg');

test('pools of asyncpg and of SQLAlchemy for coroutines are found where requests wait, and count', {
  skip,
}, async t => {
  const { env, stop } = await startBeside({ needs: 'postgres' }, 'python3', makeTempFolder(t));
  t.after(stop);
  const out = execFileSync(findPython(['asyncpg', 'sqlalchemy', 'psycopg']), ['-c', PROGRAM], {
    env: { ...process.env, ...nameDatabase(env), LOADFLAME: '1', PYTHONPATH: COMPANION },
    timeout: 60_000,
  });
  const [told = '', idle] = out.toString().trim().split('\n');
  const [, pools = ''] = /^, pools;desc="1 (.*)"$/.exec(told) ?? [told];
  assert.deepEqual(pools.split(' ').sort(), [
    'connections2:1:3:3:2',
    'connections3:1:0:0:1',
    'connections:1:2:2:4',
  ]);
  assert.equal(
    idle,
    ', pools;desc="1 connections:1:2:0:0 connections2:1:3:0:0 connections3:1:0:0:0"',
    'instants before a load are not part of it',
  );
});
