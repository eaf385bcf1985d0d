import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingressStudy, serveByWorkers, taskStudy } from '../../helpers/synthetic-study/examples.js';
import { judgeSpec, limitOf } from '../../helpers/synthetic-study/judge-spec.js';
import { riseTo } from '../../helpers/synthetic-study/throughputs.js';

const sleepy = { throughput: riseTo({ mostPerSec: 80, minMs: 50 }), generatorMs: 0.5 };
const idle = { workers: { demandMs: 2, processes: 4 } };

test('workers that fill a core each are the limit while another core is idle', () => {
  const limit = limitOf({}, serveByWorkers(1, { demandMs: 3 }));
  assert.equal(limit.id, 'workers');
  assert.match(limit.text, /^The one worker used 0\.9\d of a core: .* of 2 cores are idle\.$/);
});

test('two busy workers beside the generator fill two cores, and a third worker finds none', () => {
  const limit = limitOf(
    {},
    serveByWorkers(2, { demandMs: 3, others: { postgres: { demandMs: 0.3 } } }),
  );
  assert.equal(limit.id, 'machine');
  assert.match(
    limit.text,
    /^The two cores are full: 2 workers 1\.\d\d, load generator 0\.\d\d, PostgreSQL 0\.\d\d: a third worker finds no core\.$/,
  );
  assert.ok(limit.evidence.some(({ label }) => label === 'load generator on the same machine'));
  assert.ok(limit.evidence.some(({ label }) => label === 'with the generator elsewhere'));
});

test('a full machine is the limit though each of many workers uses little of a core', () => {
  assert.equal(limitOf({}, serveByWorkers(8, { demandMs: 3 })).id, 'machine');
});

test('one full worker is the limit though the generator fills the rest of the machine', () => {
  const limit = limitOf(
    {},
    {
      throughput: riseTo({ mostPerSec: 400, minMs: 4 }),
      components: { workers: { demandMs: 2.45, processes: 1 } },
      generatorMs: 2.2,
    },
  );
  assert.equal(limit.id, 'workers');
  assert.match(limit.text, /a second worker finds no core either: the two cores are full/);
});

