/** What a cluster reported about the target's pods during the load. */
import { mean, most, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';

/** @import { ClusterReport, PodReport, PodRestart, UnseenPart } from '../../run/facts/cluster.d.ts' */
/** @import { TimeRange } from '../../base/math/estimate.d.ts' */
/** @import { RecordOf } from '../../run/facts/records.d.ts' */

/** @typedef {RecordOf<'cluster'>} ClusterRecord */
/** @typedef {RecordOf<'cluster', 'pod' | 'pod-gone' | 'usage' | 'throttling'>} RecordOfPod */
/** @typedef {RecordOf<'cluster', 'pod'>['containers']} Containers */

/** No workload has more pods: a bound for damaged folders. */
const MOST_PODS = 1000;
const MOST_EVENTS = 10;
/** The event of a failed probe and the restart that follows arrive at about the same time. */
const NEAR_MS = 60_000;
/** Events of the cluster at the end of the load are seen up to this much later. */
const SLACK_MS = 2500;

/**
 * @param {ClusterRecord[]} unsorted
 * @param {TimeRange | null} range of the load, or of the recording
 * @returns {ClusterReport | null} null where no cluster was sampled
 */
export function analyseCluster(unsorted, range) {
  // A load and a recording that make one run may both have sampled.
  const records = unsorted.toSorted((a, b) => a.t - b.t);
  const [start] = ofKind(records, 'cluster-start');
  if (!start || !range) return null;
  const { namespace, selector, workload = null } = start;
  const events = readEvents(records);
  const ofPods = records.filter(record => 'name' in record && record.kind !== 'way-in');
  const pods = [...Map.groupBy(ofPods, ({ name }) => name)].flatMap(
    ([name, own]) => describePod(name, own, range, events) ?? [],
  );
  const sorted = pods.sort(
    (a, b) =>
      b.restarts.length - a.restarts.length ||
      b.notReadyMs - a.notReadyMs ||
      a.name.localeCompare(b.name),
  );
  return {
    namespace,
    selector,
    workload,
    pods: sorted.slice(0, MOST_PODS),
    podCount: sorted.length,
    replicas: listReplicas(records, range),
    events: events
      .filter(({ type, atMs }) => type === 'Warning' && isIn(atMs, range))
      .sort((a, b) => b.count - a.count)
      .slice(0, MOST_EVENTS)
      .map(({ object, reason, message, count, atMs }) => {
        return { object, reason, message, count, afterMs: atMs - range.startMs };
      }),
    unseen: listUnseen(records, range, namespace),
  };
}

/** @param {number} t @param {TimeRange} range */
const isIn = (t, { startMs, endMs }) => t >= startMs && t <= endMs + SLACK_MS;

/** The last state of each event. @param {ClusterRecord[]} records */
function readEvents(records) {
  const last = new Map(
    ofKind(records, 'event').map(({ object, type, reason, message = '', count, t }) => {
      const event = { object, type, reason, message, count, atMs: t };
      return [`${object} ${reason} ${message}`, event];
    }),
  );
  return [...last.values()];
}

/**
 * @param {string} name
 * @param {RecordOfPod[]} records of this pod
 * @param {TimeRange} range
 * @param {ReturnType<typeof readEvents>} events
 * @returns {PodReport | null} null for a pod that did not exist during the load
 */
function describePod(name, records, range, events) {
  const { startMs, endMs } = range;
  const states = ofKind(records, 'pod');
  const [first] = states;
  const last = states.at(-1);
  if (!first || !last || first.t > endMs) return null;
  const goneMs = ofKind(records, 'pod-gone').at(-1)?.t ?? null;
  if (goneMs !== null && goneMs < startMs) return null;
  const restarts = states.flatMap((state, index) => {
    // All restarts of a pod that came later happened during the load.
    const before = states[index - 1] ?? (state.t > startMs ? { t: startMs, containers: [] } : null);
    return before && isIn(state.t, range) ? findRestarts(before, state, { range, events }) : [];
  });
  let notReadyMs = 0;
  for (const [index, { t, isReady }] of states.entries()) {
    const untilMs = Math.min(states[index + 1]?.t ?? goneMs ?? endMs, endMs);
    if (!isReady) notReadyMs += Math.max(0, untilMs - Math.max(t, startMs));
  }
  const { containers } = last;
  return {
    name,
    node: last.node ?? null,
    cameAfterMs: first.t > startMs ? first.t - startMs : null,
    notReadyMs,
    waiting:
      states.flatMap(state => state.containers).findLast(({ waiting }) => waiting)?.waiting ?? null,
    restarts,
    usage: sumUpUsage(records, range),
    throttling: findThrottled(records, range, containers),
    cpuLimitCores: sumLimits(containers, 'cpuLimitCores'),
    memoryLimitBytes: sumLimits(containers, 'memoryLimitBytes'),
  };
}

/**
 * @param {{t: number, containers: Containers}} before
 * @param {RecordOf<'cluster', 'pod'>} after
 * @param {{range: TimeRange, events: ReturnType<typeof readEvents>}} context
 * @returns {PodRestart[]}
 */
function findRestarts(before, after, { range, events }) {
  return after.containers.flatMap(({ name, restarts, last, memoryLimitBytes = null }) => {
    const count = restarts - (before.containers.find(one => one.name === name)?.restarts ?? 0);
    if (count <= 0) return [];
    const { endedAtMs = null } = last ?? {};
    // Outside of the time between the two samples, it is a time of another clock.
    const isBetween = endedAtMs !== null && endedAtMs > before.t && endedAtMs < after.t;
    const endedMs = isBetween ? endedAtMs : after.t;
    const isProbed = events.some(
      ({ object, reason, message, atMs }) =>
        object === `Pod/${after.name}` &&
        reason === 'Killing' &&
        message.includes(`Container ${name} failed `) &&
        Math.abs(atMs - after.t) < NEAR_MS,
    );
    const own = ENDS[last?.reason ?? ''] ?? 'unknown';
    const restart = {
      container: name,
      // The kubelet's own words; a container that ran out of memory failed no probe.
      reason: isProbed && own !== 'oom' ? 'probe' : own,
      exitCode: last?.exitCode ?? null,
      count,
      afterMs: Math.max(0, endedMs - range.startMs),
      memoryLimitBytes,
    };
    return [/** @type {PodRestart} */ (restart)];
  });
}

/** @type {Record<string, PodRestart['reason']>} */
const ENDS = { OOMKilled: 'oom', Error: 'error', Completed: 'completed' };

/** @param {RecordOfPod[]} records of a pod @param {TimeRange} range @returns {PodReport['usage']} */
function sumUpUsage(records, range) {
  const windows = ofKind(records, 'usage').filter(({ startMs, endMs }) => {
    const middleMs = (startMs + endMs) / 2;
    return middleMs >= range.startMs && middleMs <= range.endMs;
  });
  if (windows.length === 0) return null;
  const cores = windows.map(({ cpuCores }) => cpuCores);
  return {
    cpuCores: { mean: mean(cores), max: most(cores) },
    memoryBytes: { max: most(windows.map(({ memoryBytes }) => memoryBytes)) },
    windowMs: most(windows.map(({ startMs, endMs }) => endMs - startMs)),
  };
}

/**
 * Counters restart with each restart of a container. Their samples may lie up to 10 s outside of the load.
 * @param {RecordOfPod[]} records of a pod
 * @param {TimeRange} range
 * @param {Containers} containers
 * @returns {PodReport['throttling']} of the most throttled container
 */
function findThrottled(records, { startMs, endMs }, containers) {
  const looks = ofKind(records, 'throttling');
  const found = [...Map.groupBy(looks, look => look.container)].flatMap(([name, all]) => {
    const quotaCores = containers.find(container => container.name === name)?.cpuLimitCores;
    const from = Math.max(
      0,
      all.findLastIndex(({ t }) => t <= startMs),
    );
    const after = all.findIndex(({ t }) => t >= endMs);
    const inside = all.slice(from, after < 0 ? all.length : after + 1);
    const grown = (/** @type {'periods' | 'throttled' | 'throttledMs'} */ count) =>
      sum(
        inside.slice(1).map((look, index) => {
          const before = inside[index]?.[count] ?? 0;
          return look.periods < (inside[index]?.periods ?? 0) ? look[count] : look[count] - before;
        }),
      );
    const periods = grown('periods');
    if (!quotaCores || inside.length < 2) return [];
    const share = periods > 0 ? grown('throttled') / periods : 0;
    return [{ container: name, quotaCores, periods, share, throttledMs: grown('throttledMs') }];
  });
  return found.sort((a, b) => b.share - a.share)[0] ?? null;
}

/** @param {Containers} containers @param {'cpuLimitCores' | 'memoryLimitBytes'} name */
function sumLimits(containers, name) {
  const limits = containers.flatMap(container => container[name] ?? []);
  return limits.length < containers.length ? null : sum(limits);
}

/** @param {ClusterRecord[]} records @param {TimeRange} range @returns {ClusterReport['replicas']} */
function listReplicas(records, range) {
  const all = ofKind(records, 'replicas');
  const before = all.findLast(({ t }) => t <= range.startMs);
  const during = all.filter(({ t }) => t > range.startMs && t <= range.endMs);
  const steps = [...(before ? [before] : []), ...during].map(({ t, desired, ready }) => {
    return { afterMs: Math.max(0, t - range.startMs), desired, ready };
  });
  return steps.length > 0 ? steps : null;
}

/** Parts not seen for some of the load. @param {ClusterRecord[]} records @param {TimeRange} range @param {string} namespace @returns {UnseenPart[]} */
function listUnseen(records, { startMs, endMs }, namespace) {
  const back = ofKind(records, 'back');
  const failed = ofKind(records, 'failed').filter(
    ({ part, t }) =>
      t <= endMs && !back.some(one => one.part === part && one.t >= t && one.t < startMs),
  );
  return [...new Map(failed.map(record => [record.part, record])).values()].map(
    ({ part, why, verb, resource }) => ({ part, why, verb, resource, namespace }),
  );
}
