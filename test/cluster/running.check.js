/**
 * A load from inside a real Kubernetes, with the Role of docs/openshift.md. No image is built here: the pods have the
 * lab's own, into which Node and this checkout are mounted by the file that --pod-file takes; who they run as, what they
 * may write and how they are reached is as it is on OpenShift.
 */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CoreV1Api } from '@kubernetes/client-node';
import { execa } from 'execa';
import { pickVariables } from '../../lib/base/process/bare-environment.js';
import { LOADFLAME, readError } from '../helpers/run-loadflame.js';
import { describeAccount, describeApi, describeWorker, IMAGE, readRole } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';
import { readRun, waitForRemoval } from './worker-runs.js';

/** @import { Lab } from './lab/start-lab.js' */

const SECRET = 'k3y-of-the-shop-77ab';

const obstacle = findObstacle();

describe('a load from inside a cluster', { skip: obstacle }, () => {
  /** @type {Lab} */
  let lab;
  /** @type {CoreV1Api} */
  let core;
  let target = '';
  const tokens = { runner: '', small: '', nobody: '' };
  const temp = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));

  before(async () => {
    lab = await startLab();
    core = lab.config.makeApiClient(CoreV1Api);
    for (const name of ['shop', 'small'])
      await lab.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
    for (const name of ['shop', 'small']) await lab.apply(readRole('loadflame-workers'), name);
    for (const name of ['shop', 'small'])
      await lab.apply(describeAccount('runner', ['loadflame-workers'], name), name);
    await lab.apply('{apiVersion: v1, kind: ServiceAccount, metadata: {name: nobody}}', 'shop');
    await lab.apply(QUOTA, 'small');
    tokens.runner = await lab.issueToken('shop', 'runner');
    tokens.small = await lab.issueToken('small', 'runner');
    tokens.nobody = await lab.issueToken('shop', 'nobody');
    // Its log is what counts: on a busy machine it must not be started anew.
    await lab.apply(describeApi('api', 1, { alive: null }), 'shop');
    await waitFor('pod', async () => {
      const [pod] = await lab.listReady('api');
      target = `http://${pod?.ip}:8080`;
      return pod;
    });
  });
  after(async () => {
    await lab?.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  const makeFolder = () => {
    const folder = mkdtempSync(path.join(temp, 'run-'));
    writeFileSync(path.join(folder, 'pod.yaml'), JSON.stringify(describeWorker()));
    writeFileSync(path.join(folder, 'rows.csv'), 'row\n1\n2\n3\n4\n5\n6\n7\n');
    writeFileSync(path.join(folder, 'own.cjs'), OWN);
    writeFileSync(path.join(folder, 'names.cjs'), "module.exports = { header: 'x-own' };\n");
    return folder;
  };
  /** @param {string} folder @param {string[]} args @param {{token?: string, namespace?: string}} [as] */
  const start = (folder, args, { token = tokens.runner, namespace = 'shop' } = {}) =>
    execa(process.execPath, [LOADFLAME, 'cluster', ...args], {
      cwd: folder,
      env: {
        ...pickVariables(['PATH']),
        HOME: folder,
        KUBECONFIG: lab.tokenConfig(token),
        KUBE_NAMESPACE: namespace,
        TARGET: target,
        SHOP_KEY: SECRET,
      },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      timeout: 110_000,
      forceKillAfterDelay: 1000,
    });
  /** @param {string} folder @param {number} seconds @param {string} mark of its requests @param {string[]} [more] */
  const describeRun = (folder, seconds, mark, more = []) => {
    writeFileSync(path.join(folder, 'load.yaml'), describeLoad(seconds));
    const size = ['--workers', '3', '--cpu', '300m', '--memory', '400Mi', '--pod-file', 'pod.yaml'];
    return [
      'run',
      'load.yaml',
      ...size,
      '--image',
      IMAGE,
      '--wait',
      '120',
      '--set',
      `MARK=${mark}`,
      ...more,
    ];
  };
  /** @param {string} [namespace] */
  const waitForNothing = namespace => waitForRemoval(lab, namespace);
  /** The requests that the server has seen, by their path. @param {string} mark */
  const listServed = async mark => {
    const [{ name } = { name: '' }] = await lab.listReady('api');
    const log = await core.readNamespacedPodLog({ namespace: 'shop', name, container: 'web' });
    return log.split('\n').flatMap(line => {
      const [, url] = /^ERROR: request \d+ of \S+ (\S+)$/.exec(line) ?? [];
      const query = url ? new URL(url, 'http://pod').searchParams : null;
      return query?.get('mark') === mark
        ? { worker: Number(query.get('worker')) + 1, row: query.get('row') }
        : [];
    });
  };

  test('three workers share arrivals and rows, and all of their records are one run', async () => {
    const folder = makeFolder();
    const ended = await start(folder, describeRun(folder, 7, 'a'));
    assert.equal(ended.exitCode, 0, ended.stderr);
    const { report, manifest, records, files } = readRun(folder);
    const served = await listServed('a');
    assert.equal(served.length, 63);
    assert.equal(report.load.http.responses, served.length);
    assert.equal(report.load.users.created, served.length);
    assert.deepEqual(countBy(served, 'worker'), { 1: 21, 2: 21, 3: 21 });
    // Each row is one worker's alone.
    const rows = new Set(served.map(({ worker, row }) => `${worker}: ${row}`));
    assert.deepEqual([...rows].sort(), ['1: 1', '1: 4', '1: 7', '2: 2', '2: 5', '3: 3', '3: 6']);
    assert.equal(manifest.status, 'complete');

    const starts = records('load/metrics').filter(({ kind }) => kind === 'load-start');
    assert.equal(starts.length, 1);
    assert.equal(starts[0]?.workers, 3);
    const clocks = records('events').filter(({ kind }) => kind === 'load-worker');
    assert.equal(clocks.length, 3);
    // One machine, one clock.
    for (const { aheadMs, uncertaintyMs } of clocks)
      assert.ok(Math.abs(aheadMs) <= uncertaintyMs + 1, `${aheadMs} ± ${uncertaintyMs} ms`);
    const quotas = records('resources/processes').filter(({ kind }) => kind === 'cgroup');
    for (const n of [1, 2, 3])
      assert.ok(quotas.some(one => one.path.startsWith(`worker ${n}: `) && one.quotaCores === 0.3));
    for (const file of files)
      assert.ok(!readFileSync(file, 'utf8').includes(SECRET), `${file} has the secret`);
    await waitForNothing();
  });

  test('a worker that is killed is missing from then on', async () => {
    const folder = makeFolder();
    const running = start(folder, describeRun(folder, 40, 'b'));
    await waitFor('load', async () => (await listServed('b')).length > 40);
    const { items } = await core.listNamespacedPod({ namespace: 'shop' });
    const victim = items.find(({ metadata }) => /^loadflame-\w+-1-/.test(metadata?.name ?? ''));
    const name = victim?.metadata?.name ?? '';
    await core.deleteNamespacedPod({
      ...{ name, namespace: 'shop', gracePeriodSeconds: 0 },
      body: { gracePeriodSeconds: 0 },
    });
    const ended = await running;
    assert.equal(ended.exitCode, 0, `${ended.stdout}\n${ended.stderr}`);
    const { report, manifest, records } = readRun(folder);
    const served = countBy(await listServed('b'), 'worker');
    assert.equal(served[1] + served[3], 240);
    assert.ok(served[2] < 120, 'the killed one has sent all the same');
    const lost = served[1] + served[2] + served[3] - report.load.http.responses;
    assert.ok(lost >= 0 && lost <= 12, `${lost} requests of the killed worker are missing`);
    const lines = records('load/metrics').filter(({ kind }) => kind === 'second');
    const sent = lines.reduce((sum, { counters }) => sum + (counters['http.requests'] ?? 0), 0);
    assert.equal(report.load.http.responses, sent);
    assert.equal(manifest.status, 'partial');
    assert.match(JSON.stringify(manifest.reasons), /worker 2 of 3 .* is missing/);
    await waitForNothing();
  });

  test('Ctrl+C keeps what was measured, and leaves nothing in the cluster', async () => {
    const folder = makeFolder();
    const running = start(folder, describeRun(folder, 60, 'c'));
    await waitFor('load', async () => (await listServed('c')).length > 30);
    running.kill('SIGINT');
    const { exitCode, stderr } = await running;
    assert.equal(exitCode, 130, stderr);
    const { report, manifest } = readRun(folder);
    assert.equal(manifest.status, 'partial');
    // Of each worker one may have been under way.
    const missing = (await listServed('c')).length - report.load.http.responses;
    assert.ok(missing >= 0 && missing <= 3, `${missing} requests are missing`);
    await waitForNothing();
  });

  test('what stops the workers is an error with its hint, and nothing is left behind', async () => {
    /** @type {[string, RegExp, string[], Parameters<typeof start>[2]][]} */
    const wrong = [
      [
        'KUBE_PODS_REFUSED',
        /exceeded quota: pods/,
        [],
        { token: tokens.small, namespace: 'small' },
      ],
      [
        'KUBE_FORBIDDEN',
        /may not create jobs\.batch in the namespace shop/,
        [],
        { token: tokens.nobody },
      ],
      ['KUBE_NO_WORKERS', /within 5 s: .*Insufficient cpu/, ['--cpu', '64', '--wait', '5'], {}],
      ['KUBE_IMAGE', /loadflame\/nowhere/, ['--image', 'localhost/loadflame/nowhere:1'], {}],
      [
        'KUBE_WORKER_FAILED',
        /worker 1 cannot send the load: .*\(TARGET_/,
        ['--target', 'http://10.240.0.1:9'],
        {},
      ],
    ];
    for (const [code, words, more, as] of wrong) {
      const folder = makeFolder();
      const { exitCode, stderr } = await start(folder, describeRun(folder, 5, 'd', more), as);
      const error = readError(stderr);
      assert.equal(error.code, code, stderr);
      assert.match(error.message ?? '', words);
      assert.ok(error.hint);
      assert.equal(exitCode, 4);
      assert.deepEqual(globSync('profiles/*', { cwd: folder }), []);
      await waitForNothing(as?.namespace);
    }
  });
});

/** A quota that lets no pod in beside those that there are. */
const QUOTA = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: pods}
spec: {hard: {pods: "0"}}
`;

const OWN = `
const { header } = require('./names.cjs');
module.exports = {
  sign: (request, context, events, done) => {
    request.headers = { ...request.headers, [header]: process.env.SHOP_KEY };
    return done();
  },
};
`;

/** @param {number} seconds */
function describeLoad(seconds) {
  return `
config:
  target: '{{ $env.TARGET }}'
  phases: [{duration: ${seconds}, arrivalRate: 9}]
  processor: ./own.cjs
  payload: {path: rows.csv, fields: [row], order: sequence, skipHeader: true}
  loadflame: {variables: {MARK: {about: which run it is, default: none}}}
scenarios:
  - beforeRequest: sign
    flow:
      - post: {url: '/load?mark={{ $env.MARK }}&worker={{ $env.JOB_COMPLETION_INDEX }}&row={{ row }}'}
`;
}

/** @param {Record<string, any>[]} list @param {string} key @returns {Record<string, any>} */
function countBy(list, key) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const one of list) counts[one[key]] = (counts[one[key]] ?? 0) + 1;
  return counts;
}
