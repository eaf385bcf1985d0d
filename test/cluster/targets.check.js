/** Targets that a real Kubernetes tells, real load to them, and a study that waits for their pods. */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CoreV1Api } from '@kubernetes/client-node';
import { readError, runLoadflame } from '../helpers/run-loadflame.js';
import {
  describeAccount,
  describeApi,
  describeWorker,
  IMAGE,
  ROUTES,
  readRole,
} from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';

/** @import { Lab } from './lab/start-lab.js' */

const CLIENT = fileURLToPath(import.meta.resolve('@kubernetes/client-node'));
/** No router is in the lab: what its routes and ingresses name is served here. */
const HOST = 'localhost';

const obstacle = findObstacle();

describe('targets of a cluster', { skip: obstacle }, () => {
  /** @type {Lab} */
  let lab;
  const kubeconfigs = { reader: '', nobody: '' };
  const temp = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));
  const makeFolder = () => mkdtempSync(path.join(temp, 'run-'));
  /** @type {string[]} */
  const seen = [];
  const router = http.createServer(({ url = '' }, response) => {
    seen.push(url);
    response.end('{}');
  });

  before(async () => {
    await new Promise((resolve, reject) => {
      router.once('error', reject).listen(80, '127.0.0.1', () => resolve(undefined));
    });
    lab = await startLab();
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    await lab.apply(ROUTES);
    const roles = ['loadflame', 'loadflame-targets', 'loadflame-workers'];
    for (const role of roles) await lab.apply(readRole(role), 'shop');
    await lab.apply(describeAccount('reader', roles), 'shop');
    await lab.apply('{apiVersion: v1, kind: ServiceAccount, metadata: {name: nobody}}', 'shop');
    for (const name of ['one', 'two']) await lab.apply(describeApi(name, 1), 'shop');
    await lab.apply(WAYS_IN, 'shop');
    kubeconfigs.reader = lab.tokenConfig(await lab.issueToken('shop', 'reader'));
    kubeconfigs.nobody = lab.tokenConfig(await lab.issueToken('shop', 'nobody'));
    for (const name of ['one', 'two']) await balance(name);
  });
  after(async () => {
    router.close();
    await lab?.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  /** What a load balancer would do, where there is one: its address is that of a pod. @param {string} name */
  const balance = async name => {
    const core = lab.config.makeApiClient(CoreV1Api);
    await lab.apply(describeBalanced(name), 'shop');
    let ip = '';
    await waitFor(`pod of ${name}`, async () => {
      const namespace = 'shop';
      const { items } = await core.listNamespacedPod({ namespace, labelSelector: `app=${name}` });
      ip = items[0]?.status?.podIP ?? '';
      return items[0]?.status?.conditions?.some(
        one => one.type === 'Ready' && one.status === 'True',
      );
    });
    const at = { name: `balanced-${name}`, namespace: 'shop' };
    const body = await core.readNamespacedService(at);
    body.status = { loadBalancer: { ingress: [{ ip }] } };
    await core.replaceNamespacedServiceStatus({ ...at, body });
  };

  /** @param {string[]} addresses */
  const countServed = addresses =>
    Promise.all(
      addresses.map(async address => Number(await (await fetch(`${address}/count`)).text())),
    );
  /** @param {string} targets @param {Record<string, string>} [env] */
  const load = async (targets, env) => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(targets));
    const ended = await runLoadflame(folder, ['test', 'load.yaml'], {
      ...{ KUBECONFIG: kubeconfigs.reader, KUBE_NAMESPACE: 'shop' },
      ...env,
    });
    const [run = ''] = globSync('profiles/*/report.json', { cwd: folder });
    const report = run && JSON.parse(readFileSync(path.join(folder, run), 'utf8'));
    return { ...ended, folder, report };
  };

  test('services: each user takes the next one, by the address of its load balancer', async () => {
    const { exit, stderr, report } = await load('{services: {selector: app=shop}}');
    assert.equal(exit, 0, stderr);
    const { addresses, left } = report.run.targets;
    assert.equal(addresses.length, 2);
    assert.deepEqual(left, []);
    // The first one is asked before the load, too.
    assert.deepEqual(await countServed(addresses), [11, 10]);
    const rows = report.load.endpoints.map((/** @type {any} */ { name, requests }) => [
      name,
      requests,
    ]);
    assert.deepEqual(rows, [['GET /load', 20]]);
  });

  test('each worker in the cluster takes the next one, too', async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad('{services: {selector: app=shop}}'));
    writeFileSync(path.join(folder, 'pod.yaml'), JSON.stringify(describeWorker()));
    const size = ['--workers', '2', '--cpu', '300m', '--memory', '400Mi', '--wait', '120'];
    const args = ['cluster', 'run', 'load.yaml', ...size, '--image', IMAGE];
    const ended = await runLoadflame(folder, [...args, '--pod-file', 'pod.yaml'], {
      ...{ KUBECONFIG: kubeconfigs.reader, KUBE_NAMESPACE: 'shop' },
    });
    assert.equal(ended.exit, 0, ended.stderr);
    const [run = ''] = globSync('profiles/*/run.json', { cwd: folder });
    const { targets } = JSON.parse(readFileSync(path.join(folder, run), 'utf8'));
    assert.deepEqual(await countServed(targets.addresses), [11 + 11, 10 + 10]);
  });

  test('routes and ingresses: those that lead somewhere, with their paths', async () => {
    const routes = await load('{routes: {selector: app=shop}, hosts: [localhost]}');
    assert.equal(routes.exit, 0, routes.stderr);
    const { text, ...targets } = routes.report.run.targets;
    assert.match(text, /^http:\/\/localhost\/one, http:\/\/localhost\/two \(routes with app=shop/);
    assert.deepEqual(targets, {
      what: 'routes with app=shop in the namespace shop',
      addresses: ['http://localhost/one', 'http://localhost/two'],
      left: [
        { name: 'routes/new', why: 'no router has admitted it: HostAlreadyClaimed' },
        { name: 'routes/other', why: 'its host shop.example is not among `hosts`' },
      ],
    });
    const ingresses = await load('{ingresses: {selector: app=shop}}');
    assert.equal(ingresses.exit, 0, ingresses.stderr);
    assert.deepEqual(ingresses.report.run.targets.addresses, ['http://localhost/three']);
    const count = (/** @type {string} */ url) => seen.filter(one => one === url).length;
    const all = ['/one/load', '/two/load', '/three/load'].map(count);
    assert.deepEqual(all, [11, 10, 21]);
  });

  test('what is wrong is said with what to do', async () => {
    /** @type {[string, Record<string, string>, RegExp, RegExp][]} */
    const cases = [
      [
        '{routes: {selector: app=shop}}',
        { KUBECONFIG: kubeconfigs.nobody },
        /may not list routes\.route\.openshift\.io in the namespace shop/,
        /ask for the verb list/,
      ],
      [
        '{services: {selector: app=shopp}}',
        {},
        /services with app=shopp in the namespace shop: there are balanced-one \(app=shop\), balanced-two \(app=shop\), one \(no labels\), two \(no labels\)$/,
        /kubectl get services -n shop --show-labels/,
      ],
      [
        '{services: {selector: app=shop}}',
        { KUBECONFIG: lab.kubeconfig, KUBE_NAMESPACE: 'shopp' },
        /the cluster has no namespace shopp/,
        /KUBE_NAMESPACE/,
      ],
      ['{services: {selector: "app=,,"}}', {}, /status 400/, /./],
      [
        '{services: {selector: app=shop}}',
        { OIDC_ISSUER: 'http://127.0.0.1:1' },
        /its token would go to .*: services\/balanced-one \(its host balanced-one\.shop\.svc is not among `hosts`\), /,
        /hosts: \[/,
      ],
    ];
    for (const [targets, env, message, hint] of cases) {
      const { stderr, report } = await load(targets, env);
      const error = readError(stderr);
      assert.match(error.message ?? stderr, message);
      assert.match(error.hint ?? '', hint);
      assert.equal(report, '');
    }
    const { folder } = await load('{services: {selector: app=shop}}');
    const doctor = await runLoadflame(folder, ['doctor', 'load.yaml'], {
      ...{ KUBECONFIG: kubeconfigs.reader, KUBE_NAMESPACE: 'shop' },
    });
    assert.match(doctor.stdout, /ok +targets of load\.yaml: targets: http:\/\/10\.244\./);
    assert.match(doctor.stdout, /ok +target: http:\/\/10\.244\.[\d.]+:8080 responds/);
  });

  test('a study scales in batches, and goes on when all pods are ready', async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'scale.mjs'), SCALE);
    writeFileSync(path.join(folder, 'study.yaml'), describeStudy(process.execPath, lab.kubeconfig));
    const ended = await runLoadflame(folder, ['study', 'run', 'study.yaml'], {
      ...{ KUBECONFIG: kubeconfigs.reader, KUBE_NAMESPACE: 'shop' },
    });
    assert.equal(ended.exit, 0, ended.stdout + ended.stderr);
    const [log = ''] = globSync('profiles/*/services/prepare.log', { cwd: folder });
    assert.match(readFileSync(path.join(folder, log), 'utf8'), /^2 ready\n3 ready\n$/);
    const [run = ''] = globSync('profiles/*/runs/*/run.json', { cwd: folder });
    const { targets, target } = JSON.parse(readFileSync(path.join(folder, run), 'utf8'));
    assert.equal(target, 'http://localhost/one');
    assert.equal(targets.addresses.length, 2);
  });
});

