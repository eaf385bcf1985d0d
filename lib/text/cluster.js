/** The pods of a cluster, in sentences. */
import { formatDuration, formatNumberOf } from '../format.js';
import { joinWords } from './words.js';

/** @import { ClusterReport, PodRestart, UnseenPart } from '../analysis/cluster.d.ts' */

/** @type {Record<PodRestart['reason'], string>} */
const REASONS = {
  oom: 'out of memory (OOMKilled)',
  probe: 'its probe failed, and the kubelet ended it',
  error: 'its process failed',
  completed: 'its process ended by itself',
  unknown: 'the cluster does not say why',
};

/** What a part that is not seen would have told. @type {Record<string, string>} */
const PARTS = {
  pods: 'restarts and readiness',
  logs: 'the logs of the pods',
  usage: 'CPU and memory of the pods',
  events: 'events',
  replicas: 'how many pods are wanted',
  autoscalers: 'autoscalers',
  services: 'services, and so routes and ingresses',
  routes: 'routes',
  ingresses: 'ingresses',
};

/** @param {Pick<PodRestart, 'reason' | 'exitCode'>} restart */
export function describeRestart({ reason, exitCode }) {
  const code = reason === 'error' && exitCode !== null ? ` (exit code ${exitCode})` : '';
  return `${REASONS[reason]}${code}`;
}

/** @param {ClusterReport} cluster @returns {{title: string, sentences: string[], unseen: string[]}} */
export function describeCluster({
  namespace,
  workload,
  selector,
  podCount,
  pods,
  replicas,
  unseen,
}) {
  const restarts = pods.flatMap(pod => pod.restarts).reduce((sum, { count }) => sum + count, 0);
  const unready = pods.filter(({ notReadyMs }) => notReadyMs > 0).length;
  const last = replicas?.at(-1);
  // Where the pods could not be looked at all the time, nothing is said of what was not seen.
  const isSeen = !unseen.some(({ part }) => part === 'pods');
  const windowMs = Math.max(0, ...pods.map(({ usage }) => usage?.windowMs ?? 0));
  const what = workload ? `\`${workload}\`` : `the pods with ${selector}`;
  const calm = [restarts === 0 && 'none restarted', unready === 0 && 'all were ready all the time'];
  return {
    title: 'The pods',
    sentences: [
      `${formatNumberOf(podCount, 'pod')} of ${what} in the namespace \`${namespace}\`${last ? `, ${last.desired} wanted at the end of the load` : ''}.`,
      ...(restarts > 0 ? [`${formatNumberOf(restarts, 'restart')} during the load.`] : []),
      ...(isSeen && calm.some(Boolean)
        ? [`During the load ${joinWords(calm.filter(word => word !== false))}.`]
        : []),
      ...(windowMs > 0
        ? [
            `CPU and memory are means over windows of ${formatDuration(windowMs)}, as metrics.k8s.io gives them: shorter peaks do not show.`,
          ]
        : []),
    ],
    unseen: unseen.map(describeUnseen),
  };
}

/** @param {UnseenPart} part */
function describeUnseen({ part, why, verb, resource, namespace, lengthMs }) {
  const what = PARTS[part] ?? part;
  const when = lengthMs === null ? '' : ` for ${formatDuration(lengthMs)}`;
  const reason = {
    forbidden: `the login may not ${verb} ${resource}; ask for the verb ${verb} on ${resource} in the namespace ${namespace}`,
    missing: `the cluster has no ${resource}`,
    failed: `the cluster did not answer who wanted to ${verb} ${resource}`,
  }[why];
  return `Not seen${when}: ${what}, for ${reason}.`;
}
