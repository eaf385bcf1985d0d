/** Workers in a real Kubernetes that get no node, are evicted, or log in. The target is this process. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CoreV1Api } from '@kubernetes/client-node';
import { startProvider } from '../../demo/start-provider.js';
import { readClaims } from '../../lib/load/auth/read-token.js';
import { readCertificate } from '../helpers/certificates.js';
import { readError, runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { describeAccount, describeWorker, IMAGE, readRole } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';
import { readRun, waitForRemoval } from './worker-runs.js';

/** @import { TestContext } from 'node:test' */
/** @import { Lab } from './lab/start-lab.js' */

/** This machine, as the pods of the lab reach it. */
const MACHINE = '10.240.0.254';
const NAMESPACE = { namespace: 'shop' };

const obstacle = findObstacle();

describe('workers in a cluster', { skip: obstacle }, () => {
  /** @type {Lab} */
  let lab;
  /** @type {CoreV1Api} */
  let core;
  let token = '';

  before(async () => {
    lab = await startLab();
    core = lab.config.makeApiClient(CoreV1Api);
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    await lab.apply(readRole('loadflame-workers'), 'shop');
    await lab.apply(describeAccount('runner', ['loadflame-workers']), 'shop');
    token = await lab.issueToken('shop', 'runner');
  });
  after(() => lab?.stop());

  /**
   * @param {TestContext} t
   * @param {object} run
   * @param {string} run.target
   * @param {number} [run.workers]
   * @param {number} [run.seconds]
   * @param {object} [run.pod] merged over what stands in for the image
   * @param {string[]} [run.more] arguments
   * @param {Record<string, string>} [run.env]
   */
  const start = (t, { target, workers = 1, seconds = 4, pod, more = [], env }) => {
    const folder = makeTempFolder(t);
    const script = {
      config: { target: '{{ $env.TARGET }}', phases: [{ duration: seconds, arrivalRate: 9 }] },
      scenarios: [{ flow: [{ post: { url: '/{{ $env.JOB_COMPLETION_INDEX }}' } }] }],
    };
    writeFileSync(path.join(folder, 'load.yaml'), JSON.stringify(script));
    writeFileSync(path.join(folder, 'pod.yaml'), JSON.stringify({ ...describeWorker(), ...pod }));
    const size = ['--workers', `${workers}`, '--cpu', '300m', '--memory', '400Mi'];
    const args = ['run', 'load.yaml', ...size, '--image', IMAGE, '--pod-file', 'pod.yaml'];
    const running = runLoadflame(folder, ['cluster', ...args, '--wait', '120', ...more], {
      KUBECONFIG: lab.tokenConfig(token),
      KUBE_NAMESPACE: 'shop',
      TARGET: target,
      ...env,
    });
    return { folder, running };
  };

  test('a worker that no node takes ends the run with its pod and the words of the scheduler', async t => {
    const { target } = await listen(t);
    const wrong = [
      { pod: { nodeSelector: { disk: 'gold' } }, words: /didn't match Pod's node affinity/ },
      { more: ['--memory', '900Gi'], words: /Insufficient memory/ },
    ];
    for (const { pod, more = [], words } of wrong) {
      const startedMs = Date.now();
      const { folder, running } = start(t, { target, pod, more: ['--wait', '20', ...more] });
      const { exit, stderr } = await running;
      assert.ok(Date.now() - startedMs < 100_000, `${Date.now() - startedMs} ms`);
      const { code, message, hint } = readError(stderr);
      assert.equal(code, 'KUBE_NO_WORKERS', stderr);
      assert.match(
        `${message}`,
        /within 20 s: the pod loadflame-\w+-0-\w+: 0\/1 nodes are available/,
      );
      assert.match(`${message}`, words);
      assert.match(`${hint}`, /--memory\).* nodeSelector .*--pod-file.*--wait/);
      assert.equal(exit, 4);
      assert.deepEqual(globSync('profiles/*', { cwd: folder }), []);
      await waitForRemoval(lab);
    }
  });

  test('the run goes on without a worker that no node takes, and says so', async t => {
    const { target, served } = await listen(t);
    const workers = { matchLabels: { 'app.kubernetes.io/name': 'loadflame-worker' } };
    const apart = { labelSelector: workers, topologyKey: 'kubernetes.io/hostname' };
    const affinity = {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] },
    };
    const more = ['--wait', '40'];
    const { folder, running } = start(t, { target, workers: 2, pod: { affinity }, more });
    const { exit, stderr } = await running;
    assert.equal(exit, 0, stderr);
    const { report, manifest } = readRun(folder);
    assert.equal(report.load.http.responses, 18);
    assert.equal(served.length, 18);
    assert.equal(manifest.status, 'partial');
    assert.match(
      JSON.stringify(manifest.reasons),
      /worker \d of 2 \(pod loadflame-\w+-\d-\w+\) is missing: it was not up: 0\/1 nodes are available: .*anti-affinity/,
    );
    await waitForRemoval(lab);
  });

  test('an evicted worker sends home what it measured, and the report says that it was evicted', async t => {
    const { target, served } = await listen(t);
    const { folder, running } = start(t, { target, workers: 3, seconds: 30 });
    await waitFor('load', async () => served.length > 50);
    const { items } = await core.listNamespacedPod(NAMESPACE);
    const names = items.map(({ metadata }) => metadata?.name ?? '');
    const name = names.find(one => /^loadflame-\w+-1-/.test(one)) ?? '';
    await core.createNamespacedPodEviction({
      ...{ ...NAMESPACE, name },
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { ...NAMESPACE, name } },
    });
    const { exit, stderr } = await running;
    assert.equal(exit, 0, stderr);
    const { report, manifest } = readRun(folder);
    const sent = [0, 1, 2].map(n => served.filter(({ url }) => url === `/${n}`).length);
    assert.deepEqual([sent[0], sent[2]], [90, 90]);
    const evicted = sent[1] ?? 0;
    assert.ok(evicted >= 10 && evicted < 90, `${evicted} requests`);
    // One may have been under way.
    const missing = served.length - report.load.http.responses;
    assert.ok(missing >= 0 && missing <= 1, `${missing} requests are missing`);
    assert.equal(manifest.status, 'partial');
    assert.match(
      JSON.stringify(manifest.reasons),
      new RegExp(
        `worker 2 of 3 \\(pod ${name}\\) is missing: .*Eviction API: evicting \\(EvictionByEvictionAPI\\)`,
      ),
    );
    await waitForRemoval(lab);
  });

  test('workers log in with what only a Secret of the cluster has: as a client, and as a user', async t => {
    const { target, served } = await listen(t);
    const secrets = { OIDC_PASSWORD: 'of-the-clerk-51c9', OIDC_CLIENT_SECRET: 'of-the-shop-88d1' };
    const provider = await startProvider({
      dir: makeTempFolder(t),
      host: MACHINE,
      users: [{ username: 'clerk', password: secrets.OIDC_PASSWORD }],
      secrets: { client: secrets.OIDC_CLIENT_SECRET, api: 'not-used' },
    });
    t.after(provider.stop);
    const metadata = { name: 'login' };
    await lab.apply(
      JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: secrets }),
      'shop',
    );
    const pod = addToWorker({ envFrom: [{ secretRef: { name: 'login' } }] });
    const login = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'queue-management' };
    /** @type {{env: Record<string, string>, subject: string}[]} */
    const flows = [
      { env: { OIDC_FLOW: 'client_credentials' }, subject: 'queue-management' },
      { env: { OIDC_FLOW: 'password', OIDC_USERNAME: 'clerk' }, subject: 'clerk' },
    ];
    for (const { env, subject } of flows) {
      served.length = 0;
      const { folder, running } = start(t, { target, workers: 2, pod, env: { ...login, ...env } });
      const { exit, stdout, stderr } = await running;
      assert.equal(exit, 0, stderr);
      const { report, manifest, files } = readRun(folder);
      assert.equal(manifest.status, 'complete', JSON.stringify(manifest.reasons));
      assert.equal(report.load.http.responses, 36);
      const tokens = new Set(served.map(({ authorization }) => authorization));
      // Each worker has logged in itself.
      assert.equal(tokens.size, 2);
      for (const token of tokens)
        assert.equal(readClaims(token.replace('Bearer ', ''))?.sub, subject);
      const texts = [stdout, stderr, ...files.map(file => readFileSync(file, 'utf8'))];
      for (const secret of [...Object.values(secrets), ...tokens])
        assert.ok(!texts.some(text => text.includes(secret.replace('Bearer ', ''))));
      await waitForRemoval(lab);
    }
  });

  test('workers trust the CA of a ConfigMap, and without it say what is missing', async t => {
    const { target, served } = await listen(t, signFor(MACHINE, makeTempFolder(t)));
    const data = { 'ca.crt': readCertificate('ca').cert };
    const metadata = { name: 'shop-ca' };
    await lab.apply(
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }),
      'shop',
    );
    const without = await start(t, { target }).running;
    const { code, message, hint } = readError(without.stderr);
    assert.equal(code, 'KUBE_WORKER_FAILED', without.stderr);
    assert.match(`${message}`, /worker 1 .*certificate that is not trusted .*\(TARGET_UNTRUSTED\)/);
    assert.match(`${hint}`, /NODE_EXTRA_CA_CERTS=.*--pod-file/);
    await waitForRemoval(lab);

    const pod = addToWorker(
      {
        env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.crt' }],
        volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
      },
      [{ name: 'ca', configMap: metadata }],
    );
    const { folder, running } = start(t, { target, workers: 2, pod });
    const { exit, stderr } = await running;
    assert.equal(exit, 0, stderr);
    const { report, manifest } = readRun(folder);
    assert.equal(manifest.status, 'complete', JSON.stringify(manifest.reasons));
    assert.equal(report.load.http.responses, 36);
    assert.equal(served.length, 36);
    await waitForRemoval(lab);
  });
});

