import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { keepServing, measureThreads } from '../../../lib/analysis/profile/threads.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';
import { sum } from '../../../lib/base/math/summary.js';

const rules = await loadRules();

/**
 * @param {number} t
 * @param {[number, number, number, number][]} threads
 * @param {number} [startTicks]
 */
const line = (t, threads, startTicks = 1) => ({
  ...{ kind: /** @type {const} */ ('threads'), t, pid: 7, startTicks, threads },
});
const WINDOW = [{ startMs: 1000, endMs: 4000 }];

test('counts the CPU of a thread inside the windows', () => {
  const records = [0, 1000, 2000, 3000, 4000, 5000].map(t =>
    line(t, [[7, 50 + t / 10, t / 20, t / 100]]),
  );
  assert.deepEqual(measureThreads(records, WINDOW), [
    { pid: 7, tid: 7, runMs: 300, queuedMs: 150, slices: 30 },
  ]);
});

test('an idle thread has no records and used nothing', () => {
  const records = [
    line(0, [
      [7, 10, 0, 1],
      [8, 100, 0, 5],
    ]),
    line(1000, [[7, 20, 0, 2]]),
    line(2000, [[7, 30, 0, 3]]),
    line(3000, [
      [7, 40, 0, 4],
      [8, 160, 0, 6],
    ]),
    line(4000, [[7, 50, 0, 5]]),
  ];
  const [, second] = measureThreads(records, [{ startMs: 0, endMs: 2000 }]);
  assert.equal(second?.runMs, 0);
  assert.equal(measureThreads(records, WINDOW)[1]?.runMs, 60);
});

test('where all threads of a process stand still it has no lines, and used nothing until it was read last', () => {
  const read = (/** @type {number} */ t) => ({
    ...{
      kind: /** @type {const} */ ('sample'),
      t,
      pid: 7,
      startTicks: 1,
      role: 'worker',
      cpuMs: 0,
    },
  });
  const records = [
    line(0, [[7, 10, 0, 1]]),
    read(1000),
    read(2000),
    read(3000),
    line(3000, [[7, 110, 0, 5]]),
  ];
  const usedMs = (/** @type {number} */ startMs, /** @type {number} */ endMs) =>
    measureThreads(records, [{ startMs, endMs }])[0]?.runMs;
  assert.equal(usedMs(0, 2000), 0);
  assert.equal(usedMs(2000, 3000), 100);
});

test('one that was born meanwhile counts from its birth, also under the id of another', () => {
  const records = [
    line(1000, [[7, 500, 0, 9]]),
    line(2000, [
      [7, 510, 0, 10],
      [9, 40, 5, 3],
    ]),
    line(3000, [[9, 10, 1, 1]]),
    line(4000, [[9, 30, 1, 2]]),
  ];
  const uses = measureThreads(records, WINDOW).map(({ tid, runMs }) => [tid, runMs]);
  assert.deepEqual(uses, [
    [7, 10],
    [9, 40],
    [9, 30],
  ]);
});

test('reports nothing without accounts of the scheduler', () => {
  assert.deepEqual(
    measureThreads([{ kind: 'sample', t: 0, pid: 7, role: 'worker', cpuMs: 0 }], WINDOW),
    [],
  );
});

const SERVED = [
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:334)',
  'show (/srv/shop/views.py:3)',
];
const EXPORT = ['Thread.run (threading.py:990)', 'export (/srv/shop/metrics.py:8)'];
const ACCEPT = ['ThreadWorker.run (gunicorn/workers/gthread.py:200)'];

/** @param {[tid: number, stack: string[], samples: number][]} rows @returns how long requests waited for a core */
function queuedOf(rows) {
  const builder = new ProfileBuilder();
  builder.addSegment(0, 5000);
  const process = builder.internProcess({ pid: 7 });
  for (const [tid, stack, samples] of rows) {
    const thread = builder.internThread({ id: `${tid}`, name: '' });
    const { node } = builder.internStack(stack, 0);
    builder.addRow(node, samples, { process, thread, segment: 0 });
  }
  const profile = builder.build({ source: 'samples', rateHz: 100 });
  const threads = [7, 8, 9].map(tid => ({ pid: 7, tid, runMs: 100, queuedMs: tid, slices: 5 }));
  const kept = keepServing(threads, profile, analyseProfile({ profile, rules }));
  return sum(kept.map(own => own.queuedMs));
}

for (const { what, rows, queuedMs } of /** @type {const} */ ([
  {
    what: 'the wait of a thread without a request does not count',
    rows: [
      [7, SERVED, 50],
      [8, EXPORT, 20],
    ],
    queuedMs: 7 + 9,
  },
  {
    what: 'that of one that was hardly seen does',
    rows: [
      [7, SERVED, 50],
      [8, EXPORT, 19],
    ],
    queuedMs: 24,
  },
  {
    what: 'that of the server’s own does',
    rows: [
      [7, SERVED, 50],
      [8, ACCEPT, 90],
    ],
    queuedMs: 24,
  },
  {
    what: 'those of all count where no request is recognized',
    rows: [[8, EXPORT, 90]],
    queuedMs: 24,
  },
]))
  test(`waits of threads for a core: ${what}`, () => {
    assert.equal(queuedOf(/** @type {any} */ (rows)), queuedMs);
  });
