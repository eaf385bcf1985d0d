/** Workers in pods are told by the names of their pods: their pids in a run are ours, and mean nothing to anybody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findMemoryGrowth,
  findWorkerRestarts,
} from '../../../../lib/analysis/judge/findings/trends.js';
import { workerSeries } from '../../../../lib/report/page/timeline/tracks.js';
import { wordsOf } from '../../../helpers/words.js';

const PID = 20_000_007;
const WORKERS = [{ pid: PID, name: 'api-2/7', startedInRun: true, endedInRun: false }];
const MINUTES = Array.from({ length: 31 }, (_, at) => at * 10_000);
const TIMELINE = {
  edgesMs: MINUTES,
  workers: [
    {
      pid: PID,
      cpuMs: MINUTES.slice(1).map(() => 500),
      rssBytes: MINUTES.slice(1).map((_, at) => 1e8 + at * 1e7),
    },
  ],
};
const FACTS = /** @type {any} */ ({
  cpu: { workers: WORKERS, workerRestarts: 1 },
  load: { window: { startMs: 0 }, windows: [], http: {}, endpoints: [] },
  timeline: TIMELINE,
});

test('findings about workers in pods name the pod and the pid there', () => {
  for (const find of [findMemoryGrowth, findWorkerRestarts]) {
    const [finding] = find(FACTS);
    const words = JSON.stringify(wordsOf(finding));
    assert.match(words, /[Ww]orker api-2\/7\b/, words);
    assert.ok(!words.includes(String(PID)), words);
  }
});

test('a track of the page, too', () => {
  const lengths = MINUTES.slice(1).map(() => 10);
  const series = workerSeries(
    /** @type {any} */ ({ report: FACTS }),
    /** @type {any} */ (TIMELINE),
    lengths,
  );
  assert.deepEqual(
    series.map(({ name }) => name),
    ['api-2/7'],
  );
});