test('CPU that nobody in the study used is told beside a full machine', () => {
  const truth = serveByWorkers(2, { demandMs: 3 });
  const limit = limitOf(
    {},
    { ...truth, throughput: riseTo({ mostPerSec: 330, minMs: 4 }), otherCores: 0.7 },
  );
  assert.equal(limit.id, 'machine');
  assert.match(limit.text, /others 0\.7\d \(others: no part of this study/);
});

test('threads that share one core each while cores are idle are held up by the GIL', () => {
  const truth = serveByWorkers(1, { demandMs: 3 });
  const workers = { demandMs: 3, processes: 1, threads: 5 };
  const limit = limitOf({}, { ...truth, components: { workers } });
  assert.equal(limit.id, 'gil');
  assert.match(limit.text, /has 5 threads: Python runs one of them at a time/);
});

test('a single-threaded component that fills its core is named', () => {
  const limit = limitOf(
    { cpus: 4 },
    {
      throughput: riseTo({ mostPerSec: 9500, minMs: 0.5 }),
      generatorMs: 0.05,
      components: {
        workers: { demandMs: 0.1, processes: 4 },
        redis: { demandMs: 0.1, most: 1, processes: 1, threads: 5 },
      },
    },
  );
  assert.equal(limit.id, 'component');
  assert.equal(limit.component, 'redis');
  assert.match(limit.text, /^Redis used 0\.9\d of the one core that it can use/);
});

test('a process with one thread is full at one core, without being told so by the study file', () => {
  const components = { nginx: { demandMs: 0.5, processes: 1, threads: 1 } };
  const truth = {
    throughput: riseTo({ mostPerSec: 1960, minMs: 1 }),
    generatorMs: 0.1,
    components,
  };
  const limit = limitOf({ cpus: 4 }, truth);
  assert.equal(limit.component, 'nginx');
  assert.match(limit.text, /in its one process/);
  assert.notEqual(
    limitOf({ cpus: 4 }, { ...truth, throughput: riseTo({ mostPerSec: 1400, minMs: 1 }) }).id,
    'component',
  );
});

test('a single dispatcher is found, and named with what waits before and behind it', () => {
  const { variants } = judgeSpec(taskStudy);
  const [one, ...more] = variants;
  assert.deepEqual([one?.limit.id, one?.limit.component], ['stage', 'workers']);
  for (const { limit, backlog } of more) {
    assert.deepEqual([limit.id, limit.component], ['stage', 'dispatcher']);
    assert.match(limit.text, /nothing waits behind it/);
    assert.match(limit.text, /one at a time, and as many with/);
    assert.equal(backlog?.stage, 'dispatcher');
    assert.ok(Math.abs((backlog?.slopePerSec.value ?? 0) - 50) < 5);
  }
});

test('on a full machine a stage is called the limit only where its CPU time shows that it does not wait for CPU', () => {
  const truth = taskStudy.truth({ workers: '4' });
  const limitWith = (
    /** @type {number} */ dispatcherMs,
    /** @type {number} */ apiMs,
    processes = 1,
  ) => {
    const workers = { demandMs: apiMs, processes: 2 };
    const dispatcher = { demandMs: dispatcherMs, processes };
    const components = { ...truth.components, workers, dispatcher };
    return limitOf({ ...taskStudy, factors: {} }, { ...truth, components });
  };
  const some = limitWith(2.5, 5.5);
  assert.equal(some.id, 'machine');
  assert.match(some.text, /2 API workers 1\.\d\d.*piles up before the stage dispatcher/);
  assert.doesNotMatch(some.text, /finds no core/);
  assert.equal(limitWith(2.5, 5.5, 4).id, 'machine', 'little each, much together');
  const hardlyAny = limitWith(0.4, 7.5);
  assert.deepEqual([hardlyAny.id, hardlyAny.component], ['stage', 'dispatcher']);
  const all = limitWith(4.85, 3);
  assert.deepEqual([all.id, all.component], ['stage', 'dispatcher']);
});

test('a generator that is late has sent enough where more comes in than is completed', () => {
  const sign = () => ({ id: /** @type {const} */ ('late'), text: 'worker 1 started users late' });
  const truth = { ...taskStudy.truth({ workers: '4' }), sign };
  const limit = limitOf({ ...taskStudy, factors: {} }, truth);
  assert.deepEqual([limit.id, limit.component], ['stage', 'dispatcher']);
});

test('a few waiting tasks below the end of a pipeline are no choke point', () => {
  const truth = taskStudy.truth({ workers: '4' });
  const probes = { 'tasks.inbox': () => 3, 'tasks.queued': () => 0 };
  const throughput = (/** @type {number} */ step) => 10 * step;
  const limit = limitOf(
    { ...taskStudy, factors: {} },
    { ...truth, throughput, dispatch: throughput, probes },
  );
  assert.equal(limit.id, 'none');
});

test('a proxy that sends everything to one backend is an imbalance', () => {
  const { variants } = judgeSpec(ingressStudy);
  assert.deepEqual(
    variants.map(({ limit }) => limit.id),
    ['component', 'imbalance'],
  );
  assert.match(variants[1]?.limit.text ?? '', /^One backend of 2 got all the work/);
});

test('an idle backend is seen by its CPU time where nothing tells who answered', () => {
  const truth = ingressStudy.truth({ balance: 'source' });
  const components = {
    'backend-1': { demandMs: 2.5, processes: 1 },
    'backend-2': { demandMs: 0.001, processes: 1 },
  };
  const report = judgeSpec({
    ...ingressStudy,
    factors: {},
    truth: () => ({ ...truth, components, shares: {} }),
  });
  assert.equal(report.variants[0]?.limit.id, 'imbalance');
  assert.ok(
    report.variants[0]?.fairness.some(({ of, jain }) => of === 'backends' && (jain ?? 1) < 0.6),
  );
  assert.ok(report.findings.some(({ id }) => id === 'unfair'));
});

test('uneven work is no limit on a full machine, nor where the load does not press', () => {
  const uneven = { backends: [9, 1] };
  const full = limitOf({}, { ...serveByWorkers(4, { demandMs: 3 }), shares: uneven });
  assert.equal(full.id, 'machine');
  const rising = {
    throughput: (/** @type {number} */ n) => 10 * n,
    components: idle,
    shares: uneven,
  };
  assert.equal(limitOf({ cpus: 4 }, rising).id, 'none');
});

test('one full worker beside idle ones is an imbalance', () => {
  const workers = { demandMs: 3, processes: 4, spread: [0.95, 0.02, 0.02, 0.01] };
  const truth = { throughput: riseTo({ mostPerSec: 330, minMs: 5 }), components: { workers } };
  const limit = limitOf({ cpus: 4 }, truth);
  assert.equal(limit.id, 'imbalance');
  assert.match(limit.text, /^One worker used 0\.9\d of a core and the other 3 together 0\.0\d/);
});

test('a container that is held back at its quota is limited by it', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 250, minMs: 5 }),
    components: { workers: { demandMs: 2, processes: 2 } },
    throttled: { quotaCores: 0.5, share: 0.8 },
  };
  assert.equal(limitOf({}, truth).id, 'quota');
  assert.notEqual(
    limitOf({}, { ...truth, throttled: { quotaCores: 0.5, share: 0.1 } }).id,
    'quota',
  );
});

