import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { selectBase } from '../../../lib/analysis/profile/profile-base.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';

const rules = await loadRules();
const REQUEST = [
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:334)',
  'Flask.wsgi_app (flask/app.py:1511)',
];
const PYTHON = [...REQUEST, 'show (shop/views.py:3)'];
const QUERY = [...PYTHON, 'DefaultDialect.do_execute (sqlalchemy/engine/default.py:952)'];
const SEND = [
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:350)',
  'write (gunicorn/util.py:348)',
];

/** @param {[segment: number, pid: number, stack: string[], samples: number][]} rows @param {number | null} cpuMs @param {{queuedMs?: number, failedLooks?: number, sampledShare?: number}} [seen] */
function select(rows, cpuMs, seen = {}) {
  const builder = new ProfileBuilder();
  for (const segment of [0, 1]) builder.addSegment(segment * 5000, segment * 5000 + 5000);
  for (const [segment, pid, stack, samples] of rows)
    builder.addTextStack([`process ${pid}:"gunicorn"`, ...stack], samples, segment);
  const profile = builder.build({ source: 'raw', rateHz: 100 });
  const classes = classifyProfile(profile, rules);
  const base = selectBase(profile, classes, {
    ...{ windows: [], masterPid: null, cpuMs },
    ...seen,
  });
  /** @type {Record<string, number>} */
  const byLeaf = {};
  for (const [index, row] of base.rows.entries()) {
    const frame = profile.frames[profile.nodes.frame[profile.rows.node[row] ?? 0] ?? 0];
    byLeaf[frame?.name ?? ''] = (byLeaf[frame?.name ?? ''] ?? 0) + (base.rowWeights[index] ?? 0);
  }
  return { profile, base, byLeaf };
}

const ROWS = /** @type {[number, number, string[], number][]} */ ([
  [0, 2, PYTHON, 100],
  [0, 2, QUERY, 60],
  [1, 2, SEND, 40],
]);

for (const [title, cpuMs, expected] of /** @type {const} */ ([
  ['nothing is taken out where the system counted as much CPU time', 2000, [100, 60, 40]],
  ['nor where it counted more, or nothing', 2500, [100, 60, 40]],
  ['what is too much is taken from hand-overs first', 1700, [100, 60, 10]],
  ['then from long calls without the GIL', 1450, [100, 39, 6]],
  ['but not all of them, and nothing of what ran in Python', 900, [100, 9, 6]],
]))
  test(`samples that waited for a core: ${title}`, () => {
    const { base, byLeaf } = select(ROWS, cpuMs);
    assert.deepEqual([byLeaf.show, byLeaf['DefaultDialect.do_execute'], byLeaf.write], expected);
    const active = expected.reduce((sum, own) => sum + own, 0);
    assert.deepEqual(base.samples, {
      recorded: 200,
      inWindow: 200,
      active,
      waiting: 200 - active,
      waitingForCore: 200 - active,
      master: 0,
    });
    assert.equal(base.total, active);
    assert.equal(base.byPid.get(2), active);
    assert.equal(
      base.blockTotals.reduce((sum, own) => sum + own, 0),
      active,
    );
  });

test('samples that waited for a core: those that ask the kernel for random bytes or a file give way first', () => {
  const frames = ['uuid4 (uuid.py:723)', 'exists (genericpath.py:19)'];
  const rows = /** @type {typeof ROWS} */ (frames.map(one => [0, 2, [...PYTHON, one], 40]));
  const { byLeaf } = select([[0, 2, PYTHON, 100], ...rows, [0, 2, QUERY, 60]], 1800);
  assert.deepEqual(byLeaf, { show: 100, uuid4: 10, exists: 10, 'DefaultDialect.do_execute': 60 });
});

test("samples that waited for a core: those of the application's own sockets give way first", () => {
  const ask = [...PYTHON, 'recv (<C code>)'];
  const rows = /** @type {typeof ROWS} */ ([
    [0, 2, PYTHON, 100],
    [1, 2, ask, 40],
  ]);
  assert.deepEqual(select(rows, 1000).byLeaf, { show: 100, recv: 6 });
});

