/** The workers of a load inside a cluster: their pods, and what they say in their logs. */
import { LoadflameError } from '../../base/errors.js';
import { followPodLog } from '../../base/kubernetes/follow-pod-log.js';
import { ASKED } from '../../base/kubernetes/permissions.js';
import { RUN_LABEL, readWorker } from './describe-job.js';
import { readLine } from './worker-lines.js';

/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { Cluster } from '../../base/kubernetes/connect.js' */
/** @import { LoadListeners } from '../load.d.ts' */
/** @import { createReceiver } from './worker-lines.js' */

/** Time for the last lines of an ended container to arrive. */
export const LAST_WORDS_MS = 4000;

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
 * @typedef {object} WorkersOptions
 * @property {Cluster} cluster
 * @property {{job: string, workers: number}} job
 * @property {ReturnType<typeof createReceiver>} receiver of their records
 * @property {Redactor} redactor
 * @property {LoadListeners} say
 */

export class LoadWorkers {
  /** Lines that did not arrive. */
  missed = 0;
  /** Why a worker does not run this load: none of them will. @type {LoadflameError | null} */
  refused = null;
  #options;
  #ending = new AbortController();
  /** Missing workers that were reported. @type {Set<Worker>} */
  #reported = new Set();

  /** @param {WorkersOptions} options */
  constructor(options) {
    this.#options = options;
    /** @type {Worker[]} */
    this.list = Array.from({ length: options.job.workers }, (_, index) => createWorker(index + 1));
  }

  /** Asks the cluster for their pods, and follows the logs of those that run. */
  async look() {
    const { cluster, job } = this.#options;
    const { items = [] } = await cluster.ask(ASKED.pods, {
      labelSelector: `${RUN_LABEL}=${job.job}`,
    });
    /** @type {ReturnType<typeof readWorker>[]} */
    const pods = items.map(readWorker);
    pods.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    for (const worker of this.list) {
      const isOwn = (/** @type {typeof pods[number]} */ one) =>
        one.index === worker.worker - 1 && (worker.pod ?? one.pod) === one.pod;
      this.#note(worker, pods.find(isOwn));
    }
    return pods;
  }

  /** @returns {boolean} */
  areOver() {
    return this.list.every(({ end, lost }) => end ?? lost);
  }

  /** Workers that are missing, each once. @returns {Worker[]} */
  takeMissing() {
    for (const worker of this.list) {
      const { end, disruption, waiting } = worker;
      if (end && end.reason !== 'complete')
        worker.lost ??= `it ended before its time (${end.reason}): ${end.why || disruption || waiting || 'its pod was deleted or evicted, or its load failed'}`;
    }
    const missing = this.list.filter(one => one.lost !== null && !this.#reported.has(one));
    for (const worker of missing) this.#reported.add(worker);
    return missing;
  }

  /** @returns {string | undefined} what the first one waits for */
  whyNotUp() {
    const [reason] = this.list.flatMap(({ pod, lost, waiting }) => {
      const why = lost ?? waiting;
      return why ? `${pod ? `the pod ${pod}: ` : ''}${this.#options.redactor.redactText(why)}` : [];
    });
    return reason;
  }

  /** Stops following their logs. */
  async leave() {
    this.#ending.abort();
    await Promise.all(this.list.map(({ following }) => following));
  }

  /** @param {Worker} worker @param {ReturnType<typeof readWorker>} [pod] */
  #note(worker, pod) {
    if (pod) {
      worker.pod = pod.pod;
      worker.waiting = pod.waiting;
      worker.disruption ||= pod.disruption;
    }
    if (pod?.isStarted) worker.following ??= this.#follow(worker, pod.pod);
    const isOver = pod ? pod.isEnded : worker.pod !== null;
    if (isOver) worker.endedAtMs ||= Date.now();
    const isSilent = worker.endedAtMs > 0 && Date.now() - worker.endedAtMs > LAST_WORDS_MS;
    const why = worker.disruption || pod?.end || 'its pod is gone';
    if (isSilent && !worker.end) worker.lost ??= [why, ...worker.words].join('; ');
  }

  /** @param {Worker} worker @param {string} pod */
  #follow(worker, pod) {
    const { cluster, redactor, say } = this.#options;
    const { signal } = this.#ending;
    const open = () => ({
      add: (/** @type {string} */ text) => this.#take(worker, text),
      close() {},
    });
    const log = { pod, container: 'worker', sinceMs: 0 };
    return followPodLog({ cluster, ...log, signal, open }).catch(({ message }) =>
      say.onNote(redactor.redactText(message)),
    );
  }

  /** @param {Worker} worker @param {string} text a line of its log */
  #take(worker, text) {
    const { receiver, redactor, say } = this.#options;
    const line = readLine(text);
    if (!line) {
      worker.words.push(redactor.redactText(text).slice(0, 300));
      worker.words.splice(0, worker.words.length - 3);
    }
    if (!line || line.n <= worker.n) return;
    this.missed += line.n - 1 - worker.n;
    worker.n = line.n;
    if (line.say === 'record') receiver.add(worker, /** @type {any} */ (line));
    else if (line.say === 'ready') worker.isReady = true;
    else if (line.say === 'end') {
      const { reason, exitCode, why = '' } = line;
      worker.end = { reason: `${reason}`, exitCode, why: redactor.redactText(`${why}`) };
    } else if (line.say === 'failed') this.#refuse(worker, line);
    else if (line.say === 'note') say.onNote(redactor.redactText(`${line.text}`));
    else if (line.say === 'log') say.onLog?.(redactor.redactText(`${line.text}`));
  }

  /** @param {Worker} worker @param {Record<string, any>} line */
  #refuse(worker, { code, message, hint }) {
    const { redactor } = this.#options;
    worker.lost = redactor.redactText(`${message}`);
    const about = { worker: worker.worker, reason: worker.lost, code };
    const advice = { hint: redactor.redactText(`${hint}`) };
    this.refused ??= new LoadflameError('KUBE_WORKER_FAILED', about, advice);
  }
}

/** @param {number} worker from 1 @returns {Worker} */
function createWorker(worker) {
  return {
    worker,
    pod: null,
    following: null,
    end: null,
    lost: null,
    isReady: false,
    n: 0,
    endedAtMs: 0,
    waiting: 'no pod',
    disruption: '',
    words: [],
    aheadMs: 0,
  };
}
