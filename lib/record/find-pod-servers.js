/** The Python servers in pods, and how a profile of each can be had: looked for by programs in their containers. */
import { LoadflameError } from '../errors.js';
import { findListedServer, LIST_PROCESSES, readProcessList } from '../target/process-list.js';
import { addContainer } from './cluster/add-container.js';
import { findPods } from './cluster/find-pods.js';
import { ASKED } from './cluster/permissions.js';
import { listRunning } from './cluster/read-objects.js';
import { checkVersion } from './profiler/find-py-spy.js';
import { chooseMode, describeLook, isPermission, readPython } from './profiler/privileges.js';
import { parseOwner, readPySpyError } from './profiler/read-py-spy-error.js';

/** @import { Config } from '../config/read-config.js' */
/** @import { Cluster } from './cluster/connect.js' */
/** @import { Place } from './cluster/exec.js' */
/** @import { ApiObject } from './cluster/read-objects.js' */
/** @import { PodServer } from './profiler/pod-recorder.js' */

/** Where it is, and its version: on the PATH, or beside the server's own programs. */
const FIND_PYSPY =
  'for f in "$(command -v py-spy)" "$@"; do [ -x "$f" ] && "$f" --version && echo "$f" && exit; done; exit 1';

/**
 * @param {Cluster} cluster
 * @param {Config} config
 * @param {string | undefined} pod its name; all of the workload without it
 * @param {(line: string) => void} onNote a pod that can't be profiled beside others that can
 * @returns {Promise<(PodServer & Pick<WayIn, 'way' | 'refused'>)[]>} at least one
 * @throws {LoadflameError} KUBE_…, POD_…, PYSPY_…
 */
export async function findPodServers(cluster, config, pod, onNote) {
  const items = pod ? await findPod(cluster, pod) : (await findPods(cluster, config)).items;
  const options = { image: config.get('KUBE_PROFILE_IMAGE'), isTrial: false };
  const found = await Promise.allSettled(items.map(item => findWayIn(cluster, item, options)));
  const servers = found.flatMap(one => {
    if (one.status === 'rejected' || !one.value.found) return [];
    const { server, found: access, ...about } = one.value;
    return { ...about, ...server, ...access };
  });
  const errors = found.flatMap(one => (one.status === 'rejected' ? one.reason : []));
  if (servers.length === 0) throw errors[0];
  for (const { message, hint = '' } of errors) onNote(`warning: ${message}; ${hint}`);
  return servers;
}

/** @param {Cluster} cluster @param {string} name @returns {Promise<ApiObject[]>} */
async function findPod(cluster, name) {
  const { items = [] } = await cluster.ask(ASKED.pods, { fieldSelector: `metadata.name=${name}` });
  const { namespace } = cluster;
  if (items.length > 0) return items;
  throw new LoadflameError('KUBE_NOT_THERE', { namespace, resource: 'pods', name });
}

/**
 * @typedef {object} Looked
 * @property {Cluster} cluster
 * @property {ApiObject} item
 * @property {Place} place container of the server
 * @property {NonNullable<ReturnType<typeof findListedServer>>} server
 * @property {string | null} image KUBE_PROFILE_IMAGE
 * @property {boolean} isTrial nothing is added to the pod: it is only asked whether that is allowed
 */

/**
 * @typedef {'image' | 'added' | 'tracer'} Way where py-spy is: in the server's image; in a container that is added to the
 *   pod, as the server's user; in one with the capability SYS_PTRACE
 * @typedef {Pick<PodServer, 'start' | 'pySpy' | 'mode' | 'python'>} Found
 */

/**
 * @typedef {object} WayIn
 * @property {string} pod
 * @property {NonNullable<ReturnType<typeof findListedServer>>} server
 * @property {Way} way
 * @property {Found | null} found null: it was no more than asked for
 * @property {LoadflameError[]} refused why not by the ways before it
 */

/** As `kubectl debug --profile=general` has it, and root: a capability that is added is no other user's. */
export const TRACER = {
  ...{ runAsUser: 0, runAsGroup: 0, runAsNonRoot: false },
  capabilities: { add: ['SYS_PTRACE'] },
};

/**
 * In the order in which they are tried; null: it is of no use here. The same user would be refused for the same reason.
 * @type {Record<Way, (looked: Looked, refused: LoadflameError[]) => Promise<Pick<WayIn, 'found'> | null>>}
 */