test("samples that waited for a core: readings of the companion's clocks give way first", () => {
  const look = [...REQUEST, 'ThreadClock.look (loadflame_companion.py:2396)'];
  const rows = /** @type {typeof ROWS} */ ([
    [0, 2, PYTHON, 100],
    [1, 2, look, 40],
  ]);
  assert.deepEqual(select(rows, 1000).byLeaf, { show: 100, 'ThreadClock.look': 6 });
});

test("samples that waited for a core: an event loop's writes give way first, and threads that show awaits never count", () => {
  const { byLeaf } = select(
    [
      [0, 2, PYTHON, 100],
      [0, 2, ['_SelectorSocketTransport.write (asyncio/selector_events.py:1065)'], 50],
      [1, 2, ['show_awaits (loadflame_companion.py:985)'], 50],
    ],
    1250,
  );
  assert.deepEqual(
    [byLeaf.show, byLeaf['_SelectorSocketTransport.write'], byLeaf.show_awaits],
    [100, 25, undefined],
  );
});

const THREAD = 'Thread.run (/opt/python3.12/lib/python3.12/threading.py:982)';
const DRIVER = 'execute (<C code of a driver>)';

test('samples that waited for a core: the calls of a driver that the companion follows give way', () => {
  const rows = /** @type {[number, number, string[], number][]} */ ([
    [0, 2, [THREAD, ...PYTHON], 60],
    [1, 2, [THREAD, ...PYTHON, DRIVER], 60],
  ]);
  assert.equal(select(rows, 800).byLeaf.execute, 20);
});

test('samples that waited for a core: lines of a driver that call its compiled part give way', () => {
  const rows = /** @type {[number, number, string[], number][]} */ ([
    [0, 2, PYTHON, 60],
    [1, 2, [...PYTHON, 'Connection.wait (psycopg/connection.py:495)'], 60],
  ]);
  assert.equal(select(rows, 800).byLeaf['Connection.wait'], 20);
});

test('a failed sample ran in Python, so that the others have less of the CPU time', () => {
  const leaves = (/** @type {number} */ failedLooks) => {
    const { byLeaf } = select(ROWS, 1800, { failedLooks });
    return [byLeaf.show, byLeaf['DefaultDialect.do_execute'], byLeaf.write];
  };
  assert.deepEqual(leaves(0), [100, 60, 20]);
  // Of 180 samples' time 150 are left: 100 in Python and 50 in gaps, as 130 and 50.
  assert.deepEqual(leaves(30), [100, 32, 6]);
});

test('py-spy has no time for some samples: what threads ran and queued shows how many, and how much CPU time was sampled', () => {
  const { byLeaf } = select(ROWS, 2000, { queuedMs: 0 });
  assert.deepEqual([byLeaf.show, byLeaf['DefaultDialect.do_execute'], byLeaf.write], [100, 60, 40]);
  // Of 300 samples, 200 were taken.
  const busy = select(ROWS, 2000, { queuedMs: 1000 }).byLeaf;
  assert.deepEqual([busy.show, busy['DefaultDialect.do_execute'], busy.write], [100, 27, 6]);
  const blas = /** @type {[number, number, string[], number]} */ ([
    ...[0, 2, ['dgemm (<native threads>)'], 200],
  ]);
  const { byLeaf: own } = select([...ROWS, blas], 4000, { queuedMs: 1000 });
  assert.equal(own['DefaultDialect.do_execute'], 60, 'samples of native threads are not py-spy’s');
});

test('native threads keep their share of the CPU where only part of the time was sampled', () => {
  const rows = /** @type {[number, number, string[], number][]} */ ([
    [0, 2, PYTHON, 60],
    [0, 2, ['dgemm (<native threads>)'], 80], // of the whole time
  ]);
  // 2,000 ms in all, 1,200 of them in threads of Python
  const { base } = select(rows, 1000, { sampledShare: 0.5 });
  assert.deepEqual([base.samples.native, base.total], [40, 100]);
});

