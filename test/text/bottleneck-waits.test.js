import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayBottleneck } from '../../lib/text/bottleneck.js';
import { makeLoad } from '../analysis/facts.js';
import { call, EXPORTS, findWaits } from './find-waits.js';

/** What requests do, where; and how the report names it and advises. @type {[string, any, any, any, RegExp, RegExp][]} */
const TABLE = [
  [
    'a loop that sleeps',
    { sleep: 0.97, cpu: 0.03 },
    { ...EXPORTS, call: 'time.sleep' },
    'wait',
    /^Requests wait for a sleep to end 97 % ± 5 of their time, in wait_for_job \(exports\.py:24\), while .* that is the bottleneck\.$/,
    /wait for an event, .* 429/,
  ],
  [
    'a full pipe',
    { file: 0.9, cpu: 0.1 },
    { ...EXPORTS, call: 'os.write', as: 'pipe' },
    'wait',
    /^Requests wait for the other end of a pipe, or a file 90 %/,
    /^The reader of the pipe, or the disk, is slower/,
  ],
  [
    'a call that no rule names',
    { other: 0.9, cpu: 0.1 },
    { ...EXPORTS, call: 'Robot.move' },
    'wait',
    /^Requests wait for the call Robot\.move 90 %/,
    /^See what the call/,
  ],
  [
    'a call without a name in several lines',
    { other: 0.9, cpu: 0.1 },
    { ...EXPORTS, line: null },
    'wait',
    /no rule names .* 90 % ± 5 of their time, in wait_for_job \(exports\.py\)/,
    /^See what the call/,
  ],
  [
    'no function of the API',
    { client: 0.9, cpu: 0.1 },
    null,
    'wait',
    /^Requests wait for the client, to send or to receive 90 % ± 5 of their time, while/,
    /^See/,
  ],
  [
    'a lock on a file',
    { lock: 0.8, sleep: 0.2 },
    { ...EXPORTS, as: 'file-lock' },
    'lock',
    /^Requests wait for a lock on a file 80 %/,
    /^All processes share/,
  ],
  [
    'an import',
    { lock: 0.8, sleep: 0.2 },
    { ...EXPORTS, as: 'import' },
    'lock',
    /^Requests wait for an import 80 %/,
    /^Import once/,
  ],
  [
    'a new connection of the database in each request',
    { database: 0.83, cpu: 0.17 },
    { ...EXPORTS, as: 'connect', share: 0.8 },
    'database',
    /^Requests wait for a new connection 66 % ± 4 of their time, in wait_for_job/,
    /^Requests open connections: keep them open/,
  ],
  [
    'a new connection to a service in each request',
    { 'external-call': 0.83, cpu: 0.17 },
    { ...EXPORTS, as: 'connect' },
    'external-call',
    /^Requests wait for a new connection 83 %/,
    /one client or session for all requests/,
  ],
  [
    'statements rather than connections',
    { database: 0.83, cpu: 0.17 },
    { ...EXPORTS, as: 'connect', share: 0.3 },
    'database',
    /^Requests wait for the database 83 %/,
    /^Find the slow queries \(PostgreSQL: .*; Redis: SLOWLOG, no KEYS\), ask for less/,
  ],
  [
    'the results of an executor',
    { lock: 0.99, cpu: 0.01 },
    { ...EXPORTS, as: 'future' },
    'consumer',
    /^Requests wait for the result of a future 99 %/,
    /`max_workers`/,
  ],
];

test('threads that open connections in each request are advised to keep these, before more threads', () => {
  const taken = { slots: 4, busySlots: 4, busySlotsOfFullest: 4, busyThreads: 4 };
  const opening = { ...EXPORTS, line: null, as: 'connect', share: 0.8 };
  const found = findWaits({ 'external-call': 0.9, cpu: 0.1 }, opening, taken);
  assert.equal(found.id, 'slots');
  assert.match(
    found.title,
    /threads wait for a new connection 72 % ± \d+ of their time, in wait_for_job \(exports\.py\)\.$/,
  );
  assert.match(found.advice ?? '', /^Requests open connections: .* More threads help less\.$/);
  // 4 threads, each for 28 % of 200 ms.
  const value = found.fix?.afterPerSec.value ?? 0;
  assert.ok(value > 60 && value < 80, String(value));
  assert.match(found.detail ?? '', /^With connections that stay open the same users would get/);
  const calling = findWaits({ 'external-call': 0.9, cpu: 0.1 }, EXPORTS, taken);
  assert.match(calling.advice ?? '', /^Add threads/);
});

