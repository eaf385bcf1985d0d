/**
 * Runs a load with workers inside a cluster. The coordinator creates them, gives them one start time, follows their
 * logs and removes them.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../base/errors.js';
import { createLineSplitter } from '../../base/files/split-lines.js';
import { connectCluster } from '../../base/kubernetes/connect.js';
import { findPods } from '../../base/kubernetes/find-pods.js';
import { ASKED, isClusterNamed } from '../../base/kubernetes/permissions.js';
import { sum } from '../../base/math/summary.js';
import { throwIfInterrupted } from '../../base/process/interruptible.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { phaseLengthMs } from '../pacing/schedule.js';
import { writeScript } from '../run-generator.js';
import { createJob, describeJob, removeJob } from './describe-job.js';
import { LAST_WORDS_MS, LoadWorkers } from './load-workers.js';
import { packLoad } from './pack-load.js';
import { createReceiver, readLine } from './worker-lines.js';

/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { Cluster } from '../../base/kubernetes/connect.js' */
/** @import { ClusterWorkers, Load, LoadEnd, LoadListeners, RunningLoad } from '../load.d.ts' */
/** @import { Worker } from './load-workers.js' */

const LOOK_MS = 1000;
/** Time until the first arrival, in which all workers get the start time. */
const LEAD_MS = 2000;
const ANSWER_MS = 5000;
const PINGS = 5;
/** Time for users that are running when the last phase ends, before the cluster ends the Job. */
const AFTER_SEC = 600;

/**
 * @param {Load} load
 * @param {ClusterWorkers} inside
 * @returns {Promise<RunningLoad>} resolves when all workers have the start time
 * @throws {LoadflameError} KUBE_…, INTERRUPTED; leaves nothing in the cluster
 */
export async function startInCluster(load, inside) {
  const { prepared, settings, files, redactor, options = {}, say, signal } = load;
  const { workers, waitSec } = inside;
  const given = packLoad(prepared, settings, options, inside);
  const config = /** @type {any} */ (settings);
  const cluster = await connectCluster(config, redactor);
  const target = isClusterNamed(config) ? await findPods(cluster, config) : null;
  const plannedSec = sum(prepared.phases.map(phaseLengthMs)) / 1000;
  const name = `loadflame-${randomBytes(4).toString('hex')}`;
  const mostSec = Math.ceil(waitSec + plannedSec + AFTER_SEC);
  const avoid = Object.fromEntries(
    (target?.selector ?? '').split(',').flatMap(pair => {
      const [, key = '', value] = /^([\w./-]+)=([\w.-]*)$/.exec(pair) ?? [];
      return value === undefined ? [] : [[key, value]];
    }),
  );
  writeScript(files.script, redactor.redactValue(prepared.script));
  const endMs = Date.now() + mostSec * 1000;
  const uid = await createJob(cluster, describeJob({ ...inside, name, mostSec, avoid }), given);
  const job = { job: name, uid, waitSec, phases: prepared.phases.length, workers, endMs };
  return listen({ cluster, job, files, redactor, image: inside.image, signal, say });
}

/**
 * @typedef {object} Listening
 * @property {Cluster} cluster
 * @property {{job: string, uid: string, waitSec: number, phases: number, workers: number, endMs: number}} job `job`:
 *   its name; `endMs`: when the cluster ends it
 * @property {RunFiles} files
 * @property {Redactor} redactor
 * @property {string} image
 * @property {LoadListeners} say
 * @property {AbortSignal} [signal]
 */

/** @param {Listening} options @returns {Promise<RunningLoad>} */
async function listen(options) {
  const { cluster, job, files, redactor, say } = options;
  const events = createNdjsonWriter(files.events);
  const note = (/** @type {string} */ text) => say.onNote(redactor.redactText(text));
  const onWriteError = (/** @type {Error} */ { message }) => note(message);
  const receiver = createReceiver(files, { ...job, onWriteError });
  const workers = new LoadWorkers({ cluster, job, receiver, redactor, say });
  const run = { ...options, events, note, receiver, workers, isStopping: false };
  try {
    await beginAt(await waitForAll(run), run);
  } catch (error) {
    await close(run);
    throw error;
  }
  const ended = finish(run);
  const stop = async () => {
    if (!workers.areOver() && !run.isStopping) {
      run.isStopping = true;
      // Makes their pods end and send their remaining records.
      await removeJob(cluster, job).catch(() => {});
    }
    return ended;
  };
  return { pid: 0, ended, stop };
}

/**
 * @typedef {Listening & {events: NdjsonWriter, note: (text: string) => void, workers: LoadWorkers, isStopping: boolean,
 *   receiver: ReturnType<typeof createReceiver>}} ClusterRun
 */