test('CPU time beyond that of the active samples was used on the way into waits and out of them', () => {
  const LOOP = ['EpollSelector.select (/opt/python3.12/lib/python3.12/selectors.py:468)'];
  const AWAITS = ['show_awaits (loadflame_companion.py:985)'];
  const rows = /** @type {[number, number, string[], number][]} */ ([
    [0, 2, PYTHON, 100],
    [0, 2, LOOP, 40],
    [1, 2, LOOP, 40],
    [1, 2, AWAITS, 40],
  ]);
  const { byLeaf, base } = select(rows, 1600);
  assert.deepEqual([byLeaf.show, byLeaf['EpollSelector.select']], [100, 60]);
  assert.equal(byLeaf.show_awaits, undefined);
  assert.deepEqual(
    [base.total, base.samples.waiting, base.samples.waitingForCore, base.blockTotals.length],
    [160, 60, 0, 2],
  );
  assert.equal(select(rows, 1000).byLeaf['EpollSelector.select'], undefined);
  assert.equal(select(rows, 9000).base.total, 180, 'there are no more');
  assert.equal(select(rows, 1600, { failedLooks: 10 }).base.total, 150, 'those that failed ran');
  assert.equal(select(rows, 1300).base.total, 100, 'which may be chance');
});

test('without the CPU time of the workers every active sample counts', () => {
  assert.equal(select(ROWS, null).base.total, 200);
});

test('samples of a route amount to its measured part of the CPU time, other samples to the rest', () => {
  const builder = new ProfileBuilder();
  builder.addSegment(0, 5000);
  const view = (/** @type {string} */ route) => [
    ...REQUEST,
    `${route} (<loadflame route>)`,
    'show (shop/views.py:3)',
  ];
  for (const [stack, samples] of /** @type {[string[], number][]} */ ([
    [view('GET /sleep'), 60],
    [view('GET /work'), 30],
    [view('GET /other'), 5],
    [SEND, 5],
  ]))
    builder.addTextStack(['process 2:"gunicorn"', ...stack], samples, 0);
  const profile = builder.build({ source: 'raw', rateHz: 100 });
  const classes = classifyProfile(profile, rules);
  const samplesOf = (/** @type {Record<string, number>} */ routesMs, cpuMs = 1000) => {
    const { rows, rowWeights, total } = selectBase(profile, classes, {
      ...{
        windows: [],
        masterPid: null,
        cpuMs,
        routesMs: new Map(Object.entries(routesMs).map(([name, ms]) => [name, [ms, null, null]])),
      },
    });
    const counts = [0, 1, 2, -1].map(route =>
      rows.reduce(
        (sum, row, index) =>
          sum + ((profile.rows.route[row] ?? -1) === route ? (rowWeights[index] ?? 0) : 0),
        0,
      ),
    );
    assert.equal(
      total,
      counts.reduce((a, b) => a + b, 0),
    );
    return counts;
  };
  assert.deepEqual(samplesOf({}), [60, 30, 5, 5]);
  assert.deepEqual(samplesOf({ 'GET /sleep': 20, 'GET /work': 700 }), [2, 70, 14, 14]);
  // measured is more than the system counted: nothing is left for the rest
  assert.deepEqual(samplesOf({ 'GET /sleep': 100, 'GET /work': 1900 }), [5, 95, 0, 0]);
});

