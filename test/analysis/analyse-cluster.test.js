import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findThrottledTarget } from '../../lib/analysis/judge/findings/machine.js';
import { analyseCluster } from '../../lib/analysis/load/analyse-cluster.js';
import { measurePodThrottling } from '../../lib/analysis/profile/throttling.js';
import { CLUSTER_FINDINGS, describeCluster } from '../../lib/text/cluster.js';
import { recordsOf } from '../helpers/records.js';
import { wordsOf } from '../helpers/words.js';

const RANGE = { startMs: 100_000, endMs: 160_000 };
const START = { kind: 'cluster-start', t: 90_000, namespace: 'shop', selector: 'app=api' };

/** @param {number} t @param {Record<string, any>} [changes] @param {Record<string, any>} [container] */
function pod(t, changes = {}, container = {}) {
  const web = { name: 'web', isReady: true, restarts: 0, waiting: null, last: null, ...container };
  return { kind: 'pod', t, name: 'api-1', isReady: true, containers: [web], ...changes };
}
/** @param {Record<string, any>[]} records */
function analyse(...records) {
  const report = analyseCluster(recordsOf('cluster', [START, ...records]), RANGE);
  assert.ok(report);
  return report;
}

test('restarts are those of the load, each with its reason', () => {
  const oom = { reason: 'OOMKilled', exitCode: 137, endedAtMs: 107_000 };
  // of a clock that is off by an hour: when it was seen is nearer to the truth
  const error = { reason: 'Error', exitCode: 137, endedAtMs: 3_700_000 };
  const killing = {
    kind: 'event',
    t: 150_000,
    object: 'Pod/api-1',
    reason: 'Killing',
    message: 'Container web failed liveness probe, will be restarted',
    count: 1,
  };
  const records = [
    pod(90_000, {}, { restarts: 3 }),
    pod(95_000, {}, { restarts: 4, last: error }),
    pod(110_000, {}, { restarts: 5, last: oom }),
    pod(145_000, {}, { restarts: 7, last: error }),
    pod(170_000, {}, { restarts: 8, last: error }),
  ];
  const reasonsOf = (/** @type {Record<string, any>[]} */ ...more) =>
    analyse(...records, ...more).pods[0]?.restarts.map(one => [one.reason, one.count, one.afterMs]);
  assert.deepEqual(reasonsOf(), [
    ['oom', 1, 7000],
    ['error', 2, 45_000],
  ]);
  assert.deepEqual(reasonsOf(killing)?.[1], ['probe', 2, 45_000]);
  assert.deepEqual(reasonsOf({ ...killing, message: 'Stopping container web' })?.[1]?.[0], 'error');
});

test('a pod that came during the load has had all of its restarts in it', () => {
  const [came] = analyse(
    pod(120_000, { isReady: false }, { restarts: 1 }),
    pod(126_000, {}, { restarts: 1 }),
  ).pods;
  assert.deepEqual(
    came?.restarts.map(({ count, reason }) => [count, reason]),
    [[1, 'unknown']],
  );
  assert.equal(came?.cameAfterMs, 20_000);
  assert.equal(came?.notReadyMs, 6000);
});

test('leaves out pods that ended before the load or came after it', () => {
  const { podCount } = analyse(
    pod(90_000, { name: 'old' }),
    { kind: 'pod-gone', t: 95_000, name: 'old' },
    pod(90_000),
    pod(161_000, { name: 'new' }),
  );
  assert.equal(podCount, 1);
});

test('counts the CPU of windows at least half inside the load', () => {
  const usage = (/** @type {number} */ atMs, /** @type {number} */ cpuCores) => {
    return {
      kind: 'usage',
      t: atMs + 9000,
      name: 'api-1',
      startMs: atMs - 20_000,
      endMs: atMs,
      cpuCores,
      memoryBytes: 1e6,
    };
  };
  const [one] = analyse(
    pod(90_000),
    usage(105_000, 9),
    usage(115_000, 1),
    usage(160_000, 2),
    usage(171_000, 9),
  ).pods;
  assert.deepEqual(one?.usage, {
    cpuCores: { mean: 1.5, max: 2 },
    memoryBytes: { max: 1e6 },
    windowMs: 20_000,
  });
});

