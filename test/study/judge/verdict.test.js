import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contentStudy,
  ingressStudy,
  serveByWorkers,
  taskStudy,
} from '../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../helpers/synthetic-study/judge-spec.js';

const objective = {
  ratePerSec: 300,
  clients: null,
  intervalSec: null,
  p95Ms: 100,
  errors: null,
  headroom: 0.3,
};
const busy = () => ({ id: /** @type {const} */ ('busy'), text: 'worker 1 was busy' });

test('a study with an objective is answered with the cheapest variant, its head-room and its limit', () => {
  const { verdict, capacity } = judgeSpec(contentStudy);
  assert.equal(verdict.level, 'good');
  assert.equal(capacity?.state, 'answered');
  assert.match(
    verdict.headline,
    /^For 300 requests\/s at p95 < 100 ms: 1 worker, cache redis.* 30 % head-room .*the limit is the CPU of its workers\.$/,
  );
  const text = verdict.sentences.join('\n');
  assert.match(text, /1 → 2 workers \+\d.*more than 2 bring less than 5 % per doubling/);
  assert.match(text, /The two cores are full: 2 workers .* a third worker finds no core/);
  assert.match(text, /Cache redis instead of off \(workers 1\): requests\/s .*\+6\d/);
  assert.ok(verdict.sentences.length <= 6);
});

test('a sweep that ends where the machine is full says so though no larger number was measured', () => {
  const { scaling } = judgeSpec({
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 3 }),
  });
  assert.match(
    scaling[0]?.text ?? '',
    /more than 2 were not measured\. With 2: The two cores are full.*third worker finds no core/,
  );
});

test('a study without an objective says where throughput ends, with the fewest workers, and why', () => {
  const { verdict } = judgeSpec(taskStudy);
  assert.match(
    verdict.headline,
    /^Most with 2 workers: (19|20)\d tasks completed\/s from 1 user on; the limit is the stage dispatcher\.$/,
  );
});

test('a setting that costs throughput is told with its interval', () => {
  const { verdict } = judgeSpec(ingressStudy);
  assert.match(
    verdict.sentences.join('\n'),
    /Balance source instead of roundrobin: requests\/s .*−(49|50|51)\.\d %/,
  );
  assert.match(verdict.sentences.join('\n'), /One backend of 2 got all the work/);
});

test('a study that the generator limited refuses a capacity, and is invalid', () => {
  const { verdict, capacity, variants, findings } = judgeSpec({
    factors: {},
    truth: () => ({ ...serveByWorkers(4, { demandMs: 0.1, cpus: 4 }), sign: busy }),
    study: { objective },
  });
  assert.equal(verdict.level, 'invalid');
  assert.match(verdict.headline, /^The load generator was the limit, so no capacity follows/);
  assert.equal(capacity?.state, 'refused');
  assert.equal(variants[0]?.limit.id, 'generator');
  assert.ok(findings.some(({ id }) => id === 'generator-limit'));
});

test('one variant that the generator limited is told as a doubt beside the others', () => {
  const { verdict, scaling } = judgeSpec({
    truth: ({ workers }) => ({
      ...serveByWorkers(Number(workers), { demandMs: 3 }),
      ...(workers === '2' ? { sign: step => (step > 2 ? busy() : null) } : {}),
    }),
  });
  assert.equal(verdict.level, 'warn');
  assert.match(
    verdict.sentences[0] ?? '',
    /^To be doubted: the load generator was the limit of 2 workers/,
  );
  assert.equal(scaling[0]?.points.length, 1);
});

test('what is not enough is bad, and says how many machines it takes', () => {
  const { verdict } = judgeSpec({
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 3 }),
    study: { objective: { ...objective, ratePerSec: 3000 } },
  });
  assert.equal(verdict.level, 'bad');
  assert.match(verdict.headline, /nothing that was measured is enough; it takes \d+ machines/);
});

test('missing and failed cells are told, and what there is is judged', () => {
  const report = judgeSpec({
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 3 }),
    fate: ({ repeat, step, variant }) => {
      if (repeat === 3) return 'missing';
      return step === 8 && variant === 'workers=1' ? 'the target answered nothing' : 'measured';
    },
  });
  assert.equal(report.study.status, 'partial');
  assert.deepEqual(report.study.reasons, [
    '2 cells failed: the target answered nothing',
    '12 cells of the plan are missing',
    'it was interrupted',
  ]);
  assert.equal(report.verdict.level, 'warn');
  assert.equal(report.cells.filter(({ outcome }) => outcome === 'missing').length, 12);
  assert.equal(report.cells.filter(({ outcome }) => outcome === 'failed').length, 2);
  assert.deepEqual(
    report.variants.map(({ limit }) => limit.id),
    ['workers', 'machine'],
  );
  assert.ok(report.findings.some(({ id }) => id === 'cells-lost'));
});

test('a journal without a record gives a report that says so', () => {
  const report = judgeSpec({
    isEmpty: true,
    truth: () => serveByWorkers(1, { demandMs: 3 }),
    study: { objective },
  });
  assert.equal(report.verdict.level, 'invalid');
  assert.match(report.verdict.headline, /Nothing was measured/);
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
  assert.match(verdict.headline, /ECONNREFUSED/);
  assert.equal(variants[0]?.saturation.throughputPerSec, null);
});

test('errors that come with load are told and make it doubtful', () => {
  const { verdict, findings } = judgeSpec({
    factors: {},
    truth: () => ({
      ...serveByWorkers(2, { demandMs: 3 }),
      errorRate: step => (step > 8 ? 0.2 : 0),
    }),
  });
  assert.equal(verdict.level, 'warn');
  assert.ok(findings.some(({ id, severity }) => id === 'request-errors' && severity === 'bad'));
  assert.match(verdict.sentences.join('\n'), /Requests failed: up to 20\.0 %/);
});

test('CPU of other programs makes a study doubtful', () => {
  const { verdict, findings } = judgeSpec({
    factors: {},
    truth: () => ({ ...serveByWorkers(1, { demandMs: 3 }), otherCores: 0.5 }),
  });
  assert.equal(verdict.level, 'warn');
  assert.ok(findings.some(({ id }) => id === 'others-at-work'));
  assert.match(
    verdict.sentences[0] ?? '',
    /^To be doubted: others used up to 0\.\d\d cores of the machine\.$/,
  );
});

test('a capacity of a machine that the generator shares is called a lower bound', () => {
  const { capacity, variants } = judgeSpec({
    factors: {},
    truth: () => serveByWorkers(2, { demandMs: 3 }),
    study: { objective },
  });
  assert.equal(variants[0]?.limit.id, 'machine');
  assert.match(
    capacity?.text ?? '',
    /shared with the load generator: on a machine of its own the target takes more/,
  );
  assert.doesNotMatch(capacity?.text ?? '', /\ball\b/);
});
