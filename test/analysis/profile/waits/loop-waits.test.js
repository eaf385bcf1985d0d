import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../../lib/analysis/profile/analyse-profile.js';
import { findLoopWaits } from '../../../../lib/analysis/profile/waits/loop-waits.js';
import { classifyWaits } from '../../../../lib/analysis/profile/waits/wait-kinds.js';
import { parseRaw } from '../../../helpers/parse-raw.js';

const rules = await loadRules();

const PROCESS = 'process 10:"uvicorn main:app"';
const MAIN = `${PROCESS};thread (1): MainThread;run (uvicorn/server.py:75)`;
// under uvloop there is no more of the loop to see, and the frames of asyncio's own are these
const UVLOOP = `${MAIN};Runner.run (asyncio/runners.py:118)`;
const ASYNCIO = `${UVLOOP};BaseEventLoop.run_forever (asyncio/base_events.py:607);BaseEventLoop._run_once (asyncio/base_events.py:1922)`;
const REQUEST =
  'RequestResponseCycle.run_asgi (uvicorn/protocols/http/httptools_impl.py:420);FastAPI.__call__ (fastapi/applications.py:1054);run_endpoint_function (fastapi/routing.py:212)';
const PSYCOPG =
  'Connection.execute (psycopg/connection.py:300);Connection.wait (psycopg/connection.py:414)';
const THREAD = `${PROCESS};thread (2): AnyIO worker thread;Thread._bootstrap (threading.py:1002);WorkerThread.run (anyio/_backends/_asyncio.py:1124)`;

/** @param {Record<string, number>} stacks */
const raw = stacks =>
  parseRaw(
    Object.entries(stacks)
      .map(([stack, n]) => `${stack} ${n}\n`)
      .join(''),
  );

/**
 * @param {Record<string, number>} looks at 5 Hz in 20 s
 * @param {Record<string, number>} running at 50 Hz, in 20 s
 * @param {number} [queuedMs] that threads of the worker waited for a core
 * @param {number} [masterPid]
 * @param {number} [runMs] CPU time of these threads
 */
function find(looks, running, queuedMs = 0, masterPid = 9, runMs = 20_000) {
  const profile = { ...raw(running), rateHz: 50 };
  const all = raw(looks);
  return findLoopWaits({
    looks: all,
    classification: classifyProfile(all, rules),
    running: profile,
    analysis: analyseProfile({ profile, rules }),
    sampledMs: 20_000,
    rules,
    scheduled: [{ pid: 10, tid: 10, runMs, queuedMs, slices: 10 }],
    lengthMs: 20_000,
    masterPid,
  });
}

test('a thread that waits for a core is in no call, unless a rule names the call', () => {
  const nap = `${ASYNCIO};${REQUEST};nap (api/views.py:20)`;
  const looks = { [nap]: 40, [`${ASYNCIO};EpollSelector.select (selectors.py:468)`]: 60 };
  assert.equal(find(looks, {}, 5000), null, 'up to 5 s of the 8 s');
  assert.equal(find(looks, {}, 3000)?.where[0]?.function, 'nap');
  const named = { ...looks, [`${ASYNCIO};${REQUEST};legacy (api/views.py:9);${PSYCOPG}`]: 30 };
  assert.deepEqual(
    find(named, {}, 9000)?.where.map(place => place.function),
    ['legacy'],
  );
});

for (const [name, loop] of Object.entries({ asyncio: ASYNCIO, uvloop: UVLOOP })) {
  test(`reports a synchronous driver and a sleep in coroutines, under ${name}`, () => {
    const found = find(
      {
        [`${loop};${REQUEST};legacy (api/views.py:9);${PSYCOPG}`]: 30,
        [`${loop};${REQUEST};nap (api/views.py:20)`]: 20,
        [`${loop};${REQUEST};report (api/views.py:30)`]: 10,
        [`${loop};EpollSelector.select (selectors.py:468)`]: 40,
      },
      {
        [`${loop};${REQUEST};legacy (api/views.py:9);${PSYCOPG}`]: 20,
        [`${loop};${REQUEST};report (api/views.py:30)`]: 100,
      },
    );
    assert.deepEqual(
      found?.where.map(({ share, ...place }) => ({ ...place, percent: Math.round(share * 100) })),
      [
        { function: 'legacy', file: 'api/views.py', line: 9, kind: 'database', percent: 28 },
        { function: 'nap', file: 'api/views.py', line: 20, kind: null, percent: 20 },
      ],
    );
    assert.equal(found?.share.value.toFixed(2), '0.48');
    assert.ok((found?.share.low ?? 0) > 0.37 && (found?.share.high ?? 1) < 0.59);
  });
}

test('what the kernel does not count as running, at a call that waits, is the wait for a core after it', () => {
  const call = `${ASYNCIO};${REQUEST};legacy (api/views.py:9);${PSYCOPG}`;
  const looks = { [call]: 90, [`${ASYNCIO};EpollSelector.select (selectors.py:468)`]: 10 };
  const running = { [call]: 800 };
  assert.equal(find(looks, running, 2000, 9, 16_000), null, 'it ran 80 % of the time');
  const { where = [] } = find(looks, running, 16_000, 9, 1600) ?? {};
  assert.deepEqual([where[0]?.line, where[0]?.share.toFixed(2)], [9, '0.82']);
});

