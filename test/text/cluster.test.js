import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLUSTER_FINDINGS, describeCluster } from '../../lib/text/cluster.js';
import { analyse, pod, restartAll } from '../analysis/load/make-cluster.js';

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

test('counts the restarts of all pods, however many there are', () => {
  const { sentences } = describeCluster(analyse(...restartAll(60)));
  assert.match(sentences.join(' '), /\b60 restarted|60 restarts/);
});
