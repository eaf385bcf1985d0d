/** Finds the Python servers in pods, and a way to profile each, by running programs in their containers. */
import { LoadflameError } from '../base/errors.js';
import { lacksProgram } from '../base/kubernetes/exec.js';
import { findPods } from '../base/kubernetes/find-pods.js';
import { ASKED } from '../base/kubernetes/permissions.js';
import { listRunning } from '../base/kubernetes/read-objects.js';
import { addContainer } from './cluster/add-container.js';
import { checkVersion } from './profiler/find-py-spy.js';
import { chooseMode, describeDump, isPermission, readPython } from './profiler/privileges.js';
import { parseOwner, readPySpyError } from './profiler/read-py-spy-error.js';
import { findListedServer, LIST_PROCESSES, readProcessList } from './target/process-list.js';

/** @import { Config } from '../base/config/read-config.js' */
/** @import { Cluster } from '../base/kubernetes/connect.js' */
/** @import { Place } from '../base/kubernetes/exec.js' */
/** @import { ApiObject } from '../base/kubernetes/api-object.d.ts' */
/** @import { PodServer } from './profiler/pod-recorder.js' */

/** Prints the version and path of py-spy: on the PATH, or beside the server's own programs. */
const FIND_PYSPY =
  'for f in "$(command -v py-spy)" "$@"; do [ -x "$f" ] && "$f" --version && echo "$f" && exit; done; exit 1';

/**
 * @param {Cluster} cluster
 * @param {Config} config
 * @param {string | undefined} pod name of the only pod; undefined: all pods of the workload
 * @param {(line: string) => void} onNote called for a pod that can't be profiled if others can
 * @returns {Promise<(PodServer & Pick<WayIn, 'way' | 'refused'>)[]>} at least one
 * @throws {LoadflameError} KUBE_…, POD_…, PYSPY_…
 */
