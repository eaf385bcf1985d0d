/** `doctor --cluster`: the login, the pods, and each right that looking at them takes. */
import { LoadflameError } from '../errors.js';
import { ASKED, isClusterNamed, tryPart } from '../record/cluster/asked.js';
import { connectCluster, nameResource } from '../record/cluster/connect.js';
import { findPods } from '../record/cluster/find-pods.js';

/** @import { Part } from '../record/cluster/asked.js' */
/** @import { Check } from './checks.js' */

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

/** A part that is refused costs a run that part alone. @param {Part} part @returns {Check} */
const clusterPart = part => ({
  id: `cluster-${part}`,
  title: `cluster: ${part}`,
  check: async ({ cluster: known }) => {
    if (!known) return { level: 'skip', text: 'not checked: the pods were not found' };
    try {
      await tryPart(part, known.api, known.found);
      return {
        level: 'ok',
        text: `the login may ${ASKED[part].verb} ${nameResource(ASKED[part])}`,
      };
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      const { message: text, hint } = error;
      return { level: part === 'routes' ? 'skip' : 'warn', text, hint };
    }
  },
});

/** Each right that looking at the pods takes. */
export const CLUSTER_CHECKS = [
  cluster,
  ...Object.keys(ASKED).flatMap(part =>
    part === 'pods' ? [] : [clusterPart(/** @type {Part} */ (part))],
  ),
];
