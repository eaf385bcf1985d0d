/**
 * What a load from inside a cluster costs its coordinator: streams of synthetic workers are received as those of pods
 * are for some seconds, these are repeated until there is an hour of them, and the report of that is built.
 * `node research/bench-inside.js [workers] [seconds] [endpoints]`
 */
import { statSync } from 'node:fs';
import { analyseFolder } from '../lib/analysis/analyse-folder.js';
import { appendText } from '../lib/base/files/own-files.js';
import { Sketch } from '../lib/base/math/sketch.js';
import { createLines, createReceiver, readLine } from '../lib/load/in-cluster/worker-lines.js';
import { writeManifest } from '../lib/run/manifest.js';
import { moveTimes } from '../lib/run/merge-runs.js';
import { readNdjson } from '../lib/run/ndjson.js';
import { createRunFolder } from '../lib/run/run-folder.js';
import { openWorkFolder } from './work-folder.js';

const [workers = 20, seconds = 36, endpoints = 40] = process.argv.slice(2).map(Number);
const HOUR_SEC = 3600;
/** Requests of an endpoint in a second of a worker. */
const REQUESTS = 5;
const START_MS = 1_795_000_000_000;
const MB = 2 ** 20;

/** Times of answers, spread as those of an API are. */
function makeSketch() {
  const sketch = new Sketch();
  for (let n = 0; n < REQUESTS; n++) sketch.accept(20 * Math.exp(1.5 * (Math.random() - 0.5)));
  return sketch;
}

/** @param {number} fromMs */
function makeSecond(fromMs) {
  const all = new Sketch();
  const parts = Array.from({ length: endpoints }, (_, index) => {
    const sketch = makeSketch();
    all.merge(sketch);
    const times = { timeToFirstByte: sketch.toJson(), total: makeSketch().toJson() };
    const statuses = { 200: { count: REQUESTS, ...times } };
    return [`GET /things/${index}/{id}`, { requests: REQUESTS, errors: 0, statuses }];
  });
  const requests = endpoints * REQUESTS;
  return {
    ...{ t: fromMs + 1200, kind: 'second', fromMs, usersActive: 10, usersMost: 10 },
    counters: { 'http.requests': requests, 'http.responses': requests, 'http.codes.200': requests },
    sketches: { 'http.response_time': all.toJson(), 'http.total': all.toJson() },
    endpoints: Object.fromEntries(parts),
  };
}

/** What a worker says of itself. @param {number} fromMs @param {number} worker @returns {[file: string, record: object][]} */
function makeOwn(fromMs, worker) {
  const t = fromMs + 1000;
  const generator = {
    ...{ fromMs, lengthMs: 1000.123, worker, cpuMs: 412.345, queuedMs: 3.456, utilization: 0.419 },
    ...{ delayMs: { p50: 0.412, p99: 2.345, max: 4.567 }, lagMs: makeSketch().toJson() },
    ...{ arrivals: 10, skipped: 0, sockets: 20, gcMaxMs: 1.234 },
    rssBytes: 123_456_789,
  };
  const cpuMs = fromMs - START_MS;
  const sample = { pid: 17, role: 'generator', cpuMs, rssBytes: 123_456_789, threads: 12 };
  const cgroup = { roles: ['generator'], path: '/kubepods/pod0f3c/c0ffee', quotaCores: 1 };
  const periods = (fromMs - START_MS) / 100;
  return [
    ['metrics', { t, kind: 'generator', ...generator }],
    ['processes', { t, kind: 'sample', ...sample, startTicks: 812_345 }],
    ['processes', { t, kind: 'host', busyMs: cpuMs, totalMs: cpuMs * 2, cpus: 2, stealMs: 0 }],
    ['processes', { t, kind: 'cgroup', ...cgroup, periods, throttled: 0, throttledMs: 0 }],
  ];
}

/** @param {import('../lib/run/ndjson.js').RawRecord} record @param {number} laterSec */
function repeat(record, laterSec) {
  const moved = moveTimes(record, ms => ms + laterSec * 1000);
  if (record.kind === 'sample') moved.cpuMs += laterSec * 1000;
  if (record.kind === 'cgroup') moved.periods += laterSec * 10;
  return moved;
}

