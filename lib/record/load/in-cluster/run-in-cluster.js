/**
 * Runs a load with workers inside a cluster. The coordinator creates them, gives them one start time, follows their
 * logs and removes them.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../../errors.js';
import { createLineSplitter } from '../../../files/split-lines.js';
import { sum } from '../../../math/summary.js';
import { throwIfInterrupted } from '../../../process/interruptible.js';
import { createNdjsonWriter } from '../../../run/ndjson.js';
import { connectCluster } from '../../cluster/connect.js';
import { findPods } from '../../cluster/find-pods.js';
import { followPodLog } from '../../cluster/follow-pod-log.js';
import { ASKED, isClusterNamed } from '../../cluster/permissions.js';
import { phaseLengthMs } from '../pacing/schedule.js';
import { writeScript } from '../run-generator.js';
import { createJob, describeJob, readWorker, removeJob, selectWorkers } from './describe-job.js';
import { packLoad } from './pack-load.js';
import { createReceiver, readLine } from './worker-lines.js';

/** @import { Redactor } from '../../../files/redaction.js' */
/** @import { RunFiles } from '../../../run/run-folder.js' */
/** @import { Cluster } from '../../cluster/connect.js' */
/** @import { ClusterWorkers, Load, LoadEnd, LoadListeners, RunningLoad } from '../load.d.ts' */

