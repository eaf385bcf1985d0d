/** More workers that give less: told where it is certain, and nowhere else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSpec } from '../../helpers/synthetic-study/judge-spec.js';
import { riseTo } from '../../helpers/synthetic-study/throughputs.js';

/** @import { StudySpec } from '../../helpers/synthetic-study/study-spec.d.ts' */

/**
 * The finding over some seeds, or null.
 * @param {Record<string, number>} most per second, by number of workers
 * @param {Partial<StudySpec>} [spec]
 */
function findFalls(most, spec = {}) {
  return Array.from({ length: 20 }, (_, n) => n + 1).map(seed => {
    const report = judgeSpec({
      factors: { workers: Object.keys(most) },
      study: { scaleOver: 'workers' },
      steps: [1, 4, 16],
      seed,
      truth: ({ workers = '' }) => ({
        throughput: riseTo({ mostPerSec: most[workers] ?? 0, minMs: 2 }),
        components: {
          workers: { demandMs: workers === '4' ? 3.1 : 2.3, processes: Number(workers) },
        },
      }),
      ...spec,
    });
    return report.findings.find(({ id }) => id === 'throughput-falls') ?? null;
  });
}

test('four workers that give a fifth less than two are told, with what a transaction costs', () => {
  for (const finding of findFalls({ 1: 300, 2: 570, 4: 456 })) {
    assert.match(
      finding?.text.title ?? '',
      /^Throughput falls as workers are added: 2 → 4 workers −(1[4-9]|2[0-6])/,
    );
    assert.equal(finding?.text.evidence.length, 1, 'and not 1 → 2');
    assert.match(finding?.text.evidence[0]?.value ?? '', /CPU per transaction 2\.\d ms → 3\.\d ms/);
    assert.match(finding?.text.advice ?? '', /Use 2 workers/);
  }
});

test('nothing falls where throughput levels off, where it falls by little, or where nobody can say', () => {
  assert.deepEqual(findFalls({ 1: 300, 2: 570, 4: 572 }).filter(Boolean), []);
  // A fall of 2 % is no finding; with noise of 3 % it is taken for more in 1 % of studies.
  assert.ok(findFalls({ 1: 300, 2: 570, 4: 559 }).filter(Boolean).length <= 1);
  assert.deepEqual(findFalls({ 1: 300, 2: 570, 4: 456 }, { repeats: 1 }).filter(Boolean), []);
  assert.ok(findFalls({ 1: 300, 2: 570, 4: 570 }, { noise: 0.1 }).filter(Boolean).length <= 1);
});
