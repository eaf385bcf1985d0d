import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateWithinRun } from '../../../lib/experiment/compare/within-run.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { reportOfSynthetic } from './synthetic-reports.js';

const KEY = 'overall\n\ntotal.p50Ms';

test('a run knows how sure it is of its figures, and a longer one is surer', async t => {
  const root = makeTempFolder(t);
  const spec = { companion: true, betweenRuns: {}, profile: true };
  const short = await reportOfSynthetic(root, { ...spec, seed: 1, durationSec: 20 });
  const long = await reportOfSynthetic(root, { ...spec, seed: 2, durationSec: 180 });
  const [a, b] = [await estimateWithinRun(short, 0.05), await estimateWithinRun(long, 0.05)];
  const ratio = (a.get(KEY)?.logError ?? 0) / (b.get(KEY)?.logError ?? 1);
  // √9 = 3
  assert.ok(ratio > 1.4 && ratio < 7, String(ratio));
  const shareErrors = [...b.keys()].filter(key => key.startsWith('category\n'));
  assert.ok(shareErrors.length >= 4);
  for (const key of ['throughputPerSec', 'cpuMsPerRequest', 'total.p99Ms', 'timeToFirstByte.p95Ms'])
    assert.ok((b.get(`overall\n\n${key}`)?.error ?? 0) > 0, key);
  assert.ok(b.has('endpoint\nGET /api/v1/services/\ntotal.p95Ms'));
});

test('intervals within a run hold the median that the run is drawn from', async t => {
  const root = makeTempFolder(t);
  let held = 0;
  const tries = 12;
  for (let seed = 1; seed <= tries; seed++) {
    const report = await reportOfSynthetic(root, {
      seed,
      durationSec: 15,
      profile: false,
      betweenRuns: {},
      endpoints: [
        {
          name: 'GET /a',
          ratePerSec: 20,
          cpuMs: { business: 1 },
          latencyMs: { median: 50, sigma: 0.5 },
        },
      ],
    });
    const { error = 0, t: factor = 0 } = (await estimateWithinRun(report, 0.05)).get(KEY) ?? {};
    const median = report.load?.http.totalTime?.p50Ms ?? 0;
    // a bin of a sketch is 2 % wide
    if (Math.abs(median - 50) <= error * factor + 0.5) held++;
  }
  assert.ok(held >= tries - 2, `${held} of ${tries}`);
});

test('without a timeline only the figures that carry their own interval are known', async t => {
  const report = await reportOfSynthetic(makeTempFolder(t), { seed: 5, durationSec: 10 });
  report.timeline = null;
  const errors = await estimateWithinRun(report, 0.05);
  assert.ok(errors.size > 0);
  assert.ok([...errors.keys()].every(key => /cpuShare|cpuMsPerRequest/.test(key)));
});
