import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLoadTimeline } from '../../lib/analysis/load/timeline/load-timeline.js';
import { LoadSeries } from '../../lib/analysis/read/load/load-series.js';
import { LoadTotals } from '../../lib/analysis/read/load/load-totals.js';
import { createSecondRecorder } from '../../lib/load/metrics/second-recorder.js';

test('the mean size of responses is known per endpoint, and for a part of the run', () => {
  let nowMs = 1000;
  /** @type {any[]} */
  const lines = [];
  const recorder = createSecondRecorder(line => lines.push({ kind: 'second', t: nowMs, ...line }), {
    now: () => nowMs,
  });
  const small = recorder.endpoint('GET /small');
  const large = recorder.endpoint('GET /large');
  recorder.countAnswer(small, 200, 1, 2, undefined, 100);
  recorder.countAnswer(small, 404, 1, 2, undefined, 20);
  recorder.countAnswer(large, 200, 1, 2, undefined, 6000);
  nowMs = 2500;
  recorder.countAnswer(large, 200, 1, 2, undefined, 2000);
  recorder.flush({ all: true });

  const totals = LoadTotals.of([{ kind: 'load-start', t: 0 }, ...lines]);
  const means = new Map(totals.endpoints.list().map(own => [own.name, own.means]));
  assert.deepEqual(means.get('GET /small'), { responseBytes: 60 });
  assert.deepEqual(means.get('GET /large'), { responseBytes: 4000 });
  assert.equal(totals.sums.counters['http.downloaded_bytes'], 8120);

  const series = new LoadSeries([1000, 2000, 3000], ['GET /small', 'GET /large'], 'total');
  for (const line of lines) series.add(line);
  const [ofSmall, ofLarge] = buildLoadTimeline(series).endpoints;
  assert.deepEqual(ofSmall?.sums, { responseBytes: [120, 0] });
  assert.deepEqual(ofLarge?.sums, { responseBytes: [6000, 2000] });
});
