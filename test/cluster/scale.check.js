/** A study that scales a workload of a real Kubernetes, and waits for its pods. */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { describeAccount, describeApi, readRole } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab } from './lab/start-lab.js';

/** @import { Lab } from './lab/start-lab.js' */

const CLIENT = fileURLToPath(import.meta.resolve('@kubernetes/client-node'));
const obstacle = findObstacle();

describe('a study of a cluster', { skip: obstacle }, () => {
  /** @type {Lab} */
  let lab;
  let kubeconfig = '';
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));
  const api = http.createServer((_request, response) => response.end('{}'));
  let target = '';

  before(async () => {
    await new Promise(resolve => {
      api.listen(0, '127.0.0.1', () => resolve(undefined));
    });
    const { port } = /** @type {import('node:net').AddressInfo} */ (api.address());
    target = `http://127.0.0.1:${port}`;
    lab = await startLab();
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    await lab.apply(readRole('loadflame'), 'shop');
    await lab.apply(describeAccount('reader', ['loadflame']), 'shop');
    await lab.apply(describeApi('one', 1), 'shop');
    kubeconfig = lab.tokenConfig(await lab.issueToken('shop', 'reader'));
  });
  after(async () => {
    api.close();
    await lab?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a study scales in batches, and goes on when all pods are ready', async () => {
    writeFileSync(path.join(folder, 'scale.mjs'), SCALE);
    const study = describeStudy(process.execPath, lab.kubeconfig, target);
    writeFileSync(path.join(folder, 'study.yaml'), study);
    const ended = await runLoadflame(folder, ['study', 'run', 'study.yaml'], {
      ...{ KUBECONFIG: kubeconfig, KUBE_NAMESPACE: 'shop', KUBE_WORKLOAD: 'deployment/one' },
    });
    assert.equal(ended.exit, 0, ended.stdout + ended.stderr);
    const [log = ''] = globSync('profiles/*/services/prepare.log', { cwd: folder });
    assert.match(readFileSync(path.join(folder, log), 'utf8'), /^2 ready\n3 ready\n$/);
  });
});

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

/** @param {string} node @param {string} kubeconfig of who may scale @param {string} target */
function describeStudy(node, kubeconfig, target) {
  return `
title: How many pods?
factors: {pods: [3]}
target: {url: "${target}"}
prepare: ${node} scale.mjs ${kubeconfig}
scenario: {scenarios: [{flow: [{get: {url: /load}}]}]}
load: {steps: [2]}
warmUp: 1s
duration: 2s
repeats: 1
`;
}