/** A target that keeps what it was asked. @param {TestContext} t @param {{key: string, cert: string}} [tls] PEM */
async function listen(t, tls) {
  /** @type {{url: string, authorization: string}[]} */
  const served = [];
  /** @type {http.RequestListener} */
  const serve = ({ url = '', method, headers }, response) => {
    // Before it begins the run asks with GET.
    if (method === 'POST') served.push({ url, authorization: headers.authorization ?? '' });
    response.end('ok');
  };
  const server = tls ? https.createServer(tls, serve) : http.createServer(serve);
  server.listen(0, MACHINE);
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { target: `${tls ? 'https' : 'http'}://${MACHINE}:${port}`, served };
}

/** What stands in for the image, with more for its container, and more volumes. @param {Record<string, any>} more @param {object[]} [volumes] */
function addToWorker({ volumeMounts = [], ...more }, volumes = []) {
  const pod = describeWorker();
  const containers = pod.containers.map(one => ({
    ...one,
    ...more,
    volumeMounts: [...one.volumeMounts, ...volumeMounts],
  }));
  return { containers, volumes: [...pod.volumes, ...volumes] };
}

/** By the CA of `test/fixtures/tls`. @param {string} address @param {string} folder @returns {{key: string, cert: string}} PEM */
function signFor(address, folder) {
  const ca = fileURLToPath(new URL('../fixtures/tls/ca', import.meta.url));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-CA', `${ca}.crt`, '-CAkey', `${ca}.key`, '-days', '2', '-nodes'],
      ...['-newkey', 'rsa:2048', '-keyout', key, '-out', cert, '-subj', '/CN=shop'],
      ...['-addext', `subjectAltName=IP:${address}`, '-addext', 'basicConstraints=CA:FALSE'],
    ],
    { stdio: 'pipe' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