test('a connection that each request opens is the bottleneck also where its time is an upper bound', () => {
  const findBound = (/** @type {any} */ place) => {
    const { kinds } = findWaits({ database: 0.87, cpu: 0.13 }, place).facts.waits ?? {};
    const bound = kinds?.map(own => ({ ...own, isBound: own.id === 'database' }));
    return findWaits({}, place, { kinds: bound });
  };
  const found = findBound({ ...EXPORTS, as: 'connect', share: 0.8 });
  assert.equal(found.name, 'connecting to the database');
  assert.match(
    found.title,
    /^Requests wait for a new connection at most 70 % ± \d of their time, in wait_for_job \(exports\.py:24\)/,
  );
  assert.match(found.advice ?? '', /^Requests open connections: keep them open/);
  // 20 requests/s of 8 users, who wait 400 ms: 70 % of that goes, at most.
  assert.ok((found.fix?.gain.value ?? 0) > 1.5, JSON.stringify(found.fix));
  assert.equal(findBound({ ...EXPORTS, as: 'connect', share: 0.4 }).name, 'the database');
  // Statements may wait for a core instead, so no line of them is named.
  const stated = findBound({ ...EXPORTS, share: 0.8 });
  assert.equal(stated.name, 'the database');
  assert.match(
    stated.title,
    /^Requests wait at most 87\.0 % of their time for the database, while/,
  );
});

for (const [what, shares, place, id, title, advice] of TABLE) {
  test(`names the wait of requests: ${what}`, () => {
    const found = findWaits(shares, place);
    assert.equal(found.id, id);
    assert.match(found.title, title);
    assert.match(found.advice ?? '', advice);
  });
}

test('futures are completed by another task only if one takes part of the CPU', () => {
  const idOf = (/** @type {number} */ taskShare, share = 0.98, as = 'task') => {
    const background = { function: 'file_results', file: 'results.py', threads: 0.1 };
    return findWaits(
      { other: share, cpu: 1 - share },
      { ...EXPORTS, as },
      { background, taskShare },
    );
  };
  const found = idOf(0.5);
  assert.equal(found.id, 'consumer');
  assert.match(
    found.title,
    /^Requests wait for the result of another task or greenlet 98 % ± 5 of their time, in wait_for_job \(exports\.py:24\)\. Busiest of these: file_results/,
  );
  assert.match(found.advice ?? '', /^Let more threads or tasks take/);
  assert.ok((found.fix?.gain.low ?? 0) > 0, `more tasks: ${found.fix?.gain.value}`);
  // A client of a service takes more in callbacks of the loop, which are of no task.
  assert.equal(idOf(0.2).id, 'consumer');
  assert.equal(idOf(0.1).id, 'wait');
  assert.equal(idOf(0.5, 0.6).id, 'wait');
  const alone = idOf(0);
  assert.equal(alone.id, 'wait');
  assert.match(alone.advice ?? '', /^See what the call/);
});

test('a thread that sleeps before it does the work of requests is reported with the line of its sleep', () => {
  const titleOf = (/** @type {number | undefined} */ asleep) => {
    const thread = { function: 'store', file: 'batches.py', line: 26, threads: 1 };
    const background = asleep === undefined ? thread : { ...thread, asleep };
    return findWaits({ lock: 0.99, cpu: 0.01 }, EXPORTS, { background }).title;
  };
  const named = /Busiest of these: store \(batches\.py\), 50\.0 % of the time/;
  assert.match(titleOf(0.95), new RegExp(`${named.source}, mostly in the sleep at line 26\\.$`));
  for (const asleep of [0.3, undefined])
    assert.match(titleOf(asleep), new RegExp(`${named.source}\\.$`));
});

