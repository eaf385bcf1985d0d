/** Records what a cluster reports about a workload's pods during a run: KUBE_WORKLOAD and KUBE_SELECTOR. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../base/errors.js';
import { connectCluster, nameResource } from '../../base/kubernetes/connect.js';
import { readCpuStat } from '../../base/kubernetes/exec.js';
import { findPods } from '../../base/kubernetes/find-pods.js';
import { followPodLog } from '../../base/kubernetes/follow-pod-log.js';
import { ASKED, askWorkload } from '../../base/kubernetes/permissions.js';
import {
  leadsTo,
  listRunning,
  readEvent,
  readPod,
  readReplicas,
  readService,
  readUsage,
} from '../../base/kubernetes/read-objects.js';
import { createNdjsonWriter } from '../../run/ndjson.js';

/** @import { Config } from '../../base/config/read-config.js' */
/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { LogSource } from '../../base/kubernetes/follow-pod-log.js' */
/** @import { Cluster } from '../../base/kubernetes/connect.js' */
/** @import { Place } from '../../base/kubernetes/exec.js' */
/** @import { FoundPods } from '../../base/kubernetes/find-pods.js' */
/** @import { ApiObject } from '../../base/kubernetes/api-object.d.ts' */
/** @import { Part } from '../../base/kubernetes/permissions.js' */

/** Polling intervals. metrics.k8s.io has a new figure every 15 s or less often. */
const EVERY_MS = { pods: 2000, replicas: 5000, usage: 10_000, throttling: 10_000, events: 30_000 };
/** Time for the last log lines to arrive. */
const LAST_WORDS_MS = 1000;
/** Each log keeps a connection open; the logs of further containers are not recorded. */
const MOST_LOGS = 100;
/** Containers in which a program is started to read their CPU quotas; the quotas of others stay unknown. */
const MOST_PLACES = 50;
const PAGE = 500;
const MOST_PAGES = 20;

/**
 * Starts polling, from before the load until after its end. Parts that the login may not read are omitted and reported.
 * @param {object} options
 * @param {Config} options.config
 * @param {RunFiles} options.files
 * @param {Redactor} options.redactor
 * @param {(name: string) => LogSource} options.openLog starts the record of a pod's log
 * @param {(line: string) => void} options.onNote
 * @param {(error: Error) => void} [options.onWriteError] once
 * @returns {Promise<{stop: () => Promise<void>}>} `stop` polls a last time; idempotent
 * @throws {LoadflameError} KUBE_… if not even the pods can be read
 */
export async function startClusterRecorder(options) {
  const { config, files, redactor, openLog, onNote, onWriteError } = options;
  // The load has joined a recording that polls the cluster already.
  if (existsSync(files.cluster)) return { stop: async () => {} };
  const cluster = await connectCluster(config, redactor);
  const found = await findPods(cluster, config);
  const writer = createNdjsonWriter(files.cluster, { onError: onWriteError });
  const streams = new AbortController();
  /** @type {Context['append']} */
  const append = (kind, fields) => writer.append(kind, redactor.redactValue(fields));
  const guard = createGuard(append, onNote);
  const { signal } = streams;
  const context = { cluster, append, guard, isNew: createMemory(), signal, openLog };
  const { selector, workload } = found;
  const { namespace } = cluster;
  append('cluster-start', { namespace, selector, workload: workload?.name ?? null });

  const pods = watchPods(found, context);
  const looks = {
    pods: pods.look,
    throttling: () => recordQuotas(pods.limited(), context),
    ...listPolls(found, pods.names, context),
  };
  const repeated = Object.entries(looks).map(([name, look]) => {
    const part = /** @type {keyof typeof EVERY_MS} */ (name);
    return { everyMs: EVERY_MS[part], look: () => guard(part, look) };
  });
  // The state before the load, or the reason why it cannot be read.
  const services = guard('services', () => recordServices(found, context));
  await Promise.all([...repeated.map(({ look }) => look()), services]);
  const pausing = new AbortController();
  const running = repeated.map(async ({ everyMs, look }) => {
    do {
      await sleep(everyMs, undefined, { signal: pausing.signal }).catch(() => {});
      await look();
    } while (!pausing.signal.aborted);
  });
  return {
    stop: async () => {
      pausing.abort();
      await Promise.all([...running, sleep(LAST_WORDS_MS)]);
      streams.abort();
      await pods.ended();
    },
  };
}

/**
 * @typedef {object} Context
 * @property {Cluster} cluster
 * @property {(kind: string, fields: Record<string, unknown>) => void} append redacts secrets
 * @property {(key: string, value: unknown) => boolean} isNew whether the value differs from the last one of this key
 * @property {(part: Part, look: () => Promise<void>) => Promise<void>} guard
 * @property {(name: string) => LogSource} openLog
 * @property {AbortSignal} signal ends what is followed
 */

/** @returns {Context['isNew']} */
function createMemory() {
  /** @type {Map<string, string>} */
  const last = new Map();
  return (key, value) => {
    const text = JSON.stringify(value);
    const isNew = last.get(key) !== text;
    last.set(key, text);
    return isNew;
  };
}

/**
 * A refused part leaves the others running; it is reported once, with the missing right.
 * @param {Context['append']} append
 * @param {(line: string) => void} onNote
 * @returns {Context['guard']}
 */