const LOOK_MS = 1000;
/** Time for the last lines of an ended container to arrive. */
const LAST_WORDS_MS = 4000;
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
 * @typedef {object} Worker
 * @property {number} worker from 1
 * @property {string | null} pod
 * @property {Promise<void> | null} following its log
 * @property {number} n number of its last line
 * @property {boolean} isReady
 * @property {{reason: string, exitCode: number | null, why: string} | null} end as it reports it
 * @property {string | null} lost why it is gone
 * @property {number} endedAtMs when its container was found to have ended
 * @property {string} waiting what it waits for, before it is up
 * @property {string} disruption why the cluster removed its pod; empty if it did not
 * @property {string[]} words lines of its log that are not ours
 * @property {number} aheadMs how far its clock is ahead of ours
 */

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
async function listen({ cluster, job, files, redactor, image, signal, say }) {
  const { onNote, onLog } = say;
  const events = createNdjsonWriter(files.events);
  const note = (/** @type {string} */ text) => onNote(redactor.redactText(text));
  const noteError = (/** @type {Error} */ { message }) => note(message);
  const receiver = createReceiver(files, { ...job, onWriteError: noteError });
  const ending = new AbortController();
  /** @type {Worker[]} */
  const workers = Array.from({ length: job.workers }, (_, index) => ({
    ...{ worker: index + 1, pod: null, following: null, end: null, lost: null, isReady: false },
    ...{ n: 0, endedAtMs: 0, waiting: 'no pod', disruption: '', words: [], aheadMs: 0 },
  }));
  /** @type {Set<Worker | undefined>} missing workers that were reported */
  const reported = new Set();
  let stopping = false;
  let missed = 0;
  /** @type {LoadflameError | null} */
  let refused = null;

  /** @param {Worker} worker @param {string} text */
  const take = (worker, text) => {
    const line = readLine(text);
    if (!line) {
      worker.words.push(redactor.redactText(text).slice(0, 300));
      worker.words.splice(0, worker.words.length - 3);
    }
    if (!line || line.n <= worker.n) return;
    missed += line.n - 1 - worker.n;
    worker.n = line.n;
    if (line.say === 'record') receiver.add(worker, /** @type {any} */ (line));
    else if (line.say === 'ready') worker.isReady = true;
    else if (line.say === 'end') {
      const { reason, exitCode, why = '' } = line;
      worker.end = { reason: `${reason}`, exitCode, why: redactor.redactText(`${why}`) };
    } else if (line.say === 'failed') refuse(worker, line);
    else if (line.say === 'note') note(`${line.text}`);
    else if (line.say === 'log') onLog?.(redactor.redactText(`${line.text}`));
  };
  /** @param {Worker} worker @param {Record<string, any>} line */
  const refuse = (worker, { code, message, hint }) => {
    worker.lost = redactor.redactText(`${message}`);
    const about = { worker: worker.worker, reason: worker.lost, code };
    const advice = { hint: redactor.redactText(`${hint}`) };
    refused ??= new LoadflameError('KUBE_WORKER_FAILED', about, advice);
  };

  const look = async () => {
    const { items = [] } = await cluster.ask(ASKED.pods, { labelSelector: selectWorkers(job.job) });
    /** @type {ReturnType<typeof readWorker>[]} */
    const pods = items.map(readWorker);
    pods.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    for (const worker of workers) {
      const pod = pods.find(
        one => one.index === worker.worker - 1 && (worker.pod ?? one.pod) === one.pod,
      );
      if (pod) {
        worker.pod = pod.pod;
        worker.waiting = pod.waiting;
        worker.disruption ||= pod.disruption;
      }
      if (pod?.isStarted) worker.following ??= follow(worker, pod.pod);
      const isOver = pod ? pod.isEnded : worker.pod !== null;
      if (isOver) worker.endedAtMs ||= Date.now();
      const isSilent = worker.endedAtMs > 0 && Date.now() - worker.endedAtMs > LAST_WORDS_MS;
      const why = worker.disruption || pod?.end || 'its pod is gone';
      if (isSilent && !worker.end) worker.lost ??= [why, ...worker.words].join('; ');
    }
    return pods;
  };
  /** @param {Worker} worker @param {string} pod */
  const follow = (worker, pod) => {
    const open = () => ({ add: (/** @type {string} */ text) => take(worker, text), close() {} });
    const log = { pod, container: 'worker', sinceMs: 0 };
    return followPodLog({ cluster, ...log, signal: ending.signal, open }).catch(noteError);
  };

  /** Waits until all workers are ready, or all that can be. */
  const waitForAll = async () => {
    const endMs = Date.now() + job.waitSec * 1000;
    for (;;) {
      throwIfInterrupted(/** @type {AbortSignal} */ (signal ?? ending.signal));
      const pods = await look();
      if (refused) throw refused;
      const open = workers.filter(({ isReady, lost }) => !isReady && !lost);
      if (open.length === 0 || Date.now() > endMs) break;
      if (pods.length < workers.length) await checkPodsAllowed(cluster, job.job);
      const bad = pods.find(({ isImageMissing }) => isImageMissing);
      if (bad && !workers.some(({ isReady }) => isReady))
        throw new LoadflameError('KUBE_IMAGE', { image, reason: redactor.redactText(bad.waiting) });
      say.onWait?.(`${workers.length - open.length} of ${workers.length} workers are up …`);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    const ready = workers.filter(({ isReady, lost }) => isReady && !lost);
    if (ready.length === 0) {
      const [reason] = workers.flatMap(({ pod, lost, waiting }) => {
        const why = lost ?? waiting;
        return why ? `${pod ? `the pod ${pod}: ` : ''}${redactor.redactText(why)}` : [];
      });
      throw new LoadflameError('KUBE_NO_WORKERS', { seconds: job.waitSec, reason });
    }
    for (const worker of workers)
      if (!ready.includes(worker)) worker.lost ??= `it was not up: ${worker.waiting}`;
    await beginAt(ready, { cluster, events });
  };

  const isOver = () => workers.every(({ end, lost }) => end ?? lost);
  /** @returns {Promise<LoadEnd>} */
  const finish = async () => {
    const complaints = new Set();
    for (;;) {
      await look().catch(({ message }) => {
        if (!complaints.has(message)) note(`warning: ${message}`);
        complaints.add(message);
      });
      for (const worker of workers) {
        if (worker.end && worker.end.reason !== 'complete' && !stopping)
          worker.lost ??= `it ended before its time (${worker.end.reason}): ${worker.end.why || worker.disruption || worker.waiting || 'its pod was deleted or evicted, or its load failed'}`;
        if (worker.lost === null || reported.has(worker) || stopping) continue;
        reported.add(worker);
        const { pod, lost } = worker;
        const message = `worker ${worker.worker} of ${workers.length}${pod ? ` (pod ${pod})` : ''} is missing: ${lost}`;
        events.append('load-worker-lost', { worker: worker.worker, message });
        note(`warning: ${message}; its share of the load is missing from then on`);
      }
      say.onProgress?.(receiver.progress.read());
      if (isOver()) break;
      if (Date.now() > job.endMs + LAST_WORDS_MS)
        for (const one of workers) one.lost ??= 'time is up';
      await sleep(LOOK_MS);
    }
    if (missed > 0) {
      const message = `${missed} lines of workers did not arrive: the cluster had dropped them from its logs`;
      events.append('load-lines-lost', { lines: missed, message });
    }
    await close();
    const ends = workers.flatMap(({ end }) => end ?? []);
    const isWhole = ends.some(({ reason }) => reason === 'complete');
    const reason = stopping ? 'interrupted' : isWhole ? 'complete' : 'crashed';
    // A worker whose pod was removed reports that it was interrupted: that is recorded, and is no failed check.
    const codes = ends.flatMap(end => (end.reason === 'interrupted' ? [] : (end.exitCode ?? 0)));
    const exitCode = Math.max(0, ...codes);
    const facts = { reason, exitCode, signal: null };
    createNdjsonWriter(files.metrics).append('load-end', { ...facts, counters: {} });
    return /** @type {LoadEnd} */ ({ ...facts, counters: {}, logTail: '' });
  };
  /** Removes everything from the cluster. */
  const close = async () => {
    const left = `the Job ${job.job} and what belongs to it may be left in the namespace ${cluster.namespace}`;
    await removeJob(cluster, job).catch(({ message }) =>
      note(`warning: ${message}: ${left}; it ends by itself`),
    );
    ending.abort();
    await Promise.all(workers.map(({ following }) => following));
  };

  try {
    await waitForAll();
  } catch (error) {
    await close();
    throw error;
  }
  const ended = finish();
  return {
    pid: 0,
    ended,
    stop: async () => {
      if (!isOver() && !stopping) {
        stopping = true;
        // Makes their pods end and send their remaining records.
        await removeJob(cluster, job).catch(() => {});
      }
      return ended;
    },
  };
}

/**
 * Starts all workers at the same moment, each by its own clock. This attaches to them, like `kubectl attach`: a changed
 * ConfigMap takes up to a minute to arrive, and the round trip shows the difference between the clocks.
 * @param {Worker[]} workers
 * @param {{cluster: Cluster, events: import('../../../run/ndjson.js').NdjsonWriter}} run
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
