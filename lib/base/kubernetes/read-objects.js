/** Reads the fields that a run records from a cluster's objects. The input is untrusted: any field may be missing. */

import { sum } from '../math/summary.js';

/** @import { ApiObject } from './api-object.d.ts' */

/** Longest name or message in a record, in characters. */
const MOST_TEXT = 500;
/** A container waits for its image in vain: after the second failure, or if retrying cannot help. */
export const IMAGE_REFUSED = new Set([
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
]);

/** @param {ApiObject} pod @param {number} [aheadMs] how far the cluster's clock is ahead */
export function readPod({ metadata = {}, spec = {}, status = {} }, aheadMs = 0) {
  const statuses = new Map((status.containerStatuses ?? []).map(one => [one.name, one]));
  return {
    name: text(metadata.name),
    uid: text(metadata.uid),
    ip: status.podIP ? text(status.podIP) : null,
    node: spec.nodeName ? text(spec.nodeName) : null,
    phase: text(status.phase),
    isReady: (status.conditions ?? []).some(one => one.type === 'Ready' && one.status === 'True'),
    isEnding: Boolean(metadata.deletionTimestamp),
    containers: (spec.containers ?? []).map(container =>
      readContainer(container, statuses.get(container.name) ?? {}, aheadMs),
    ),
  };
}

/**
 * The running containers of a pod: programs can be started in them.
 * @param {ApiObject} pod
 * @returns {(import('./exec.js').Place & {isLimited: boolean})[]} `isLimited`: the container has a CPU limit
 */
export function listRunning({ metadata = {}, spec = {}, status = {} }) {
  const running = (status.containerStatuses ?? []).filter(({ state }) => state?.running);
  return running.map(({ name }) => {
    const own = spec.containers?.find(one => one.name === name);
    return { pod: metadata.name, container: name, isLimited: Boolean(own?.resources?.limits?.cpu) };
  });
}

/**
 * @param {ApiObject} container
 * @param {ApiObject} status
 * @param {number} aheadMs
 */
function readContainer({ name, resources = {}, ports = [] }, status, aheadMs) {
  const { ready, restartCount, state, lastState } = status;
  const last = lastState?.terminated ?? null;
  return {
    name: text(name),
    isReady: ready === true,
    restarts: Number(restartCount) || 0,
    waiting: state?.waiting?.reason ? text(state.waiting.reason) : null,
    last: last && {
      reason: text(last.reason),
      exitCode: Number(last.exitCode ?? 0),
      endedAtMs: Date.parse(last.finishedAt) - aheadMs || null,
    },
    cpuLimitCores: readQuantity(resources.limits?.cpu),
    memoryLimitBytes: readBytes(resources.limits?.memory),
    ports: ports.map(one => ({ name: text(one.name), port: Number(one.containerPort) || 0 })),
  };
}

/** Means over a window, on the cluster's clock. @param {ApiObject} item of metrics.k8s.io */
export function readUsage({ metadata = {}, timestamp, window, containers = [] }) {
  /** @type {ApiObject[]} */
  const usages = containers.map(({ usage = {} }) => usage);
  const endMs = Date.parse(timestamp) || Date.now();
  return {
    name: text(metadata.name),
    startMs: endMs - readWindow(window),
    endMs,
    cpuCores: sum(usages.map(({ cpu }) => readQuantity(cpu) ?? 0)),
    memoryBytes: sum(usages.map(({ memory }) => readBytes(memory) ?? 0)),
  };
}

/** @param {ApiObject} event `t` is on the cluster's clock */
export function readEvent({ involvedObject = {}, type, reason, message, count, series, ...times }) {
  const { lastTimestamp, eventTime, metadata = {}, firstTimestamp } = times;
  const at = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp;
  return {
    object: `${text(involvedObject.kind)}/${text(involvedObject.name)}`,
    type: text(type),
    reason: text(reason),
    message: text(message),
    count: Number(series?.count ?? count ?? 1) || 1,
    t: Date.parse(at ?? metadata.creationTimestamp) || Date.now(),
  };
}

/** @param {ApiObject} workload */
export function readReplicas({ spec = {}, status = {} }) {
  // A daemon set has one pod per node.
  const desired = spec.replicas ?? status.desiredNumberScheduled;
  return {
    desired: Number(desired) || 0,
    ready: Number(status.readyReplicas ?? status.numberReady) || 0,
  };
}

/** Whether a service selects these labels. @param {ApiObject} service @param {Record<string, string>} labels */
export function leadsTo({ spec = {} }, labels) {
  const wanted = Object.entries(spec.selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** @param {ApiObject} service */
export function readService({ metadata = {}, spec = {} }) {
  return {
    name: text(metadata.name),
    ports: (spec.ports ?? []).map(one => {
      return { name: text(one.name), target: text(one.targetPort ?? one.port) };
    }),
  };
}

/** A workload's selector in the syntax of `labelSelector`. @param {ApiObject} workload @returns {string} */
export function readSelector({ spec = {} }) {
  const { matchLabels, matchExpressions = [], ...plain } = spec.selector ?? {};
  const words = { In: 'in', NotIn: 'notin' };
  const labels = Object.entries(matchLabels ?? plain).map(([name, value]) => `${name}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) =>
    operator === 'Exists'
      ? key
      : operator === 'DoesNotExist'
        ? `!${key}`
        : `${key} ${words[/** @type {'In'} */ (operator)]} (${values.join(',')})`,
  );
  return [...labels, ...others].join(',');
}

/** The workload that owns a pod, if known. @param {ApiObject} pod @returns {{resource: string, name: string} | null} */
export function readOwner({ metadata = {} }) {
  const { ownerReferences = [], labels = {} } = metadata;
  const { kind, name = '' } = ownerReferences[0] ?? {};
  const hash = labels['pod-template-hash'];
  if (kind === 'ReplicaSet' && hash && name.endsWith(`-${hash}`))
    return { resource: 'deployments', name: name.slice(0, -hash.length - 1) };
  if (kind === 'ReplicationController' && labels.deploymentconfig)
    return { resource: 'deploymentconfigs', name: labels.deploymentconfig };
  if (kind === 'StatefulSet') return { resource: 'statefulsets', name };
  if (kind === 'DaemonSet') return { resource: 'daemonsets', name };
  return null;
}

/** Each is 1000 times the one before, starting at a billionth; `Ki`, `Mi` … use 1024. */
const UNITS = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T'];

/** `250m`, `128Mi`, `1e9`: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ @param {unknown} quantity */
function readQuantity(quantity) {
  const [, digits, unit = ''] =
    /^(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([numkMGT]|[KMGT]i)?$/.exec(String(quantity ?? '')) ?? [];
  const power = UNITS.indexOf(unit.replace('i', '').replace('K', 'k')) - UNITS.indexOf('');
  return digits ? Number(digits) * (unit.endsWith('i') ? 1024 : 1000) ** power : null;
}

/** @param {unknown} quantity */
function readBytes(quantity) {
  const bytes = readQuantity(quantity);
  return bytes === null ? null : Math.round(bytes);
}

/** A Go duration such as `10.062s` or `1m0s`, in ms. @param {unknown} window */
function readWindow(window) {
  const [, minutes = '0', seconds = '0'] = /^(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(String(window)) ?? [];
  return Math.round((Number(minutes) * 60 + Number(seconds)) * 1000);
}

/** @param {unknown} value */
function text(value) {
  return String(value ?? '').slice(0, MOST_TEXT);
}