function createGuard(append, onNote) {
  /** @type {Map<Part, string>} why it cannot be read now */
  const failing = new Map();
  return async (part, look) => {
    const before = failing.get(part);
    if (before !== undefined && before !== 'failed') return;
    try {
      await look();
      if (failing.delete(part)) append('back', { part });
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      const { message, hint, code } = error;
      const why = WHY[code] ?? 'failed';
      failing.set(part, why);
      if (why === before) return;
      const { verb } = ASKED[part];
      append('failed', { part, why, verb, resource: nameResource(ASKED[part]), message });
      onNote(`warning: ${message}; ${hint}`);
    }
  };
}

/** Permanent errors: the part is not tried again. @type {Record<string, 'forbidden' | 'missing' | 'program'>} */
const WHY = {
  KUBE_FORBIDDEN: 'forbidden',
  KUBE_NOT_THERE: 'missing',
  KUBE_API_MISSING: 'missing',
  POD_NO_PROGRAM: 'program',
};

/**
 * @param {FoundPods} found
 * @param {Context} context
 */
function watchPods({ selector, items }, { cluster, append, isNew, guard, openLog, signal }) {
  const sinceMs = Date.now() + cluster.aheadMs();
  /** @type {Map<string, Promise<void>>} */
  const logs = new Map();
  /** All pods seen so far: their events count. @type {Set<string>} */
  const names = new Set();
  /** @type {Set<string>} */
  let present = new Set();
  /** Containers with a CPU limit. @type {Place[]} */
  let limited = [];
  /** The first list is known already. @type {ApiObject[] | null} */
  let first = items;

  const look = async () => {
    /** @type {ApiObject[]} */
    const list = first ?? (await cluster.ask(ASKED.pods, { labelSelector: selector })).items ?? [];
    first = null;
    limited = list.flatMap(listRunning).filter(({ isLimited }) => isLimited);
    const pods = list.map(item => readPod(item));
    for (const [index, pod] of pods.entries()) {
      names.add(pod.name);
      if (isNew(`pod ${pod.name}`, pod))
        append('pod', readPod(list[index] ?? {}, cluster.aheadMs()));
      for (const { name } of pod.containers) followLog(pod.name, name);
    }
    const before = present;
    present = new Set(pods.map(({ name }) => name));
    for (const name of before) if (!present.has(name)) append('pod-gone', { name });
  };
  /** @param {string} pod @param {string} container */
  const followLog = (pod, container) => {
    const name = `${pod}/${container}`;
    if (logs.has(name) || logs.size >= MOST_LOGS) return;
    const open = () => openLog(name);
    const follow = () => followPodLog({ cluster, pod, container, sinceMs, open, signal });
    logs.set(name, guard('logs', follow));
  };
  return { look, names, limited: () => limited, ended: () => Promise.all(logs.values()) };
}

/**
 * The quota of a container that does not respond or has no `cat` stays unknown; if all fail, this throws the reason.
 * @param {Place[]} places
 * @param {Context} context
 */
async function recordQuotas(places, { cluster, append }) {
  const looks = places.slice(0, MOST_PLACES).map(async ({ pod, container }) => {
    const throttling = await readCpuStat(cluster, { pod, container });
    if (throttling) append('throttling', { name: pod, container, ...throttling });
  });
  const [first, ...others] = await Promise.allSettled(looks);
  if (first?.status === 'rejected' && others.every(({ status }) => status === 'rejected'))
    throw first.reason;
}

/**
 * The other parts that are polled.
 * @param {FoundPods} found
 * @param {ReadonlySet<string>} podNames
 * @param {Context} context
 */
function listPolls({ selector, workload }, podNames, { cluster, append, isNew }) {
  let isFirst = true;
  /** How often each event had occurred before the run. @type {Map<string, number>} */
  const before = new Map();
  const events = async () => {
    let next = '';
    for (let page = 0; page === 0 || (next && page < MOST_PAGES); page++) {
      const query = { limit: `${PAGE}`, ...(next && { continue: next }) };
      const { items = [], metadata } = await cluster.ask(ASKED.events, query);
      next = metadata?.continue ?? '';
      for (const item of items) {
        const { name = '' } = item.involvedObject ?? {};
        const isWorkload = name === workload?.name || name.startsWith(`${workload?.name}-`);
        if (!isWorkload && !podNames.has(name)) continue;
        const event = readEvent(item);
        const t = Math.min(event.t - cluster.aheadMs(), Date.now());
        const uid = String(item.metadata?.uid);
        if (isFirst) before.set(uid, event.count);
        const count = event.count - (before.get(uid) ?? 0);
        if (isNew(`event ${uid}`, event) && count > 0) append('event', { ...event, t, count });
      }
    }
    isFirst = false;
  };
  const usage = async () => {
    const { items = [] } = await cluster.ask(ASKED.usage, { labelSelector: selector });
    for (const one of items.map(readUsage)) {
      if (!isNew(`usage ${one.name}`, one)) continue;
      const [startMs, endMs] = [one.startMs, one.endMs].map(ms => ms - cluster.aheadMs());
      append('usage', { ...one, startMs, endMs });
    }
  };
  if (!workload) return { events, usage };
  const replicas = async () => {
    const one = readReplicas(await cluster.ask(askWorkload(workload)));
    if (isNew('replicas', one)) append('replicas', one);
  };
  return { events, usage, replicas };
}

/**
 * Records the services: a router's cookie names a pod by its address and the port of its service.
 * @param {FoundPods} found
 * @param {Context} context
 */
async function recordServices({ labels }, { cluster, append }) {
  const { items = [] } = await cluster.ask(ASKED.services);
  for (const item of items)
    if (leadsTo(item, labels)) append('way-in', { type: 'service', ...readService(item) });
}
