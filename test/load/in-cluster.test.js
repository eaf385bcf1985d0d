/** A load from inside a cluster, as far as no cluster is needed: test/cluster/running.check.js has the rest. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../lib/base/config/read-config.js';
import { createJob, describeJob } from '../../lib/load/in-cluster/describe-job.js';
import { packLoad } from '../../lib/load/in-cluster/pack-load.js';
import { createLines, createReceiver, readLine } from '../../lib/load/in-cluster/worker-lines.js';
import { prepareLoad } from '../../lib/load/start-load.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { createRunFolder } from '../../lib/run/run-folder.js';
import { callLoadflame, readError, runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const JOB = {
  ...{ name: 'loadflame-1', workers: 3, image: 'one', cpu: '500m', memory: '512Mi', mostSec: 60 },
  ...{ avoid: {}, pod: null },
};
const onWriteError = (/** @type {Error} */ error) => assert.fail(error);

test('a pod may do nothing that restricted-v2 forbids, and has what it asks for', () => {
  const { spec } = describeJob(JOB);
  const pod = spec.template.spec;
  const [container] = pod.containers;
  assert.deepEqual(pod.securityContext, {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
  });
  assert.deepEqual(container.resources.requests, container.resources.limits);
  assert.equal(pod.automountServiceAccountToken, false);
  assert.deepEqual([spec.completionMode, spec.backoffLimitPerIndex], ['Indexed', 0]);
  assert.ok(spec.activeDeadlineSeconds > 0 && spec.ttlSecondsAfterFinished > 0);
});

test('what --pod-file says is merged over the pods, lists by name', () => {
  const pod = {
    tolerations: [{ key: 'load' }],
    containers: [{ name: 'worker', volumeMounts: [{ name: 'usr', mountPath: '/usr' }] }],
    volumes: [{ name: 'usr', hostPath: { path: '/usr' } }],
  };
  const { containers, volumes, tolerations } = describeJob({ ...JOB, pod }).spec.template.spec;
  assert.deepEqual(tolerations, [{ key: 'load' }]);
  assert.equal(containers.length, 1);
  assert.equal(containers[0].image, 'one');
  assert.deepEqual(
    containers[0].volumeMounts.map((/** @type {any} */ { name }) => name),
    ['given', 'tmp', 'usr'],
  );
  assert.equal(volumes.length, 3);
});

test('pods keep off the nodes of the target where they can', () => {
  const { affinity } = describeJob({ ...JOB, avoid: { app: 'api' } }).spec.template.spec;
  const [term] = affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
  assert.deepEqual(term.podAffinityTerm.labelSelector.matchLabels, { app: 'api' });
});

test('lines of a worker are read back, and what others print is none', () => {
  /** @type {string[]} */
  const written = [];
  const lines = createLines(text => written.push(text));
  const record = { t: 1, kind: 'second', fromMs: 1000, counters: { 'http.requests': 3 } };
  lines.say('ready');
  lines.send('metrics', JSON.stringify(record));
  assert.deepEqual(written.map(readLine), [
    { n: 1, say: 'ready' },
    { n: 2, say: 'record', file: 'metrics', record },
  ]);
  for (const text of [
    '',
    'Error: no',
    '{"n":1',
    '{"n":3}',
    '{"n":1,"file":"../x","z":"q1YqU7IyqgUA"}',
  ])
    assert.equal(readLine(text), null, text);
  // A record that no reader takes is none, either.
  lines.send('metrics', JSON.stringify({ ...record, counters: { 'http.requests': -1 } }));
  assert.equal(readLine(written.at(-1)?.trimEnd() ?? ''), null);
});

