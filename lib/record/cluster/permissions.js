/** What is asked of a cluster, and the right that each needs: docs/openshift.md has them as a Role. */

import { readCpuStat } from './read-cpu-stat.js';
import { listRunning } from './read-objects.js';

/** @import { Config } from '../../config/read-config.js' */
/** @import { Asked, Cluster } from './connect.js' */
/** @import { FoundPods } from './find-pods.js' */

/** Over a WebSocket it is a `get` for the API server, and from Kubernetes 1.35 on a `create`, too. */
export const EXEC = { verb: 'create and get', resource: 'pods', group: '', subresource: 'exec' };
export const ATTACH = { ...EXEC, subresource: 'attach' };

/** @satisfies {Record<string, Asked>} */
export const ASKED = {
  pods: { verb: 'list', resource: 'pods', group: '' },
  logs: { verb: 'get', resource: 'pods', group: '', subresource: 'log' },
  usage: { verb: 'list', resource: 'pods', group: 'metrics.k8s.io', version: 'v1beta1' },
  throttling: EXEC,
  events: { verb: 'list', resource: 'events', group: '' },
  replicas: { verb: 'get', resource: 'deployments', group: 'apps' },
  autoscalers: {
    verb: 'list',
    resource: 'horizontalpodautoscalers',
    group: 'autoscaling',
    version: 'v2',
  },
  services: { verb: 'list', resource: 'services', group: '' },
  routes: { verb: 'list', resource: 'routes', group: 'route.openshift.io' },
  ingresses: { verb: 'list', resource: 'ingresses', group: 'networking.k8s.io' },
};

/** @typedef {keyof typeof ASKED} Part */

/** Without a name of pods nothing is asked. @param {Config} config */
export function isClusterNamed(config) {
  return Boolean(config.get('KUBE_WORKLOAD') || config.get('KUBE_SELECTOR'));
}

/**
 * The workload itself; OpenShift's own kind is of another group.
 * @param {{resource: string, name: string}} workload
 * @returns {Asked}
 */
export function askWorkload({ resource, name }) {
  const group = resource === 'deploymentconfigs' ? 'apps.openshift.io' : 'apps';
  return { ...ASKED.replicas, resource, group, name };
}

/**
 * Asks for a little of one part, to see whether that is allowed.
 * @param {Part} part
 * @param {Cluster} cluster
 * @param {FoundPods} found
 * @throws {LoadflameError} KUBE_…
 */
export async function tryPart(part, cluster, { items: [pod], workload }) {
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
