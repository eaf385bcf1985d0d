/** How the traffic spread over workers and over instances of the API. */

import { hash } from 'node:crypto';
import { addTo } from '../../base/files/maps.js';
import { mean, median } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';

/** @import { Balance, BalanceGroup } from '../../run/facts/costs.d.ts' */
/** @import { RecordOf } from '../../run/facts/records.d.ts' */

/**
 * @typedef {object} KnownPods
 * @property {string[]} names of all pods in the run
 * @property {ReadonlyMap<string, string>} podOf id of an instance → pod
 */
/** @typedef {Pick<import('../../run/facts/profile-report.d.ts').CpuUse['workers'][number], 'pid' | 'cpuMs' | 'startedInRun' | 'endedInRun'> & {livedShare?: number | null}} Worker */

/**
 * @param {object} known
 * @param {{workers: ReadonlyMap<string, number>, backends: ReadonlyMap<string, number>}} known.counts responses
 * @param {Worker[]} known.workers of our gunicorn; empty where unknown
 * @param {number | null} known.backends the number of instances, as the user set it
 * @param {KnownPods | null} [known.pods] those that serve, from the cluster
 * @returns {Balance | null} null where nothing is known
 */
export function measureBalance({ counts, workers, backends, pods = null }) {
  const ofWorkers = readCounts(counts.workers);
  const ofCookies = readCounts(counts.backends);
  const ofPods = pods && balancePods(sumInstances(ofWorkers), ofCookies, pods);
  const balance = {
    workers: balanceWorkers(ofWorkers, workers),
    backends: ofPods ?? balanceBackends(ofWorkers, ofCookies, backends),
  };
  return balance.workers || balance.backends ? balance : null;
}

/** The number of API instances, as the user set it. @param {import('../../run/facts/report.d.ts').RunInfo['settings']} settings */
export function readBackends(settings) {
  const value = Number(settings.find(({ name }) => name === 'BACKENDS')?.value);
  return Number.isInteger(value) && value > 0 ? value : null;
}

/** More ids than a router has instances belong to users, or change with every response. @param {ReadonlyMap<string, number>} sums */
const readCounts = sums => (sums.has('(others)') ? new Map() : new Map(sums));

/**
 * A worker's id is `<instance>.<pid>`. Workers of the profiled gunicorn that sent no response count as 0, if all
 * responses come from one instance. Workers that started or ended during the run had less time than others, so
 * they are left out. A single worker needs no balance.
 * @param {Map<string, number>} counts
 * @param {Worker[]} workers
 * @returns {BalanceGroup | null}
 */
function balanceWorkers(counts, workers) {
  const hasLived = (/** @type {Worker} */ { startedInRun, endedInRun, livedShare }) =>
    !startedInRun && !endedInRun && (livedShare ?? 1) >= 1;
  if (counts.size === 0) {
    const lived = workers.filter(hasLived);
    const members = lived.flatMap(({ pid, cpuMs }) =>
      cpuMs === null ? [] : [{ id: String(pid), requests: null, cpuMs }],
    );
    return members.length > 1 ? summarize('process-cpu', members, lived.length) : null;
  }
  const [instance, ...others] = new Set([...counts.keys()].map(instanceOf));
  const ours = new Map(
    others.length > 0 ? [] : workers.map(worker => [`${instance}.${worker.pid}`, worker]),
  );
  const isLocal = [...ours.keys()].some(id => counts.has(id));
  if (isLocal) for (const id of ours.keys()) counts.set(id, counts.get(id) ?? 0);
  const members = [...counts].flatMap(([id, requests]) => {
    const worker = ours.get(id);
    const { cpuMs = null } = worker ?? {};
    return worker && !hasLived(worker) ? [] : [{ id, requests, cpuMs }];
  });
  if (members.length < 2) return null;
  return summarize('companion', members, isLocal ? members.length : null);
}

/**
 * Counts by the router's cookie, else by the companion's ids.
 * @param {Map<string, number>} ofInstances as the companion names them
 * @param {Map<string, number>} ofCookies
 * @param {KnownPods} pods
 * @returns {BalanceGroup | null} null where no id names a pod
 */
function balancePods(ofInstances, ofCookies, { names, podOf }) {
  /** @type {[BalanceGroup['basis'], ReadonlyMap<string, number>][]} */
  const sources = [
    ['sticky-cookie', ofCookies],
    ['companion', ofInstances],
  ];
  const known = sources.find(([, ids]) => [...ids.keys()].some(id => podOf.has(id)));
  if (!known) return null;
  const [basis, counts] = known;
  const sums = new Map(names.map(name => [name, 0]));
  for (const [id, count] of counts) addTo(sums, podOf.get(id) ?? id, count);
  const members = [...sums].map(([id, requests]) => ({ id, requests, cpuMs: null }));
  return { ...summarize(basis, members, names.length), isPods: true };
}

