/** Pools that requests share, as workers report them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { PYTHON, startGunicorn, waitUntil } from '../helpers/gunicorn.js';
import { COMPANION, COMPANION_FILE } from '../helpers/joined-companion.js';
import { test } from '../helpers/quiet.js';

const PROGRAM = `
import asyncio, json, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
sys.path.insert(0, sys.argv[1])
import loadflame_companion as companion
pools, end = companion.POOLS, threading.Event()
executor, plain = ThreadPoolExecutor(3), threading.Thread(target=end.wait)
for _ in range(5): executor.submit(end.wait)
semaphore = threading.Semaphore(2)
def take():
    with semaphore: end.wait()
takers = [threading.Thread(target=take) for _ in range(6)]
own = ThreadPool(2)
results = [own.apply_async(end.wait) for _ in range(3)]
asker = threading.Thread(target=results[0].get)
for one in takers + [plain, asker]: one.start()
async def run():
    from anyio import CapacityLimiter, to_thread
    limiter = CapacityLimiter(2)
    calls = [asyncio.ensure_future(to_thread.run_sync(end.wait, limiter=limiter)) for _ in range(6)]
    calls += [asyncio.ensure_future(asyncio.to_thread(end.wait)) for _ in range(2)]
    while len(limiter._wait_queue) < 4 or len(semaphore._cond._waiters) < 4: await asyncio.sleep(0.01)
    at = calls[5]
    while at is not None: _, at, _ = companion.look_into(at)
    pools.known[0] = "connections", lambda: object(), companion.KINDS["sqlalchemy.QueuePool"][1]
    pools.known = dict(sorted(pools.known.items()))
    pools.told_at = time.perf_counter() - 1
    pools.read(sys._current_frames())
    told = pools.tell()
    again = pools.tell()
    end.set()
    await asyncio.gather(*calls)
    return told, again
print(json.dumps(asyncio.run(run())))
own.terminate()
`;

test('pools of threads, semaphores and limiters report their size, those in use and waiting calls, whatever fails in another', () => {
  const env = { PATH: process.env.PATH, LOADFLAME: '1' };
  const out = execFileSync(PYTHON, ['-B', '-c', PROGRAM, COMPANION], { env, timeout: 60_000 });
  const [told, again] = JSON.parse(out.toString());
  const [, instants, rest = ''] = /^, pools;desc="(\d+) ([\w: ]+)"$/.exec(told) ?? [];
  assert.equal(instants, '1', told);
  const pools = rest.split(' ').sort();
  assert.equal(pools.shift(), 'anyio:1:2:2:4');
  const others = ['executor2:1:2:2:1', 'executor:1:3:3:2', 'semaphore:1:2:2:4'];
  assert.deepEqual(pools.slice(0, 3), others);
  assert.match(pools[3] ?? '', /^to_thread:1:(?:[5-9]|[12]\d|3[0-2]):2:0$/);
  assert.equal(again, '', 'each instant is reported once');
});

const BY_HAND = `
import sys, threading
sys.path.insert(0, sys.argv[1])
import loadflame_companion as companion
from concurrent.futures import ThreadPoolExecutor
pools, end = companion.POOLS, threading.Event()
pools.sleep = lambda _: end.wait()
pools.follow = lambda: None
def app(environ, start_response):
    started.release()
    end.wait()
    start_response("200 OK", [])
    return [b""]
wsgi = companion.Companion(app, "00000000.1")
server, own, started = ThreadPoolExecutor(2), ThreadPoolExecutor(3), threading.Semaphore(0)
for one in server, own: one.submit(int).result()
def read():
    pools.told_at = companion.perf_counter() - 1
    pools.read(sys._current_frames())
    return pools.tell()
before = read()
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "::1"}
for _ in range(2): server.submit(wsgi, environ, lambda *_: None)
for _ in range(2): started.acquire()
print(before + "|" + read() + "|" + read())
end.set()
`;

test('a pool whose threads serve requests is that of the server, also where the app is wrapped manually', () => {
  const env = { PATH: process.env.PATH, LOADFLAME: '1' };
  const out = execFileSync(PYTHON, ['-B', '-c', BY_HAND, COMPANION], { env, timeout: 60_000 });
  const [before = '', ...after] = out.toString().trim().split('|');
  assert.match(before, /executor2?:1:2:0:0/);
  for (const told of after) {
    assert.match(told, / gthread:1:2:2:0\b/);
    assert.match(told, / executor2?:1:3:0:0\b/);
    assert.equal(told.match(/:1:/g)?.length, 2, told);
  }
});

test('a gthread worker reports its threads while they serve requests', async t => {
  const args = ['-k', 'gthread', '--threads', '5', '-c', COMPANION_FILE];
  const env = { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const { url } = await startGunicorn(t, { workers: 1, args, env, app: 'garbage_app:app' });
  await waitUntil(async () => {
    const { headers } = await fetch(url);
    const told = headers.get('server-timing') ?? '';
    return /, pools;desc="\d+ gthread:(\d+):\d+:\d+:\d+"/.test(told);
  });
  const { headers } = await fetch(url);
  assert.doesNotMatch(headers.get('server-timing') ?? '', /pools/, 'at most twice a second');
});
