/** The Python servers in pods, and how a profile of each can be had: looked for by programs in their containers. */
import { LoadflameError } from '../errors.js';
import { findListedServer, LIST_PROCESSES, readProcessList } from '../target/process-list.js';
import { ASKED } from './cluster/asked.js';
import { findPods } from './cluster/find-pods.js';
import { listRunning } from './cluster/read-objects.js';
import { checkVersion } from './profiler/find-py-spy.js';
import { chooseMode, describeLook, readPython } from './profiler/privileges.js';
import { readPySpyError } from './profiler/read-py-spy-error.js';

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
 * @returns {Promise<PodServer[]>} at least one
 * @throws {LoadflameError} KUBE_…, POD_NO_SERVER, POD_NO_PYSPY, PYSPY_…
 */
export async function findPodServers(cluster, config, pod, onNote) {
  const items = pod ? await findPod(cluster, pod) : (await findPods(cluster, config)).items;
  const found = await Promise.allSettled(items.map(item => findPodServer(cluster, item)));
  const servers = found.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
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
 * @param {Cluster} cluster
 * @param {ApiObject} item
 * @returns {Promise<PodServer>}
 * @throws {LoadflameError} KUBE_…, POD_NO_SERVER, POD_NO_PYSPY, PYSPY_…
 */
export async function findPodServer({ exec }, item) {
  const places = listRunning(item);
  const pod = String(item.metadata?.name);
  for (const { container } of places) {
    const place = { pod, container };
    const { stdout } = await exec.run(place, ['sh', '-c', LIST_PROCESSES]);
    const server = findListedServer(readProcessList(stdout));
    if (!server) continue;
    const { rootPid, argv } = server;
    const pySpy = await findPySpyInPod(exec, place, argv);
    const look = async (/** @type {boolean} */ pauses) => {
      const seen = await exec.run(place, describeLook(pySpy.path, rootPid, pauses));
      const refused = seen.exitCode === 0 ? null : readPySpyError(seen.stderr, rootPid, explain);
      return { refused, python: readPython(seen.stdout) };
    };
    const access = await chooseMode(look, 'linux');
    return {
      ...{ pod, pySpy, ...server, ...access },
      start: (command, options) => exec.start(place, command, options),
    };
  }
  const containers = places.map(({ container }) => container).join(', ') || 'none runs';
  throw new LoadflameError('POD_NO_SERVER', { pod, containers });
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
