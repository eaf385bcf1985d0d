/** Adds a container to a running pod, with programs that its image lacks, as `kubectl debug` does. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../base/errors.js';
import { ASKED } from '../../base/kubernetes/permissions.js';
import { IMAGE_REFUSED } from '../../base/kubernetes/read-objects.js';

/** @import { Cluster } from '../../base/kubernetes/connect.js' */
/** @import { ApiObject } from '../../base/kubernetes/api-object.d.ts' */

/** @satisfies {import('../../base/kubernetes/permissions.js').Asked} */
const ADDED = { verb: 'patch', resource: 'pods', group: '', subresource: 'ephemeralcontainers' };
/** Nothing removes it, so it ends by itself. Reused only in its first half: a recording has at least 12 hours left. */
const LASTS_SEC = 24 * 3600;
/** The node may have to pull the image. */
const MOST_MS = 120_000;
const LOOK_MS = 500;

/**
 * @param {Cluster} cluster
 * @param {ApiObject} pod
 * @param {object} options
 * @param {string} options.kind part of its name: a running container of the same kind and image is reused
 * @param {string} options.image
 * @param {string} options.target container whose processes it sees
 * @param {ApiObject} options.securityContext
 * @param {boolean} options.isTrial only checks whether the API would allow it
 * @returns {Promise<string>} its name; the container runs, except in a trial
 * @throws {LoadflameError} KUBE_…
 */
export async function addContainer(cluster, pod, options) {
  const { kind, image, target, securityContext, isTrial } = options;
  const podName = pod.metadata?.name;
  const start = `loadflame-${kind}-`;
  const running = pod.status?.ephemeralContainerStatuses?.filter(
    ({ state }) => Date.now() - Date.parse(state?.running?.startedAt) < (LASTS_SEC * 1000) / 2,
  );
  const own = pod.spec?.ephemeralContainers?.find(
    one =>
      one.name.startsWith(start) &&
      one.image === image &&
      one.targetContainerName === target &&
      running?.some(({ name }) => name === one.name),
  );
  if (own) return own.name;
  const name = `${start}${randomBytes(3).toString('hex')}`;
  const command = ['sleep', `${LASTS_SEC}`];
  const container = { name, image, command, targetContainerName: target, securityContext };
  const change = { spec: { ephemeralContainers: [container] } };
  await cluster.send({ ...ADDED, name: podName }, change, isTrial ? { dryRun: 'All' } : {});
  if (!isTrial) await waitUntilItRuns(cluster, podName, { name, image });
  return name;
}

/**
 * @param {Cluster} cluster
 * @param {string} pod
 * @param {{name: string, image: string}} container
 */
async function waitUntilItRuns(cluster, pod, { name, image }) {
  const endMs = Date.now() + MOST_MS;
  for (;;) {
    const { items = [] } = await cluster.ask(ASKED.pods, { fieldSelector: `metadata.name=${pod}` });
    const { state } =
      items[0]?.status?.ephemeralContainerStatuses?.find(one => one.name === name) ?? {};
    if (state?.running) return;
    const { reason, message = reason ?? 'the pod is gone' } =
      state?.terminated ?? state?.waiting ?? {};
    if (!items[0] || state?.terminated || IMAGE_REFUSED.has(reason) || Date.now() > endMs)
      throw new LoadflameError('POD_CONTAINER_FAILED', { pod, image, reason: message });
    await sleep(LOOK_MS);
  }
}