test('computing, awaiting and queueing for the GIL are not such waits', () => {
  const loop = ASYNCIO;
  const looks = {
    [`${loop};${REQUEST};report (api/views.py:30)`]: 40,
    [`${loop};${REQUEST};rows (api/views.py:40);Connection.fetch (asyncpg/connection.py:690)`]: 20,
    [`${loop};${REQUEST};rows (api/views.py:41);_SelectorSocketTransport.write (asyncio/selector_events.py:1076)`]: 20,
    [`${loop};${REQUEST};rows (api/views.py:42);RequestResponseCycle.send (uvicorn/protocols/http/httptools_impl.py:500)`]: 10,
    [`${loop};${REQUEST};chance (api/views.py:50)`]: 3,
    [`${loop};EpollSelector.select (selectors.py:468)`]: 7,
  };
  assert.equal(find(looks, { [`${loop};${REQUEST};report (api/views.py:30)`]: 150 }), null);
});

test('a loop that starts a thread for a driver waits for a core, not for the database', () => {
  const opening = `${ASYNCIO};${REQUEST};rows (api/views.py:43);AsyncSession.scalar (sqlalchemy/ext/asyncio/session.py:721);Connection.__await__ (aiosqlite/core.py:189)`;
  const starting = `${opening};Thread.start (threading.py:999);Event.wait (threading.py:655);Condition.wait (threading.py:355)`;
  const idle = { [`${ASYNCIO};EpollSelector.select (selectors.py:468)`]: 80 };
  assert.equal(find({ ...idle, [starting]: 20 }, {}), null);
});

test('a thread may wait, and so may a loop that serves one request only', () => {
  const own =
    'handle (gunicorn/workers/gthread.py:553);ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);wsgi_app (flask/app.py:1500)';
  const looks = {
    [`${ASYNCIO};EpollSelector.select (selectors.py:468)`]: 100,
    [`${THREAD};plain (api/views.py:60);${PSYCOPG}`]: 80,
    [`${PROCESS};thread (3): ThreadPoolExecutor-0_0;${own};AsyncToSync.__call__ (asgiref/sync.py:254);Runner.run (asyncio/runners.py:118);view (api/views.py:70);${PSYCOPG}`]: 80,
  };
  assert.equal(find(looks, { [`${ASYNCIO};${REQUEST};x (api/views.py:1)`]: 10 }), null);
});

test('a thread to which a request is handed is in a request, and without work it is not', () => {
  const profile = raw({
    [`${THREAD};plain (api/views.py:60);${PSYCOPG}`]: 1,
    [`${THREAD};Queue.get (queue.py:171);Condition.wait (threading.py:327)`]: 1,
  });
  const { request, kindOf } = classifyWaits(profile, classifyProfile(profile, rules), rules);
  const [busy = -1, idle = -1] = profile.rows.node;
  assert.deepEqual([request[busy], kindOf(busy), request[idle]], [1, 'database', 0]);
});

test('a loop that serves no request, in the master or beside the one that does, is not counted; an idle worker is', () => {
  const looks = {
    [`${ASYNCIO};${REQUEST};legacy (api/views.py:9);${PSYCOPG}`]: 90,
    [`${ASYNCIO};EpollSelector.select (selectors.py:468)`]: 10,
  };
  const idle = (/** @type {string} */ root) => ({
    [`${root};Thread.run (threading.py:982);BaseEventLoop.run_forever (asyncio/base_events.py:607);EpollSelector.select (selectors.py:468)`]: 100,
  });
  const running = { [`${ASYNCIO};EpollSelector.select (selectors.py:468)`]: 10 };
  const percent = (/** @type {Record<string, number>} */ all) =>
    Math.round((find(all, running)?.share.value ?? 0) * 100);
  assert.equal(percent({ ...looks, ...idle('process 9:"gunicorn";thread (2): Thread-1') }), 90);
  assert.equal(percent({ ...looks, ...idle(`${PROCESS};thread (7): Thread-1`) }), 90);
  assert.equal(percent({ ...looks, ...idle('process 11:"gunicorn";thread (11): MainThread') }), 45);
});

test('says where gevent runs the loop', () => {
  const GEVENT = `${MAIN};GeventWorker.handle_request (gunicorn/workers/ggevent.py:125)`;
  const stack = (/** @type {string} */ loop) => `${loop};${REQUEST};q (api/views.py:9);${PSYCOPG}`;
  assert.equal(find({ [stack(GEVENT)]: 90 }, { [stack(GEVENT)]: 1 })?.isGreen, true);
  assert.equal('isGreen' in (find({ [stack(ASYNCIO)]: 90 }, { [stack(ASYNCIO)]: 1 }) ?? {}), false);
});