test('lists what was not recorded, without figures', () => {
  const failed = { kind: 'failed', part: 'pods', why: 'failed', verb: 'list', resource: 'pods' };
  const report = analyse(
    pod(90_000),
    { ...failed, t: 120_000 },
    { kind: 'back', t: 130_000, part: 'pods' },
  );
  const { sentences, unseen } = describeCluster(report);
  assert.ok(!sentences.join(' ').includes('none restarted'), sentences.join(' '));
  assert.match(unseen[0] ?? '', /^Not always seen: pods, because the/);
  assert.match(describeCluster(analyse(pod(90_000))).sentences.join(' '), /none restarted/);
  // before the load, and seen again by then
  const early = analyse({ ...failed, t: 91_000 }, { kind: 'back', t: 95_000, part: 'pods' });
  assert.deepEqual(early.unseen, []);
});

test('a run without a cluster reports none', () => {
  assert.equal(analyseCluster([], RANGE), null);
});

test('shows the first, last, smallest and largest number of replicas when it changes', () => {
  const replicas = (/** @type {number} */ t, /** @type {number} */ desired) => {
    return { kind: 'replicas', t, desired, ready: desired };
  };
  const titleOf = (/** @type {number[]} */ ...sizes) => {
    const records = sizes.map((size, at) => replicas(99_000 + 10_000 * at, size));
    const { replicas: steps } = analyse(pod(90_000), ...records);
    const facts = { steps, workload: 'api' };
    return CLUSTER_FINDINGS['replicas-changed'](/** @type {any} */ (facts)).title;
  };
  assert.match(titleOf(3, 2, 3), /: from 3 to 3 \(at least 2, at most 3\)\.$/);
  assert.match(titleOf(3, 4, 5, 3), /: from 3 to 3 \(at least 3, at most 5\)\.$/);
  assert.match(titleOf(3, 5), /: from 3 to 5 \(at least 3, at most 5\)\.$/);
});

test('restarts of all pods are counted, however many there are', () => {
  const pods = Array.from({ length: 60 }, (_, index) => `api-${index}`);
  const report = analyse(
    ...pods.map(name => pod(90_000, { name })),
    ...pods.map(name => pod(110_000, { name }, { restarts: 1 })),
  );
  assert.equal(report.podCount, 60);
  assert.match(describeCluster(report).sentences.join(' '), /\b60 restarted|60 restarts/);
});

test('how often a quota ran out is counted over the load, and over restarts of the container', () => {
  const look = (/** @type {number} */ t, /** @type {[number, number, number]} */ counts) => {
    const [periods, throttled, throttledMs] = counts;
    const about = { kind: 'throttling', name: 'api-1', container: 'web' };
    return { ...about, t, periods, throttled, throttledMs };
  };
  const limited = pod(90_000, {}, { cpuLimitCores: 0.5 });
  const looks = [
    look(80_000, [1000, 900, 90_000]),
    look(95_000, [1010, 900, 90_000]),
    look(110_000, [1110, 950, 95_000]),
    // restarted: it counts anew
    look(130_000, [40, 10, 1000]),
    look(165_000, [140, 40, 4000]),
    look(175_000, [940, 840, 90_000]),
  ];
  const throttlingOf = (/** @type {Record<string, any>[]} */ ...records) =>
    analyse(...records).pods[0]?.throttling;
  assert.deepEqual(throttlingOf(limited, ...looks), {
    container: 'web',
    quotaCores: 0.5,
    periods: 240,
    share: 90 / 240,
    throttledMs: 9000,
  });
  assert.equal(throttlingOf(limited, look(95_000, [10, 0, 0])), null, 'one look tells no growth');
  assert.equal(throttlingOf(pod(90_000), ...looks), null, 'no quota');
});

test('pods that reached their quotas are reported together, with the worst one', () => {
  const pods = [0.6, 0].map((share, index) => {
    const throttling = { container: 'web', quotaCores: 1, share, periods: 100, throttledMs: 50 };
    return /** @type {any} */ ({ name: `api-${index}`, throttling });
  });
  const target = measurePodThrottling(/** @type {any} */ ({ pods }));
  assert.equal(target?.share, 0.3);
  assert.deepEqual(target?.pods, { of: 2, most: { name: 'api-0', share: 0.6 } });
  const facts = /** @type {any} */ ({ load: {}, throttling: { generator: null, target } });
  const [found] = findThrottledTarget(facts);
  assert.equal(found?.severity, 'bad');
  assert.match(wordsOf(found).title, /^Pod api-0 ran into its CPU quota .* in 60\.0 %/);
  const calm = measurePodThrottling(/** @type {any} */ ({ pods: pods.slice(1) }));
  assert.deepEqual(findThrottledTarget({ ...facts, throttling: { target: calm } }), []);
});