const WAYS_IN = `
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: one, labels: {app: shop}}
spec: {host: ${HOST}, path: /one, to: {kind: Service, name: one}}
status: {ingress: [{host: ${HOST}, routerName: default, conditions: [{type: Admitted, status: "True"}]}]}
---
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: two, labels: {app: shop}}
spec: {host: ${HOST}, path: /two, to: {kind: Service, name: two}}
status: {ingress: [{host: ${HOST}, routerName: default, conditions: [{type: Admitted, status: "True"}]}]}
---
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: new, labels: {app: shop}}
spec: {host: ${HOST}, path: /one, to: {kind: Service, name: two}}
status:
  ingress:
    - host: ${HOST}
      conditions: [{type: Admitted, status: "False", reason: HostAlreadyClaimed}]
---
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: other, labels: {app: shop}}
spec: {host: shop.example, to: {kind: Service, name: two}, tls: {termination: edge}}
status: {ingress: [{host: shop.example, conditions: [{type: Admitted, status: "True"}]}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: three, labels: {app: shop}}
spec:
  rules:
    - host: ${HOST}
      http: {paths: [{path: /three, pathType: Prefix, backend: {service: {name: one, port: {number: 80}}}}]}
    - host: "*.shop.example"
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: one, port: {number: 80}}}}]}
`;