test('sync workers that wait are limited by their number', () => {
  const limit = limitOf({ cpus: 4 }, { ...sleepy, components: idle });
  assert.equal(limit.id, 'slots');
  assert.match(limit.text, /^About 4\.\d are served at a time.*workers have 4/);
});

test('a number of connections in the study file that fits what is served at a time is named', () => {
  const components = { backend: { demandMs: 1, processes: 1 } };
  const spec = { cpus: 4, factors: { maxconn: ['4'] } };
  const limit = limitOf(spec, { ...sleepy, components });
  assert.equal(limit.id, 'connections');
  assert.match(limit.text, /maxconn is 4/);
});

test('refused connections beside idle CPU are a limit of connections', () => {
  const components = { haproxy: { demandMs: 0.5, processes: 1 } };
  const errorRate = (/** @type {number} */ step) => (step > 8 ? 0.1 : 0);
  const truth = { ...sleepy, components, errorRate, errorName: 'ECONNREFUSED' };
  const limit = limitOf({ cpus: 4 }, truth);
  assert.equal(limit.id, 'connections');
  assert.match(limit.text, /ECONNREFUSED/);
});

test('what requests wait for is taken from the run with a profile, and CPU comes first', () => {
  for (const id of ['database', 'external-call', 'pool', 'lock']) {
    const report = { limit: { id, text: `Requests wait for ${id}.`, evidence: [] }, profile: null };
    const components = { workers: { demandMs: 2, processes: 16 } };
    const limit = limitOf({ cpus: 4 }, { ...sleepy, components, report });
    assert.equal(limit.id, id);
    assert.match(limit.text, /The run with a profile says: Requests wait for/);
    assert.equal(limitOf({}, { ...serveByWorkers(2, { demandMs: 3 }), report }).id, 'machine');
  }
});

test('nothing is called a limit while throughput rises', () => {
  const truth = { throughput: (/** @type {number} */ n) => 10 * n, components: idle };
  const limit = limitOf({ cpus: 4 }, truth);
  assert.equal(limit.id, 'none');
  assert.match(limit.text, /step 32, the highest: throughput still rose/);
});

test('where no part is full it says so, and how to find out', () => {
  const components = { workers: { demandMs: 2, processes: 16 } };
  const limit = limitOf({ cpus: 4 }, { ...sleepy, components });
  assert.equal(limit.id, 'unknown');
  assert.match(limit.text, /no part that was recorded is full.*To find out: .*profile: plateau/);
});

test('one step tells what is full, and else that more steps are needed', () => {
  const one = { steps: [16] };
  assert.equal(limitOf(one, serveByWorkers(2, { demandMs: 3 })).id, 'machine');
  const limit = limitOf({ ...one, cpus: 4 }, { ...sleepy, components: idle });
  assert.equal(limit.id, 'unknown');
  assert.match(limit.text, /measure more steps/);
  assert.equal(
    limitOf({ ...one, cpus: 4 }, { ...sleepy, components: idle, shares: { backends: [1, 0] } }).id,
    'unknown',
  );
});

