/** `doctor --cluster`: the login, the pods, and each right that looking at them takes. */
import { LoadflameError } from '../errors.js';
import { ASKED, isClusterNamed, tryPart } from '../record/cluster/asked.js';
import { connectCluster, nameResource } from '../record/cluster/connect.js';
import { findPods } from '../record/cluster/find-pods.js';
import { findPodServer } from '../record/find-pod-servers.js';

/** @import { Part } from '../record/cluster/asked.js' */
/** @import { Check, CheckContext } from './checks.js' */

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
    return {
      level: 'ok',
      text: `${found.items.length} × ${found.selector} in the namespace ${api.namespace}`,
    };
  },
};

/**
 * What is refused costs a run that part alone.
 * @param {string} name
 * @param {(known: NonNullable<CheckContext['cluster']>) => Promise<string>} look
 * @returns {Check}
 */
const optional = (name, look) => ({
  id: `cluster-${name}`,
  title: `cluster: ${name}`,
  check: async ({ cluster: known }) => {
    if (!known) return { level: 'skip', text: 'not checked: the pods were not found' };
    try {
      return { level: 'ok', text: await look(known) };
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      const { message: text, hint } = error;
      return { level: name === 'routes' ? 'skip' : 'warn', text, hint };
    }
  },
});

/** @param {Part} part */
const clusterPart = part =>
  optional(part, async ({ api, found }) => {
    await tryPart(part, api, found);
    return `the login may ${ASKED[part].verb} ${nameResource(ASKED[part])}`;
  });

const profile = optional('profile', async ({ api, found: { items } }) => {
  const { pod, kind, rootPid, pySpy } = await findPodServer(api, items[0] ?? {});
  return `py-spy ${pySpy.version} of its image can read ${kind} process ${rootPid} of the pod ${pod}`;
});

/** Each right that looking at the pods takes, and whether a profile of them can be had. */
export const CLUSTER_CHECKS = [
  cluster,
  ...Object.keys(ASKED).flatMap(part =>
    part === 'pods' ? [] : [clusterPart(/** @type {Part} */ (part))],
  ),
  profile,
];
