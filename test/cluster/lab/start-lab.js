/**
 * A real Kubernetes for checks: API server, controllers, scheduler, kubelet and metrics-server in one program
 * that build.js builds once and keeps in `.tools/cluster`, with Debian's etcd, containerd and runc. All of it runs in
 * namespaces of its own and ends with its first process; the machine sees one network device.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CoreV1Api, KubeConfig, KubernetesObjectApi, loadAllYaml } from '@kubernetes/client-node';
import { startChild } from '../../../lib/base/process/child.js';
import { findBuilt, KEPT } from './requirements.js';

/** @import { KubernetesObject } from '@kubernetes/client-node' */

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, '../../..');
const API = 'https://10.240.0.1:6443';
const DEVICE = 'loadflame-lab';
/** On a busy machine all of it takes its time. */
const MOST_MS = 180_000;

/**
 * @typedef {object} Lab
 * @property {string} kubeconfig file of an administrator
 * @property {(token: string, server?: string) => string} tokenConfig `kubeconfig` with that login
 * @property {(yaml: string, namespace?: string) => Promise<KubernetesObject[]>} apply creates what the YAML describes
 * @property {(apiVersion: string, kind: string, name: string) => Promise<unknown>} remove an object of no namespace
 * @property {(namespace: string, account: string) => Promise<string>} issueToken of an hour
 * @property {(app: string) => Promise<{name: string, ip: string}[]>} listReady pods of the namespace `shop`, by
 *   their label `app`, in the order of their names
 * @property {KubeConfig} config of the administrator
 * @property {(file: string) => void} importImage from an archive as Docker makes it
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Lab>} */
export async function startLab() {
  const kubernetes = findBuilt();
  const folder = path.join(KEPT, 'run');
  removeOld(folder);
  execFileSync(path.join(HERE, 'files.sh'), [folder, path.join(ROOT, '.venv/bin/py-spy')]);
  const log = openSync(path.join(folder, 'log', 'node.log'), 'a');
  const unshare = [
    '--mount',
    '--pid',
    '--net',
    '--ipc',
    '--uts',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ];
  // A test that is killed takes it along.
  const node = startChild('unshare', [...unshare, path.join(HERE, 'node.sh'), folder, kubernetes], {
    ...{ stdout: log, stderr: log, parentDeathSignal: 'KILL' },
  });
  // A test whose time-out came before the lab ends all the same, and takes the lab along.
  node.process.unref();
  const readEnd = () => node.process.exitCode;
  const stop = async () => {
    node.process.ref();
    node.signal('SIGKILL');
    await node.ended;
    // The kernel takes a network down after its last process: the next lab has the same device.
    await waitFor('end of the network', async () => !existsSync(`/sys/class/net/${DEVICE}`));
    removeGroups();
  };
  try {
    const pid = await plug(node.pid);
    const kubeconfig = path.join(folder, 'pki', 'admin.yaml');
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const objects = KubernetesObjectApi.makeApiClient(config);
    /** @param {string} yaml @param {string} [namespace] */
    const apply = async (yaml, namespace = 'default') => {
      const made = loadAllYaml(yaml).filter(Boolean);
      for (const object of made) {
        object.metadata.namespace ??= namespace;
        await retry(() => objects.create(object));
      }
      return made;
    };
    const ca = readFileSync(path.join(folder, 'pki', 'ca.crt'));
    await waitFor('API server', () => isServing(ca), readEnd);
    await apply(describeMetrics(ca));
    await waitFor(
      'node',
      async () =>
        isReady(await objects.read({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'lab' } })),
      readEnd,
    );
    let configs = 0;
    const tokenConfig = (/** @type {string} */ token, server = API) => {
      const file = path.join(folder, `token-${++configs}.yaml`);
      const user = `users: [{name: admin, user: {token: "${token}"}}]`;
      const own = readFileSync(kubeconfig, 'utf8').replace(/^users: .*$/m, user);
      writeFileSync(file, own.replace(API, server), { mode: 0o600 });
      return file;
    };
    const remove = (
      /** @type {string} */ apiVersion,
      /** @type {string} */ kind,
      /** @type {string} */ name,
    ) => objects.delete({ apiVersion, kind, metadata: { name } });
    const core = config.makeApiClient(CoreV1Api);
    const listReady = async (/** @type {string} */ app) => {
      const about = { namespace: 'shop', labelSelector: `app=${app}` };
      return (await core.listNamespacedPod(about)).items
        .filter(pod => !pod.metadata?.deletionTimestamp && isReady(pod))
        .map(({ metadata, status }) => ({ name: `${metadata?.name}`, ip: `${status?.podIP}` }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    };
    const issueToken = async (/** @type {string} */ namespace, /** @type {string} */ name) => {
      const body = { spec: { audiences: [], expirationSeconds: 3600 } };
      const made = await core.createNamespacedServiceAccountToken({ name, namespace, body });
      return made.status?.token ?? '';
    };
    const importImage = (/** @type {string} */ file) => {
      const ctr = ['ctr', '--namespace', 'k8s.io', 'images', 'import', file];
      execFileSync('nsenter', ['--mount', '--target', pid, ...ctr], { stdio: 'pipe' });
    };
    const made = { kubeconfig, tokenConfig, apply, remove, issueToken, listReady, config };
    return { ...made, importImage, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The machine's end of the node's network: its API and its pods are reached through it.
 * @param {number} pid
 * @returns {Promise<string>} pid of the node's first process
 */
async function plug(pid) {
  // `unshare` has forked when its child is there.
  await waitFor(
    'namespaces',
    async () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== '',
  );
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  const ip = (/** @type {string} */ text) => execFileSync('ip', text.split(' '));
  ip(`link add ${DEVICE} type veth peer name eth0 netns ${child}`);
  ip(`address add 10.240.0.254/24 dev ${DEVICE}`);
  ip(`link set ${DEVICE} up`);
  ip(`route add 10.244.0.0/24 via 10.240.0.1 dev ${DEVICE}`);
  return child;
}

/** What a lab that was killed left: its device, its state, its groups. @param {string} folder */
function removeOld(folder) {
  if (existsSync(`/sys/class/net/${DEVICE}`))
    throw new Error(`a lab is at work already: ${DEVICE} is a network device of this machine`);
  rmSync(folder, { recursive: true, force: true });
  removeGroups();
}

/** Groups of processes that have ended. */
function removeGroups() {
  const groups = globSync(`/sys/fs/cgroup/*/${DEVICE}/**/`);
  for (const group of groups.sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(group);
    } catch {
      // a process of it is on its way out: the next lab removes it
    }
  }
}

/** A node or a pod. @param {KubernetesObject & {status?: {conditions?: {type: string, status: string}[]}}} object */
function isReady({ status }) {
  return status?.conditions?.some(one => one.type === 'Ready' && one.status === 'True');
}

/** @param {Buffer} ca */
function isServing(ca) {
  return new Promise(resolve => {
    https
      .get(`${API}/readyz`, { ca, timeout: 2000 }, answer => {
        answer.resume();
        resolve(answer.statusCode === 200);
      })
      .on('error', () => resolve(false));
  });
}

/**
 * @param {string} what
 * @param {() => Promise<unknown>} look
 * @param {() => number | null} [readEnd] how what is waited for ended
 */
export async function waitFor(what, look, readEnd = () => null) {
  const endMs = Date.now() + MOST_MS;
  for (;;) {
    if (await look().catch(() => false)) return;
    if (readEnd() !== null)
      throw new Error(`the lab ended before its ${what} was there: see .tools/cluster/run/log`);
    if (Date.now() > endMs) throw new Error(`no ${what} within ${MOST_MS / 1000} s`);
    await sleep(200);
  }
}

/** A namespace's own account comes a moment after it, and so do kinds of objects. @template T @param {() => Promise<T>} make */
async function retry(make) {
  for (let tries = 1; ; tries++) {
    try {
      return await make();
    } catch (error) {
      const { code } = /** @type {{code?: number}} */ (error);
      if (tries === 50 || (code !== 403 && code !== 404)) throw error;
      await sleep(200);
    }
  }
}

/** metrics-server runs beside the kubelet, and the API server finds it by a service. @param {Buffer} ca */
function describeMetrics(ca) {
  return `
apiVersion: v1
kind: Service
metadata: {name: metrics-server, namespace: kube-system}
spec: {ports: [{name: https, port: 443, targetPort: 4443}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: metrics-server, namespace: kube-system}
subsets: [{addresses: [{ip: 10.240.0.1}], ports: [{name: https, port: 4443}]}]
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  caBundle: ${ca.toString('base64')}
  service: {name: metrics-server, namespace: kube-system, port: 443}
`;
}
