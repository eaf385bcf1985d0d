/**
 * Profiles of Python servers in pods of a real Kubernetes, with no root and no capability. Not part of `npm test`:
 * `npm run test:cluster` builds Kubernetes once.
 */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CoreV1Api } from '@kubernetes/client-node';
import { startChild } from '../../lib/child.js';
import { sum } from '../../lib/math/summary.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { describePython } from './describe-api.js';
import { findObstacle, startLab, waitFor } from './lab/start-lab.js';

/** @import { Lab } from './lab/start-lab.js' */

const SHOP = { KUBE_NAMESPACE: 'shop' };
const LOADFLAME = path.resolve(import.meta.dirname, '../../bin/loadflame.js');

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

  const addressOf = (/** @type {{ip: string} | undefined} */ pod) => `http://${pod?.ip}:8080`;
  const env = () => ({ KUBECONFIG: lab.kubeconfig, ...SHOP });

  /** `loadflame profile` until `stop`. @param {string} folder @param {string[]} args */
  const startProfile = async (folder, args) => {
    const child = startChild(process.execPath, [LOADFLAME, 'profile', ...args], {
      cwd: folder,
      env: env(),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    let said = '';
    for (const stream of [child.process.stdout, child.process.stderr])
      stream?.on('data', text => {
        said += text;
      });
    const read = () => readIndex(folder);
    await waitFor(
      'profile',
      async () => read().some(({ kind }) => kind === 'segment'),
      () => (child.isAlive() ? null : 1),
    ).catch(error => assert.fail(`${error.message}: ${said}`));
    const stop = async () => {
      child.signal('SIGINT');
      const { exitCode } = await child.ended;
      return { exitCode, said };
    };
    return { stop, read };
  };
  /** @param {string} folder @param {string} target @param {number} seconds */
  const load = async (folder, target, seconds) => {
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(seconds));
    const { exit, stderr } = await runLoadflame(
      folder,
      ['test', 'load.yaml', '--profiles', 'sent'],
      {
        TARGET: target,
      },
    );
    assert.equal(exit, 0, stderr);
  };
  /** Of the load and of the recording, put together. @param {string} folder */
  const merge = async folder => {
    const folders = ['sent', 'profiles'].map(
      root => globSync(`${root}/*/`, { cwd: folder })[0] ?? '',
    );
    const { exit, stderr } = await runLoadflame(
      folder,
      ['report', ...folders, '--same-target'],
      {},
    );
    assert.equal(exit, 0, stderr);
    const [file = ''] = globSync('profiles/*-merged-*/report.json', { cwd: folder });
    return JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  };

  test('uid 1000660000, gid 0 and no capability: the function of the application is told by its share', async () => {
    const folder = makeFolder();
    const [one, other] = await lab.listReady('api');
    const profile = await startProfile(folder, ['--workload', 'deployment/api']);
    await load(folder, addressOf(one), 12);
    const { exitCode, said } = await profile.stop();
    assert.equal(exitCode, 0, said);
    const { profile: found, cpu, run } = await merge(folder);
    const burn = found.hotPaths.find((/** @type {any} */ path) =>
      /burn/.test(JSON.stringify(path)),
    );
    assert.ok(burn, JSON.stringify(found.hotPaths).slice(0, 500));
    assert.ok(burn.share.value > 0.6, JSON.stringify(burn.share));
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

  test('a pod that goes in the middle keeps what was recorded of it, and the others go on', async () => {
    const folder = makeFolder();
    const [one, other] = await lab.listReady('api');
    const profile = await startProfile(folder, ['--workload', 'deployment/api']);
    const loading = load(folder, addressOf(one), 12).catch(error => error);
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

/** Of the recording. @param {string} folder @returns {any[]} */
function readIndex(folder) {
  const [file] = globSync('profiles/*/profile/segments.ndjson', { cwd: folder });
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : '';
  return text.split('\n').flatMap(line => (line ? JSON.parse(line) : []));
}

/** @param {number} seconds @param {{perSec?: number, burnMs?: number}} [options] */
function describeLoad(seconds, { perSec = 10, burnMs = 40 } = {}) {
  return `
config:
  target: '{{ $env.TARGET }}'
  phases: [{duration: ${seconds}, arrivalRate: ${perSec}}]
scenarios: [{flow: [{get: {url: /burn/${burnMs}}}]}]
`;
}
