/** `doctor --cluster`: checks the login, the pods, and each permission needed to observe them. */
import { LoadflameError } from '../../base/errors.js';
import { connectCluster, nameResource } from '../../base/kubernetes/connect.js';
import { readCpuStat } from '../../base/kubernetes/exec.js';
import { findPods } from '../../base/kubernetes/find-pods.js';
import { ASKED, askWorkload, isClusterNamed } from '../../base/kubernetes/permissions.js';
import { listRunning } from '../../base/kubernetes/read-objects.js';
import { findWayIn } from '../../record/find-pod-servers.js';

/** @import { Cluster } from '../../base/kubernetes/connect.js' */
/** @import { FoundPods } from '../../base/kubernetes/find-pods.js' */
/** @import { Part } from '../../base/kubernetes/permissions.js' */
/** @import { Check, CheckContext } from './check.d.ts' */

/** @type {Check} */
const cluster = {
  id: 'cluster',
  title: 'cluster',
  check: async context => {
    const { config, redactor } = context;
    if (!isClusterNamed(config)) config.require('KUBE_WORKLOAD');
    const api = await connectCluster(config, redactor);
    const found = await findPods(api, config);
    context.cluster = { api, found };
    const text = `${found.items.length} × ${found.selector} in the namespace ${api.namespace}`;
    return { level: 'ok', text };
  },
};

/**
 * Without this permission, a run lacks only the corresponding part.
 * @param {string} name
 * @param {(context: CheckContext & {cluster: NonNullable<CheckContext['cluster']>}) => Promise<string>} look
 * @returns {Check}
 */
const optional = (name, look) => ({
  id: `cluster-${name}`,
  title: `cluster: ${name}`,
  check: async context => {
    const known = context.cluster;
    if (!known) return { level: 'skip', text: 'not checked: the pods were not found' };
    try {
      return { level: 'ok', text: await look({ ...context, cluster: known }) };
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      const { message: text, hint } = error;
      return { level: 'warn', text, hint };
    }
  },
});

/**
 * Requests a small amount of one part, to test the permission.
 * @param {Part} part
 * @param {Cluster} cluster
 * @param {FoundPods} found
 * @throws {LoadflameError} KUBE_…
 */
async function tryPart(part, cluster, { items: [pod], workload }) {
  if (part === 'logs') {
    const query = { container: pod?.spec?.containers?.[0]?.name ?? '', limitBytes: '1' };
    const asked = { ...ASKED.logs, name: pod?.metadata?.name };
    await cluster.follow(asked, query, () => {}, AbortSignal.timeout(10_000));
  } else if (part === 'throttling') {
    const [place] = listRunning(pod ?? {});
    if (place) await readCpuStat(cluster, place);
  } else if (part === 'replicas') {
    if (workload) await cluster.ask(askWorkload(workload));
  } else await cluster.ask(ASKED[part], { limit: '1' });
}

/** @param {Part} part */
const clusterPart = part =>
  optional(part, async ({ cluster: { api, found } }) => {
    await tryPart(part, api, found);
    return `the login may ${ASKED[part].verb} ${nameResource(ASKED[part])}`;
  });

/** Asks only for the permission on the first pod, without changing the pod. */
const profile = optional('profile', async ({ config, cluster: { api, found: pods } }) => {
  const image = config.get('KUBE_PROFILE_IMAGE');
  const trial = { image, isTrial: true };
  const { pod, server, way, found, refused } = await findWayIn(api, pods.items[0] ?? {}, trial);
  const what = server
    ? `${server.kind} process ${server.rootPid} of the pod ${pod}`
    : `the server of the pod ${pod}, whose image has no shell`;
  const before = refused.map(({ message }) => `; not so: ${message}`).join('');
  if (found) return `py-spy ${found.pySpy.version} of its image can read ${what}`;
  const rights =
    way === 'tracer' ? 'as root with SYS_PTRACE' : "as the server's user, without any capability";
  return `a container of ${image} may be added, ${rights}, to read ${what}; whether py-spy can is seen then${before}`;
});

/** Checks each permission needed to observe the pods, and whether they can be profiled. */
export const CLUSTER_CHECKS = [
  cluster,
  ...Object.keys(ASKED).flatMap(part =>
    part === 'pods' ? [] : [clusterPart(/** @type {Part} */ (part))],
  ),
  profile,
];
