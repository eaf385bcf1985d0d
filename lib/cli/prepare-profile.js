/** Finds what a recording needs before it can start. */
import { readServerPlace } from '../base/config/read-config.js';
import { interruptible } from '../base/process/interruptible.js';
import { findNeededPySpy } from '../record/profiler/find-py-spy.js';
import { formatFound } from '../record/target/describe-server.js';
import { findServer } from '../record/target/find-server.js';
import { findTaskWorkers, formatTaskWorkers } from '../record/target/find-task-workers.js';

/**
 * @param {import('../base/config/read-config.js').Config} config
 * @param {import('./io.js').Progress} progress
 * @param {AbortSignal} signal
 * @param {number | null} [childPid] a process that we started: the server or its parent
 * @param {string | null} [target] of the script, if it differs from the setting
 * @returns {Promise<import('../experiment/start-recorders.js').ProfileTarget>}
 * @throws {import('../base/errors.js').LoadflameError} PYSPY_MISSING, SERVER_…,
 *   TASK_WORKERS_NOT_FOUND, INTERRUPTED
 */
export async function prepareProfile(config, progress, signal, childPid = null, target = null) {
  const pySpy = await interruptible(signal, findNeededPySpy(config));
  const place = { ...readServerPlace(config), childPid, ...(target && { target }) };
  const server = await interruptible(signal, findServer(place));
  progress.say(formatFound(server));
  const also = config.get('ALSO');
  const taskWorkers = also ? await findTaskWorkers(also, server.rootPid) : null;
  if (taskWorkers) progress.say(formatTaskWorkers(taskWorkers));
  return { pySpy, server, taskWorkers };
}

const WAYS = {
  image: 'of its image',
  added: 'in a container that was added to it',
  tracer: 'in a container with the capability SYS_PTRACE that was added to it',
};

/**
 * The same for pods.
 * @param {object} context
 * @param {import('../base/config/read-config.js').Config} context.config
 * @param {import('./io.js').Progress} context.progress
 * @param {AbortSignal} context.signal
 * @param {import('../base/files/redaction.js').Redactor} context.redactor
 * @param {string} [pod] only this pod, not all of the workload
 * @returns {Promise<import('../experiment/start-recorders.js').ProfileTarget>}
 * @throws {import('../base/errors.js').LoadflameError} KUBE_…, POD_…, PYSPY_…, INTERRUPTED
 */
export async function preparePods({ config, progress, signal, redactor }, pod) {
  progress.update('looking for the servers in the pods …');
  const [{ connectCluster }, { findPodServers }] = await Promise.all([
    import('../base/kubernetes/connect.js'),
    import('../record/find-pod-servers.js'),
  ]);
  const cluster = await interruptible(signal, connectCluster(config, redactor));
  const finding = findPodServers(cluster, config, pod, progress.say);
  const pods = await interruptible(signal, finding);
  for (const { pod: name, kind, rootPid, pySpy, way, refused } of pods) {
    const what = `py-spy ${pySpy.version} ${WAYS[way]}`;
    const why = refused.map(({ message }) => `; ${message}`).join('');
    progress.say(`pod ${name}: ${kind} process ${rootPid}, ${what}${why}`);
  }
  return { pySpy: pods[0]?.pySpy ?? null, server: null, pods };
}
