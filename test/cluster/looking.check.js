/**
 * What a run sees of the pods of a real Kubernetes, with the Role of docs/openshift.md. Not part of `npm test`:
 * `npm run test:slow cluster` builds Kubernetes once.
 */
import assert from 'node:assert/strict';
import { createPrivateKey, sign } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AppsV1Api, CoreV1Api } from '@kubernetes/client-node';
import { listen } from '../helpers/listen.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { describeAccount, describeApi, readRole } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';

/** @import { Lab } from './lab/start-lab.js' */

const LIMIT_BYTES = 160 * 2 ** 20;
const DURATION_SEC = 40;
/** The lab has no DNS, and the kubelet says so whenever it looks at a pod. */
const DNS = 'MissingClusterDNS';
const SETTINGS = { KUBE_NAMESPACE: 'shop', KUBE_WORKLOAD: 'deployment/api' };

const obstacle = findObstacle();

describe('pods of a cluster', { skip: obstacle }, () => {
  /** @type {Lab} */
  let lab;
  /** @type {CoreV1Api} */
  let core;
  /** Of the account with the documented Role. */
  let token = '';
  const temp = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));
  const makeFolder = () => mkdtempSync(path.join(temp, 'run-'));

  before(async () => {
    lab = await startLab();
    core = lab.config.makeApiClient(CoreV1Api);
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    for (const role of ['loadflame', 'loadflame-exec']) await lab.apply(readRole(role), 'shop');
    await lab.apply(describeAccount('reader', ['loadflame', 'loadflame-exec']), 'shop');
    await lab.apply(describeNarrow(), 'shop');
    await lab.apply(describeAccount('narrow', ['narrow']), 'shop');
    await lab.apply('{apiVersion: v1, kind: ServiceAccount, metadata: {name: nobody}}', 'shop');
    await lab.apply(describeApi('api', 3), 'shop');
    await lab.apply(AUTOSCALER, 'shop');
    token = await lab.issueToken('shop', 'reader');
    await waitFor('pods', async () => (await lab.listReady('api')).length === 3);
    // metrics-server knows a pod some seconds after its start
    await waitFor('metrics', async () => {
      const { exit, stdout } = await doctor(token);
      return exit === 0 && /may list pods\.metrics/.test(stdout);
    });
  });
  after(async () => {
    await lab?.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  /** How often the cluster has said that there is no DNS. @param {string | undefined} pod */
  const countWarnings = async pod =>
    (await core.listNamespacedEvent({ namespace: 'shop' })).items
      .filter(({ reason, involvedObject }) => reason === DNS && involvedObject.name === pod)
      .reduce((sum, { count }) => sum + (count ?? 1), 0);
  /** @param {string} own @param {Record<string, string>} [env] */
  const doctor = (own, env) =>
    runLoadflame(makeFolder(), ['doctor', '--cluster'], {
      KUBECONFIG: lab.tokenConfig(own),
      ...SETTINGS,
      ...env,
    });

  test('a run reports restarts with their reason, log lines, and the number of pods', async () => {
    const [one, other, third] = await lab.listReady('api');
    const at = (/** @type {typeof one} */ pod) => `http://${pod?.ip}:8080`;
    const name = other?.name;
    const warnings = await countWarnings(name);
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(DURATION_SEC));
    const running = runLoadflame(folder, ['test', 'load.yaml'], {
      KUBECONFIG: lab.tokenConfig(token),
      TARGET: at(one),
      ...SETTINGS,
    });
    await waitFor('load', async () => Number(await (await fetch(`${at(one)}/count`)).text()) > 5);
    await fetch(`${at(one)}/say?text=${encodeURIComponent(`WARNING: my token is ${token}`)}`);
    await fetch(`${at(other)}/eat`);
    await fetch(`${at(third)}/hang`);
    const apps = lab.config.makeApiClient(AppsV1Api);
    const scale = await apps.readNamespacedDeploymentScale({ name: 'api', namespace: 'shop' });
    scale.spec = { replicas: 4 };
    await apps.replaceNamespacedDeploymentScale({ name: 'api', namespace: 'shop', body: scale });
    const ended = await running;
    const { report, files } = readRun(folder);
    const { cluster, findings, load } = report;
    assert.equal(ended.exit, 0, ended.stderr);
    assert.deepEqual(cluster.unseen, []);

    const killed = cluster.pods.find((/** @type {any} */ pod) => pod.name === name);
    assert.equal(killed.restarts[0].reason, 'oom');
    assert.equal(killed.restarts[0].exitCode, 137);
    assert.equal(killed.memoryLimitBytes, LIMIT_BYTES);
    assert.equal(cluster.podCount, 4);
    const hung = cluster.pods.find((/** @type {any} */ pod) => pod.name === third?.name);
    assert.equal(hung.restarts[0].reason, 'probe');
    assert.ok(cluster.events.some((/** @type {any} */ event) => event.reason === 'Unhealthy'));
    // The cluster counts from its first one, before the run.
    const most = (await countWarnings(name)) - warnings;
    const told = cluster.events.find(
      (/** @type {any} */ event) => event.object === `Pod/${name}` && event.reason === DNS,
    );
    assert.ok(warnings > 0 && told.count > 0 && told.count <= most, `${told.count} of ${most}`);
    const restarted = find(findings, 'pod-restarted');
    assert.match(restarted.text.title, /^2 of 4 pods of api restarted/);
    assert.ok(
      restarted.text.evidence.some((/** @type {any} */ { value }) => /OOMKilled/.test(value)),
    );
    assert.ok(restarted.text.evidence.some((/** @type {any} */ { value }) => /probe/.test(value)));
    assert.match(find(findings, 'replicas-changed').text.title, /from 3 to 4 /);

    const loaded = cluster.pods.find((/** @type {any} */ pod) => pod.name === one?.name);
    assert.deepEqual(loaded.restarts, []);
    assert.ok(loaded.usage.windowMs >= 5000, `a window of ${loaded.usage.windowMs} ms`);
    assert.ok(loaded.usage.memoryBytes.max > 10e6 && loaded.usage.memoryBytes.max < LIMIT_BYTES);

    // One line for each request of the load: all that the pod wrote, and none twice. The check before the load asked,
    // too: on a busy machine before the log is read.
    const lines = readLogLines(files, one?.name ?? '');
    const numbers = lines
      .flatMap(text => /^ERROR: request (\d+) /.exec(text)?.[1] ?? [])
      .map(Number);
    const [begin = 0] = numbers;
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => begin + index),
    );
    const served = Number(await (await fetch(`${at(one)}/count`)).text());
    assert.equal(numbers.at(-1), served);
    assert.ok(numbers.length >= load.http.responses, `${numbers.length} lines from ${begin} on`);
    assert.ok(served > load.http.responses, 'the check before the load asked, too');
    assert.ok(report.logs.sources.some((/** @type {any} */ source) => source.type === 'pod'));
    assert.ok(lines.some(text => text.startsWith('WARNING: my token is')));
    for (const file of files)
      assert.ok(!readFileSync(file, 'utf8').includes(token), `${file} has the token`);
    assert.ok(!ended.stdout.includes(token) && !ended.stderr.includes(token));
  });

  test('a right that is missing costs one part, which is named with its verb and resource', async () => {
    const [one] = await lab.listReady('api');
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(3));
    const ended = await runLoadflame(folder, ['test', 'load.yaml', '--full'], {
      KUBECONFIG: lab.tokenConfig(await lab.issueToken('shop', 'narrow')),
      TARGET: `http://${one?.ip}:8080`,
      KUBE_NAMESPACE: 'shop',
      KUBE_SELECTOR: 'app=api',
    });
    assert.equal(ended.exit, 0, ended.stderr);
    const { cluster } = readRun(folder).report;
    assert.equal(cluster.podCount, 4);
    assert.deepEqual(
      cluster.unseen
        .map(
          (/** @type {any} */ { part, why, verb, resource }) =>
            `${part}: ${why}: ${verb} ${resource}`,
        )
        .sort(),
      [
        'events: forbidden: list events',
        'logs: forbidden: get pods/log',
        'replicas: forbidden: get deployments.apps',
        'services: forbidden: list services',
        'throttling: forbidden: create and get pods/exec',
        'usage: forbidden: list pods.metrics.k8s.io',
      ],
    );
    assert.match(
      ended.stdout.replace(/\s+/g, ' '),
      /ask for the verb get on pods\/log in the namespace shop/,
    );
  });

  test('connections that break lose no line of a log, and double none', async t => {
    const [one] = await lab.listReady('api');
    const proxy = await startProxy(t);
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(12));
    const running = runLoadflame(folder, ['test', 'load.yaml'], {
      KUBECONFIG: lab.tokenConfig(token, proxy.address),
      TARGET: `http://${one?.ip}:8080`,
      ...SETTINGS,
    });
    const count = async () => Number(await (await fetch(`http://${one?.ip}:8080/count`)).text());
    const before = await count();
    for (const more of [15, 30, 45]) {
      await waitFor('load', async () => (await count()) > before + more);
      proxy.cut();
    }
    const { exit, stderr } = await running;
    assert.equal(exit, 0, stderr);
    const lines = readLogLines(readRun(folder).files, one?.name ?? '');
    const numbers = lines
      .flatMap(text => /^ERROR: request (\d+) /.exec(text)?.[1] ?? [])
      .map(Number);
    const [first = 0] = numbers;
    assert.ok(first <= before + 1);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => first + index),
    );
    assert.equal(numbers.at(-1), await count());
  });

  test('doctor --cluster checks each right, and says what is wrong with a login', async () => {
    const all = await doctor(token);
    assert.equal(all.exit, 0);
    assert.match(all.stdout, /ok {4}cluster: \d × app=api in the namespace shop/);
    assert.match(all.stdout, /ok {4}cluster: logs: the login may get pods\/log/);
    // These pods serve with Node.
    const noPython = /^warn {2}cluster: profile: found no Python server in the pod .*\n.*$/m;
    assert.match(all.stdout, noPython);
    assert.doesNotMatch(all.stdout.replace(noPython, ''), /warn|FAIL/);

    /** @type {[string, Record<string, string>, RegExp][]} */
    const wrong = [
      [
        await lab.issueToken('shop', 'nobody'),
        {},
        /may not get deployments\.apps in the namespace shop[\s\S]*ask for the verb get/,
      ],
      [
        await lab.issueToken('shop', 'nobody'),
        { KUBE_WORKLOAD: '', KUBE_SELECTOR: 'app=api' },
        /may not list pods in the namespace shop/,
      ],
      [expire(token), {}, /refused the login of the context lab[\s\S]*log in again/],
      [
        token,
        { KUBE_NAMESPACE: 'shopp' },
        /may not get deployments\.apps in the namespace shopp[\s\S]*correct KUBE_NAMESPACE/,
      ],
      [
        token,
        { KUBE_WORKLOAD: 'deployment/apo' },
        /the namespace shop has no deployments\.apps named apo/,
      ],
      [
        token,
        { KUBE_WORKLOAD: '', KUBE_SELECTOR: 'app=apo' },
        /no pod in the namespace shop has the labels app=apo/,
      ],
      [token, { KUBE_CONTEXT: 'other' }, /no context other[\s\S]*lab/],
      [token, { KUBECONFIG: '/nowhere' }, /cannot read the kubeconfig \/nowhere: ENOENT/],
    ];
    for (const [own, env, words] of wrong) {
      const { exit, stdout, stderr } = await doctor(own, env);
      assert.equal(exit, 3, stdout + stderr);
      assert.match(stdout, words);
      assert.ok(!stdout.includes(own) && !stderr.includes(own), 'the token is told');
    }
    const admin = await runLoadflame(makeFolder(), ['doctor', '--cluster'], {
      KUBECONFIG: lab.kubeconfig,
      KUBE_NAMESPACE: 'shopp',
      KUBE_SELECTOR: 'app=api',
    });
    assert.match(admin.stdout, /the cluster has no namespace shopp/);
  });

  test('a run whose login has expired ends before any load, and leaves nothing', async () => {
    const [one] = await lab.listReady('api');
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(3));
    const { exit, stderr } = await runLoadflame(folder, ['test', 'load.yaml'], {
      KUBECONFIG: lab.tokenConfig(expire(token)),
      TARGET: `http://${one?.ip}:8080`,
      ...SETTINGS,
    });
    assert.equal(exit, 4);
    assert.match(stderr, /KUBE_LOGIN_REFUSED/);
    assert.deepEqual(globSync('profiles/*', { cwd: folder }), []);
  });

  test('a cluster without metrics.k8s.io has all the rest', async () => {
    await lab.remove('apiregistration.k8s.io/v1', 'APIService', 'v1beta1.metrics.k8s.io');
    await waitFor('end of the metrics', async () =>
      /the cluster does not know pods\.metrics/.test((await doctor(token)).stdout),
    );
    const { exit, stdout } = await doctor(token);
    assert.equal(exit, 0);
    assert.match(stdout, /warn {2}cluster: usage: .*\n.*metrics-server/);
  });

  /** As the cluster would have issued it an hour ago, signed with its own key. @param {string} own */
  function expire(own) {
    const [head = '', body = ''] = own.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    for (const name of ['iat', 'nbf', 'exp']) claims[name] -= 2 * 86_400;
    const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const key = createPrivateKey(
      readFileSync(path.join(path.dirname(lab.kubeconfig), 'accounts.key')),
    );
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }
});

