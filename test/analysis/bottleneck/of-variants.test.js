import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneck } from '../../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../../lib/analysis/judge/bottleneck/gather-run.js';
import { ingressStudy, serveByWorkers, taskStudy } from '../../helpers/synthetic-study/examples.js';
import { bottleneckOf, judgeSpec } from '../../helpers/synthetic-study/judge-spec.js';
import { riseTo } from '../../helpers/synthetic-study/throughputs.js';
import { makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../facts.js';

const sleepy = { throughput: riseTo({ mostPerSec: 80, minMs: 50 }), generatorMs: 0.5 };
const idle = { workers: { demandMs: 2, processes: 4 } };

test('workers that fill a core each are the limit while another core is idle', () => {
  const bottleneck = bottleneckOf({}, serveByWorkers(1, { demandMs: 3 }));
  assert.equal(bottleneck.id, 'workers');
  assert.match(
    bottleneck.text.title,
    /^1 worker used 0\.9\d of a core: .* of 2 cores were idle\.$/,
  );
});

test('two busy workers beside the generator fill two cores, and a third worker finds none', () => {
  const bottleneck = bottleneckOf(
    {},
    serveByWorkers(2, { demandMs: 3, others: { postgres: { demandMs: 0.3 } } }),
  );
  assert.equal(bottleneck.id, 'machine');
  assert.match(
    bottleneck.text.title,
    /^The CPU is saturated, .* of 2 cores: 2 workers 1\.\d\d, load generator 0\.\d\d, PostgreSQL 0\.\d\d; no core is left for another worker\.$/,
  );
  assert.ok(bottleneck.text.evidence.some(({ label }) => label === 'machine'));
});

test('a full machine is the limit though each of many workers uses little of a core', () => {
  assert.equal(bottleneckOf({}, serveByWorkers(8, { demandMs: 3 })).id, 'machine');
});

test('one full worker is the limit though the generator fills the rest of the machine', () => {
  const bottleneck = bottleneckOf(
    {},
    {
      throughput: riseTo({ mostPerSec: 400, minMs: 4 }),
      components: { workers: { demandMs: 2.45, processes: 1 } },
      generatorMs: 2.2,
    },
  );
  assert.equal(bottleneck.id, 'workers');
  assert.match(bottleneck.text.title, /No core is left for another worker: the CPU is saturated/);
});

test('reports CPU of other programs beside a saturated CPU', () => {
  const truth = serveByWorkers(2, { demandMs: 3 });
  const bottleneck = bottleneckOf(
    {},
    { ...truth, throughput: riseTo({ mostPerSec: 330, minMs: 4 }), otherCores: 0.7 },
  );
  assert.equal(bottleneck.id, 'machine');
  assert.match(
    bottleneck.text.title,
    /background load 0\.7\d \(background load: not part of this study/,
  );
});

test('threads that share one core each while cores are idle are held up by the GIL', () => {
  const truth = serveByWorkers(1, { demandMs: 3 });
  const workers = { demandMs: 3, processes: 1, threads: 5 };
  const bottleneck = bottleneckOf({}, { ...truth, components: { workers } });
  assert.equal(bottleneck.id, 'gil');
  assert.match(bottleneck.text.title, /with 5 threads: Python runs one of them at a time/);
});

test('a single-threaded component that fills its core is named', () => {
  const bottleneck = bottleneckOf(
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
  assert.equal(bottleneck.id, 'component');
  assert.equal(bottleneck.component, 'redis');
  assert.match(bottleneck.text.title, /^Redis used 0\.9\d of the one core that it can use/);
});

test('a process with one thread is full at one core, even if the study file does not say so', () => {
  const components = { nginx: { demandMs: 0.5, processes: 1, threads: 1 } };
  const truth = {
    throughput: riseTo({ mostPerSec: 1960, minMs: 1 }),
    generatorMs: 0.1,
    components,
  };
  const bottleneck = bottleneckOf({ cpus: 4 }, truth);
  assert.equal(bottleneck.component, 'nginx');
  assert.match(bottleneck.text.title, /in its one process/);
  assert.notEqual(
    bottleneckOf({ cpus: 4 }, { ...truth, throughput: riseTo({ mostPerSec: 1400, minMs: 1 }) }).id,
    'component',
  );
});

test('a single dispatcher is found, and named with what waits before and behind it', () => {
  const { variants } = judgeSpec(taskStudy);
  const [one, ...more] = variants;
  assert.deepEqual([one?.bottleneck.id, one?.bottleneck.component], ['stage', 'workers']);
  for (const { bottleneck } of more) {
    assert.deepEqual([bottleneck.id, bottleneck.component], ['stage', 'dispatcher']);
    assert.match(bottleneck.text.title, /almost nothing behind it/);
    assert.match(bottleneck.text.title, /1 at a time, as many as with/);
    assert.ok(Math.abs((bottleneck.facts.choke?.growthPerSec?.value ?? 0) - 50) < 5);
  }
});

test('on a full machine a stage is called the limit only where its CPU time shows that it does not wait for CPU', () => {
  const truth = taskStudy.truth({ workers: '4' });
  const bottleneckWith = (
    /** @type {number} */ dispatcherMs,
    /** @type {number} */ apiMs,
    processes = 1,
  ) => {
    const workers = { demandMs: apiMs, processes: 2 };
    const dispatcher = { demandMs: dispatcherMs, processes };
    const components = { ...truth.components, workers, dispatcher };
    return bottleneckOf({ ...taskStudy, factors: {} }, { ...truth, components });
  };
  const some = bottleneckWith(2.5, 5.5);
  assert.equal(some.id, 'machine');
  assert.match(some.text.title, /2 API workers 1\.\d\d.*piles up before the stage dispatcher/);
  assert.doesNotMatch(some.text.title, /no core is left/);
  assert.equal(bottleneckWith(2.5, 5.5, 4).id, 'machine', 'little each, much together');
  const hardlyAny = bottleneckWith(0.4, 7.5);
  assert.deepEqual([hardlyAny.id, hardlyAny.component], ['stage', 'dispatcher']);
  const all = bottleneckWith(4.85, 3);
  assert.deepEqual([all.id, all.component], ['stage', 'dispatcher']);
});

test('a few waiting tasks below the end of a pipeline are not a choke point', () => {
  const truth = taskStudy.truth({ workers: '4' });
  const probes = { 'tasks.inbox': () => 3, 'tasks.queued': () => 0 };
  const throughput = (/** @type {number} */ step) => 10 * step;
  const bottleneck = bottleneckOf(
    { ...taskStudy, factors: {} },
    { ...truth, throughput, dispatch: throughput, probes },
  );
  assert.equal(bottleneck.id, 'none');
});

test('a proxy that sends everything to one backend is an imbalance', () => {
  const { variants } = judgeSpec(ingressStudy);
  assert.deepEqual(
    variants.map(({ bottleneck }) => bottleneck.id),
    ['component', 'imbalance'],
  );
  assert.match(variants[1]?.bottleneck.text.title ?? '', /^One instance of 2 got all the work/);
});

test('finds an idle backend by its CPU time if responses do not name it', () => {
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
  assert.equal(report.variants[0]?.bottleneck.id, 'imbalance');
});

test('uneven work is not a limit on a saturated CPU, or under a low load', () => {
  const uneven = { backends: [9, 1] };
  const full = bottleneckOf({}, { ...serveByWorkers(4, { demandMs: 3 }), shares: uneven });
  assert.equal(full.id, 'machine');
  const rising = {
    throughput: (/** @type {number} */ n) => 10 * n,
    components: idle,
    shares: uneven,
  };
  assert.equal(bottleneckOf({ cpus: 4 }, rising).id, 'none');
});

test('one full worker beside idle ones is an imbalance', () => {
  const workers = { demandMs: 3, processes: 4, spread: [0.95, 0.02, 0.02, 0.01] };
  const truth = { throughput: riseTo({ mostPerSec: 330, minMs: 5 }), components: { workers } };
  const bottleneck = bottleneckOf({ cpus: 4 }, truth);
  assert.equal(bottleneck.id, 'imbalance');
  assert.match(
    bottleneck.text.title,
    /^One worker used 0\.9\d of a core and the other 3 together 0\.0\d/,
  );
});

test('a container that is held back at its quota is limited by it', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 250, minMs: 5 }),
    components: { workers: { demandMs: 2, processes: 2 } },
    throttled: { quotaCores: 0.5, share: 0.8 },
  };
  assert.equal(bottleneckOf({}, truth).id, 'quota');
  assert.notEqual(
    bottleneckOf({}, { ...truth, throttled: { quotaCores: 0.5, share: 0.1 } }).id,
    'quota',
  );
});

