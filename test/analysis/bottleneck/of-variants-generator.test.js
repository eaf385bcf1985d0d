import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveByWorkers, taskStudy } from '../../helpers/synthetic-study/examples.js';
import { bottleneckOf } from '../../helpers/synthetic-study/judge-spec.js';
import { riseTo } from '../../helpers/synthetic-study/throughputs.js';

test('a generator that is late has sent enough where more comes in than is completed', () => {
  const sign = () => ({ id: /** @type {const} */ ('late'), text: 'worker 1 started users late' });
  const truth = { ...taskStudy.truth({ workers: '4' }), sign };
  const bottleneck = bottleneckOf({ ...taskStudy, factors: {} }, truth);
  assert.deepEqual([bottleneck.id, bottleneck.component], ['stage', 'dispatcher']);
});

test('a generator that is busy before throughput levels off is the limit', () => {
  const sign = (/** @type {number} */ step) =>
    step >= 16 ? { id: /** @type {const} */ ('busy') } : null;
  const truth = {
    throughput: riseTo({ mostPerSec: 9000, minMs: 1 }),
    generatorMs: 0.1,
    sign,
    components: { nginx: { demandMs: 0.01 } },
  };
  const bottleneck = bottleneckOf({ cpus: 4 }, truth);
  assert.equal(bottleneck.id, 'generator');
  assert.match(
    bottleneck.text.title,
    /step 16 \(worker 1 was busy 97\.0 % of the time in \d+ of \d+ s\): the target takes at least/,
  );
});

test('a generator that is busy only after throughput levelled off hides nothing', () => {
  const sign = (/** @type {number} */ step) =>
    step >= 32 ? { id: /** @type {const} */ ('busy') } : null;
  assert.equal(bottleneckOf({}, { ...serveByWorkers(1, { demandMs: 3 }), sign }).id, 'workers');
});

test('a generator that starves beside a full target is no limit of its own, of a quota it is', () => {
  const sign = () => ({ id: /** @type {const} */ ('starved'), text: 'worker 1 got no CPU' });
  const truth = { ...serveByWorkers(2, { demandMs: 3 }), sign };
  assert.equal(bottleneckOf({ steps: [8, 16, 32] }, truth).id, 'machine');
  assert.equal(
    bottleneckOf({ cpus: 4 }, { ...serveByWorkers(1, { demandMs: 3 }), sign }).id,
    'generator',
  );
});

test('a generator that takes more of a full machine than the target is the limit, without any sign of its own', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 14_000, minMs: 0.2 }),
    components: { nginx: { demandMs: 0.03, most: 1 } },
    generatorMs: 0.09,
    otherCores: 0.37,
  };
  const bottleneck = bottleneckOf({}, truth);
  assert.equal(bottleneck.id, 'generator');
  assert.match(
    bottleneck.text.title,
    /the CPU was saturated, and the generator took 1\.\d\d cores of it, the target 0\.4\d/,
  );
});
