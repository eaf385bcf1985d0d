/** The objects of a load from inside a cluster: an Indexed Job whose pods send it, and a Secret with their input. */
import { mapValues } from '../../base/files/maps.js';
import { IMAGE_REFUSED } from '../../base/kubernetes/read-objects.js';

/** @import { Cluster } from '../../base/kubernetes/connect.js' */
/** @import { Asked } from '../../base/kubernetes/permissions.js' */

/** Folder of a worker's input. Its file system is read-only except for `/tmp`. */
export const GIVEN = '/loadflame/given';
const CONTAINER = 'worker';
export const RUN_LABEL = 'loadflame/run';
/** The Job has another uid. */
const CONFLICT = 409;
/** Limit of the API for a Secret. */
export const MOST_BYTES = 2 ** 20;
/** If loadflame was killed, the cluster removes the rest after this time. */
const KEPT_SEC = 3600;
const STOP_SEC = 30;
/** If the cluster has no limit per worker (before 1.29), a failed pod must not end the others. */
const MOST_FAILURES = 1_000_000;

/** @satisfies {Record<string, Asked>} */
const OBJECTS = {
  job: { verb: 'create', resource: 'jobs', group: 'batch' },
  given: { verb: 'create', resource: 'secrets', group: '' },
};

/**
 * @typedef {object} JobOptions
 * @property {string} name
 * @property {number} workers
 * @property {string} image
 * @property {string} cpu of each worker, both request and limit: `1`, `500m`
 * @property {string} memory the same: `512Mi`
 * @property {number} mostSec time after which the cluster ends it
 * @property {Record<string, string>} avoid labels of pods: no worker should run on their nodes
 * @property {Record<string, any> | null} pod merged over the pod spec: tolerations, pull secrets, …
 */

/** @param {JobOptions} options */
export function describeJob({ name, workers, image, cpu, memory, mostSec, avoid, pod }) {
  const labels = { 'app.kubernetes.io/name': 'loadflame-worker', [RUN_LABEL]: name };
  const amount = { cpu, memory };
  const spec = {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: STOP_SEC,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    ...(Object.keys(avoid).length > 0 && { affinity: { podAntiAffinity: keepOff(avoid) } }),
    containers: [
      {
        name: CONTAINER,
        image,
        args: ['cluster', 'worker'],
        // The start time arrives there; it stays open for later attaches.
        stdin: true,
        env: [{ name: 'HOME', value: '/tmp' }],
        resources: { requests: amount, limits: amount },
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        },
        volumeMounts: [
          { name: 'given', mountPath: GIVEN, readOnly: true },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'given', secret: { secretName: name } },
      { name: 'tmp', emptyDir: {} },
    ],
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels },
    spec: {
      completionMode: 'Indexed',
      completions: workers,
      parallelism: workers,
      backoffLimitPerIndex: 0,
      backoffLimit: MOST_FAILURES,
      activeDeadlineSeconds: mostSec,
      ttlSecondsAfterFinished: KEPT_SEC,
      template: { metadata: { labels }, spec: pod ? mergeOver(spec, pod) : spec },
    },
  };
}

/**
 * On a node of the target's pods a worker would take CPU that is being measured. If there is no other node, it still
 * runs there.
 * @param {Record<string, string>} matchLabels
 */
function keepOff(matchLabels) {
  const podAffinityTerm = { labelSelector: { matchLabels }, topologyKey: 'kubernetes.io/hostname' };
  return { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] };
}

/**
 * Merges lists of objects by name, like the API; replaces everything else.
 * @param {any} ours @param {any} theirs
 * @returns {any}
 */
function mergeOver(ours, theirs) {
  if (Array.isArray(ours) && Array.isArray(theirs) && theirs.every(one => one?.name)) {
    const named = new Map(ours.map(one => [one.name, one]));
    for (const one of theirs) named.set(one.name, mergeOver(named.get(one.name), one));
    return [...named.values()];
  }
  const isMap = (/** @type {any} */ value) => value?.constructor === Object;
  if (!isMap(ours) || !isMap(theirs)) return theirs;
  const both = Object.entries(theirs).map(([key, value]) => [key, mergeOver(ours[key], value)]);
  return { ...ours, ...Object.fromEntries(both) };
}

/**
 * Creates both or neither: the Job comes first, because the cluster removes the Secret with it.
 * @param {Cluster} cluster
 * @param {ReturnType<typeof describeJob>} job
 * @param {Record<string, Buffer>} given by key
 * @returns {Promise<string>} uid of the Job
 * @throws {LoadflameError} KUBE_…
 */
export async function createJob(cluster, job, given) {
  const { name, labels } = job.metadata;
  const data = mapValues(given, bytes => bytes.toString('base64'));
  const { uid } = (await cluster.send(OBJECTS.job, job)).metadata;
  const owner = { apiVersion: job.apiVersion, kind: job.kind, name, uid };
  const metadata = { name, labels, ownerReferences: [owner] };
  try {
    await cluster.send(OBJECTS.given, { metadata, data });
  } catch (error) {
    await removeJob(cluster, { job: name, uid });
    throw error;
  }
  return uid;
}

/**
 * Removes this Job, but no other with its name; the cluster removes what belongs to it. Ignores a Job that is gone.
 * @param {Cluster} cluster
 * @param {{job: string, uid: string}} made
 * @throws {LoadflameError} KUBE_… if something may be left
 */
export async function removeJob(cluster, { job: name, uid }) {
  const body = { propagationPolicy: 'Background', preconditions: { uid } };
  await cluster.send({ ...OBJECTS.job, verb: 'delete', name }, body).catch(error => {
    if (error.code !== 'KUBE_NOT_THERE' && error.data?.status !== CONFLICT) throw error;
  });
}

/**
 * Reads a pod of the Job: which worker it is, and its state.
 * @param {Record<string, any>} pod
 */
export function readWorker({ metadata = {}, status = {} }) {
  const { annotations = {}, labels = {}, creationTimestamp, name } = metadata;
  const key = 'batch.kubernetes.io/job-completion-index';
  const container = status.containerStatuses?.[0]?.state ?? {};
  const { waiting = {} } = container;
  /** @param {string} kind @param {string} value */
  const condition = (kind, value) =>
    status.conditions?.find((/** @type {any} */ one) => one.type === kind && one.status === value);
  const disrupted = condition('DisruptionTarget', 'True');
  const { reason, exitCode } = container.terminated ?? {};
  const ending = [reason, status.reason, status.message].filter(Boolean).join(', ');
  return {
    index: Number(annotations[key] ?? labels[key] ?? -1),
    pod: String(name),
    createdAt: String(creationTimestamp),
    isStarted: Boolean(container.running ?? container.terminated),
    isEnded: Boolean(container.terminated) || ['Failed', 'Succeeded'].includes(status.phase),
    /** why it ended */
    end: exitCode === undefined ? ending : `${ending}, exit code ${exitCode}`,
    /** why it does not run yet */
    waiting: String(
      waiting.message ?? waiting.reason ?? condition('PodScheduled', 'False')?.message ?? '',
    ),
    /** https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
    disruption: disrupted
      ? `the cluster removed its pod: ${disrupted.message} (${disrupted.reason})`
      : '',
    isImageMissing: IMAGE_REFUSED.has(waiting.reason),
  };
}