test('sync workers that wait are limited by their number', () => {
  const bottleneck = bottleneckOf({ cpus: 4 }, { ...sleepy, components: idle });
  assert.equal(bottleneck.id, 'slots');
  assert.match(bottleneck.text.title, /^About 4\.\d are served at a time.*workers have 4/);
});

test('a number of connections in the study file that fits what is served at a time is named', () => {
  const components = { backend: { demandMs: 1, processes: 1 } };
  const spec = { cpus: 4, factors: { maxconn: ['4'] } };
  const bottleneck = bottleneckOf(spec, { ...sleepy, components });
  assert.equal(bottleneck.id, 'connections');
  assert.match(bottleneck.text.title, /maxconn is 4/);
});

test('refused connections beside idle CPU are a limit of connections', () => {
  const components = { haproxy: { demandMs: 0.5, processes: 1 } };
  const errorRate = (/** @type {number} */ step) => (step > 8 ? 0.1 : 0);
  const truth = { ...sleepy, components, errorRate, errorName: 'ECONNREFUSED' };
  const bottleneck = bottleneckOf({ cpus: 4 }, truth);
  assert.equal(bottleneck.id, 'connections');
  assert.match(bottleneck.text.title, /ECONNREFUSED/);
});

test('what requests wait for is taken from the run with a profile, and CPU comes first', () => {
  for (const id of ['database', 'external-call', 'pool', 'lock']) {
    const load = makeLoad({ model: 'closed', users: 8, inFlight: () => 7.8 });
    const recorded = makeRecorded({ waits: makeWaits({ [id]: 0.9, cpu: 0.1 }) });
    const own = findBottleneck(gatherRunFacts({ run: makeRunInfo(), load, ...recorded }));
    const report = { bottleneck: own, profile: null };
    const components = { workers: { demandMs: 2, processes: 16 } };
    const bottleneck = bottleneckOf({ cpus: 4 }, { ...sleepy, components, report });
    assert.equal(bottleneck.id, id);
    assert.match(bottleneck.text.title, /The run with a profile shows: Requests wait for/);
    assert.equal(bottleneckOf({}, { ...serveByWorkers(2, { demandMs: 3 }), report }).id, 'machine');
  }
});

