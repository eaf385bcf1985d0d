/** Which pod stands behind the id under which the answers of an instance were counted. */
import { createHash } from 'node:crypto';

/** @typedef {Record<string, any>} ClusterRecord */
/** @typedef {{pod: string, services: ClusterRecord[]} & Pick<ClusterRecord, 'uid' | 'ip' | 'containers'>} PodState */

/** The process that starts the workers is one of the first in a container. */
const MOST_PID = 1000;
/** Of a host name, in the kernel. */
const MOST_HOST = 63;
const MOST_PODS = 200;

/**
 * Ids are hashes: that of each name which a pod can go by is reckoned, and looked up. Nothing is guessed: two
 * texts of one hash are less likely than one in ten thousand.
 * @param {ReadonlySet<string>} ids of sticky cookies, and of instances as the companion names them
 * @param {ClusterRecord[]} records of a cluster
 * @returns {Map<string, string>} id → pod
 */
export function namePods(ids, records) {
  /** @type {Map<string, string>} */
  const names = new Map();
  const pods = readPods(records);
  const learn = (/** @type {string} */ text, /** @type {string} */ pod) => {
    const id = hash('sha256', text).slice(0, 8);
    if (ids.has(id)) names.set(id, pod);
  };
  for (const pod of pods) for (const value of listCookieValues(pod)) learn(value, pod.pod);
  for (let pid = 0; pid <= MOST_PID && names.size < ids.size; pid++)
    for (const { pod } of pods) learn(`${pod.slice(0, MOST_HOST)}:${pid}`, pod);
  return names;
}

/** Each address that a pod had. @param {ClusterRecord[]} records @returns {PodState[]} */
function readPods(records) {
  const services = records.filter(({ kind, type }) => kind === 'way-in' && type === 'service');
  /** @type {Map<string, PodState>} */
  const pods = new Map();
  for (const { kind, name, uid, ip, containers } of records)
    if (kind === 'pod') pods.set(`${name} ${ip}`, { pod: name, uid, ip, containers, services });
  return [...pods.values()].slice(0, MOST_PODS);
}

/**
 * What a router may have in a cookie for a pod: OpenShift's hashes the endpoint, before 4 without the name of
 * its port (openshift/router, pkg/router/template/plugin.go); HAProxy's and Traefik's own have a name, an id or
 * an address.
 * @param {PodState} pod
 */
function listCookieValues({ pod, uid, ip, containers, services }) {
  if (!ip) return [pod, uid ?? ''];
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const own = containers.flatMap((/** @type {ClusterRecord} */ { ports = [] }) => ports);
  const endpoints = services.flatMap(({ name: service, ports = [] }) =>
    ports.map((/** @type {ClusterRecord} */ { name, target }) => {
      const port = own.find((/** @type {ClusterRecord} */ one) => one.name === target)?.port;
      return { service, name, port: port ?? target };
    }),
  );
  return [
    ...[pod, uid ?? '', ip],
    ...endpoints.flatMap(({ service, name, port }) => [
      hash('md5', `pod:${pod}:${service}:${name}:${host}:${port}`),
      hash('md5', `pod:${pod}:${service}:${host}:${port}`),
      ...[`${host}:${port}`, `http://${host}:${port}`, hash('md5', `${host}:${port}`)],
    ]),
  ];
}

/** @param {'md5' | 'sha256'} algorithm @param {string} text */
function hash(algorithm, text) {
  return createHash(algorithm).update(text).digest('hex');
}
