import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contentStudy,
  ingressStudy,
  serveByWorkers,
  taskStudy,
} from '../../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../../helpers/synthetic-study/judge-spec.js';

/** @import { CellKey } from '../../../../lib/run/facts/study-records.d.ts' */

const objective = {
  ratePerSec: 300,
  clients: null,
  intervalSec: null,
  p95Ms: 100,
  errors: null,
  headroom: 0.3,
};
const busy = () => ({ id: /** @type {const} */ ('busy') });

test('a study with an objective names the cheapest variant, its headroom and its limit', () => {
  const { verdict, capacity } = judgeSpec(contentStudy);
  assert.equal(verdict.level, 'good');
  assert.equal(capacity?.state, 'answered');
  assert.match(
    verdict.headline.text,
    /^Enough for 300 requests\/s at p95 < 100 ms: 1 worker, cache redis \(.* 30 % headroom\); the bottleneck is the CPU of its workers\.$/,
  );
  assert.deepEqual(
    verdict.lines.map(({ id }) => id),
    ['scaling', 'factor', 'factor'],
  );
  const text = verdict.lines.map(line => line.text).join('\n');
  assert.match(text, /More workers than 2 bring less than 5 % per doubling \(cache redis\)\./);
  assert.match(
    text,
    /cache redis instead of off \(workers 1\): requests\/s at the plateau \(2–32 users\) \+6\d/,
  );
});

test('the verdict of a study is a headline and at most five short lines', () => {
  for (const spec of [
    contentStudy,
    taskStudy,
    ingressStudy,
    {
      ...contentStudy,
      fate: (/** @type {CellKey} */ { step }) => (step > 8 ? 'it died' : 'measured'),
    },
  ]) {
    const { headline, lines } = judgeSpec(spec).verdict;
    assert.ok(headline.text.length <= 240, headline.text);
    assert.ok(lines.length <= 5);
    for (const { text } of lines) assert.ok(text.length <= 140, text);
  }
});

test('reports that a sweep ends at a saturated CPU, though no larger number was measured', () => {
  const { scaling } = judgeSpec({
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 3 }),
  });
  assert.equal(scaling[0]?.worthUpTo, null);
  assert.equal(scaling[0]?.points.at(-1)?.bottleneck.id, 'machine');
  assert.match(
    scaling[0]?.text ?? '',
    /More workers than 2 were not measured\. With 2 the bottleneck is the CPU of the machine\.$/,
  );
});

test('a study without an objective says where throughput ends, with the fewest workers, and why', () => {
  const { verdict } = judgeSpec(taskStudy);
  assert.match(
    verdict.headline.text,
    /^The most is (19|20)\d tasks completed\/s from 1 user on, with 2 workers; the bottleneck is the stage dispatcher\.$/,
  );
});

test('reports a setting that costs throughput, with its interval', () => {
  const { verdict, comparisons, variants } = judgeSpec(ingressStudy);
  const text = verdict.lines.map(line => line.text).join('\n');
  assert.match(
    text,
    /balance source instead of roundrobin: requests\/s at the plateau \(4–32 users\) −(49|50|51)\.\d %/,
  );
  const change = comparisons.find(({ measure }) => measure === 'throughputPerSec')?.relative;
  assert.ok((change?.high ?? 0) < 0);
  assert.ok(variants.some(({ bottleneck }) => bottleneck.id === 'imbalance'));
});

test('a study that the generator limited refuses a capacity, and is invalid', () => {
  const { verdict, capacity, variants, findings } = judgeSpec({
    factors: {},
    truth: () => ({ ...serveByWorkers(4, { demandMs: 0.1, cpus: 4 }), sign: busy }),
    study: { objective },
  });
  assert.equal(verdict.level, 'invalid');
  assert.equal(verdict.headline.id, 'generator-limit');
  assert.equal(capacity?.state, 'refused');
  assert.equal(variants[0]?.bottleneck.id, 'generator');
  assert.ok(findings.some(({ id }) => id === 'generator-limit'));
});

test('reports a variant limited by the generator as doubtful, beside the others', () => {
  const { verdict, scaling } = judgeSpec({
    truth: ({ workers }) => ({
      ...serveByWorkers(Number(workers), { demandMs: 3 }),
      ...(workers === '2' ? { sign: step => (step > 2 ? busy() : null) } : {}),
    }),
  });
  assert.equal(verdict.level, 'warn');
  assert.match(
    verdict.headline.text,
    /^The most is at least .* with 2 workers; the bottleneck is the load generator\.$/,
  );
  assert.equal(scaling[0]?.points.length, 1);
});

