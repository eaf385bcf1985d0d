/** Why traffic did not spread over the pods or instances, as far as the run tells. */

import { isUneven } from '../../../bottleneck/uneven.js';
import { fullestShare } from '../../../math/occupancy.js';
import { sum } from '../../../math/summary.js';

/** @import { UnevenWhy } from '../../../facts/bottleneck.d.ts' */
/** @import { ClusterReport, WayIn } from '../../../facts/cluster.d.ts' */
/** @import { BalanceGroup } from '../../../facts/costs.d.ts' */
/** @import { LoadReport } from '../../../facts/load-report.d.ts' */
/** @import { RunInfo } from '../../../facts/report.d.ts' */

/** Of the load: a pod that was ready for less of it came late, or never. */
const ALL_THE_TIME = 0.9;
const ALL = 0.995;
/** More users spread evenly, whatever keeps them at their pod. */
const MOST_USERS = 20_000;

/**
 * @typedef {object} Known
 * @property {BalanceGroup} group
 * @property {LoadReport} load
 * @property {ClusterReport | null} cluster
 * @property {WayIn | null} way that the load took
 */

/** The first that holds is told. @type {((known: Known) => UnevenWhy | null)[]} */
const CAUSES = [findNotReady, findBySource, findFewUsers];

/**
 * @param {BalanceGroup} group that is not even
 * @param {{run: Pick<RunInfo, 'target' | 'targets'>, load: LoadReport, cluster?: ClusterReport | null}} facts
 * @returns {UnevenWhy}
 */
export function explainUneven(group, { run, load, cluster = null }) {
  const { target, targets } = run;
  const places = targets ? targets.addresses : [target];
  // Of several ways nobody knows which one led where.
  const way = places.length === 1 ? findWayIn(places[0] ?? null, cluster) : null;
  const known = { group, load, cluster, way };
  for (const find of CAUSES) {
    const why = find(known);
    if (why) return why;
  }
  const isClusterSeen = cluster !== null && places.length === 1;
  return { id: 'unknown', way, isClusterSeen, ...countStaying(known) };
}

/** By the host of the target: a route's, an ingress', or the name of a service. @param {string | null} target @param {ClusterReport | null} cluster */
function findWayIn(target, cluster) {
  if (!cluster || !target || !URL.canParse(target)) return null;
  const { hostname } = new URL(target);
  const { namespace, waysIn } = cluster;
  const inside = `${hostname}.`.match(/^([^.]+)\.(?:([^.]+)\.(?:svc\.)?)?/) ?? [];
  return (
    waysIn.find(({ host }) => host === hostname) ??
    waysIn.find(
      ({ type, name }) =>
        type === 'service' && name === inside[1] && (inside[2] ?? namespace) === namespace,
    ) ??
    null
  );
}

/** Pods that were ready all the time share the work, and those that were not got less. @param {Known} known @returns {UnevenWhy | null} */
function findNotReady({ group, load, cluster, way }) {
  if (!cluster || !group.isPods) return null;
  const lengthMs = load.window.endMs - load.window.startMs;
  const pods = cluster.pods.flatMap(({ name, cameAfterMs, wentAfterMs, notReadyMs }) => {
    const requests = group.members.find(({ id }) => id === name)?.requests ?? null;
    const readyMs = (wentAfterMs ?? lengthMs) - (cameAfterMs ?? 0) - notReadyMs;
    return requests === null ? [] : [{ name, readyMs: Math.max(0, readyMs), requests }];
  });
  const [ready, late] = [
    pods.filter(({ readyMs }) => readyMs >= lengthMs * ALL_THE_TIME),
    pods.filter(({ readyMs }) => readyMs < lengthMs * ALL_THE_TIME),
  ];
  const counts = ready.map(({ requests }) => requests);
  const least = Math.min(...counts);
  if (ready.length === 0 || late.length === 0 || isUneven(counts, 'requests')) return null;
  if (late.some(({ requests }) => requests > least)) return null;
  const told = late.map(({ name, readyMs }) => ({ name, readyMs }));
  return { id: 'not-ready', ready: ready.length, late: told, lengthMs, way };
}

/** All that comes from one address goes to one pod, as settings say. @param {Known} known @returns {UnevenWhy | null} */
function findBySource({ group, way }) {
  const setting = way && findSourceSetting(way);
  const isOne = group.max >= sum(group.members.map(({ requests }) => requests ?? 0)) * ALL;
  return setting && isOne ? { id: 'source', way, setting } : null;
}

/** @param {WayIn} way @returns {WayIn['settings'][number] | null} */
function findSourceSetting({ settings }) {
  const balance = settings.find(({ name }) => /\/(?:load-)?balance(?:-algorithm)?$/.test(name));
  if (balance?.value === 'source') return balance;
  return (
    settings.find(
      ({ name, value }) =>
        (name === 'sessionAffinity' && value === 'ClientIP') ||
        (name.endsWith('/upstream-hash-by') && value.includes('remote_addr')) ||
        // OpenShift's router cannot see cookies in it, and goes by the address unless it is told otherwise.
        (name === 'termination' && value === 'passthrough' && !balance),
    ) ?? null
  );
}

/** What stays with its pod spreads by chance alone: few of them hardly do. @param {Known} known @returns {UnevenWhy | null} */
function findFewUsers(known) {
  const { group, way } = known;
  const { staying } = countStaying(known);
  const total = sum(group.members.map(({ requests }) => requests ?? 0));
  if (!staying || group.max / total > staying.expected.high) return null;
  return { id: 'few-users', staying, way };
}

/**
 * Users with a cookie of the router, or WebSockets.
 * @param {Known} known
 * @returns {Pick<Extract<UnevenWhy, {id: 'unknown'}>, 'staying'>}
 */
function countStaying({ group, load, way }) {
  const isSticky =
    group.basis === 'sticky-cookie' ||
    way?.settings.some(({ name, value }) => /\/affinity$/.test(name) && value === 'cookie');
  const [of, count] = isSticky
    ? [/** @type {const} */ ('users'), load.users.created]
    : [/** @type {const} */ ('websockets'), load.socketio?.connects ?? 0];
  if (count < 1 || count > MOST_USERS) return { staying: null };
  return { staying: { of, count, expected: fullestShare(count, group.members.length) } };
}
