import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseProfile } from '../../lib/analysis/profile/analyse-profile.js';
import { createThreadClock } from '../../lib/analysis/profile/threads.js';
import { loadRules } from '../../lib/hotpath/load-rules.js';
import { ProfileBuilder } from '../../lib/profile/profile-builder.js';

const rules = await loadRules();
const [WORKER, SLEEPER, READER, OTHER] = ['21', '22', '23', '0x7F04'];
const VIEW = ['Flask.wsgi_app (flask/app.py:1511)', 'show (shop/views.py:3)'];

/** Two segments of five seconds; each row: thread, stack, samples. @param {[string, string[], number][]} rows */
function build(rows) {
  const builder = new ProfileBuilder();
  for (const segment of [0, 1]) {
    builder.addSegment(segment * 5000, segment * 5000 + 5000);
    for (const [thread, stack, samples] of rows)
      builder.addTextStack(
        ['process 2:"gunicorn"', `thread (${thread}): t`, ...stack],
        samples,
        segment,
      );
  }
  return builder.build({ source: 'raw', rateHz: 50 });
}

const ROWS = /** @type {[string, string[], number][]} */ ([
  [WORKER, [...VIEW, 'add (shop/sums.py:1)'], 60],
  [WORKER, [...VIEW, 'multiply (shop/sums.py:2)'], 30],
  [WORKER, [...VIEW, 'pause (shop/views.py:9)', 'time.sleep (<C code>)'], 100],
  [SLEEPER, ['tick (shop/jobs.py:4)', 'time.sleep (<C code>)'], 250],
  [READER, ['listen (shop/jobs.py:9)'], 250],
  [OTHER, ['run (shop/jobs.py:20)'], 25],
]);
/** In each segment the first ran for 1.8 s and was in the queue for 0.2 s; the second ran for 20 ms, a sample. */
const RECORDS = [0, 5000, 10_000].map(t => ({
  ...{ kind: 'threads', t, pid: 2, startTicks: 1 },
  threads: [
    [21, (t / 5000) * 1800, (t / 5000) * 200, t],
    [22, (t / 5000) * 20, 0, t],
    ...(t === 0 ? [[23, 7, 0, 1]] : []),
  ],
}));
const FIRST = { startMs: 0, endMs: 5000 };
const FREE = { recorder: { pausesTarget: false }, pausing: { asleep: 0.8 } };

test('samples beyond the time for which a thread ran are of its sleep', () => {
  const { samples, base } = analyseProfile({
    profile: build(ROWS),
    rules,
    threadClock: createThreadClock(FREE, RECORDS),
  });
  /** @type {Record<string, number>} */
  const left = {};
  const { frames, nodes } = build(ROWS);
  base.weights.forEach((weight, node) => {
    const name = frames[nodes.frame[node] ?? 0]?.name ?? '';
    if (weight > 0) left[name] = (left[name] ?? 0) + weight;
  });
  // Of the thread without a native id nothing is known.
  assert.deepEqual(left, { add: 120, multiply: 60, 'time.sleep': 2, run: 50 });
  assert.deepEqual([samples.active, samples.waiting, samples.waitingForCore], [232, 1198, 0]);
});

test('a thread without sleep by any rule loses samples evenly', () => {
  const profile = build([
    [WORKER, [...VIEW, 'add (shop/sums.py:1)'], 160],
    [WORKER, [...VIEW, 'multiply (shop/sums.py:2)'], 80],
  ]);
  const { samples, base } = analyseProfile({
    profile,
    rules,
    threadClock: createThreadClock(FREE, RECORDS),
  });
  // Those of the time in the queue stay: as everywhere, they may be too many for the CPU time.
  assert.equal(samples.active, 200);
  const [most = 0, least = 0] = [...base.weights]
    .filter(weight => weight > 0)
    .sort((a, b) => b - a);
  assert.ok(Math.abs(most / least - 2) < 0.05, `${most} and ${least}`);
});

test('the scheduler is asked where the profiler may not see sleep, with queues that no pause made', () => {
  const clock = createThreadClock(FREE, RECORDS);
  assert.deepEqual(clock?.(2, WORKER, FIRST), { runMs: 1800, queuedMs: 200 });
  assert.deepEqual(clock?.(2, READER, FIRST), { runMs: 0, queuedMs: 0 });
  assert.equal(clock?.(2, OTHER, FIRST), null);
  assert.equal(clock?.(2, WORKER, { startMs: null, endMs: null }), null);
  const paused = createThreadClock({ ...FREE, recorder: { pausesTarget: true } }, RECORDS);
  assert.deepEqual(paused?.(2, WORKER, FIRST), { runMs: 1800, queuedMs: 0 });
  for (const pausing of [{ told: 0.02 }, null, undefined])
    assert.equal(createThreadClock({ ...FREE, pausing }, RECORDS), null);
});