/**
 * The companion's ids identify instances; without it, a router's sticky cookie does. A single instance needs no
 * balance, unless the user set a higher number, or a router may have others.
 * @param {Map<string, number>} ofWorkers
 * @param {Map<string, number>} ofCookies
 * @param {number | null} expected
 * @returns {BalanceGroup | null}
 */
function balanceBackends(ofWorkers, ofCookies, expected) {
  const instances = sumInstances(ofWorkers);
  const counts = instances.size > 0 ? instances : ofCookies;
  const isUnsure = expected === null && ofCookies.size === 1;
  if (counts.size === 0 || (Math.max(counts.size, expected ?? 0) < 2 && !isUnsure)) return null;
  const members = [...counts].map(([id, requests]) => ({ id, requests, cpuMs: null }));
  return summarize(instances.size > 0 ? 'companion' : 'sticky-cookie', members, expected);
}

/** @param {string} id */
const instanceOf = id => id.slice(0, Math.max(0, id.lastIndexOf('.')));

/** @param {ReadonlyMap<string, number>} ofWorkers @returns {Map<string, number>} */
export function sumInstances(ofWorkers) {
  const instances = new Map();
  for (const [id, count] of ofWorkers) addTo(instances, instanceOf(id), count);
  return instances;
}

/**
 * Members that sent no response count as 0, if their number is known.
 * @param {BalanceGroup['basis']} basis
 * @param {BalanceGroup['members']} members
 * @param {number | null} expected
 * @returns {BalanceGroup}
 */
function summarize(basis, members, expected) {
  const all = members.toSorted((a, b) => amountOf(b) - amountOf(a) || a.id.localeCompare(b.id));
  while (expected !== null && all.length < expected)
    all.push({ id: `not seen (${all.length + 1})`, requests: 0, cpuMs: null });
  const values = all.map(amountOf);
  return {
    basis,
    expected,
    members: all,
    min: Math.min(...values),
    mean: mean(values),
    median: median(values),
    max: Math.max(...values),
  };
}

/** @param {BalanceGroup['members'][number]} member */
const amountOf = ({ requests, cpuMs }) => requests ?? cpuMs ?? 0;

/** @typedef {RecordOf<'cluster'>} ClusterRecord */
/** @typedef {RecordOf<'cluster', 'pod'> & {services: RecordOf<'cluster', 'way-in'>[]}} PodState */

/** Longest host name that the kernel allows. */
const MOST_HOST = 63;
const MOST_PODS = 200;

/**
 * Ids contain hashes, so what every pod may be known by is hashed and compared.
 * @param {ReadonlySet<string>} ids of sticky cookies, and of instances as the companion names them
 * @param {ClusterRecord[]} records of a cluster
 * @returns {Map<string, string>} id → pod
 */
export function namePods(ids, records) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const pod of readPods(records))
    for (const text of [pod.name.slice(0, MOST_HOST), ...listCookieValues(pod)]) {
      const own = hash('sha256', text).slice(0, 8);
      for (const id of ids) if (id.split('-')[0] === own) names.set(id, pod.name);
    }
  return names;
}

/** One entry for each address that a pod had. @param {ClusterRecord[]} records @returns {PodState[]} */
function readPods(records) {
  const services = ofKind(records, 'way-in').filter(({ type }) => type === 'service');
  const pods = new Map(
    ofKind(records, 'pod').map(pod => [`${pod.name} ${pod.ip}`, { ...pod, services }]),
  );
  return [...pods.values()].slice(0, MOST_PODS);
}

/**
 * What a router's cookie may contain for a pod. OpenShift's hashes the endpoint, before version 4 without the name
 * of its port (openshift/router, pkg/router/template/plugin.go). HAProxy's and Traefik's own contain a name, an id
 * or an address.
 * @param {PodState} pod
 */
function listCookieValues({ name: pod, uid = '', ip, containers, services }) {
  if (!ip) return [pod, uid];
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const own = containers.flatMap(({ ports = [] }) => ports);
  const endpoints = services.flatMap(({ name: service, ports = [] }) =>
    ports.map(({ name, target }) => {
      const port = own.find(one => one.name === target)?.port;
      return { service, name, port: port ?? target };
    }),
  );
  return [
    ...[pod, uid, ip],
    ...endpoints.flatMap(({ service, name, port }) => [
      hash('md5', `pod:${pod}:${service}:${name}:${host}:${port}`),
      hash('md5', `pod:${pod}:${service}:${host}:${port}`),
      ...[`${host}:${port}`, `http://${host}:${port}`, hash('md5', `${host}:${port}`)],
    ]),
  ];
}