const folder = openWorkFolder('loadflame-bench');
const files = createRunFolder(folder, 'bench');
const receiver = createReceiver(files, {
  ...{ workers, phases: 1 },
  onWriteError: error => {
    throw error;
  },
});
/** @type {{worker: number, lines: ReturnType<typeof createLines>, text: string}[]} */
const senders = Array.from({ length: workers }, (_, index) => {
  const sender = { worker: index + 1, text: '' };
  return Object.assign(sender, {
    lines: createLines(text => {
      sender.text = text;
    }),
  });
});
let sentBytes = 0;
let cpuMs = 0;
const count = (/** @type {() => void} */ work) => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  cpuMs += (user + system) / 1000;
};
const receive = (
  /** @type {typeof senders[number]} */ sender,
  /** @type {object} */ record,
  /** @type {any} */ file = 'metrics',
) => {
  sender.lines.send(file, JSON.stringify(record));
  sentBytes += sender.text.length;
  count(() => {
    const line = /** @type {any} */ (readLine(sender.text.trimEnd()));
    receiver.add({ worker: sender.worker, aheadMs: 0 }, line);
  });
};
const [first] = senders;
const phase = { index: 0, name: 'load', spec: { duration: seconds, arrivalRate: 1 } };
for (const [kind, fields] of Object.entries({
  'load-start': { engine: 'loadflame', scenarios: ['0'], phases: [phase.spec], workers: 1 },
  'phase-start': phase,
}))
  if (first) receive(first, { t: START_MS, kind, ...fields });
for (let second = 0; second < seconds; second++) {
  const fromMs = START_MS + second * 1000;
  for (const sender of senders) {
    receive(sender, makeSecond(fromMs));
    for (const [file, record] of makeOwn(fromMs, sender.worker)) receive(sender, record, file);
  }
  count(() => receiver.progress.read());
}
const received = process.resourceUsage().maxRSS * 1024;
const repeated = Math.ceil(HOUR_SEC / seconds);
for (const name of /** @type {const} */ (['metrics', 'processes'])) {
  const { records } = await readNdjson(files[name]);
  for (let round = 1; round < repeated; round++) {
    const lines = records.flatMap(record => {
      const { kind } = record;
      return /^(load|phase)-/.test(kind) ? [] : JSON.stringify(repeat(record, round * seconds));
    });
    appendText(files[name], `${lines.join('\n')}\n`);
  }
}
const bytesOf = (/** @type {'metrics' | 'processes'} */ name) => statSync(files[name]).size;
writeManifest(files.manifest, {
  ...{ schema: 'loadflame-run/1', id: 'bench', kind: 'load', status: 'complete', reasons: [] },
  ...{ pid: process.pid, pidStartTicks: null, startedAtMs: START_MS, command: 'bench' },
  ...{
    endedAtMs: START_MS + repeated * seconds * 1000,
    target: 'http://api',
    script: null,
    versions: {},
  },
  host: { platform: 'linux', cpus: 1, cpuModel: '', memoryBytes: 0 },
  ...{ settings: [], profile: null, joinable: false },
});
const before = process.cpuUsage();
const { report } = await analyseFolder(files.folder, { rulesFile: null });
const { user, system } = process.cpuUsage(before);
const reportMs = (user + system) / 1000;
const rows = {
  'requests in the report': report.load?.http.requests,
  'CPU to receive a second of all workers, ms': cpuMs / seconds,
  'log of a worker, KB a second': sentBytes / workers / seconds / 1024,
  'to the coordinator, MB a second': sentBytes / seconds / MB,
  'load/metrics.ndjson after an hour, MB': bytesOf('metrics') / MB,
  'resources/processes.ndjson after an hour, MB': bytesOf('processes') / MB,
  'memory while receiving, MB': received / MB,
  'CPU to build the report of an hour, s': reportMs / 1000,
  'memory with that, MB': (process.resourceUsage().maxRSS * 1024) / MB,
};
for (const [name, value] of Object.entries(rows))
  console.log(`${name.padEnd(46)} ${Number(value).toFixed(value && value < 100 ? 1 : 0)}`);
