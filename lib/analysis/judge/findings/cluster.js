/** What the cluster did with the pods during the load. */
import { addTo, heaviestOf } from '../../../base/files/maps.js';
import { sum } from '../../../base/math/summary.js';
import { finding, MOST_LISTED } from '../statements.js';

/** @import { PodRestart } from '../../../run/facts/cluster.d.ts' */
/** @import { FindingRule } from '../statements.js' */

/** Pods are sampled every two seconds: a shorter unready time may have been no time at all. */
const LEAST_UNREADY_MS = 4000;
/** Share of the load's time. */
const MUCH_UNREADY = 0.2;

/** @type {FindingRule} */
export function findPodRestarts({ load, cluster }) {
  if (!load || !cluster) return [];
  const all = cluster.pods.flatMap(({ name, restarts }) =>
    restarts.map(restart => ({ ...restart, pod: name })),
  );
  if (all.length === 0) return [];
  /** @type {Map<PodRestart['reason'], number>} */
  const counts = new Map();
  for (const { reason, count } of all) addTo(counts, reason, count);
  const byContainer = Map.groupBy(all, ({ pod, container }) => `${pod} ${container}`);
  const first = [...byContainer.values()].flatMap(([own]) => own ?? []);
  return [
    finding('pod-restarted', 'bad', {
      restarts: sum([...counts.values()]),
      reason: heaviestOf(counts) ?? 'unknown',
      first: first.slice(0, MOST_LISTED),
      pods: new Set(all.map(({ pod }) => pod)).size,
      of: cluster.podCount,
      workload: cluster.workload,
    }),
  ];
}

/** A pod that is not ready gets no requests: the others take its share. @type {FindingRule} */
export function findUnreadyPods({ load, cluster }) {
  if (!load || !cluster) return [];
  const lengthMs = load.window.endMs - load.window.startMs;
  const unready = cluster.pods
    .filter(({ notReadyMs }) => notReadyMs > Math.min(LEAST_UNREADY_MS, lengthMs / 2))
    .sort((a, b) => b.notReadyMs - a.notReadyMs);
  const [worst] = unready;
  if (!worst) return [];
  const pods = unready.slice(0, MOST_LISTED).map(({ name, notReadyMs, cameAfterMs, waiting }) => ({
    name,
    notReadyMs,
    cameLater: cameAfterMs !== null,
    waiting,
  }));
  const severity = worst.notReadyMs > lengthMs * MUCH_UNREADY ? 'warn' : 'info';
  const facts = { pods, unready: unready.length, of: cluster.podCount, lengthMs };
  return [finding('pod-not-ready', severity, facts)];
}

/** Figures of the whole run then mix two sizes of the target. @type {FindingRule} */
export function findChangedReplicas({ load, cluster }) {
  if (!load || !cluster?.replicas) return [];
  const { replicas, workload } = cluster;
  if (new Set(replicas.map(({ desired }) => desired)).size < 2) return [];
  return [finding('replicas-changed', 'warn', { steps: replicas, workload })];
}
