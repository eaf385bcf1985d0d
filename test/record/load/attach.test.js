/** `cluster attach` does nothing in a cluster but for the run that this user's own folder recorded. */
import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readManifest } from '../../../lib/run/manifest.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { JOB, OWN, startClusterApi, writeKilledRun } from '../../helpers/cluster-run.js';
import { callLoadflame, readError } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { connect, writeKubeconfig } from '../cluster/fake-api.js';

/** @import { TestContext } from 'node:test' */

/** @param {TestContext} t @param {Parameters<typeof startClusterApi>[1]} [job] */
async function prepare(t, job) {
  const root = makeTempFolder(t);
  const { server, requests } = await startClusterApi(t, job);
  const KUBECONFIG = writeKubeconfig(root, server);
  const attach = async (/** @type {string} */ folder, /** @type {string[]} */ ...more) => {
    const args = ['cluster', 'attach', folder, ...more];
    const { exit, stderr } = await callLoadflame(root, args, { KUBECONFIG });
    return { exit, stderr, ...readError(stderr) };
  };
  return { root, requests, attach };
}

test('reads the logs of the own workers, and removes their Job alone', async t => {
  const { root, requests, attach } = await prepare(t);
  // Numbers of a folder are not those of the cluster: as many workers do not fit into memory.
  const files = writeKilledRun(root, { workers: 2e8, endMs: 8e15 });
  const { exit, stderr } = await attach(files.folder);
  assert.notEqual(exit, 1, stderr);
  const { records } = await readNdjson(files.metrics);
  const sent = records.map(({ counters }) => counters?.['http.requests'] ?? 0);
  assert.equal(
    sent.reduce((sum, count) => sum + count, 0),
    6,
    JSON.stringify(records),
  );
  assert.equal(readManifest(files.manifest).status, 'complete', stderr);
  const others = requests.filter(
    ({ url }) => !OWN.logs.test(url) && !url.startsWith(OWN.pods) && !url.startsWith(OWN.job),
  );
  assert.deepEqual(others, []);
  const deleted = requests.filter(({ method }) => method !== 'GET');
  const { uid } = readManifest(files.manifest).inside ?? {};
  assert.deepEqual(deleted, [
    {
      ...{ method: 'DELETE', url: OWN.job },
      body: { propagationPolicy: 'Background', preconditions: { uid } },
    },
  ]);
});

test('a folder that names something else sends nothing', async t => {
  const { root, requests, attach } = await prepare(t);
  for (const job of ['.', '..', 'other', `${JOB}/..`, 'loadflame-0A1B2C3D', `${JOB}0`]) {
    const { folder, manifest } = writeKilledRun(root);
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll(JOB, job));
    assert.equal((await attach(folder)).code, 'RUN_FOLDER_NOT_ONE', job);
  }
  for (const place of [{ context: 'prod' }, { namespace: 'kube-system' }, { namespace: '..' }]) {
    const { code, message, hint } = await attach(writeKilledRun(root, place).folder);
    assert.equal(code, 'CLUSTER_ATTACH_ELSEWHERE');
    assert.match(message ?? '', /your settings have the context lab and the namespace shop$/);
    assert.match(hint ?? '', /--kube-context and --namespace/);
  }
  assert.deepEqual(requests, []);
});

test('a folder that was received sends nothing, and nothing is written through its links', async t => {
  const { root, requests, attach } = await prepare(t);
  const { folder, metrics } = writeKilledRun(root);
  const received = path.join(root, 'received');
  cpSync(folder, received, { recursive: true });
  // It names context and namespace, and all of it is true.
  for (const more of [[], ['--kube-context', 'lab', '--namespace', 'shop']])
    assert.equal((await attach(received, ...more)).code, 'CLUSTER_ATTACH');

  const elsewhere = path.join(root, 'elsewhere');
  renameSync(path.dirname(metrics), elsewhere);
  symlinkSync(elsewhere, path.dirname(metrics));
  const before = readFileSync(metrics, 'utf8');
  assert.equal((await attach(folder)).code, 'CLUSTER_ATTACH');
  assert.equal(readFileSync(metrics, 'utf8'), before);
  assert.deepEqual(readdirSync(elsewhere), ['metrics.ndjson']);
  assert.deepEqual(requests, []);
});

test('a Job that only has the name of the run is not removed', async t => {
  for (const job of [{ uid: 'another' }, { labels: {} }]) {
    const { root, requests, attach } = await prepare(t, job);
    const { folder } = writeKilledRun(root);
    const { code, message } = await attach(folder);
    assert.equal(code, 'CLUSTER_ATTACH');
    assert.match(message ?? '', /another one than it started/);
    assert.deepEqual(
      requests.map(({ method, url }) => `${method} ${url}`),
      [`GET ${OWN.job}`],
    );
  }
});

test('what cannot be written stays in the cluster', async t => {
  const { root, requests, attach } = await prepare(t);
  const { folder, events } = writeKilledRun(root);
  rmSync(events);
  mkdirSync(events);
  assert.equal((await attach(folder)).code, 'RUN_FOLDER_UNWRITABLE');
  assert.ok(requests.every(({ method }) => method === 'GET'));
});

test('a Job that was replaced meanwhile is gone, and the other one is left alone', async t => {
  const onDelete = (/** @type {any} */ job) => {
    job.metadata.uid = 'another';
  };
  const { root, attach } = await prepare(t, { onDelete });
  const { folder, manifest } = writeKilledRun(root);
  const { exit, stderr } = await attach(folder);
  assert.notEqual(exit, 1, stderr);
  assert.doesNotMatch(stderr, /may be left/);
  assert.equal(readManifest(manifest).status, 'complete');
});

test('steps of a path are no names of objects', async t => {
  const { server, requests } = await startClusterApi(t);
  const { cluster } = await connect(t, server);
  const asked = { verb: 'delete', resource: 'jobs', group: 'batch' };
  for (const name of ['.', '..'])
    await assert.rejects(cluster.send({ ...asked, name }, {}), { code: 'KUBE_NOT_THERE' });
  const outside = await connect(t, server, { KUBE_NAMESPACE: '..' });
  await assert.rejects(outside.cluster.ask(asked), { code: 'KUBE_NOT_THERE' });
  assert.deepEqual(requests, []);
});
