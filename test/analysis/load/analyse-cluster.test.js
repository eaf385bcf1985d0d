import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findThrottledTarget } from '../../../lib/analysis/judge/findings/machine.js';
import { analyseCluster } from '../../../lib/analysis/load/analyse-cluster.js';
import { measurePodThrottling } from '../../../lib/analysis/profile/throttling.js';
import { wordsOf } from '../../helpers/words.js';
import { analyse, pod, RANGE, restartAll } from './make-cluster.js';

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

test('keeps what was not recorded during the load, and not what was back before it', () => {
  const failed = { kind: 'failed', part: 'pods', why: 'failed', verb: 'list', resource: 'pods' };
  const during = analyse(
    pod(90_000),
    { ...failed, t: 120_000 },
    { kind: 'back', t: 130_000, part: 'pods' },
  );
  assert.deepEqual(
    during.unseen.map(({ part }) => part),
    ['pods'],
  );
  const early = analyse({ ...failed, t: 91_000 }, { kind: 'back', t: 95_000, part: 'pods' });
  assert.deepEqual(early.unseen, []);
});

test('restarts of all pods are counted, however many there are', () => {
  const report = analyse(...restartAll(60));
  assert.equal(report.podCount, 60);
  assert.ok(report.pods.length === 60 && report.pods.every(own => own.restarts[0]?.count === 1));
});

test('a run without a cluster reports none', () => {
  assert.equal(analyseCluster([], RANGE), null);
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