test('times of a worker are moved to our clock by whole seconds', async t => {
  const files = createRunFolder(makeTempFolder(t), 'load');
  const receiver = createReceiver(files, { workers: 2, phases: 1, onWriteError });
  const second = (/** @type {number} */ fromMs) => ({
    file: /** @type {const} */ ('metrics'),
    record: { t: 1, kind: 'second', fromMs, counters: { 'http.requests': 1 }, sketches: {} },
  });
  receiver.add({ worker: 1, aheadMs: 0 }, second(10_002));
  receiver.add({ worker: 2, aheadMs: 2100 }, second(12_000));
  const { records } = await readNdjson(files.metrics);
  assert.deepEqual(
    records.map(({ fromMs }) => fromMs),
    [10_002, 10_000],
  );
  assert.equal(receiver.progress.read().requests, 2);
});

test('workers find script, files and settings in one Secret, and nothing of them is elsewhere', async t => {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'lib'));
  writeFileSync(path.join(folder, 'rows.csv'), 'a\nplanted-6\n');
  writeFileSync(path.join(folder, 'own.js'), "import './lib/more.js';\nprocess.env.OWN_KEY;\n");
  writeFileSync(path.join(folder, 'lib/more.js'), 'export {};\n');
  // An address may be the path of a file of this machine, too: /init, /etc/hosts.
  writeFileSync(path.join(folder, 'secret.txt'), 'planted-5');
  writeFileSync(path.join(folder, 'own.bin'), 'bytes');
  const script = path.join(folder, 'load.yaml');
  writeFileSync(
    script,
    `config:
  target: http://api
  variables: {password: planted-7}
  phases: [{duration: 1, arrivalRate: 1}]
  processor: ./own.js
  payload: {path: rows.csv, fields: [a]}
scenarios:
  - flow:
      - get: {url: '/{{ $env.GIVEN_KEY }}'}
      - get: {url: '${path.join(folder, 'secret.txt')}'}
      - post: {url: /up, formData: {file: {fromFile: own.bin}}}
`,
  );
  Object.assign(process.env, {
    OWN_KEY: 'planted-1',
    GIVEN_KEY: 'planted-2',
    OTHER_KEY: 'planted-3',
  });
  const config = readConfig({
    env: { OIDC_PASSWORD: 'planted-4', KUBE_NAMESPACE: 'shop', LOADFLAME: 'a-key-of-16-signs' },
    folder: null,
  });
  const prepared = prepareLoad(script, config, { name: 'load.yaml' });
  const given = packLoad(prepared, config, {}, { workers: 2, waitSec: 60 });
  const job = JSON.parse(String(given['job.json']));
  assert.deepEqual(Object.values(job.places).sort(), [
    'files/lib/more.js',
    'files/own.bin',
    'files/own.js',
    'files/rows.csv',
  ]);
  const [, address, upload] = job.script.scenarios[0].flow;
  assert.equal(address.get.url, path.join(folder, 'secret.txt'));
  assert.equal(upload.post.formData.file.fromFile, '/tmp/loadflame/files/own.bin');
  assert.equal(job.script.config.processor, '/tmp/loadflame/files/own.js');
  assert.equal(job.script.config.payload.path, '/tmp/loadflame/files/rows.csv');
  const texts = Object.values(given).map(String).join('\n');
  assert.doesNotMatch(texts, /planted-[35]/);
  assert.ok(!texts.replace(address.get.url, '').includes(folder), texts);
  const settings = JSON.parse(String(given['settings.json']));
  assert.deepEqual(settings, {
    ...{ OWN_KEY: 'planted-1', GIVEN_KEY: 'planted-2', OIDC_PASSWORD: 'planted-4' },
    LOADFLAME: 'a-key-of-16-signs',
  });

  /** @type {Record<string, any>} */
  const sent = {};
  const send = async (/** @type {any} */ { resource }, /** @type {any} */ body) => {
    sent[resource] = body;
    return { metadata: { uid: 'u1' } };
  };
  await createJob(/** @type {any} */ ({ send }), describeJob(JOB), given);
  assert.deepEqual(Object.keys(sent), ['jobs', 'secrets']);
  assert.doesNotMatch(JSON.stringify(sent.jobs), /planted/);
  const secret = Object.values(sent.secrets.data).map(text => atob(/** @type {string} */ (text)));
  for (const n of [1, 2, 4, 6, 7]) assert.match(secret.join('\n'), new RegExp(`planted-${n}`));
  assert.equal(sent.secrets.metadata.ownerReferences[0].uid, 'u1');

  writeFileSync(path.join(folder, 'rows.csv'), 'x'.repeat(1.1 * 2 ** 20));
  assert.throws(() => packLoad(prepared, config, {}, { workers: 2, waitSec: 60 }), {
    code: 'KUBE_FILES_TOO_LARGE',
    message: /and a Secret holds 1048576/,
    hint: /make rows\.csv smaller/,
  });
});

