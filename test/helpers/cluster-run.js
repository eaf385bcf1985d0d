/** A run of `loadflame cluster run` whose loadflame was killed, and the API of its cluster, which records requests. */
import { lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createLines } from '../../lib/record/load/in-cluster/worker-lines.js';
import { writeManifest } from '../../lib/run/manifest.js';
import { createNdjsonWriter } from '../../lib/run/ndjson.js';
import { createRunFolder } from '../../lib/run/run-folder.js';
import { listen } from './listen.js';

/** @import { Manifest } from '../../lib/facts/records.d.ts' */

const START_MS = Date.now() - 60_000;
const UID = '6f6c2c0e-3c1d-4d0e-9a53-0d6b2f1f8f11';
export const JOB = 'loadflame-0a1b2c3d';
/** All that belongs to the run. */
export const OWN = {
  job: `/apis/batch/v1/namespaces/shop/jobs/${JOB}`,
  pods: `/api/v1/namespaces/shop/pods?labelSelector=loadflame%2Frun%3D${JOB}`,
  events: `/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name%3D${JOB}%2Creason%3DFailedCreate`,
  logs: new RegExp(`^/api/v1/namespaces/shop/pods/${JOB}-[01]/log\\?container=worker&`),
  attach: new RegExp(`^/api/v1/namespaces/shop/pods/${JOB}-[01]/attach\\?container=worker&`),
};

/** In place of the birth time of a folder that is a copy. */
const NOT_YET_MS = 1795211100123;

/** @param {string} root @param {Partial<NonNullable<Manifest['inside']>> & Record<string, unknown>} [inside] */
export function writeKilledRun(root, inside = {}) {
  const files = createRunFolder(root, 'load');
  writeManifest(files.manifest, {
    ...{ schema: 'loadflame-run/1', id: path.basename(files.folder), kind: 'load' },
    ...{ status: 'running', reasons: [], pid: process.pid, pidStartTicks: 1 },
    ...{ startedAtMs: START_MS, endedAtMs: null, command: 'loadflame cluster run load.yaml' },
    ...{ target: 'http://api', script: null, settings: [], profile: null },
    ...{ host: null, joinable: false, versions: { loadflame: '0.1.0' } },
    inside: {
      ...{ context: 'lab', namespace: 'shop', job: JOB, uid: UID, phases: 1, waitSec: 5 },
      ...{ madeAtMs: statSync(files.folder).birthtimeMs, ...inside },
    },
  });
  const events = createNdjsonWriter(files.events);
  const metrics = createNdjsonWriter(files.metrics);
  for (const worker of [1, 2])
    events.append('load-worker', { t: START_MS, worker, pod: `${JOB}-${worker - 1}`, aheadMs: 0 });
  metrics.append('load-start', { ...LOAD_START, workers: 2, sentBy: [1, 2] });
  for (const worker of [1, 2]) metrics.append('second', { ...makeSecond(0), sentBy: [worker, 3] });
  return files;
}

/** Writes a run that is copied before it is used. @param {string} root */
export function writeCopiedRun(root) {
  return writeKilledRun(root, { madeAtMs: NOT_YET_MS });
}

/** As if the copy had been made for the run; whatever else is wrong with it stays wrong. @param {string} folder */
export function makeOriginal(folder) {
  const file = path.join(folder, 'run.json');
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return;
  const text = readFileSync(file, 'utf8');
  const madeAtMs = `${statSync(folder).birthtimeMs}`;
  if (text.includes(`${NOT_YET_MS}`)) writeFileSync(file, text.replace(`${NOT_YET_MS}`, madeAtMs));
}

/**
 * Does a request concern something that does not belong to the run? A Job of another name may be looked for.
 * @param {{method: string, url: string, body: any}} request
 */
export function isForeign({ method, url, body }) {
  const place = url.split('?')[0] ?? '';
  if (method === 'DELETE') return place !== OWN.job || body?.preconditions?.uid !== UID;
  const isOwn =
    url.startsWith(OWN.pods) ||
    url === OWN.events ||
    OWN.logs.test(url) ||
    OWN.attach.test(url) ||
    /^\/apis\/batch\/v1\/namespaces\/shop\/jobs\/loadflame-[0-9a-f]{8}$/.test(place);
  return method !== 'GET' || !isOwn;
}

const LOAD_START = {
  ...{ t: START_MS, kind: 'load-start', engine: 'loadflame', scenarios: [], workers: 1 },
  phases: [{ name: 'a', durationSec: 3 }],
};

/** @param {number} n */
function makeSecond(n) {
  const fromMs = START_MS + n * 1000;
  return {
    ...{ t: fromMs + 1200, kind: 'second', fromMs },
    counters: { 'http.requests': 1, 'http.responses': 1, 'http.codes.200': 1 },
    sketches: {},
  };
}

/**
 * An API with this Job, whose two workers have ended, and with others' objects. It answers as that of Kubernetes.
 * @param {{after: (stop: () => void) => void}} t
 * @param {{uid?: string, labels?: Record<string, string>, onDelete?: (job: any) => void}} [job] what is other than recorded
 */
export async function startClusterApi(t, { uid = UID, labels, onDelete = () => {} } = {}) {
  /** @type {{method: string, url: string, body: any}[]} */
  const requests = [];
  const job = {
    metadata: {
      ...{ name: JOB, uid, creationTimestamp: new Date(START_MS).toISOString() },
      labels: labels ?? { 'loadflame/run': JOB },
    },
    spec: { completions: 2, activeDeadlineSeconds: 600 },
  };
  const pods = [0, 1].map(index => ({
    metadata: {
      name: `${JOB}-${index}`,
      creationTimestamp: job.metadata.creationTimestamp,
      annotations: { 'batch.kubernetes.io/job-completion-index': `${index}` },
    },
    status: {
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { reason: 'Completed', exitCode: 0 } } }],
    },
  }));
  /** @param {string} method @param {string} url @param {any} body @returns {[number, string]} */
  const answer = (method, url, body) => {
    const [place = ''] = url.split('?');
    if (place === OWN.job && method === 'GET') return [200, JSON.stringify(job)];
    if (place === OWN.job && method === 'DELETE') {
      onDelete(job);
      const isSame = (body?.preconditions?.uid ?? job.metadata.uid) === job.metadata.uid;
      return isSame ? [200, '{}'] : [409, '{"message":"the UID in the precondition differs"}'];
    }
    if (url.startsWith(OWN.pods)) return [200, JSON.stringify({ items: pods })];
    if (OWN.logs.test(url)) return [200, writeLog()];
    if (/\/(?:pods|events)$/.test(place)) return [200, '{"items":[]}'];
    return [404, '{}'];
  };
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { method = '', url = '' } = request;
    const body = text ? JSON.parse(text) : null;
    requests.push({ method, url, body });
    const [status, said] = answer(method, url, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(said);
  });
  return { server: await listen(t, server), requests };
}

/** What a worker printed, each line with the time that the API puts before it. */
function writeLog() {
  let text = '';
  const lines = createLines(line => {
    text += `${new Date(START_MS + text.length).toISOString().replace('Z', '000000Z')} ${line}`;
  });
  lines.say('ready');
  lines.send('metrics', JSON.stringify(LOAD_START));
  for (const n of [0, 1, 2]) lines.send('metrics', JSON.stringify(makeSecond(n)));
  lines.say('end', { reason: 'complete', exitCode: 0 });
  return text;
}
