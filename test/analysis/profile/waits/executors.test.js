/** Threads of executors and of servers, and what requests queue for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOOT, REQUEST } from '../../request-stacks.js';
import { LOOP, MAIN, STEP, sharesOf, shown, waitsOf } from './waits-of.js';

test('requests wait for a thread of an executor, and its threads are what they queue for', () => {
  const thread = (/** @type {number} */ n) =>
    `thread (${n}): ThreadPoolExecutor;${BOOT};_worker (concurrent/futures/thread.py:83);_WorkItem.run (concurrent/futures/thread.py:59)`;
  const inside = 'run_in_thread (srv/loadflame_companion.py:688);GET /rows (<loadflame>)';
  const nap = 'download (api/archive.py:9)';
  const queued = 'show (api/views.py:30)';
  const waits = waitsOf(
    [
      [10, LOOP, 100],
      [10, `${thread(7)};${inside};${nap}`, 100],
      [10, `${thread(8)};${inside};${nap}`, 100],
      [10, shown(8, 'GET /rows', queued, 'submit (concurrent/futures/thread.py)'), 100],
    ],
    [[10, STEP, 100]],
    { threads: 1 },
  );
  assert.equal(waits?.slots, 2);
  assert.equal(waits?.busySlots, 2);
  assert.equal(waits?.kinds[0]?.id, 'thread-pool');
  const few = waitsOf(
    [
      [10, LOOP, 100],
      [10, `${thread(7)};${inside};${nap}`, 100],
      [10, `${thread(8)};${inside};${nap}`, 100],
    ],
    [[10, STEP, 100]],
    { threads: 1 },
  );
  const known = [few?.slots, few?.poolThreads, few?.busySlots];
  assert.deepEqual(known, [null, 2, 2], 'no request waits for a thread, so more may start');
  const idle = waitsOf(
    [
      [10, LOOP, 100],
      [10, thread(7), 100],
      [10, shown(8, 'GET /rows', queued), 100],
    ],
    [[10, STEP, 100]],
    { threads: 1 },
  );
  assert.equal(idle?.slots, null, 'a thread that serves no request is no limit');
});

test('threads that a server starts at once are its limit', () => {
  const thread = (/** @type {number} */ n, inside = '') =>
    `thread (${n}): waitress-${n};${BOOT};ThreadedTaskDispatcher.handler_thread (waitress/task.py:84)${inside}`;
  const waits = waitsOf(
    [
      [10, thread(2, ';Flask.wsgi_app (flask/app.py:1500);list_rows (api/views.py:12)'), 100],
      [10, thread(3), 100],
    ],
    [],
    { threads: null },
  );
  assert.equal(waits?.slots, 2);
});

test('a request that waits for the result of work in an executor counts once, with what that work does', () => {
  const pooled = (/** @type {number} */ n) => `thread (${n}): ThreadPoolExecutor-0_0`;
  const future =
    'Future.result (concurrent/futures/_base.py:451);Condition.wait (threading.py:320)';
  const work = `${BOOT};_worker (concurrent/futures/thread.py:83);Flask.wsgi_app (flask/app.py:1500)`;
  const lock = 'render (api/views.py:9);acquire (threading.py:310)';
  const waits = waitsOf(
    [
      [10, MAIN, 100],
      ...[2, 3, 4].map(
        n =>
          /** @type {any} */ ([
            10,
            `${pooled(n)};${REQUEST};list_rows (api/views.py:14);${future}`,
            100,
          ]),
      ),
      [10, `${pooled(5)};${work};${lock}`, 100],
    ],
    [],
  );
  assert.equal(waits?.busyThreads, 3);
  const shares = sharesOf(waits);
  assert.ok(Math.abs((shares.get('lock') ?? 0) - 1 / 3) < 1e-9, `${[...shares]}`);
  assert.ok(Math.abs((shares.get('thread-pool') ?? 0) - 2 / 3) < 1e-9);
});