test('nothing is called a limit while throughput rises', () => {
  const truth = { throughput: (/** @type {number} */ n) => 10 * n, components: idle };
  const bottleneck = bottleneckOf({ cpus: 4 }, truth);
  assert.equal(bottleneck.id, 'none');
  assert.match(bottleneck.text.title, /step 32, the highest: throughput still rose/);
});

test('reports that no part is full, and how to find out more', () => {
  const components = { workers: { demandMs: 2, processes: 16 } };
  const bottleneck = bottleneckOf({ cpus: 4 }, { ...sleepy, components });
  assert.equal(bottleneck.id, 'unknown');
  assert.match(bottleneck.text.title, /no recorded part is full.*To find out: .*profile: plateau/);
});

test('one step shows the full part, or that more steps are needed', () => {
  const one = { steps: [16] };
  assert.equal(bottleneckOf(one, serveByWorkers(2, { demandMs: 3 })).id, 'machine');
  const bottleneck = bottleneckOf({ ...one, cpus: 4 }, { ...sleepy, components: idle });
  assert.equal(bottleneck.id, 'unknown');
  assert.match(bottleneck.text.title, /measure more steps/);
  assert.equal(
    bottleneckOf({ ...one, cpus: 4 }, { ...sleepy, components: idle, shares: { backends: [1, 0] } })
      .id,
    'unknown',
  );
});