function describeNarrow() {
  return `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: narrow}
rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]
`;
}

const AUTOSCALER = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: api}
spec:
  minReplicas: 2
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}
  behavior: {scaleDown: {selectPolicy: Disabled}}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 90000}}}]
`;

/**
 * The API behind something that cuts connections.
 * @param {import('node:test').TestContext} t
 */
async function startProxy(t) {
  /** @type {Set<net.Socket>} */
  const open = new Set();
  const server = net.createServer(ours => {
    const theirs = net.connect(6443, '10.240.0.1');
    for (const socket of [ours, theirs]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    ours.pipe(theirs).pipe(ours);
  });
  const address = (await listen(t, server)).replace('http:', 'https:');
  return { address, cut: () => open.forEach(socket => void socket.destroy()) };
}

/** @param {number} seconds */
function describeLoad(seconds) {
  return `
config:
  target: '{{ $env.TARGET }}'
  phases: [{duration: ${seconds}, arrivalRate: 5}]
scenarios: [{flow: [{get: {url: /load}}]}]
`;
}

/** @param {string} folder */
function readRun(folder) {
  const [run = ''] = globSync('profiles/*/', { cwd: folder }).map(name => path.join(folder, name));
  const files = globSync('**/*', { cwd: run, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name));
  return { files, report: JSON.parse(readFileSync(path.join(run, 'report.json'), 'utf8')) };
}

/** @param {{id: string}[]} findings @param {string} id @returns {any} */
function find(findings, id) {
  const found = findings.find(one => one.id === id);
  assert.ok(found, `there is ${id}: ${findings.map(one => one.id)}`);
  return found;
}

/** What was recorded of the log of a pod. @param {string[]} files @param {string} pod @returns {string[]} */
function readLogLines(files, pod) {
  return files
    .filter(file => /\/logs\/\d+\.ndjson$/.test(file))
    .map(file =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    )
    .filter(([source]) => source.name === `${pod}/web`)
    .flatMap(records => records.filter(({ kind }) => kind === 'line').map(({ text }) => text));
}