test('a generator that is busy before throughput levels off is the limit', () => {
  const sign = (/** @type {number} */ step) =>
    step >= 16
      ? { id: /** @type {const} */ ('busy'), text: 'worker 1 was busy 97 % of the time' }
      : null;
  const truth = {
    throughput: riseTo({ mostPerSec: 9000, minMs: 1 }),
    generatorMs: 0.1,
    sign,
    components: { nginx: { demandMs: 0.01 } },
  };
  const limit = limitOf({ cpus: 4 }, truth);
  assert.equal(limit.id, 'generator');
  assert.match(
    limit.text,
    /step 16 \(worker 1 was busy 97 % of the time\): the target takes at least/,
  );
});

test('a generator that is busy only after throughput levelled off hides nothing', () => {
  const sign = (/** @type {number} */ step) =>
    step >= 32 ? { id: /** @type {const} */ ('busy'), text: 'worker 1 was busy' } : null;
  assert.equal(limitOf({}, { ...serveByWorkers(1, { demandMs: 3 }), sign }).id, 'workers');
});

test('a generator that starves beside a full target is no limit of its own, of a quota it is', () => {
  const sign = () => ({ id: /** @type {const} */ ('starved'), text: 'worker 1 got no CPU' });
  const truth = { ...serveByWorkers(2, { demandMs: 3 }), sign };
  assert.equal(limitOf({ steps: [8, 16, 32] }, truth).id, 'machine');
  assert.equal(
    limitOf({ cpus: 4 }, { ...serveByWorkers(1, { demandMs: 3 }), sign }).id,
    'generator',
  );
});

test('a target that answers nothing well has no limit to be told', () => {
  const limit = limitOf({}, { throughput: () => 0, errorRate: () => 1, errorName: '500' });
  assert.equal(limit.id, 'unknown');
  assert.match(limit.text, /× 500/);
});

test('a generator that takes more of a full machine than the target is the limit, without any sign of its own', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 14_000, minMs: 0.2 }),
    components: { nginx: { demandMs: 0.03, most: 1 } },
    generatorMs: 0.09,
    otherCores: 0.37,
  };
  const limit = limitOf({}, truth);
  assert.equal(limit.id, 'generator');
  assert.match(
    limit.text,
    /the machine was full, and the generator took 1\.\d\d cores of it, the target 0\.4\d/,
  );
});

test('a machine that programs outside of the study fill says nothing of the target', () => {
  const truth = { ...serveByWorkers(1, { demandMs: 3 }), otherCores: 1.5 };
  const limit = limitOf({}, { ...truth, throughput: riseTo({ mostPerSec: 150, minMs: 4 }) });
  assert.equal(limit.id, 'unknown');
  assert.match(limit.text, /most of it was used by others than the target/);
});

test('users that are not let in are seen by what is under way, and by the number in the study file', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 240, minMs: 24 }),
    latencyMs: () => 24,
    components: { haproxy: { demandMs: 0.5, most: 1 } },
  };
  const limit = limitOf({ factors: { maxconn: ['6'] } }, truth);
  assert.equal(limit.id, 'connections');
  assert.match(limit.text, /^Only 5\.\d requests are under way however many users.*maxconn is 6/);
});

test('slots of each of several instances are counted together', () => {
  const backend = { demandMs: 0.3, processes: 1 };
  const components = { 'backend-1': backend, 'backend-2': backend };
  const limit = limitOf({ factors: { slots: ['2'] } }, { ...sleepy, components });
  assert.equal(limit.id, 'slots');
  assert.match(limit.text, /slots is 2 in each of 2/);
});

test('one of three backends that gets everything is seen in a handful of answers', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 40, minMs: 50 }),
    components: { haproxy: { demandMs: 0.5, most: 1 } },
    shares: { backends: [1, 0, 0] },
  };
  assert.equal(limitOf({ durationSec: 1, repeats: 1, steps: [1, 4, 8] }, truth).id, 'imbalance');
});

test('throughput that hardly rises any more is not said to have no limit', () => {
  const components = { workers: { demandMs: 2, processes: 16 } };
  const throughput = (/** @type {number} */ n) => 50 * n ** 0.15;
  const limit = limitOf({ cpus: 4, steps: [1, 4, 16] }, { throughput, components });
  assert.equal(limit.id, 'unknown');
  assert.match(limit.text, /throughput still rises.*go on with more load/);
});