test('insufficient capacity is bad, and names the number of machines that it takes', () => {
  const { verdict } = judgeSpec({
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 3 }),
    study: { objective: { ...objective, ratePerSec: 3000 } },
  });
  assert.equal(verdict.level, 'bad');
  assert.match(verdict.headline.text, /Nothing measured is enough .* it takes \d+ machines/);
});

test('reports missing and failed cells, and judges the rest', () => {
  const report = judgeSpec({
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 3 }),
    fate: ({ repeat, step, variant }) => {
      if (repeat === 3) return 'missing';
      return step === 8 && variant === 'workers=1' ? 'the target answered nothing' : 'measured';
    },
  });
  assert.equal(report.study.status, 'partial');
  assert.deepEqual(
    report.verdict.lines.map(({ id }) => id),
    ['cells-lost', 'scaling'],
  );
  assert.deepEqual(
    report.study.reasons.map(({ text }) => text),
    [
      '2 cells failed: the target answered nothing',
      '12 cells of the plan are missing',
      'it was interrupted',
    ],
  );
  assert.equal(report.verdict.level, 'warn');
  assert.equal(report.cells.filter(({ outcome }) => outcome === 'missing').length, 12);
  assert.equal(report.cells.filter(({ outcome }) => outcome === 'failed').length, 2);
  assert.deepEqual(
    report.variants.map(({ bottleneck }) => bottleneck.id),
    ['workers', 'machine'],
  );
  assert.ok(report.findings.some(({ id }) => id === 'cells-lost'));
});

test('an empty journal gives a report that states it', () => {
  const report = judgeSpec({
    isEmpty: true,
    truth: () => serveByWorkers(1, { demandMs: 3 }),
    study: { objective },
  });
  assert.equal(report.verdict.level, 'invalid');
  assert.equal(report.verdict.headline.id, 'nothing-measured');
  assert.equal(report.capacity?.state, 'refused');
  assert.ok(report.cells.every(({ outcome }) => outcome === 'missing'));
});

test('a target that fails every request is invalid, and says with what', () => {
  const { verdict, variants } = judgeSpec({
    factors: {},
    truth: () => ({ throughput: () => 0, errorRate: () => 1, errorName: 'ECONNREFUSED' }),
    study: { objective },
  });
  assert.equal(verdict.level, 'invalid');
  assert.match(verdict.headline.text, /ECONNREFUSED/);
  assert.equal(variants[0]?.saturation.throughputPerSec, null);
});

test('reports errors that come with load, and calls the study doubtful', () => {
  const { verdict, findings } = judgeSpec({
    factors: {},
    truth: () => ({
      ...serveByWorkers(2, { demandMs: 3 }),
      errorRate: step => (step > 8 ? 0.2 : 0),
    }),
  });
  assert.equal(verdict.level, 'warn');
  assert.ok(findings.some(({ id, severity }) => id === 'request-errors' && severity === 'bad'));
  assert.equal(verdict.lines[0]?.text, 'Requests failed: up to 20.0 % at step 32.');
});

test('CPU of other programs makes a study doubtful', () => {
  const { verdict, findings } = judgeSpec({
    factors: {},
    truth: () => ({ ...serveByWorkers(1, { demandMs: 3 }), otherCores: 0.5 }),
  });
  assert.equal(verdict.level, 'warn');
  assert.ok(findings.some(({ id }) => id === 'background-load'));
  assert.match(
    verdict.lines[0]?.text ?? '',
    /^Background load used up to 0\.\d\d cores of the machine\.$/,
  );
});

test('a capacity of a machine that the generator shares is called a lower bound', () => {
  const { capacity, variants } = judgeSpec({
    factors: {},
    truth: () => serveByWorkers(2, { demandMs: 3 }),
    study: { objective },
  });
  assert.equal(variants[0]?.bottleneck.id, 'machine');
  assert.match(
    capacity?.answer.text ?? '',
    /which the load generator uses, too: alone, the target takes more/,
  );
  assert.doesNotMatch(capacity?.answer.text ?? '', /\ball\b/);
});
