/**
 * Profiles of Python servers in pods of a real Kubernetes, with no root and no capability. Not part of `npm test`:
 * `npm run test:slow cluster` builds Kubernetes once.
 */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CoreV1Api } from '@kubernetes/client-node';
import { readConfig } from '../../lib/base/config/read-config.js';
import { createRedactor } from '../../lib/base/files/redaction.js';
import { connectCluster } from '../../lib/base/kubernetes/connect.js';
import { sum } from '../../lib/base/math/summary.js';
import { addContainer } from '../../lib/record/cluster/add-container.js';
import { TRACER } from '../../lib/record/find-pod-servers.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { describeAccount, describePython, readRole } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';
import {
  addressOf,
  describeLoad,
  mergeRuns,
  sendLoad,
  shareOfBurn,
  startProfile,
} from './pod-profiles.js';

/** @import { Lab } from './lab/start-lab.js' */

const SHOP = { KUBE_NAMESPACE: 'shop' };
const IMAGE = 'localhost/loadflame/py-spy:1';

describe('profiles from pods', { skip: findObstacle() }, () => {
  /** @type {Lab} */
  let lab;
  /** @type {CoreV1Api} */
  let core;
  const temp = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));
  const makeFolder = () => mkdtempSync(path.join(temp, 'run-'));

  before(async () => {
    lab = await startLab();
    core = lab.config.makeApiClient(CoreV1Api);
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    await lab.apply(describePython('api', 2), 'shop');
    await lab.apply(describePython('held', 1, { cpu: '100m', hasPySpy: false }), 'shop');
    await waitFor('pods', async () => (await lab.listReady('api')).length === 2);
    await waitFor('pod', async () => (await lab.listReady('held')).length === 1);
  });
  after(async () => {
    await lab?.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  const env = () => ({ KUBECONFIG: lab.kubeconfig, ...SHOP });

  test('uid 1000660000, gid 0 and no capability: the function of the application is told by its share', async () => {
    const folder = makeFolder();
    const [one, other] = await lab.listReady('api');
    const profile = await startProfile(folder, ['--workload', 'deployment/api'], env());
    await sendLoad(folder, addressOf(one), 12);
    const { exitCode, said } = await profile.stop();
    assert.equal(exitCode, 0, said);
    const { profile: found, cpu, run } = await mergeRuns(folder);
    assert.ok(shareOfBurn({ profile: found }) > 0.6, JSON.stringify(found.hotPaths).slice(0, 500));
    assert.deepEqual(run.reasons, []);
    const names = cpu.workers.map((/** @type {any} */ { name }) => name);
    assert.equal(names.length, 4, names.join());
    for (const pod of [one, other])
      assert.equal(
        names.filter((/** @type {string} */ name) => name.startsWith(`${pod?.name}/`)).length,
        2,
      );
    // They burn 40 ms by the clock: so much CPU, or less where the machine is busy.
    const perRequestMs = cpu.workersMs / cpu.requests;
    assert.ok(perRequestMs > 1 && perRequestMs < 60, `${perRequestMs} ms`);
    assert.equal(cpu.hostCores, null, 'that of this machine says nothing of the pods');
  });

  test('all pods of a StatefulSet are profiled', async () => {
    await lab.apply(describePython('store', 2, { kind: 'StatefulSet' }), 'shop');
    await waitFor('pods', async () => (await lab.listReady('store')).length === 2);
    const folder = makeFolder();
    const [one] = await lab.listReady('store');
    const profile = await startProfile(folder, ['--workload', 'statefulset/store'], env());
    await sendLoad(folder, addressOf(one), 8);
    const { exitCode, said } = await profile.stop();
    assert.equal(exitCode, 0, said);
    const report = await mergeRuns(folder);
    assert.ok(shareOfBurn(report) > 0.6, JSON.stringify(report.profile.hotPaths).slice(0, 500));
    assert.deepEqual(report.run.reasons, []);
    const names = report.cpu.workers.map((/** @type {any} */ { name }) => name.split('/')[0]);
    assert.deepEqual(names.sort(), ['store-0', 'store-0', 'store-1', 'store-1']);
  });

  test('a pod that goes in the middle keeps what was recorded of it, and the others go on', async () => {
    const folder = makeFolder();
    const [one, other] = await lab.listReady('api');
    const profile = await startProfile(folder, ['--workload', 'deployment/api'], env());
    const loading = sendLoad(folder, addressOf(one), 12).catch(error => error);
    const count = () => profile.read().filter(({ kind }) => kind === 'segment').length;
    const before = count();
    // two of each pod: the load takes a while to begin
    await waitFor('segments', async () => count() >= before + 4);
    await core.deleteNamespacedPod({ name: one?.name ?? '', namespace: 'shop' });
    await loading;
    const gone = count();
    await waitFor('segments of the other', async () => count() > gone);
    const { exitCode, said } = await profile.stop();
    assert.equal(exitCode, 0, said);
    const [file = ''] = globSync('profiles/*/report.json', { cwd: folder });
    const report = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    assert.equal(report.run.status, 'partial');
    const reasons = JSON.stringify(report.run.reasons);
    assert.match(reasons, new RegExp(`${one?.name}: the pod, or its server, is gone`));
    assert.ok(!reasons.includes(other?.name ?? '?'), reasons);
    const ended = report.cpu.workers.filter((/** @type {any} */ worker) => worker.endedInRun);
    assert.equal(ended.length, 2);
    assert.ok(sum(ended.map((/** @type {any} */ one) => one.samples)) > 50, JSON.stringify(ended));
  });

  test('py-spy comes in a container that is added to the pod, as the user of the server and without capabilities', async () => {
    await lab.apply(describePython('bare', 1, { hasPySpy: false }), 'shop');
    for (const role of ['loadflame', 'loadflame-exec', 'loadflame-container'])
      await lab.apply(readRole(role), 'shop');
    await lab.apply(describeAccount('looker', ['loadflame', 'loadflame-exec']), 'shop');
    const all = ['loadflame', 'loadflame-exec', 'loadflame-container'];
    await lab.apply(describeAccount('adder', all), 'shop');
    await waitFor('pod', async () => (await lab.listReady('bare')).length === 1);
    const [bare] = await lab.listReady('bare');
    const readSpec = async () =>
      (await core.readNamespacedPod({ name: bare?.name ?? '', namespace: 'shop' })).spec;
    const login = async (/** @type {string} */ name) => ({
      ...SHOP,
      KUBECONFIG: lab.tokenConfig(await lab.issueToken('shop', name)),
      KUBE_PROFILE_IMAGE: IMAGE,
    });

    const args = ['--workload', 'deployment/bare'];
    const refused = await runLoadflame(makeFolder(), ['profile', ...args], await login('looker'));
    assert.match(refused.stderr, /may not patch pods\/ephemeralcontainers in the namespace shop/);
    const adder = await login('adder');
    const doctor = await runLoadflame(makeFolder(), ['doctor', '--cluster'], {
      ...adder,
      KUBE_WORKLOAD: 'deployment/bare',
    });
    assert.match(
      doctor.stdout,
      /ok +cluster: profile: a container of localhost\/loadflame\/py-spy:1 may be added, as the server's user/,
    );
    assert.equal((await readSpec())?.ephemeralContainers, undefined, 'the doctor adds nothing');

    for (const _ of ['first', 'again']) {
      const folder = makeFolder();
      const profile = await startProfile(folder, args, adder);
      await sendLoad(folder, addressOf(bare), 8);
      const { exitCode, said } = await profile.stop();
      assert.equal(exitCode, 0, said);
      const report = await mergeRuns(folder);
      assert.ok(shareOfBurn(report) > 0.6, JSON.stringify(report.profile.hotPaths).slice(0, 500));
      assert.deepEqual(report.run.reasons, []);
    }
    const [added, ...others] = (await readSpec())?.ephemeralContainers ?? [];
    assert.deepEqual(others, [], 'that of before is taken again');
    const { runAsUser, runAsGroup, runAsNonRoot, capabilities } = added?.securityContext ?? {};
    assert.deepEqual([runAsUser, runAsGroup, runAsNonRoot], [1000660000, 0, true]);
    assert.deepEqual(capabilities?.drop, ['ALL']);
    assert.equal(capabilities?.add, undefined);
    assert.equal(added?.targetContainerName, 'web');
  });

  test('profiles a server whose image has no shell from a container beside it, and reports its CPU quota as unknown', async () => {
    await lab.apply(describePython('plain', 1, { isBare: true }), 'shop');
    await waitFor('pod', async () => (await lab.listReady('plain')).length === 1);
    const [plain] = await lab.listReady('plain');
    const name = plain?.name ?? '';
    const args = ['--workload', 'deployment/plain'];
    const without = await runLoadflame(makeFolder(), ['profile', ...args], env());
    assert.equal(without.exit, 3, without.stderr);
    assert.match(without.stderr, new RegExp(`container web of the pod ${name} has no \`sh\``));
    const workload = { ...env(), KUBE_WORKLOAD: 'deployment/plain' };
    const doctor = await runLoadflame(makeFolder(), ['doctor', '--cluster'], {
      ...{ ...workload, KUBE_PROFILE_IMAGE: IMAGE },
    });
    assert.match(doctor.stdout, /warn +cluster: throttling: the container web .* has no `cat`/);
    assert.match(doctor.stdout, /to read the server of the pod \S+, whose image has no shell/);

    const folder = makeFolder();
    const profile = await startProfile(folder, args, { ...env(), KUBE_PROFILE_IMAGE: IMAGE });
    await sendLoad(folder, addressOf(plain), 8);
    const { exitCode, said } = await profile.stop();
    assert.equal(exitCode, 0, said);
    assert.match(said, /in a container that was added to it/);
    const report = await mergeRuns(folder);
    assert.ok(shareOfBurn(report) > 0.6, JSON.stringify(report.profile.hotPaths).slice(0, 500));
    assert.deepEqual(report.run.reasons, []);
    const { spec } = await core.readNamespacedPod({ name, namespace: 'shop' });
    const added = spec?.ephemeralContainers ?? [];
    assert.deepEqual(
      added.map(({ securityContext }) => securityContext?.runAsUser),
      [1000660000],
      'OpenShift says who runs it: one container is enough',
    );

    const own = makeFolder();
    writeFileSync(path.join(own, 'load.yaml'), describeLoad(3));
    const run = await runLoadflame(own, ['test', 'load.yaml', '--full'], {
      ...{ ...workload, TARGET: addressOf(plain) },
    });
    assert.equal(run.exit, 0, run.stderr);
    assert.match(
      run.stdout.replace(/\s+/g, ' '),
      /Not always seen: throttling, because the images of the pods have no `cat`/,
    );
  });

  test('finds the user of a server that only an image without a shell names', async () => {
    await lab.apply(describePython('own', 1, { isBare: true, isRestricted: false }), 'shop');
    await waitFor('pod', async () => (await lab.listReady('own')).length === 1);
    const [own] = await lab.listReady('own');
    const folder = makeFolder();
    const args = ['--workload', 'deployment/own'];
    const profile = await startProfile(folder, args, { ...env(), KUBE_PROFILE_IMAGE: IMAGE });
    await sendLoad(folder, addressOf(own), 8);
    const { exitCode, said } = await profile.stop();
    assert.equal(exitCode, 0, said);
    assert.ok(shareOfBurn(await mergeRuns(folder)) > 0.6);
    const { spec } = await core.readNamespacedPod({ name: own?.name ?? '', namespace: 'shop' });
    const users = spec?.ephemeralContainers?.map(({ securityContext }) => {
      const { runAsUser, runAsGroup } = securityContext ?? {};
      return `${runAsUser}:${runAsGroup}`;
    });
    // A guess, then the right one. Of what the image names, Kubernetes takes the user and not the group.
    assert.deepEqual(users?.sort(), ['65532:65532', '65534:0']);
  });

  test('a server that the same user may not look into is read with SYS_PTRACE where that is let through', async () => {
    await lab.apply(describePython('shut', 1, { isShut: true }), 'shop');
    await waitFor('pod', async () => (await lab.listReady('shut')).length === 1);
    const [shut] = await lab.listReady('shut');
    const args = ['--workload', 'deployment/shut'];
    const plain = await runLoadflame(makeFolder(), ['profile', ...args], env());
    assert.match(plain.stderr, /PYSPY_PERMISSION/);
    const folder = makeFolder();
    const profile = await startProfile(folder, args, { ...env(), KUBE_PROFILE_IMAGE: IMAGE });
    await sendLoad(folder, addressOf(shut), 8);
    const { exitCode, said } = await profile.stop();
    assert.equal(exitCode, 0, said);
    assert.match(said, /in a container with the capability SYS_PTRACE that was added to it/);
    assert.ok(shareOfBurn(await mergeRuns(folder)) > 0.6);
  });

  test('the restricted Pod Security Standard lets the container through, and none with SYS_PTRACE', async () => {
    const name = 'strict';
    await lab.apply(
      `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {pod-security.kubernetes.io/enforce: restricted}}}`,
    );
    const securityContext = {
      runAsUser: 1000660000,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const container = { name: 'web', image: IMAGE, command: ['sleep', '600'], securityContext };
    await lab.apply(
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'still' } },
        spec: { containers: [container], terminationGracePeriodSeconds: 1 },
      }),
      name,
    );
    const flags = { KUBECONFIG: lab.kubeconfig, KUBE_NAMESPACE: name };
    const cluster = await connectCluster(readConfig({ flags, env: {} }), createRedactor([]));
    const pod = await core.readNamespacedPod({ name: 'still', namespace: name });
    const add = (/** @type {object} */ context, image = IMAGE) =>
      addContainer(cluster, pod, {
        ...{ kind: 'profile', image, target: 'web', isTrial: image === IMAGE },
        securityContext: context,
      });
    await add({ ...securityContext, runAsGroup: 0 });
    await assert.rejects(add(TRACER), {
      code: 'POD_CONTAINER_REFUSED',
      message: /violates PodSecurity "restricted:latest"/,
    });
    await assert.rejects(add(securityContext, 'Not/Valid'), {
      code: 'POD_CONTAINER_FAILED',
      message:
        /^the container of Not\/Valid that was added to the pod still does not run: .*invalid/i,
    });
  });

  test('an image that is not there is told', async () => {
    const folder = makeFolder();
    const { exit, stderr } = await runLoadflame(
      folder,
      ['profile', '--workload', 'deployment/held'],
      { ...env(), KUBE_PROFILE_IMAGE: 'localhost/loadflame/nothing:1' },
    );
    assert.equal(exit, 3, stderr);
    assert.ok(stderr.includes('POD_NOT_PROFILED'), stderr);
    assert.match(
      stderr,
      /the container of localhost\/loadflame\/nothing:1 that was added to the pod/,
    );
    assert.deepEqual(globSync('profiles/*', { cwd: folder }), []);
  });

  test('without py-spy in the image it is said what is missing', async () => {
    const folder = makeFolder();
    const { exit, stderr } = await runLoadflame(
      folder,
      ['profile', '--workload', 'deployment/held'],
      env(),
    );
    assert.equal(exit, 3, stderr);
    assert.match(stderr, /POD_NO_PYSPY/);
    assert.deepEqual(globSync('profiles/*', { cwd: folder }), []);
  });

  test('a container that runs into its CPU quota is told, with the share of its periods', async () => {
    const folder = makeFolder();
    const [held] = await lab.listReady('held');
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(12, { perSec: 40, burnMs: 10 }));
    const { exit, stderr } = await runLoadflame(folder, ['test', 'load.yaml'], {
      ...env(),
      // With a tenth of a core most time out on some machines.
      ALLOWED_FAILURES: '100%',
      KUBE_WORKLOAD: 'deployment/held',
      TARGET: addressOf(held),
    });
    assert.equal(exit, 0, stderr);
    const [file = ''] = globSync('profiles/*/report.json', { cwd: folder });
    const { cluster, findings, bottleneck } = JSON.parse(
      readFileSync(path.join(folder, file), 'utf8'),
    );
    const { throttling } = cluster.pods[0];
    assert.ok(throttling.share > 0.3, JSON.stringify(throttling));
    assert.equal(throttling.quotaCores, 0.1);
    const found = findings.find((/** @type {any} */ { id }) => id === 'cpu-throttled');
    assert.match(
      found?.text.title ?? '',
      new RegExp(`^Pod ${held?.name} ran into its CPU quota of 0\\.10`),
    );
    assert.equal(bottleneck.id, 'quota');
  });
});