test('greenlets that wait for a thread of a pool need more of them, however many there are', () => {
  const shares = { 'thread-pool': 0.66, other: 0.32, cpu: 0.02 };
  const place = { function: 'scan', file: 'files.py', line: 23, call: 'ThreadPool.spawn' };
  const found = findWaits(shares, place, { slots: null, busySlots: 0, suspended: 8 });
  assert.equal(found.id, 'slots');
  assert.match(
    found.title,
    /^Requests wait for a free thread of a pool 66 % ± 5 of their time, in scan \(files\.py:23\), while .*: all of its threads were taken\.$/,
  );
  assert.match(found.advice ?? '', /^Make that pool larger \(gevent: `maxsize`/);
  const gain = found.fix?.gain ?? { value: 0, low: 0 };
  assert.ok(gain.value > 1.5 && gain.value < 2 && (gain.low ?? 0) > 0.4, JSON.stringify(gain));
  // On a busy machine, a free thread begins late.
  assert.notEqual(findWaits(shares, place, { slots: null, poolThreads: 4 }).id, 'slots');
});

test('a lock that hardly any request waits for does not hide the thread that fills a queue', () => {
  const holders = { of: 'lock', function: 'order', file: 'orders.py', threads: 7.9 };
  const more = { holders: { ...holders, doing: { id: 'queue', share: 1 } } };
  const found = findWaits({ queue: 0.996, cpu: 0.003, lock: 0.001 }, EXPORTS, more);
  assert.equal(found.id, 'consumer', found.title);
});

test('says the longest wait where none limits, and that none stands out only where none does', () => {
  const some = findWaits({ cpu: 0.45, sleep: 0.4, database: 0.15 }, null);
  assert.equal(some.id, 'unknown');
  assert.match(
    some.title,
    /Their longest wait: for a sleep to end 40 % ± 5 of their time, in list_rows/,
  );
  const few = findWaits({ cpu: 0.49, gil: 0.41, sleep: 0.1 }, null);
  assert.equal(few.id, 'unknown');
  assert.match(few.title, /, and no wait of requests stands out\./);
});

test('below saturation, names what requests spend most of their time with', () => {
  const calm = (/** @type {any} */ shares) =>
    findWaits(shares, { ...EXPORTS, call: 'time.sleep' }, {}, null, {}, makeLoad({}));
  const found = calm({ sleep: 0.97, cpu: 0.03 });
  assert.equal(found.id, 'none');
  const wait = /requests waited for a sleep to end 97 % .*, in wait_for_job \(exports\.py:24\), no/;
  assert.match(found.title, wait);
  assert.match(found.advice ?? '', /wait for an event/);
  const mixed = calm({ sleep: 0.4, database: 0.3, cpu: 0.3 });
  assert.doesNotMatch(mixed.title, /requests waited/);
  assert.equal(mixed.advice, null);
});

/** @type {[any, RegExp, RegExp][]} */
const POOLS = [
  [null, /^Add threads \(gunicorn: `--threads`\) or workers if/, /total_tokens|executor/],
  ['anyio', /^Raise the limit of anyio.*total_tokens/, /--threads/],
  ['executor', /^Make the executor larger/, /--threads/],
];

for (const [poolOf, advice, not] of POOLS) {
  test(`advises more threads where they come from: ${poolOf ?? 'gunicorn'}`, () => {
    const shares = { 'thread-pool': 0.6, sleep: 0.3, cpu: 0.1 };
    const found = findWaits(shares, null, {
      slots: 4,
      busySlots: 4,
      poolThreads: poolOf && 4,
      poolOf,
    });
    assert.equal(found.id, 'slots');
    assert.match(found.title, /threads wait for a sleep to end 75 % /);
    assert.match(found.advice ?? '', advice);
    assert.doesNotMatch(found.advice ?? '', not);
  });
}

/** Options, and whose they are: no advice gives them to a server that has none. @type {[string, RegExp][]} */
const OPTIONS = [
  ['--threads', /gunicorn: `--threads`/],
  ['--workers', /never/],
  ['worker_connections', /gunicorn: `worker_connections`/],
  ['--limit-concurrency', /uvicorn: `--limit-concurrency`/],
  ['`def`', /in FastAPI and Starlette/],
];

for (const id of /** @type {const} */ ([
  'gil',
  'workers',
  'slots',
  'pool',
  'loop',
  'connections',
])) {
  test(`names the server whose options it advises: ${id}`, () => {
    const { facts, ...found } = findWaits({ cpu: 1 }, null);
    const { advice } = sayBottleneck({ ...found, id, facts });
    for (const [option, whose] of OPTIONS)
      if (advice?.includes(option)) assert.match(advice, whose, `${option}: ${advice}`);
  });
}

/** @type {[string, RegExp][]} */
const LOCKING = [
  ['SELECT seats FROM events WHERE id = ? FOR UPDATE', /a lock on rows/],
  ['select id from jobs for no key update skip locked', /a lock on rows/],
  ['SELECT pg_advisory_xact_lock(?)', /an advisory lock/],
  ['SELECT GET_LOCK(?, ?)', /an advisory lock/],
  ['LOCK TABLE stock IN EXCLUSIVE MODE', /a lock on a table/],
  ['BEGIN IMMEDIATE', /SQLite's write lock/],
];

for (const [text, title] of LOCKING) {
  test(`advises to hold the lock for less, not to explain: ${text}`, () => {
    const statements = [call(text, 900), call('UPDATE events SET seats = ?', 100)];
    const found = findWaits({ database: 0.9, cpu: 0.1 }, null, {}, { statements });
    assert.equal(found.id, 'database');
    assert.match(found.title, title);
    assert.match(found.title, /90\.0 % of the time in statements is a wait of 90(?:\.0)? ms/);
    assert.match(found.advice ?? '', /^Begin the transaction later/);
  });
}

test('a command of Redis that waits for an item is no slow query', () => {
  const statements = [
    call('BLPOP cache:6379', 900, 'redis'),
    call('RPUSH cache:6379', 99, 'redis'),
  ];
  const found = findWaits({ database: 0.99, cpu: 0.01 }, EXPORTS, {}, { statements });
  assert.match(
    found.title,
    /^Requests wait for an item or a message of another process 99 %.* is a wait of 90 ms for an item of a list, which another process adds\.$/,
  );
  assert.match(found.advice ?? '', /^Let more processes do that work/);
  assert.equal(found.fix?.gain.low, 0, 'how many do that work already is not known');
  const other = [call('BLPOPPER cache:6379', 900, 'redis'), call('SELECT 1', 2000)];
  const slow = findWaits({ database: 0.99, cpu: 0.01 }, null, {}, { statements: other });
  assert.equal(slow.facts.locking, null);
});

/** Statements that write, 90 of 100 s in 10 s: more than four at a time. @type {[string, string, number, any][]} */
const WRITES = [
  ['postgresql', 'UPDATE counters SET n = n + ? WHERE id = ?', 0.2, 'row-write'],
  [
    'postgresql',
    'INSERT INTO hits VALUES (?) ON CONFLICT (id) DO UPDATE SET n = n + 1',
    0.2,
    'row-write',
  ],
  ['postgresql', 'UPDATE events SET seats = ? WHERE name = ?', 5, undefined],
  ['postgresql', 'SELECT * FROM events', 0.2, undefined],
  ['sqlite', 'INSERT INTO votes VALUES (?, ?)', 0.2, 'write-lock'],
];

for (const [system, text, serviceCores, by] of WRITES) {
  test(`knows writes that wait for each other: ${text}, ${serviceCores} cores`, () => {
    const statements = [
      { ...call(text, 90_000), system },
      { ...call('SELECT 1', 10_000), system },
    ];
    const found = findWaits(
      { database: 0.9, cpu: 0.1 },
      null,
      {},
      { statements },
      { serviceCores },
    );
    assert.equal(found.facts.locking?.by, by);
    if (by) assert.doesNotMatch(found.advice ?? '', /EXPLAIN/);
    else assert.match(found.advice ?? '', /EXPLAIN/);
    if (by === 'row-write') {
      assert.match(
        found.title,
        /for a row that another transaction has written, or for the disk\.$/,
      );
      assert.match(found.advice ?? '', /`wait_event_type`/);
    }
  });
}

test('one write at a time waits for no other', () => {
  const statements = [call('UPDATE counters SET n = ?', 9000)];
  const found = findWaits({ database: 0.9, cpu: 0.1 }, null, {}, { statements });
  assert.equal(found.facts.locking, null);
});

test('advises EXPLAIN where a statement is slow by itself, or one that locks takes little', () => {
  for (const statements of [
    [call('SELECT * FROM events', 900)],
    [call('SELECT 1', 600), call('SELECT 1 FROM events FOR UPDATE', 400)],
    [call("SELECT 'x' AS for_update", 900)],
  ]) {
    const found = findWaits({ database: 0.9, cpu: 0.1 }, null, {}, { statements });
    assert.match(found.advice ?? '', /EXPLAIN/);
    assert.doesNotMatch(found.title, /lock/);
  }
});
