import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOOT, REQUEST, VIEW } from '../../request-stacks.js';
import { IDLE, LOOP, MAIN, QUERY, raw, STEP, sharesOf, shown, waitsOf } from './waits-of.js';

/** Two workers, 100 looks at each. @type {[number, string, number][]} */
const LOOKS = [
  [10, MAIN, 100],
  [10, `thread (2): ThreadPoolExecutor-0_0;${QUERY}`, 80],
  [10, `thread (2): ThreadPoolExecutor-0_0;${IDLE}`, 20],
  [10, `thread (3): ThreadPoolExecutor-0_1;${QUERY}`, 60],
  [10, `thread (3): ThreadPoolExecutor-0_1;${VIEW}`, 20],
  [10, `thread (3): ThreadPoolExecutor-0_1;${IDLE}`, 20],
  [11, MAIN, 100],
  [11, `thread (2): ThreadPoolExecutor-0_0;${IDLE}`, 100],
];

test('slots are taken by threads inside requests; the main thread and idle ones take none', () => {
  const waits = waitsOf(LOOKS, []);
  assert.equal(waits?.looks, 200);
  assert.equal(waits?.slots, 8);
  assert.equal(waits?.busySlots, 1.6);
  assert.equal(waits?.busySlotsOfFullest, 1.6);
});

test('what the profile of running threads shows at the same places is CPU, and the rest is waiting', () => {
  // 1.4 threads stand in the driver; 200 samples are 4 of 20 s there: 0.2 of a thread runs
  const waits = waitsOf(LOOKS, [[10, `thread (2): ThreadPoolExecutor-0_0;${QUERY}`, 200]]);
  const shares = new Map(waits?.kinds.map(({ id, share }) => [id, share.value]));
  assert.ok(Math.abs((shares.get('database') ?? 0) - 1.2 / 1.6) < 1e-9);
  assert.ok(Math.abs((shares.get('cpu') ?? 0) - 0.2 / 1.6) < 1e-9);
  assert.ok(Math.abs((shares.get('other') ?? 0) - 0.2 / 1.6) < 1e-9);
});

const CODE = `${VIEW};list_rows.<locals>.<listcomp> (api/schemas.py:3)`;
const SLEEP = `${REQUEST};slow (api/views.py:40)`;
const THREAD = 'thread (2): ThreadPoolExecutor-0_0';

test('on a full machine a sleep that no rule names is no queue for CPU', () => {
  // of 400 looks 280 are in the sleep; code runs 0.5 of the time, and stands in the queue as long
  const waits = waitsOf(
    [
      [10, MAIN, 400],
      [10, `${THREAD};${SLEEP}`, 280],
      [10, `${THREAD};${CODE}`, 120],
    ],
    [[10, `${THREAD};${CODE}`, 150]],
  );
  const shares = sharesOf(waits);
  assert.ok(Math.abs((shares.get('other') ?? 0) - 0.7) < 1e-9);
  assert.ok(Math.abs((shares.get('cpu') ?? 0) - 0.3) < 1e-9);
  const other = waits?.kinds.find(({ id }) => id === 'other');
  assert.deepEqual(other?.where, [
    { function: 'slow', file: 'api/views.py', line: 40, call: null, as: null, share: 1 },
  ]);
});

test('no more is a queue for CPU than the scheduler counted', () => {
  // 1 thread stands where 0.15 run: 3 s on a core, 1 s in the queue and 200 times the switch interval
  const stack = `${THREAD};${CODE}`;
  const cpuOf = (/** @type {any} */ more) =>
    sharesOf(
      waitsOf(
        [
          [10, MAIN, 100],
          [10, stack, 100],
        ],
        [[10, stack, 150]],
        more,
      ),
    ).get('cpu');
  const scheduled = [{ pid: 10, tid: 2, runMs: 3000, queuedMs: 1000, slices: 200 }];
  assert.equal(cpuOf({}), 1);
  assert.ok(Math.abs((cpuOf({ scheduled }) ?? 0) - 0.25) < 1e-9);
});

test('what runs inside a call to a service does not wait for it', () => {
  const inCall = `${VIEW};get (requests/api.py:73);send (requests/sessions.py:703);create_default_context (ssl.py:770)`;
  const waits = waitsOf(
    [
      [10, MAIN, 100],
      [10, `${THREAD};${inCall}`, 90],
      [10, `${THREAD};${VIEW};get (requests/api.py:73);readinto (socket.py:706)`, 10],
    ],
    [[10, `${THREAD};${inCall}`, 450]],
  );
  const shares = sharesOf(waits);
  assert.equal(shares.get('cpu'), 0.9);
  assert.equal(shares.get('external-call'), 0.1);
});

