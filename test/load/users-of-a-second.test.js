import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLoadTimeline } from '../../lib/analysis/load/timeline/load-timeline.js';
import { LoadSeries } from '../../lib/analysis/read/load/load-series.js';
import { createSecondRecorder } from '../../lib/load/metrics/second-recorder.js';

test('users that live for less than a second are seen: the most at once', () => {
  let nowMs = 0;
  /** @type {any[]} */
  const lines = [];
  const recorder = createSecondRecorder(line => lines.push(line), { now: () => nowMs });
  const live = (/** @type {number} */ startMs, /** @type {number} */ users, forMs = 50) => {
    nowMs = startMs;
    for (let n = 0; n < users; n++) recorder.count('vusers.created', 1);
    nowMs = startMs + forMs;
    for (let n = 0; n < users; n++) recorder.count('vusers.completed', 1);
  };
  live(1000, 1);
  live(1300, 3);
  live(2100, 2, 2500);
  nowMs = 5000;
  recorder.flush();
  assert.deepEqual(
    lines.map(({ fromMs, usersMost }) => [fromMs, usersMost]),
    [
      [1000, 3],
      [2000, 2],
      [4000, 2],
    ],
  );
  const series = new LoadSeries([1000, 2000, 5000], [], 'total');
  for (const line of lines) series.add(line);
  assert.deepEqual(buildLoadTimeline(series).usersActive, [3, 2]);
  // recorded by an older version
  const old = new LoadSeries([1000, 2000], [], 'total');
  old.add({ kind: 'second', t: 2000, fromMs: 1000, usersActive: 4 });
  assert.deepEqual(buildLoadTimeline(old).usersActive, [4]);
});
