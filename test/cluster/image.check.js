/** Workers of the image that the Containerfile builds, in a namespace that lets through only what restricted-v2 does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CoreV1Api } from '@kubernetes/client-node';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { buildImage, OWN } from '../image/build-image.js';
import { describeAccount, readRole } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';
import { readRun, waitForRemoval } from './worker-runs.js';

/** @import { V1Pod } from '@kubernetes/client-node' */
/** @import { Lab } from './lab/start-lab.js' */

/** This machine, as the pods of the lab reach it. */
const MACHINE = '10.240.0.254';
const IMAGE = 'localhost/loadflame/own:1';
const RESTRICTED = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: restricted}}
`;

describe('the image as workers', { skip: findObstacle() }, () => {
  /** @type {Lab} */
  let lab;
  /** @type {CoreV1Api} */
  let core;
  let token = '';
  const temp = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));

  before(async () => {
    const file = path.join(temp, 'image.tar');
    const [buildah, started] = await Promise.all([buildImage(temp), startLab()]);
    lab = started;
    await buildah('push', '--quiet', OWN, `docker-archive:${file}:${IMAGE}`);
    lab.importImage(file);
    core = lab.config.makeApiClient(CoreV1Api);
    await lab.apply(RESTRICTED);
    await lab.apply(readRole('loadflame-workers'), 'shop');
    await lab.apply(describeAccount('runner', ['loadflame-workers']), 'shop');
    token = await lab.issueToken('shop', 'runner');
  });
  after(async () => {
    await lab?.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  for (const runAsUser of [1_000_660_000, 1_000_990_001])
    test(`user ${runAsUser}, a read-only root and no capability: two workers send the load`, async t => {
      /** @type {string[]} */
      const served = [];
      const server = http.createServer(({ url = '', method }, response) => {
        if (method === 'POST') served.push(url);
        response.end('ok');
      });
      server.listen(0, MACHINE);
      await once(server, 'listening');
      t.after(() => {
        server.close();
        server.closeAllConnections();
      });
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      const folder = mkdtempSync(path.join(temp, 'run-'));
      writeFileSync(path.join(folder, 'load.yaml'), LOAD);
      // As OpenShift sets it; its group is that of the image: 0.
      const pod = {
        securityContext: { runAsUser },
        containers: [{ name: 'worker', imagePullPolicy: 'Never' }],
      };
      writeFileSync(path.join(folder, 'pod.yaml'), JSON.stringify(pod));
      const size = ['--workers', '2', '--cpu', '300m', '--memory', '400Mi', '--wait', '120'];
      const args = ['run', 'load.yaml', ...size, '--image', IMAGE, '--pod-file', 'pod.yaml'];
      const running = runLoadflame(folder, ['cluster', ...args], {
        KUBECONFIG: lab.tokenConfig(token),
        KUBE_NAMESPACE: 'shop',
        TARGET: `http://${MACHINE}:${port}`,
      });
      /** @type {V1Pod[]} */
      let pods = [];
      await waitFor('pods', async () => {
        pods = (await core.listNamespacedPod({ namespace: 'shop' })).items;
        return pods.length === 2;
      });
      const { exit, stderr } = await running;
      assert.equal(exit, 0, stderr);
      for (const { spec } of pods) {
        const [worker] = spec?.containers ?? [];
        assert.equal(worker?.image, IMAGE);
        assert.equal(worker?.command, undefined, 'that of the image');
        assert.equal(spec?.securityContext?.runAsUser, runAsUser);
        assert.equal(worker?.securityContext?.readOnlyRootFilesystem, true);
        assert.deepEqual(worker?.securityContext?.capabilities?.drop, ['ALL']);
      }
      const { report, manifest } = readRun(folder);
      assert.equal(manifest.status, 'complete', JSON.stringify(manifest.reasons));
      assert.deepEqual([served.length, report.load.http.responses], [36, 36]);
      assert.deepEqual(
        ['/0', '/1'].map(url => served.filter(one => one === url).length),
        [18, 18],
      );
      await waitForRemoval(lab);
    });
});

const LOAD = `
config:
  target: '{{ $env.TARGET }}'
  phases: [{duration: 4, arrivalRate: 9}]
scenarios: [{flow: [{post: {url: '/{{ $env.JOB_COMPLETION_INDEX }}'}}]}]
`;