export async function findPodServers(cluster, config, pod, onNote) {
  const items = pod ? await findPod(cluster, pod) : (await findPods(cluster, config)).items;
  const options = { image: config.get('KUBE_PROFILE_IMAGE'), isTrial: false };
  const found = await Promise.allSettled(items.map(item => findWayIn(cluster, item, options)));
  const servers = found.flatMap(one => {
    if (one.status === 'rejected') return [];
    const { server, found: access, ...about } = one.value;
    return server && access ? { ...about, ...server, ...access } : [];
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
 * @typedef {object} Search
 * @property {Cluster} cluster
 * @property {ApiObject} item
 * @property {Place} place container of the server
 * @property {Place} beside container to run programs in: the same, or an added one if that has no shell
 * @property {NonNullable<ReturnType<typeof findListedServer>>} server
 * @property {string | null} image KUBE_PROFILE_IMAGE
 * @property {boolean} isTrial add nothing to the pod: only check whether that is allowed
 */

/**
 * @typedef {'image' | 'added' | 'tracer'} Way where py-spy is: in the server's image; in a container added to the
 *   pod, as the server's user; in an added container with the capability SYS_PTRACE
 * @typedef {Pick<PodServer, 'start' | 'pySpy' | 'mode' | 'python'>} Found
 */

/**
 * @typedef {object} WayIn
 * @property {string} pod
 * @property {ReturnType<typeof findListedServer>} server null: visible only from a container that a trial does not add
 * @property {Way} way
 * @property {Found | null} found null in a trial
 * @property {LoadflameError[]} refused why the ways before it failed
 */

/** As in `kubectl debug --profile=general`, but as root: other users do not get an added capability. */
export const TRACER = {
  ...{ runAsUser: 0, runAsGroup: 0, runAsNonRoot: false },
  capabilities: { add: ['SYS_PTRACE'] },
};

/**
 * A guess at a server's user if only its image names it: the user of most images without a shell
 * (https://github.com/GoogleContainerTools/distroless, `nonroot`). A restricted namespace allows it, too.
 */
const NONROOT = { runAsUser: 65532, runAsGroup: 65532 };

/**
 * In the order in which they are tried; null: the way is of no use here. The same user would be refused for the same
 * reason, and a container without a shell already has an added one of another user.
 * @type {Record<Way, (search: Search, refused: LoadflameError[]) => Promise<Pick<WayIn, 'found'> | null>>}
 */
const WAYS = {
  image: async ({ cluster, beside, server }) => ({
    found: await tryPySpy(cluster, beside, server),
  }),
  added: async (search, refused) =>
    refused.some(isPermission) === (search.beside === search.place)
      ? null
      : tryAdded(search, 'profile', readSecurity),
  tracer: async (search, refused) =>
    refused.some(isPermission) ? tryAdded(search, 'tracer', async () => TRACER) : null,
};

/**
 * @param {Cluster} cluster
 * @param {ApiObject} item
 * @param {Pick<Search, 'image' | 'isTrial'>} options
 * @returns {Promise<WayIn>}
 * @throws {LoadflameError} KUBE_…, POD_…, PYSPY_…
 */
export async function findWayIn(cluster, item, options) {
  const places = listRunning(item);
  const pod = String(item.metadata?.name);
  /** @type {Place[]} */
  const bare = [];
  for (const { container } of places) {
    const place = { pod, container };
    const end = await cluster.exec.run(place, ['sh', '-c', LIST_PROCESSES]);
    if (lacksProgram(end)) bare.push(place);
    const server = findListedServer(readProcessList(end.stdout));
    if (server) return tryWays({ cluster, item, place, beside: place, server, ...options });
  }
  for (const place of bare) {
    const found = await findFromBeside({ cluster, item, place, ...options });
    if (found) return found;
  }
  const containers = places.map(({ container }) => container).join(', ') || 'none runs';
  throw new LoadflameError('POD_NO_SERVER', { pod, containers });
}

/**
 * Finds the server of a container without a shell, from an added container that sees the same processes.
 * @param {Omit<Search, 'server' | 'beside'>} search
 * @returns {Promise<WayIn | null>} null: no server runs there
 */
async function findFromBeside(search) {
  const { cluster, item, place, image, isTrial } = search;
  if (!image) throw new LoadflameError('POD_NO_PROGRAM', { ...place, program: 'sh' });
  const own = readOwnSecurity(item, place);
  const user = own.runAsUser ?? item.spec?.securityContext?.runAsUser;
  const securityContext = user === undefined ? { ...own, ...NONROOT } : own;
  const options = { kind: 'look', image, target: place.container, securityContext, isTrial };
  const beside = { ...place, container: await addContainer(cluster, item, options) };
  if (isTrial) return { pod: place.pod, server: null, way: 'added', refused: [], found: null };
  const { stdout } = await cluster.exec.run(beside, ['sh', '-c', LIST_PROCESSES]);
  const server = findListedServer(readProcessList(stdout));
  return server && tryWays({ ...search, beside, server });
}

/** @param {Search} search @returns {Promise<WayIn>} */
async function tryWays(search) {
  const { place, beside, server } = search;
  const { pod } = place;
  /** @type {LoadflameError[]} */
  const refused = [];
  for (const way of /** @type {Way[]} */ (Object.keys(WAYS))) {
    try {
      const found = await WAYS[way](search, refused);
      const isOwn = way !== 'image' || beside === place;
      if (found) return { pod, server, way: isOwn ? way : 'added', refused, ...found };
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      refused.push(error);
    }
  }
  if (refused.length === 1) throw refused[0];
  const reasons = [...new Set(refused.map(({ message }) => message))].join('; ');
  throw new LoadflameError('POD_NOT_PROFILED', { pod, reasons });
}

/**
 * @param {Cluster} cluster
 * @param {Place} place
 * @param {Search['server']} server
 * @returns {Promise<Found>}
 */
async function tryPySpy({ exec }, place, { rootPid, argv }) {
  const pySpy = await findPySpyInPod(exec, place, argv);
  const look = async (/** @type {boolean} */ pauses) => {
    const seen = await exec.run(place, describeDump(pySpy.path, rootPid, pauses));
    const refused = seen.exitCode === 0 ? null : readPySpyError(seen.stderr, rootPid, explain);
    return { refused, python: readPython(seen.stdout) };
  };
  const access = await chooseMode(look, 'linux');
  return { pySpy, ...access, start: (command, options) => exec.start(place, command, options) };
}

/**
 * @param {Search} search
 * @param {string} kind
 * @param {(search: Search) => Promise<ApiObject>} readContext
 */
async function tryAdded(search, kind, readContext) {
  const { cluster, item, place, server, image, isTrial } = search;
  if (!image) return null;
  const securityContext = await readContext(search);
  const options = { kind, image, target: place.container, securityContext, isTrial };
  const container = await addContainer(cluster, item, options);
  return { found: isTrial ? null : await tryPySpy(cluster, { ...place, container }, server) };
}

/**
 * The security context of the server's own container, which the namespace allows, with the user that runs the server.
 * @param {Search} search
 */
async function readSecurity({ cluster, item, place, beside, server }) {
  const status = ['tail', '-n', '+1', `/proc/${server.rootPid}/status`];
  const { uid, gid } = parseOwner((await cluster.exec.run(beside, status)).stdout);
  return { ...readOwnSecurity(item, place), runAsUser: uid, runAsGroup: gid };
}

/** @param {ApiObject} item @param {Place} place @returns {ApiObject} */
function readOwnSecurity(item, place) {
  const own = item.spec?.containers?.find(({ name }) => name === place.container);
  return own?.securityContext ?? {};
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

/** Replaces the explanation for local processes, which reads this machine's `/proc`. */
function explain() {
  return {
    why: 'its user or group is another than that of programs which are started in the container, or the node forbids it (kernel.yama.ptrace_scope)',
    hint: 'where Yama forbids it, the companion in the API allows it (docs/companion.md)',
  };
}
