/**
 * OpenShift's own kind of workload. No OpenShift was there to ask: its answers are as others have recorded and published
 * them (a DeploymentConfig with its status, as its ReplicationController keeps it in an annotation; a pod of one), with
 * names of ours and without what is not read here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPods } from '../../../lib/base/kubernetes/find-pods.js';
import { startClusterRecorder } from '../../../lib/record/cluster/recorder.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { connect, serve } from './fake-api.js';

const CONFIG = {
  kind: 'DeploymentConfig',
  apiVersion: 'apps.openshift.io/v1',
  metadata: { name: 'api', namespace: 'shop', generation: 3, labels: { app: 'api-persistent' } },
  spec: {
    strategy: { type: 'Rolling', resources: {}, activeDeadlineSeconds: 21600 },
    triggers: [{ type: 'ConfigChange' }],
    replicas: 2,
    revisionHistoryLimit: 10,
    test: false,
    selector: { name: 'api' },
    template: { metadata: { labels: { name: 'api' } } },
  },
  status: {
    latestVersion: 2,
    observedGeneration: 3,
    replicas: 2,
    updatedReplicas: 2,
    availableReplicas: 1,
    unavailableReplicas: 1,
    details: { message: 'config change', causes: [{ type: 'ConfigChange' }] },
    conditions: [
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicationControllerAvailable',
        message: 'replication controller "api-2" successfully rolled out',
      },
      {
        type: 'Available',
        status: 'True',
        message: 'Deployment config has minimum availability.',
      },
    ],
    readyReplicas: 1,
  },
};

/** @param {string} name */
function describePod(name) {
  const owner = { apiVersion: 'v1', kind: 'ReplicationController', name: 'api-2' };
  return {
    kind: 'Pod',
    metadata: {
      ...{ name, generateName: 'api-2-', namespace: 'shop', uid: `uid-${name}` },
      labels: { deployment: 'api-2', deploymentconfig: 'api', name: 'api' },
      annotations: {
        'openshift.io/deployment-config.latest-version': '2',
        'openshift.io/deployment-config.name': 'api',
        'openshift.io/deployment.name': 'api-2',
        'openshift.io/scc': 'restricted',
      },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: { containers: [{ name: 'web', resources: { limits: { memory: '800Mi' } } }] },
    status: {
      phase: 'Running',
      containerStatuses: [
        { name: 'web', ready: true, restartCount: 0, state: { running: {} }, lastState: {} },
      ],
    },
  };
}

/** One more of each at a later look. @param {boolean} isLater */
function describeEvents(isLater) {
  return [
    ['DeploymentConfig', 'api', 'DeploymentCreated', 'Created new replication controller "api-2"'],
    ['ReplicationController', 'api-2', 'SuccessfulCreate', 'Created pod: api-2-qh85r'],
    ['Pod', 'other-1-x2x4z', 'Killing', 'Stopping container web'],
  ].map(([kind, name, reason, message]) => ({
    ...{ metadata: { uid: `${kind}-${reason}` }, involvedObject: { kind, name }, reason, message },
    ...{ type: 'Normal', count: isLater ? 2 : 1, lastTimestamp: new Date().toISOString() },
  }));
}

/**
 * A namespace in which one of two pods is not ready at first.
 * @param {() => boolean} isLater
 * @returns {(url: string) => [number, string]}
 */
function answerWith(isLater) {
  const status = { ...CONFIG.status, availableReplicas: 2, readyReplicas: 2 };
  const readConfig = () => (isLater() ? { ...CONFIG, status } : CONFIG);
  const pods = ['api-2-qh85r', 'api-2-w2k9d'].map(describePod);
  /** @type {[RegExp, () => unknown][]} */
  const answers = [
    [/^\/apis\/apps\.openshift\.io\/v1\/namespaces\/shop\/deploymentconfigs\/api$/, readConfig],
    [/^\/api\/v1\/namespaces\/shop\/pods\?labelSelector=name%3Dapi$/, () => ({ items: pods })],
    [/\/shop\/events\?/, () => ({ items: describeEvents(isLater()) })],
    [/\/shop\/services$/, () => ({ items: [] })],
    [/^\/apis\/metrics\.k8s\.io\//, () => ({ items: [] })],
    [/\/pods\/[^/]+\/log\?/, () => ''],
  ];
  return url => {
    const [, answer] = answers.find(([pattern]) => pattern.test(url)) ?? [];
    return answer ? [200, JSON.stringify(answer())] : [404, '{}'];
  };
}

test('a DeploymentConfig names its pods by its labels, and its pods name it', async t => {
  const server = await serve(
    t,
    answerWith(() => false),
  );
  /** @type {Record<string, string>[]} */
  const ways = [{ KUBE_WORKLOAD: 'dc/api' }, { KUBE_SELECTOR: 'name=api' }];
  for (const settings of ways) {
    const { cluster, config } = await connect(t, server, settings);
    const { selector, workload, items } = await findPods(cluster, config);
    assert.deepEqual(workload, { resource: 'deploymentconfigs', name: 'api' });
    assert.deepEqual([selector, items.length], ['name=api', 2]);
  }
});

test('a run records the replicas of a DeploymentConfig, and events of it and of its controllers', async t => {
  let isLater = false;
  const server = await serve(
    t,
    answerWith(() => isLater),
  );
  const { config, redactor } = await connect(t, server, { KUBE_WORKLOAD: 'deploymentconfig/api' });
  const files = createRunFolder(makeTempFolder(t), 'run');
  const recorder = await startClusterRecorder({
    ...{ config, files, redactor, onNote: () => {} },
    openLog: () => ({ add: () => {}, close: () => {} }),
  });
  isLater = true;
  await recorder.stop();
  const { records } = await readNdjson(files.cluster);
  const of = (/** @type {string} */ kind) => records.filter(one => one.kind === kind);
  const [start] = of('cluster-start');
  assert.deepEqual([start?.workload, start?.selector], ['api', 'name=api']);
  assert.deepEqual(
    of('replicas').map(({ desired, ready }) => [desired, ready]),
    [
      [2, 1],
      [2, 2],
    ],
  );
  assert.deepEqual(
    of('event').map(({ object, reason, count }) => [object, reason, count]),
    [
      ['DeploymentConfig/api', 'DeploymentCreated', 1],
      ['ReplicationController/api-2', 'SuccessfulCreate', 1],
    ],
  );
  assert.deepEqual(of('failed'), []);
  assert.deepEqual(
    of('pod').map(({ name }) => name),
    ['api-2-qh85r', 'api-2-w2k9d'],
  );
});

test('a cluster without that kind, and a login that may not see it, are errors that name it', async t => {
  /** @type {[number, string, string, RegExp][]} */
  const cases = [
    [404, '404 page not found', 'KUBE_API_MISSING', /only OpenShift has .*deploymentconfigs/],
    [403, '{}', 'KUBE_FORBIDDEN', /the verb get on deploymentconfigs\.apps\.openshift\.io/],
  ];
  for (const [status, body, code, hint] of cases) {
    const server = await serve(t, () => [status, body]);
    const { cluster, config } = await connect(t, server, { KUBE_WORKLOAD: 'dc/api' });
    await assert.rejects(findPods(cluster, config), (/** @type {any} */ error) => {
      assert.equal(error.code, code);
      assert.match(error.message, /deploymentconfigs\.apps\.openshift\.io/);
      assert.match(error.hint, hint);
      return true;
    });
  }
});