/** The lab has no kube-proxy: an address of a service leads nowhere there. @param {string} name */
function describeBalanced(name) {
  return `
apiVersion: v1
kind: Service
metadata: {name: balanced-${name}, labels: {app: shop}}
spec: {type: LoadBalancer, selector: {app: ${name}}, ports: [{name: web, port: 8080, targetPort: http}]}
`;
}

/** @param {string} targets */
function describeLoad(targets) {
  return `
config:
  loadflame: {targets: ${targets}}
  phases: [{duration: 2, arrivalCount: 20}]
scenarios: [{flow: [{get: {url: /load}}]}]
`;
}

/** As `kubectl scale` and `kubectl rollout status` would, two pods at a time. */
const SCALE = `
import { setTimeout as sleep } from 'node:timers/promises';
import { AppsV1Api, KubeConfig } from ${JSON.stringify(CLIENT)};
const config = new KubeConfig();
config.loadFromFile(process.argv[2]);
const apps = config.makeApiClient(AppsV1Api);
const at = { name: 'one', namespace: 'shop' };
const wanted = Number(process.env.STUDY_PODS);
for (let batch = Math.min(2, wanted); ; batch = Math.min(batch + 2, wanted)) {
  const body = await apps.readNamespacedDeploymentScale(at);
  body.spec = { replicas: batch };
  await apps.replaceNamespacedDeploymentScale({ ...at, body });
  for (;;) {
    const { status } = await apps.readNamespacedDeployment(at);
    if (status.readyReplicas === batch && status.updatedReplicas === batch) break;
    await sleep(500);
  }
  console.log(\`\${batch} ready\`);
  if (batch === wanted) break;
}
`;

/** @param {string} node @param {string} kubeconfig of who may scale */
function describeStudy(node, kubeconfig) {
  return `
title: How many pods?
factors: {pods: [3]}
target: {url: "http://${HOST}/one"}
targets: {services: {selector: app=shop}}
prepare: ${node} scale.mjs ${kubeconfig}
scenario: {scenarios: [{flow: [{get: {url: /load}}]}]}
load: {steps: [2]}
warmUp: 1s
duration: 2s
repeats: 1
`;
}