/** Waits until all workers are ready, or all that can be; returns these. @param {ClusterRun} run */
async function waitForAll({ cluster, job, image, redactor, signal, say, workers }) {
  const endMs = Date.now() + job.waitSec * 1000;
  for (;;) {
    if (signal) throwIfInterrupted(signal);
    const pods = await workers.look();
    if (workers.refused) throw workers.refused;
    const open = workers.list.filter(({ isReady, lost }) => !isReady && !lost);
    if (open.length === 0 || Date.now() > endMs) break;
    if (pods.length < job.workers) await checkPodsAllowed(cluster, job.job);
    const bad = pods.find(({ isImageMissing }) => isImageMissing);
    if (bad && !workers.list.some(({ isReady }) => isReady))
      throw new LoadflameError('KUBE_IMAGE', { image, reason: redactor.redactText(bad.waiting) });
    say.onWait?.(`${job.workers - open.length} of ${job.workers} workers are up …`);
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
  const ready = workers.list.filter(({ isReady, lost }) => isReady && !lost);
  if (ready.length === 0) {
    const reason = workers.whyNotUp();
    throw new LoadflameError('KUBE_NO_WORKERS', { seconds: job.waitSec, reason });
  }
  for (const worker of workers.list)
    if (!ready.includes(worker)) worker.lost ??= `it was not up: ${worker.waiting}`;
  return ready;
}

/** @param {ClusterRun} run @returns {Promise<LoadEnd>} */
async function finish(run) {
  const { job, files, say, workers, events, note, receiver } = run;
  const complaints = new Set();
  for (;;) {
    await workers.look().catch(({ message }) => {
      if (!complaints.has(message)) note(`warning: ${message}`);
      complaints.add(message);
    });
    for (const { worker, pod, lost } of run.isStopping ? [] : workers.takeMissing()) {
      const message = `worker ${worker} of ${job.workers}${pod ? ` (pod ${pod})` : ''} is missing: ${lost}`;
      events.append('load-worker-lost', { worker, message });
      note(`warning: ${message}; its share of the load is missing from then on`);
    }
    say.onProgress?.(receiver.progress.read());
    if (workers.areOver()) break;
    if (Date.now() > job.endMs + LAST_WORDS_MS)
      for (const one of workers.list) one.lost ??= 'time is up';
    await sleep(LOOK_MS);
  }
  if (workers.missed > 0) {
    const message = `${workers.missed} lines of workers did not arrive: the cluster had dropped them from its logs`;
    events.append('load-lines-lost', { lines: workers.missed, message });
  }
  await close(run);
  const ends = workers.list.flatMap(({ end }) => end ?? []);
  const isWhole = ends.some(({ reason }) => reason === 'complete');
  const reason = run.isStopping ? 'interrupted' : isWhole ? 'complete' : 'crashed';
  // A worker whose pod was removed reports that it was interrupted: that is recorded, and is no failed check.
  const codes = ends.flatMap(end => (end.reason === 'interrupted' ? [] : (end.exitCode ?? 0)));
  const facts = { reason, exitCode: Math.max(0, ...codes), signal: null };
  createNdjsonWriter(files.metrics).append('load-end', { ...facts, counters: {} });
  return /** @type {LoadEnd} */ ({ ...facts, counters: {}, logTail: '' });
}

/** Removes everything from the cluster. @param {ClusterRun} run */
async function close({ cluster, job, note, workers }) {
  const left = `the Job ${job.job} and what belongs to it may be left in the namespace ${cluster.namespace}`;
  await removeJob(cluster, job).catch(({ message }) =>
    note(`warning: ${message}: ${left}; it ends by itself`),
  );
  await workers.leave();
}

/**
 * Starts all workers at the same moment, each by its own clock. This attaches to them, like `kubectl attach`: a changed
 * ConfigMap takes up to a minute to arrive, and the round trip shows the difference between the clocks.
 * @param {Worker[]} workers
 * @param {Pick<ClusterRun, 'cluster' | 'events'>} run
 */
async function beginAt(workers, { cluster, events }) {
  const reached = await Promise.all(workers.map(worker => reach(worker, cluster)));
  const startAtMs = Date.now() + LEAD_MS;
  for (const { worker, attached, aheadMs, uncertaintyMs } of reached) {
    worker.aheadMs = aheadMs;
    const { worker: number, pod } = worker;
    events.append('load-worker', { worker: number, pod, aheadMs, uncertaintyMs });
    attached.write(JSON.stringify({ startAtMs: startAtMs + aheadMs }));
  }
  await sleep(LEAD_MS / 2);
  for (const { attached } of reached) attached.leave();
}

/** @param {Worker} worker @param {Cluster} cluster */
async function reach(worker, cluster) {
  /** @type {PromiseWithResolvers<Record<string, any>>[]} */
  const pongs = Array.from({ length: PINGS }, () => Promise.withResolvers());
  const lines = createLineSplitter(text => {
    const line = readLine(text);
    if (line?.say === 'pong') pongs[line.id]?.resolve(line);
  });
  const place = { pod: worker.pod ?? '', container: 'worker' };
  const attached = await cluster.exec.attach(place, bytes => lines.add(bytes));
  let best = { aheadMs: 0, uncertaintyMs: Number.POSITIVE_INFINITY };
  for (const [ping, { promise }] of pongs.entries()) {
    const sentMs = Date.now();
    attached.write(JSON.stringify({ ping }));
    const pong = await Promise.race([promise, sleep(ANSWER_MS, null)]);
    if (!pong) {
      attached.leave();
      const reason = `the pod ${worker.pod} does not respond to an attach`;
      throw new LoadflameError('KUBE_NO_WORKERS', { seconds: ANSWER_MS / 1000, reason });
    }
    const receivedMs = Date.now();
    const uncertaintyMs = (receivedMs - sentMs) / 2;
    if (uncertaintyMs < best.uncertaintyMs)
      best = { aheadMs: Math.round(pong.nowMs - (sentMs + receivedMs) / 2), uncertaintyMs };
  }
  return { worker, attached, ...best };
}

/** Events of the Job show whether a quota or a policy refuses its pods. @param {Cluster} cluster @param {string} job */
async function checkPodsAllowed(cluster, job) {
  const query = { fieldSelector: `involvedObject.name=${job},reason=FailedCreate` };
  const { items = [] } = await cluster.ask(ASKED.events, query).catch(() => ({ items: [] }));
  const [event] = items;
  if (event)
    throw new LoadflameError('KUBE_PODS_REFUSED', { reason: `${event.message}`.slice(0, 400) });
}