test('a target without good responses has an unknown limit', () => {
  const bottleneck = bottleneckOf(
    {},
    { throughput: () => 0, errorRate: () => 1, errorName: '500' },
  );
  assert.equal(bottleneck.id, 'unknown');
  assert.match(bottleneck.text.title, /× 500/);
});

test('a machine that programs outside of the study fill says nothing of the target', () => {
  const truth = { ...serveByWorkers(1, { demandMs: 3 }), otherCores: 1.5 };
  const bottleneck = bottleneckOf(
    {},
    { ...truth, throughput: riseTo({ mostPerSec: 150, minMs: 4 }) },
  );
  assert.equal(bottleneck.id, 'unknown');
  assert.match(bottleneck.text.title, /^Background load saturated the CPU/);
});

test('detects users that are not admitted by the requests in progress, and by the number in the study file', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 240, minMs: 24 }),
    latencyMs: () => 24,
    components: { haproxy: { demandMs: 0.5, most: 1 } },
  };
  const bottleneck = bottleneckOf({ factors: { maxconn: ['6'] } }, truth);
  assert.equal(bottleneck.id, 'connections');
  assert.match(
    bottleneck.text.title,
    /^Only 5\.\d requests are in progress however many users.*maxconn is 6/,
  );
});

test('slots of each of several instances are counted together', () => {
  const backend = { demandMs: 0.3, processes: 1 };
  const components = { 'backend-1': backend, 'backend-2': backend };
  const bottleneck = bottleneckOf({ factors: { slots: ['2'] } }, { ...sleepy, components });
  assert.equal(bottleneck.id, 'slots');
  assert.match(bottleneck.text.title, /slots is 2 in each of 2/);
});

test('finds that one of three backends gets everything in a handful of responses', () => {
  const truth = {
    throughput: riseTo({ mostPerSec: 40, minMs: 50 }),
    components: { haproxy: { demandMs: 0.5, most: 1 } },
    shares: { backends: [1, 0, 0] },
  };
  assert.equal(
    bottleneckOf({ durationSec: 1, repeats: 1, steps: [1, 4, 8] }, truth).id,
    'imbalance',
  );
});

test('throughput that hardly rises any more is not said to have no limit', () => {
  const components = { workers: { demandMs: 2, processes: 16 } };
  const throughput = (/** @type {number} */ n) => 50 * n ** 0.15;
  const bottleneck = bottleneckOf({ cpus: 4, steps: [1, 4, 16] }, { throughput, components });
  assert.equal(bottleneck.id, 'unknown');
  assert.match(bottleneck.text.title, /throughput still rises.*continue with more load/);
});

test('a run says the same as a study where background load uses most of a full machine', () => {
  const truth = { ...serveByWorkers(1, { demandMs: 3 }), otherCores: 1.5 };
  const ofStudy = bottleneckOf({}, { ...truth, throughput: riseTo({ mostPerSec: 150, minMs: 4 }) });
  const recorded = makeRecorded({ cores: [0.45], hostCores: 1.99 });
  Object.assign(recorded.cpu, { generatorCores: 0.07, pySpyCores: 0.05 });
  const load = makeLoad({ model: 'closed', users: 8, inFlight: () => 7.8 });
  const ofRun = findBottleneck(gatherRunFacts({ run: makeRunInfo(2), load, ...recorded }));
  for (const { id, facts } of [ofStudy, ofRun])
    assert.deepEqual([id, facts.why], ['unknown', 'background-load']);
});

test('a run and a study with one step agree on workers that fill a machine beside the generator', () => {
  const ofStudy = bottleneckOf({ steps: [16] }, serveByWorkers(2, { demandMs: 3 }));
  const recorded = makeRecorded({ cores: [0.82, 0.84], hostCores: 1.97 });
  Object.assign(recorded.cpu, { generatorCores: 0.25, pySpyCores: 0.05 });
  const load = makeLoad({ model: 'closed', users: 8, inFlight: () => 7.8 });
  const ofRun = findBottleneck(gatherRunFacts({ run: makeRunInfo(2), load, ...recorded }));
  assert.deepEqual([ofStudy.id, ofRun.id], ['machine', 'machine']);
  assert.ok(ofRun.facts.areWorkersFull, 'what a fix would bring can be estimated all the same');
});