test('samples of calls that the companion follows have the CPU time that was measured there, in C or below frames of a driver', () => {
  const builder = new ProfileBuilder();
  builder.addSegment(0, 5000);
  const followed = 'followed_query (loadflame_companion.py:9)';
  const view = [...REQUEST, 'GET /rows (<loadflame route>)', 'show (shop/views.py:3)'];
  for (const [stack, samples] of /** @type {[string[], number][]} */ ([
    [view, 40],
    [
      [
        ...view,
        followed,
        'Cursor.execute (psycopg/cursor.py:113)',
        'wait (psycopg/connection.py:9)',
      ],
      300,
    ],
    [[...view, followed], 50],
    [
      [...view, followed, 'find_call (loadflame_companion.py:99)', 'compile (re/__init__.py:2)'],
      10,
    ],
    [[...view, 'Cursor.fetch (loadflame_companion.py:70)'], 60],
  ]))
    builder.addTextStack(['process 2:"gunicorn"', ...stack], samples, 0);
  const profile = builder.build({ source: 'samples', rateHz: 100 });
  const classes = classifyProfile(profile, rules);
  const samplesOf = (
    /** @type {import('../../../lib/analysis/profile/fit-to-routes.js').RouteParts} */ parts,
  ) => {
    const { rows, rowWeights } = selectBase(profile, classes, {
      ...{ windows: [], masterPid: null, cpuMs: 4600, routesMs: new Map([['GET /rows', parts]]) },
    });
    return [0, 1, 2, 3, 4].map(row => rowWeights[rows.indexOf(row)] ?? 0);
  };
  const known = samplesOf([3500, 700, 400]);
  assert.deepEqual(known, [140, 60, 10, 40, 210]);
  const unknown = samplesOf([4200, null, 400]);
  assert.deepEqual(unknown, [37, 280, 47, 40, 56]);
});

test('a thread that serves no measured route has the CPU time that the scheduler counted for it', () => {
  const builder = new ProfileBuilder();
  builder.addSegment(0, 5000);
  const view = [...REQUEST, 'GET /work (<loadflame route>)', 'show (shop/views.py:3)'];
  for (const [thread, stack, samples] of /** @type {[string, string[], number][]} */ ([
    ['7', view, 50],
    ['7', SEND, 20],
    ['8', ['export (opentelemetry/sdk/trace/export.py:9)'], 10],
    ['9', ['poll (kafka/consumer.py:9)'], 20],
  ]))
    builder.addTextStack(['process 2:"gunicorn"', `thread (${thread}): T`, ...stack], samples, 0);
  const profile = builder.build({ source: 'raw', rateHz: 100 });
  const { rows, rowWeights } = selectBase(profile, classifyProfile(profile, rules), {
    ...{
      windows: [],
      masterPid: null,
      cpuMs: 1000,
      routesMs: new Map([['GET /work', [400, null, null]]]),
    },
    threadsMs: new Map([
      ['2 7', 700],
      ['2 8', 250],
    ]),
  });
  const own = ['show', 'send', 'export', 'poll'].map((_, at) => rowWeights[rows.indexOf(at)]);
  // Nothing is known of the last one, which shares the rest with what the others do outside of routes.
  assert.deepEqual(own, [40, 18, 25, 17]);
});

test('the companion’s own threads do not count when they wake up, also where the recorder left out threads without a core', () => {
  const builder = new ProfileBuilder();
  builder.addSegment(0, 5000);
  const watch = ['process 2:"gunicorn"', 'Pools.watch_pools (loadflame_companion.py:985)'];
  builder.addTextStack(['process 2:"gunicorn"', ...PYTHON], 100, 0);
  builder.addTextStack(watch, 50, 0);
  builder.addTextStack([...watch, 'Pools.read (loadflame_companion.py:999)'], 20, 0);
  const profile = builder.build({ source: 'samples', rateHz: 100 });
  const classes = classifyProfile(profile, rules);
  const { samples } = selectBase(profile, classes, { windows: [], masterPid: null });
  assert.deepEqual([samples.active, samples.waiting], [100 + 20, 50]);
});

test('more samples that failed than all of the CPU time has: no sample counts less than nothing', () => {
  const LOOP = ['EpollSelector.select (/opt/python3.12/lib/python3.12/selectors.py:468)'];
  const rows = /** @type {[number, number, string[], number][]} */ ([[0, 2, LOOP, 40]]);
  const { base } = select(rows, 500, { failedLooks: 500 });
  assert.ok(
    base.rowWeights.every(weight => weight >= 0),
    base.rowWeights.join(),
  );
});
