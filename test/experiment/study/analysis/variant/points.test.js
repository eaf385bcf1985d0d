import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateOverRepeats } from '../../../../../lib/experiment/study/analysis/estimates.js';
import { createRandom } from '../../../../helpers/synthetic-run/random.js';
import { serveByWorkers } from '../../../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../../../helpers/synthetic-study/judge-spec.js';

test('the interval over repeats holds the true rate in 19 of 20 studies', () => {
  let held = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const random = createRandom(seed);
    const values = [1, 2, 3].map(() => 100 * Math.exp(0.05 * random.normal()));
    const { low, high } = estimateOverRepeats(values);
    if ((low ?? 0) <= 100 && (high ?? 0) >= 100) held++;
  }
  assert.ok(held >= 370 && held <= 392, `${held}`);
});

test('fewer than three repeats give no interval', () => {
  assert.deepEqual(estimateOverRepeats([3]), { value: 3, low: null, high: null });
  const { value, low } = estimateOverRepeats([2, 8]);
  assert.ok(Math.abs(value - 4) < 1e-9 && low === null);
});

test('a rate of zero has no negative interval', () => {
  assert.equal(estimateOverRepeats([0, 0, 1]).low, 0);
});

test('percentiles of a step are those of one of its repeats, never a mean', () => {
  const { variants, cells } = judgeSpec({
    factors: {},
    truth: () => serveByWorkers(1, { demandMs: 3 }),
  });
  for (const { step, latency } of variants[0]?.points ?? []) {
    const own = cells.filter(cell => cell.step === step).map(({ p95Ms }) => p95Ms ?? 0);
    assert.equal(latency?.p95Ms, own.sort((a, b) => a - b)[1]);
  }
});

test('an API without gunicorn is judged by all that was recorded of it', () => {
  const { variants, comparisons } = judgeSpec({
    factors: { stack: ['gunicorn', 'waitress'] },
    truth: ({ stack }) => {
      const truth = serveByWorkers(1, { demandMs: 3 });
      return stack === 'gunicorn'
        ? truth
        : { ...truth, components: { waitress: { demandMs: 2.5, processes: 1, threads: 4 } } };
    },
  });
  const cost = variants.map(({ points }) => points.at(-1)?.cpuMsPerTransaction?.value ?? 0);
  assert.ok(Math.abs((cost[0] ?? 0) - 3) < 0.1 && Math.abs((cost[1] ?? 0) - 2.5) < 0.1);
  assert.ok(
    comparisons.some(({ label }) => label.startsWith('CPU-ms of the target per transaction at ')),
  );
});