test('workers send the rate that was prepared, where a phase has more of one scenario, too', t => {
  const folder = makeTempFolder(t);
  const script = path.join(folder, 'load.yaml');
  const there = path.join(folder, 'script.json');
  const settings = readConfig({ env: {}, folder: null });
  for (const rate of ['5', '5.5', '0', '0.01', '5.5, mode: poisson']) {
    writeFileSync(
      script,
      `config:
  target: http://api
  phases:
    - {duration: 10, arrivalRate: ${rate}, more: {b: 20.04}}
    - {duration: 10, arrivalRate: 3}
scenarios: [{name: a, flow: [{get: {url: /}}]}, {name: b, flow: [{get: {url: /b}}]}]
`,
    );
    const prepared = prepareLoad(script, settings);
    const given = packLoad(prepared, settings, {}, { workers: 2, waitSec: 60 });
    writeFileSync(there, JSON.stringify(JSON.parse(String(given['job.json'])).script));
    const { phases } = prepareLoad(there, settings);
    const [spike, ...others] = phases;
    const [planned, ...rest] = prepared.phases;
    const rateOf = (/** @type {any} */ { arrivalRate, arrivalCount, duration }) =>
      arrivalRate ?? arrivalCount / duration;
    assert.ok(Math.abs(rateOf(spike ?? {}) - rateOf(planned ?? {})) < 1e-9, rate);
    assert.deepEqual([spike?.more, others], [planned?.more, rest]);
  }
});

test('the Containerfile copies all that a worker needs', async t => {
  const folder = makeTempFolder(t);
  const text = readFileSync(path.join(ROOT, 'Containerfile'), 'utf8');
  // The first stage only names the base.
  const [, first = '', last = ''] = text.split(/^FROM .*$/m).slice(1);
  const own = first.slice(first.indexOf('WORKDIR /opt/own'));
  const copied = [...own.matchAll(/^COPY (?!--)(\S+) (\S+)$/gm)].map(([, from = '', to = '']) => [
    from,
    to,
  ]);
  assert.ok(copied.length >= 3);
  const open = readFileSync(path.join(ROOT, '.containerignore'), 'utf8').split('\n');
  for (const [from = '', to = ''] of copied) {
    assert.ok(open.includes(`!${from}`), `${from} reaches the build`);
    cpSync(path.join(ROOT, from), path.resolve(folder, to, to === './' ? from : ''), {
      recursive: true,
    });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const [, entry = ''] = /^ENTRYPOINT \["node", "\/opt\/loadflame\/(.+)"\]$/m.exec(last) ?? [];
  assert.match(last, /^USER [1-9]\d*$/m);
  // It has no job here, and says so the way that a coordinator reads.
  const { stdout } = await runLoadflame(
    folder,
    ['cluster', 'worker'],
    {},
    path.join(folder, entry),
  );
  const line = readLine(stdout.split('\n')[0] ?? '');
  assert.equal(line?.say, 'failed');
  assert.match(/** @type {any} */ (line).message, /job\.json/);
});

test('a file of --pod-file that is none is wrong use, before any cluster is asked', async t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'pod.yaml'), '[1]\n');
  for (const file of ['pod.yaml', 'missing.yaml']) {
    const args = ['cluster', 'run', 'load.yaml', '--image', 'one', '--pod-file', file];
    const { exit, stderr } = await callLoadflame(folder, args);
    assert.equal(exit, 2);
    assert.equal(readError(stderr).code, 'KUBE_POD_FILE');
  }
});
