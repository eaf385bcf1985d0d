/**
 * The property of test/cli/planted-secrets.check.js for a load from inside a cluster: what the role `view` reads
 * there, and what comes home, has none of the planted secrets.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchV1Api, CoreV1Api, KubeConfig, Log } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { startProvider } from '../../demo/start-provider.js';
import { readLine } from '../../lib/load/in-cluster/worker-lines.js';
import { findPlanted, plantSecrets } from '../helpers/planted-secrets.js';
import { readError, runLoadflame } from '../helpers/run-loadflame.js';
import {
  makeTellingHooks,
  makeTellingScript,
  startTellingTarget,
} from '../helpers/telling-programs.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { describeAccount, describeWorker, IMAGE, readRole } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';

/** @import { Planted } from '../helpers/planted-secrets.js' */
/** @import { Lab } from './lab/start-lab.js' */

/** This machine, as the pods of the lab reach it. */
const MACHINE = '10.240.0.254';
const NAMESPACE = { namespace: 'shop' };

const obstacle = findObstacle();

describe('secrets of a load from inside a cluster', { skip: obstacle }, () => {
  /** @type {Lab} */
  let lab;
  const tokens = { runner: '', viewer: '' };

  before(async () => {
    lab = await startLab();
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    await lab.apply(readRole('loadflame-workers'), 'shop');
    await lab.apply(describeAccount('runner', ['loadflame-workers']), 'shop');
    await lab.apply(VIEWER, 'shop');
    tokens.runner = await lab.issueToken('shop', 'runner');
    tokens.viewer = await lab.issueToken('shop', 'viewer');
    // A controller puts that role together, some time after the start.
    const core = readConfig(lab.tokenConfig(tokens.viewer)).makeApiClient(CoreV1Api);
    await waitFor('role view', () => core.listNamespacedConfigMap(NAMESPACE));
  });
  after(() => lab?.stop());

  test('are in its Secret alone, whether script, CSV file, settings or headers have them', async t => {
    const planted = plantSecrets();
    const { password, clientSecret, apiKey, awsSecret, undeclared } = planted;
    const provider = await startProvider({
      dir: makeTempFolder(t),
      host: MACHINE,
      users: [{ username: 'clerk', password }],
      secrets: { client: clientSecret, api: 'not-used' },
    });
    t.after(provider.stop);
    const target = await startTellingTarget(t, planted);
    const script = makeTellingScript(planted, await forward(t, target.port));
    script.config.target = script.config.target.replace('127.0.0.1', MACHINE);
    const folder = makeTempFolder(t);
    writeFileSync(path.join(folder, 'load.yaml'), stringify(script));
    writeFileSync(path.join(folder, 'users.csv'), `anna,${planted.githubToken}\n`);
    writeFileSync(path.join(folder, 'hooks.cjs'), makeTellingHooks(planted));
    writeFileSync(path.join(folder, 'pod.yaml'), JSON.stringify(describeWorker()));

    const stopWatching = watch(lab, lab.tokenConfig(tokens.viewer));
    // What a response teaches one worker is unknown to another until it has got that, too.
    const size = ['--workers', '1', '--cpu', '500m', '--memory', '500Mi', '--wait', '120'];
    const args = ['run', 'load.yaml', ...size, '--image', IMAGE, '--pod-file', 'pod.yaml'];
    /** @param {string} OIDC_PASSWORD */
    const run = OIDC_PASSWORD =>
      runLoadflame(folder, ['cluster', ...args], {
        KUBECONFIG: lab.tokenConfig(tokens.runner),
        KUBE_NAMESPACE: 'shop',
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: 'queue-management',
        OIDC_CLIENT_SECRET: clientSecret,
        OIDC_USERNAME: 'clerk',
        OIDC_PASSWORD,
        API_KEY: apiKey,
        AWS_SECRET_ACCESS_KEY: awsSecret,
        SHOP_API_TOKEN: undeclared,
      });
    const refused = await run(planted.passphrase);
    const { exit, stdout, stderr } = await run(password);
    const seen = await stopWatching();

    for (const [what, texts] of Object.entries(seen.open))
      await t.test(what, () => {
        assert.ok(texts.size > 0, `no ${what}`);
        assert.deepEqual(findIn(texts, planted), []);
      });
    await t.test('terminal', () =>
      assert.deepEqual(findPlanted(`${refused.stderr}${stdout}${stderr}`, planted), []),
    );
    await t.test('run folder', () => {
      const files = globSync('profiles/**/*', { cwd: folder, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => path.join(entry.parentPath, entry.name));
      assert.ok(files.some(file => file.endsWith('errors.ndjson')));
      const texts = new Map(files.map(file => [file, readFileSync(file, 'utf8')]));
      assert.deepEqual(findIn(texts, planted), []);
    });
    await t.test('the load had all of them, and its log repeats what it was sent', () => {
      assert.equal(readError(refused.stderr).code, 'KUBE_WORKER_FAILED', refused.stderr);
      // Nearly every response is an error.
      assert.equal(exit, 6, stderr);
      const kinds = new Set(findIn(seen.secret, planted).map(found => found.split(' ')[1]));
      // The first five come from responses; no run here has a server with arguments.
      const others = [
        'accessToken',
        'refreshToken',
        'captured',
        'sessionCookie',
        'csrf',
        'argument',
      ];
      const missing = Object.keys(planted).filter(kind => !kinds.has(kind));
      assert.deepEqual(missing.sort(), others.sort());
      assert.ok(target.answers() > 50, `${target.answers()} responses`);
      const log = [...seen.open['pod logs'].values()].join('\n');
      assert.match(log, /"kind":"error".*\[redacted\]/);
      assert.match(log, /captured \[redacted\] and \[redacted\]/);
    });
    await t.test(
      'the role view reads no Secret, and the Role of the load deletes none',
      async () => {
        const as = (/** @type {string} */ token) =>
          readConfig(lab.tokenConfig(token)).makeApiClient(CoreV1Api);
        const [viewer, runner] = [as(tokens.viewer), as(tokens.runner)];
        const others = { ...NAMESPACE, name: 'others' };
        const refused = [
          viewer.listNamespacedSecret(NAMESPACE),
          runner.deleteNamespacedSecret(others),
          runner.deleteNamespacedConfigMap(others),
          runner.deleteCollectionNamespacedSecret(NAMESPACE),
        ];
        await Promise.all(refused.map(one => assert.rejects(one, { code: 403 })));
      },
    );
  });
});

/** Bound to the role that clusters have for those who may see nearly all. */
const VIEWER = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: viewer}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewer}
subjects: [{kind: ServiceAccount, name: viewer, namespace: shop}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
`;

/** @param {string} file */
function readConfig(file) {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return config;
}

/**
 * All states of what a viewer sees while a load runs, by kind and name.
 * @param {Lab} lab @param {string} kubeconfig of the viewer
 */
function watch(lab, kubeconfig) {
  const viewer = readConfig(kubeconfig);
  const core = viewer.makeApiClient(CoreV1Api);
  const batch = viewer.makeApiClient(BatchV1Api);
  const admin = lab.config.makeApiClient(CoreV1Api);
  /** @type {Record<'ConfigMaps' | 'Jobs' | 'pods' | 'events' | 'pod logs', Map<string, string>>} */
  const open = {
    ConfigMaps: new Map(),
    Jobs: new Map(),
    pods: new Map(),
    events: new Map(),
    'pod logs': new Map(),
  };
  /** @type {Map<string, string>} */
  const secret = new Map();
  /** @type {Set<string>} */
  const followed = new Set();
  const look = async () => {
    const [maps, jobs, pods, events, secrets] = await Promise.all([
      core.listNamespacedConfigMap(NAMESPACE),
      batch.listNamespacedJob(NAMESPACE),
      core.listNamespacedPod(NAMESPACE),
      core.listNamespacedEvent(NAMESPACE),
      admin.listNamespacedSecret(NAMESPACE),
    ]);
    const lists = { ConfigMaps: maps, Jobs: jobs, pods, events };
    for (const [kind, { items }] of Object.entries(lists))
      for (const item of items)
        open[/** @type {keyof typeof lists} */ (kind)].set(
          `${item.metadata?.name} ${item.metadata?.resourceVersion}`,
          JSON.stringify(item),
        );
    for (const { metadata, data = {} } of secrets.items)
      for (const [key, text] of Object.entries(data))
        secret.set(`${metadata?.name}/${key}`, Buffer.from(text, 'base64').toString());
    for (const { metadata } of pods.items) await follow(metadata?.name ?? '');
  };
  /** Its records are compressed. @param {string} pod */
  const follow = async pod => {
    if (followed.has(pod)) return;
    let text = '';
    const stream = new Writable({
      write(bytes, _encoding, done) {
        text += bytes;
        const lines = text.split('\n').map(line => {
          const read = readLine(line);
          return read ? JSON.stringify(read) : line;
        });
        open['pod logs'].set(pod, lines.join('\n'));
        done();
      },
    });
    // Until the container has started there is no log.
    await new Log(viewer)
      .log('shop', pod, 'worker', stream, { follow: true })
      .then(() => followed.add(pod))
      .catch(() => {});
  };
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      // On a busy machine an answer may not come; the last look has to.
      await look().catch(() => {});
      await sleep(200, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await watching;
    await look();
    return { open, secret };
  };
}

/** @param {Map<string, string>} texts @param {Planted} planted @returns {string[]} `name kind (way): …` */
function findIn(texts, planted) {
  return [...texts].flatMap(([name, text]) =>
    findPlanted(text, planted).map(found => `${name.replaceAll(' ', '@')} ${found}`),
  );
}

/** The target listens on 127.0.0.1. @param {import('node:test').TestContext} t @param {number} port */
async function forward(t, port) {
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  const server = net.createServer(socket => {
    const onward = net.connect(port, '127.0.0.1');
    for (const one of [socket, onward]) sockets.add(one.on('error', () => {}));
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, MACHINE);
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return /** @type {net.AddressInfo} */ (server.address()).port;
}
