import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  leadsTo,
  readEvent,
  readOwner,
  readPod,
  readSelector,
  readService,
  readUsage,
} from '../../../lib/base/kubernetes/read-objects.js';

test('quantities are read as Kubernetes writes them', () => {
  const cases = [
    ['250m', 0.25],
    ['2', 2],
    ['12345678n', 0.012345678],
    ['1500u', 0.0015],
    ['much', 0],
  ];
  for (const [cpu, cores] of cases) {
    const { cpuCores } = readUsage({ containers: [{ usage: { cpu, memory: '0' } }] });
    assert.ok(Math.abs(cpuCores - Number(cores)) < 1e-12, `${cpu}: ${cpuCores}`);
  }
  const limits = ['128Mi', '1Gi', '1e9', '500M', '129536Ki', undefined];
  assert.deepEqual(
    limits.map(memory => {
      const spec = { containers: [{ name: 'web', resources: { limits: { memory } } }] };
      return readPod({ spec }).containers[0]?.memoryLimitBytes;
    }),
    [134217728, 1073741824, 1e9, 5e8, 132644864, null],
  );
});

test('CPU and memory of a pod are the sums of its containers, with their window', () => {
  const containers = [
    { name: 'web', usage: { cpu: '120m', memory: '100Mi' } },
    { name: 'proxy', usage: { cpu: '30m', memory: '20Mi' } },
  ];
  const metadata = { name: 'api-1' };
  assert.deepEqual(
    readUsage({ metadata, timestamp: '2026-11-21T04:15:17Z', window: '1m0.5s', containers }),
    {
      name: 'api-1',
      startMs: Date.UTC(2026, 10, 21, 4, 14, 16, 500),
      endMs: Date.UTC(2026, 10, 21, 4, 15, 17),
      cpuCores: 0.15,
      memoryBytes: 120 * 2 ** 20,
    },
  );
});

test('records keep what names an endpoint: address, ports, and what a service leads to', () => {
  const spec = { containers: [{ name: 'web', ports: [{ name: 'http', containerPort: 8080 }] }] };
  const pod = readPod({ spec, status: { podIP: '10.1.2.3' } });
  assert.deepEqual(
    [pod.ip, pod.containers[0]?.ports],
    ['10.1.2.3', [{ name: 'http', port: 8080 }]],
  );
  const ports = [{ name: 'web', port: 80, targetPort: 'http' }, { port: 81 }];
  assert.deepEqual(readService({ spec: { ports } }).ports, [
    { name: 'web', target: 'http' },
    { name: '', target: '81' },
  ]);
});

test('a service leads to the pods that have all labels of its selector', () => {
  const labels = { app: 'api', tier: 'web' };
  const leads = (/** @type {any} */ selector) => leadsTo({ spec: { selector } }, labels);
  assert.ok(leads({ app: 'api' }));
  for (const other of [{ app: 'api', tier: 'db' }, {}, undefined]) assert.ok(!leads(other));
});

test('what a cluster leaves out is not known, and no error', () => {
  assert.deepEqual(readPod({}), {
    name: '',
    uid: '',
    ip: null,
    node: null,
    phase: '',
    isReady: false,
    isEnding: false,
    containers: [],
  });
  assert.equal(readEvent({}).count, 1);
  assert.deepEqual(readService({}), { name: '', ports: [] });
  assert.equal(readOwner({}), null);
});

test('a selector is written as a list of pods takes it', () => {
  const matchExpressions = [
    { key: 'tier', operator: 'In', values: ['web', 'api'] },
    { key: 'old', operator: 'DoesNotExist' },
    { key: 'new', operator: 'Exists' },
    { key: 'env', operator: 'NotIn', values: ['prod'] },
  ];
  assert.equal(
    readSelector({ spec: { selector: { matchLabels: { app: 'api' }, matchExpressions } } }),
    'app=api,tier in (web,api),!old,new,env notin (prod)',
  );
  // OpenShift's own kind has labels alone
  assert.equal(readSelector({ spec: { selector: { app: 'api', dc: 'api' } } }), 'app=api,dc=api');
});

test('finds the workload of a pod by its owner', () => {
  const of = (/** @type {string} */ kind, /** @type {string} */ name, labels = {}) =>
    readOwner({ metadata: { ownerReferences: [{ kind, name }], labels } });
  const deployment = of('ReplicaSet', 'api-7c9f', { 'pod-template-hash': '7c9f' });
  assert.deepEqual(deployment, { resource: 'deployments', name: 'api' });
  assert.equal(of('ReplicaSet', 'api-7c9f'), null);
  assert.deepEqual(of('ReplicationController', 'api-3', { deploymentconfig: 'api' }), {
    resource: 'deploymentconfigs',
    name: 'api',
  });
});