test('names waiting functions of the API, with intervals from the number of samples', () => {
  const [database] = waitsOf(LOOKS, [])?.kinds ?? [];
  const own = { function: 'list_rows', file: 'api/views.py', line: 12 };
  const place = { ...own, call: 'Session.execute', as: null, share: 1 };
  assert.deepEqual(database?.where, [place]);
  const { low, high, value } = database?.share ?? { low: 0, high: 1, value: 0 };
  assert.ok(Math.abs(Number(value) - 0.875) < 1e-9);
  assert.ok(Number(low) > 0.8 && Number(high) < 0.93, `${low} to ${high}`);
});

test('leaves out the master, and reports no slots without a known number of threads', () => {
  const waits = waitsOf([...LOOKS, [7, `thread (9): x;${QUERY}`, 100]], [], { threads: null });
  assert.equal(waits?.slots, null);
  assert.ok(Math.abs((waits?.busyThreads ?? 0) - 1.6) < 1e-9);
});

test('a handful of samples is not enough', () => {
  assert.equal(
    waitsOf(
      LOOKS.map(([pid, stack]) => [pid, stack, 2]),
      [],
    ),
    null,
  );
});

const FETCH = shown(
  3,
  'GET /rows',
  'list_rows (api/views.py:12)',
  'fetch (asyncpg/connection.py:600)',
);
/** A name that was too long for one frame. */
const CALL = `${shown(1, 'GET /prices', 'get_prices (api/views.py:30)')};\tget (httpx/_client.py:1768)\twait (asyncio/locks.py:213) (<loadflame await>:1)`;
/** @type {[number, string, number][]} */
const SHOWN = [
  [10, LOOP, 90],
  [10, STEP, 10],
  [10, FETCH, 80],
  [10, CALL, 50],
  [10, shown(1, 'GET /prices', 'get_prices (api/views.py:30)', 'run (<loadflame running>)'), 10],
];

test('weights each sampled suspended request by the requests that it represents', () => {
  const waits = waitsOf(SHOWN, [[10, STEP, 100]], { threads: 1 });
  const shares = [...sharesOf(waits)].map(([kind, share]) => [kind, Math.round(share * 310)]);
  assert.deepEqual(shares, [
    ['database', 240],
    ['external-call', 50],
    ['cpu', 20],
  ]);
  assert.deepEqual([waits?.busyThreads, waits?.suspended, waits?.slots], [3.1, 3, null]);
  assert.deepEqual(waits?.table.endpoints, ['GET /rows', 'GET /prices']);
  assert.deepEqual(
    waits?.kinds.map(({ where: [place] }) => place?.function ?? null),
    ['list_rows', 'get_prices', 'get_prices'],
  );
});

test('a coroutine of the application that awaits a future itself waits for another task', () => {
  const placeOf = (/** @type {string[]} */ ...stack) =>
    waitsOf(
      [
        [10, LOOP, 90],
        [10, shown(4, 'GET /rows', 'list_rows (api/views.py:12)', ...stack), 90],
      ],
      [],
    )?.kinds[0]?.where[0];
  assert.deepEqual([placeOf()?.as, placeOf()?.call], ['task', null]);
  assert.equal(placeOf('submit (api/jobs.py:7)')?.function, 'submit');
  assert.equal(placeOf('submit (api/jobs.py:7)')?.as, 'task');
  assert.equal(placeOf('fetch (asyncpg/connection.py:600)')?.as, null);
});

test('counts the application’s own tasks in the samples of running threads, which are more than those of all', () => {
  const step = `${LOOP};_run (asyncio/events.py:80)`;
  const shareOf = (/** @type {string} */ other) =>
    waitsOf(
      [[10, LOOP, 100]],
      [
        [10, `${step};file_results (api/results.py:9);dumps (json/__init__.py:231)`, 20],
        [10, `${step};file_results (api/results.py:9);store (api/results.py:30)`, 20],
        [10, STEP, 40],
        [10, other, 20],
      ],
    )?.taskShare;
  assert.equal(shareOf(`${step};_read_ready (asyncio/selector_events.py:99)`), 0.4);
  const main = 'thread (1): MainThread;main (api/app.py:30);run (uvicorn/server.py:60)';
  const loop = 'run (asyncio/runners.py:118);run_forever (asyncio/base_events.py:607)';
  assert.equal(
    shareOf(`${main};${loop};_run_once (asyncio/base_events.py:1900)`),
    0.4,
    'it starts the server',
  );
  assert.equal(shareOf(`${BOOT};flush (api/metrics.py:5)`), 0.6, 'a thread');
});

