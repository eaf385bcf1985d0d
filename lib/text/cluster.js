/** Sentences about the pods of a cluster, and findings about them. */
import { listPresent } from '../base/files/maps.js';
import { formatBytes, formatDuration, formatNumberOf } from '../base/format.js';

/** @import { ClusterReport, PodRestart, UnseenPart } from '../run/facts/cluster.d.ts' */
/** @import { FindingTable } from '../run/facts/findings.d.ts' */
/** @import { Catalogue, StatementWords } from './text.d.ts' */

/** @type {Record<PodRestart['reason'], string>} */
const REASONS = {
  oom: 'out of memory (OOMKilled)',
  probe: 'its probe failed, and the kubelet ended it',
  error: 'its process failed',
  completed: 'its process ended by itself',
  unknown: 'the cluster does not say why',
};

/** @param {Pick<PodRestart, 'reason' | 'exitCode'>} restart */
function describeRestart({ reason, exitCode }) {
  const code = reason === 'error' && exitCode !== null ? ` (exit code ${exitCode})` : '';
  return `${REASONS[reason]}${code}`;
}

/** @param {ClusterReport} cluster @returns {{title: string, sentences: string[], unseen: string[]}} */
export function describeCluster(cluster) {
  const { namespace, workload, selector, podCount, pods, replicas, unseen } = cluster;
  const restarts = countRestarts(pods);
  const isCalm = restarts === 0 && pods.every(({ notReadyMs }) => notReadyMs === 0);
  // If the pods could not be listed all the time, say nothing about their number.
  const isSeen = !unseen.some(({ part }) => part === 'pods');
  const windowMs = Math.max(0, ...pods.map(({ usage }) => usage?.windowMs ?? 0));
  const what = workload ? `\`${workload}\`` : `the pods with ${selector}`;
  const last = replicas?.at(-1);
  const sentences = listPresent(
    `${formatNumberOf(podCount, 'pod')} of ${what} in the namespace \`${namespace}\`${last ? `, ${last.desired} wanted at the end of the load` : ''}.`,
    restarts > 0 && `${formatNumberOf(restarts, 'restart')} during the load.`,
    isSeen && isCalm && 'During the load none restarted and all were ready all the time.',
    windowMs > 0 &&
      `CPU and memory are means over windows of ${formatDuration(windowMs)}, as metrics.k8s.io reports them: shorter peaks are not visible.`,
  );
  return { title: 'The pods', sentences, unseen: unseen.map(describeUnseen) };
}

/** @param {Pick<ClusterReport['pods'][number], 'restarts'>[]} pods */
export const countRestarts = pods =>
  pods.flatMap(pod => pod.restarts).reduce((sum, { count }) => sum + count, 0);

/** @param {UnseenPart} part */
function describeUnseen({ part, why, verb, resource, namespace }) {
  const reason = {
    forbidden: `the login may not ${verb} ${resource}; ask for the verb ${verb} on ${resource} in the namespace ${namespace}`,
    missing: `the cluster has no ${resource}`,
    program: 'the images of the pods have no `cat`, which reads it',
    failed: `the cluster rejected ${verb} ${resource}`,
  }[why];
  return `Not always seen: ${part}, because ${reason}.`;
}

/** Advice by reason. @type {Record<PodRestart['reason'], string>} */
const ADVICE = {
  oom: 'Give the container more memory, or run fewer workers in it. If its memory grew all the time, find out what keeps it.',
  probe:
    'Look at what the probe requests: under load the API responds too late. Give the probe an address that needs no free worker, or more time (`timeoutSeconds`, `failureThreshold`).',
  error: 'Read the last lines of the log of this pod.',
  completed: 'Look at its command: a server should not end by itself.',
  unknown: 'Look at `kubectl describe pod`, and at the last lines of its log.',
};

/** @type {Pick<Catalogue<FindingTable, StatementWords>, 'pod-restarted' | 'pod-not-ready' | 'replicas-changed'>} */
export const CLUSTER_FINDINGS = {
  'pod-restarted': ({ restarts, reason, first, pods, of, workload }) => {
    const [one] = first;
    const who =
      pods === 1 && one
        ? `Pod ${one.pod} restarted`
        : `${pods} of ${of} pods${workload ? ` of ${workload}` : ''} restarted`;
    const times = restarts > pods ? ` ${formatNumberOf(restarts, 'time')}` : '';
    const after = one ? `, ${formatDuration(one.afterMs)} after the start` : '';
    const limit =
      reason === 'oom' && one?.memoryLimitBytes
        ? ` The limit is ${formatBytes(one.memoryLimitBytes)}.`
        : '';
    return {
      title: `${who}${times} under load${after}: ${describeRestart({ reason, exitCode: one?.exitCode ?? null })}.`,
      detail: `Its requests are lost, and the other pods serve its share until it is ready.${limit}`,
      evidence: first.map(restart => [
        `${restart.pod}, container ${restart.container}`,
        `${formatDuration(restart.afterMs)} after the start: ${describeRestart(restart)}`,
      ]),
      advice: ADVICE[reason],
    };
  },
  'pod-not-ready': ({ pods, unready, of, lengthMs }) => {
    const [worst] = pods;
    const others = unready > 1 ? `, and ${formatNumberOf(unready - 1, 'other')}` : '';
    return {
      title: `Pod ${worst?.name}${others} of ${of} ${unready > 1 ? 'were' : 'was'} not ready for ${formatDuration(worst?.notReadyMs ?? 0)} of ${formatDuration(lengthMs)}.`,
      detail: 'A pod that is not ready gets no requests: the load was on the others.',
      evidence: pods.map(({ name, notReadyMs, cameLater, waiting }) => [
        name,
        `${formatDuration(notReadyMs)} not ready${cameLater ? ', came during the load' : ''}${waiting ? `, its container waited: ${waiting}` : ''}`,
      ]),
      advice:
        'Look at its readiness probe and its log: it may have started late, or failed its probe because it was busy.',
    };
  },
  'replicas-changed': ({ steps, workload }) => {
    const counts = steps.map(({ desired }) => desired);
    return {
      title: `The number of pods${workload ? ` of ${workload}` : ''} changed during the load: from ${counts[0]} to ${counts.at(-1)} (at least ${Math.min(...counts)}, at most ${Math.max(...counts)}).`,
      detail: 'Figures of the whole run mix these sizes.',
      evidence: steps.map(({ afterMs, desired, ready }) => [
        `${formatDuration(afterMs)} after the start`,
        `${formatNumberOf(desired, 'pod')} wanted, ${ready} ready`,
      ]),
      advice:
        'To measure one size, fix the number of pods (the same minimum and maximum of the autoscaler). To measure an autoscaler, let the load continue long after its last step.',
    };
  },
};