const WAYS = {
  image: async ({ cluster, place, server }) => ({ found: await tryPySpy(cluster, place, server) }),
  added: async (looked, refused) =>
    refused.some(isPermission) ? null : tryAdded(looked, 'profile', readSecurity),
  tracer: async (looked, refused) =>
    refused.some(isPermission) ? tryAdded(looked, 'tracer', async () => TRACER) : null,
};

/**
 * @param {Cluster} cluster
 * @param {ApiObject} item
 * @param {Pick<Looked, 'image' | 'isTrial'>} options
 * @returns {Promise<WayIn>}
 * @throws {LoadflameError} KUBE_…, POD_…, PYSPY_…
 */
export async function findWayIn(cluster, item, options) {
  const places = listRunning(item);
  const pod = String(item.metadata?.name);
  for (const { container } of places) {
    const place = { pod, container };
    const { stdout } = await cluster.exec.run(place, ['sh', '-c', LIST_PROCESSES]);
    const list = readProcessList(stdout);
    const server = findListedServer(list);
    if (!server) continue;
    /** @type {LoadflameError[]} */
    const refused = [];
    for (const way of /** @type {Way[]} */ (Object.keys(WAYS))) {
      try {
        const found = await WAYS[way]({ cluster, item, place, server, ...options }, refused);
        if (found) return { pod, server, way, refused, ...found };
      } catch (error) {
        if (!(error instanceof LoadflameError)) throw error;
        refused.push(error);
      }
    }
    if (refused.length === 1) throw refused[0];
    const reasons = [...new Set(refused.map(({ message }) => message))].join('; ');
    throw new LoadflameError('POD_NOT_PROFILED', { pod, reasons });
  }
  const containers = places.map(({ container }) => container).join(', ') || 'none runs';
  throw new LoadflameError('POD_NO_SERVER', { pod, containers });
}

/** @param {Cluster} cluster @param {Place} place @param {Looked['server']} server @returns {Promise<Found>} */
async function tryPySpy({ exec }, place, { rootPid, argv }) {
  const pySpy = await findPySpyInPod(exec, place, argv);
  const look = async (/** @type {boolean} */ pauses) => {
    const seen = await exec.run(place, describeLook(pySpy.path, rootPid, pauses));
    const refused = seen.exitCode === 0 ? null : readPySpyError(seen.stderr, rootPid, explain);
    return { refused, python: readPython(seen.stdout) };
  };
  const access = await chooseMode(look, 'linux');
  return { pySpy, ...access, start: (command, options) => exec.start(place, command, options) };
}

/** @param {Looked} looked @param {string} kind @param {(looked: Looked) => Promise<ApiObject>} readContext */
async function tryAdded(looked, kind, readContext) {
  const { cluster, item, place, server, image, isTrial } = looked;
  if (!image) return null;
  const security = await readContext(looked);
  const options = { kind, image, target: place.container, security, isTrial };
  const container = await addContainer(cluster, item, options);
  return { found: isTrial ? null : await tryPySpy(cluster, { ...place, container }, server) };
}

/**
 * As the server's own container has it, which the rules of the namespace let through, and as the user that runs it.
 * @param {Looked} looked
 */
async function readSecurity({ cluster, item, place, server }) {
  const status = ['tail', '-n', '+1', `/proc/${server.rootPid}/status`];
  const { uid, gid } = parseOwner((await cluster.exec.run(place, status)).stdout);
  const { securityContext } = item.spec.containers.find(
    (/** @type {ApiObject} */ { name }) => name === place.container,
  );
  return { ...securityContext, runAsUser: uid, runAsGroup: gid };
}

/**
 * @param {Cluster['exec']} exec
 * @param {Place} place
 * @param {string[]} argv of the server
 */
async function findPySpyInPod(exec, place, argv) {
  const beside = argv.slice(0, 2).filter(word => word.startsWith('/'));
  const files = beside.map(word => word.replace(/[^/]+$/, 'py-spy'));
  const { exitCode, stdout } = await exec.run(place, ['sh', '-c', FIND_PYSPY, 'sh', ...files]);
  const [version = '', file = ''] = stdout.trim().split('\n');
  if (exitCode !== 0 || !file.startsWith('/'))
    throw new LoadflameError('POD_NO_PYSPY', { ...place });
  return checkVersion(file, version);
}

/** Same user and same group are given: it is the program's own. */
function explain() {
  return {
    why: 'its user or group is another than that of programs which are started in the container, or the node forbids it (kernel.yama.ptrace_scope)',
    hint: 'where Yama forbids it, the companion in the API allows it (docs/companion.md)',
  };
}