test('a function that nearly always awaits another task keeps that, beside samples of other calls in it', () => {
  const placeWith = (/** @type {number} */ n) =>
    waitsOf(
      [
        [10, LOOP, 90],
        [10, STEP, n],
        [10, shown(4, 'GET /rows', 'list_rows (api/views.py:12)'), 90],
      ],
      [],
    )?.kinds[0]?.where;
  assert.deepEqual([placeWith(30)?.length, placeWith(30)?.[0]?.as], [1, 'task']);
  assert.equal(placeWith(30)?.[0]?.share, 1, 'one function');
  assert.equal(placeWith(180)?.[0]?.as, null, 'it does two things');
});

test('keeps suspended requests out of the profile, and reports when they are not shown', () => {
  assert.equal(raw([[10, FETCH, 80]]).totalWeight, 0);
  assert.equal(waitsOf(SHOWN.slice(0, 2), [[10, STEP, 100]])?.suspended, null);
  assert.equal(waitsOf(LOOKS, [])?.suspended, 0);
});

test('the queue of SQLAlchemy’s asynchronous pool is a pool, any other queue is not', () => {
  const kindBelow = (/** @type {string[]} */ ...stack) =>
    waitsOf(
      [
        [10, LOOP, 90],
        [10, shown(4, 'GET /rows', 'list_rows (api/views.py:12)', ...stack), 90],
      ],
      [[10, STEP, 100]],
      {
        threads: 1,
      },
    )?.kinds[0]?.id;
  const get = 'Queue.get (asyncio/queues.py:158)';
  const spawn = 'greenlet_spawn (sqlalchemy/util/_concurrency_py3k.py:203)';
  assert.equal(kindBelow(spawn, 'wait_for (asyncio/tasks.py:520)', get), 'pool');
  assert.equal(kindBelow(spawn, 'wait_for (sqlalchemy/util/compat.py:334)', get), 'pool');
  assert.equal(kindBelow(spawn, 'Protocol.query (asyncpg/protocol.py:9)'), 'database');
  assert.equal(kindBelow(get), 'queue');
});

const GETS = 'Queue.get (queue.py:171);wait (threading.py:320)';

/** Twelve requests in a queue, and one thread in each of the other stacks. @param {string} waiting @param {string[]} others */
const inQueue = (waiting, ...others) =>
  waitsOf(
    [...Array.from({ length: 12 }, () => `${REQUEST};${waiting};${GETS}`), ...others].map(
      (stack, n) => [10, `thread (${n}): Thread-${n};${stack}`, 100],
    ),
    [],
  );
const AFTER = `${REQUEST};fetch (api/views.py:14);readinto (socket.py:706)`;
const BEFORE = `${REQUEST};fetch (api/views.py:10);readinto (socket.py:706)`;
const ELSEWHERE = `${REQUEST};show (api/views.py:40);readinto (socket.py:706)`;
const BACKGROUND = `${BOOT};consume (api/jobs.py:5)`;

test('a queue is a pool where requests are in later lines of the function that waits', () => {
  const waits = inQueue('fetch (api/views.py:12)', AFTER, AFTER);
  assert.deepEqual(
    waits?.kinds.map(({ id }) => id),
    ['pool', 'external-call'],
  );
  assert.deepEqual(waits?.holders, {
    of: 'pool',
    function: 'fetch',
    file: 'api/views.py',
    threads: 2,
    waiting: 0,
    doing: { id: 'external-call', share: 1 },
  });
});

test('a queue is a pool where a helper takes from it for its caller', () => {
  const borrow = 'fetch (api/views.py:12);__enter__ (contextlib.py:137);borrow (api/clients.py:30)';
  const waits = inQueue(borrow, AFTER);
  assert.equal(waits?.kinds[0]?.id, 'pool');
  assert.deepEqual([waits?.holders?.function, waits?.holders?.threads], ['fetch', 1]);
  const [place] = waits?.kinds[0]?.where ?? [];
  assert.deepEqual([place?.function, place?.line], ['borrow', 30]);
});

test('a queue is no pool where requests work before they wait, or where nothing shows who puts back', () => {
  for (const other of [BEFORE, ELSEWHERE])
    assert.equal(inQueue('fetch (api/views.py:12)', other)?.kinds[0]?.id, 'queue', other);
});

test('a queue that a thread of the application may fill is no pool', () => {
  const kindWith = (/** @type {string} */ inside) =>
    inQueue('fetch (api/views.py:12)', AFTER, `${BACKGROUND}${inside}`)?.kinds[0]?.id;
  assert.equal(kindWith(';readinto (socket.py:706)'), 'queue');
  assert.equal(kindWith(`;${GETS}`), 'queue');
  assert.equal(kindWith(';time.sleep (<C code>)'), 'pool');
  assert.equal(kindWith(';Event.wait (threading.py:629)'), 'pool');
  const script =
    '<module> (api/app.py:30);serve_forever (socketserver.py:235);select (selectors.py:415)';
  assert.equal(inQueue('fetch (api/views.py:12)', AFTER, script)?.kinds[0]?.id, 'pool');
});
