/**
 * What a load from inside a cluster costs its coordinator: streams of synthetic workers are received as those of pods
 * are, then the report is built. `node scripts/bench-inside.js [workers] [seconds] [endpoints]`; what it says for an
 * hour is reckoned from the seconds that it was given.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { analyseFolder } from '../lib/analysis/analyse-folder.js';
import { Sketch } from '../lib/math/sketch.js';
import { createReceiver } from '../lib/record/load/inside/receive-records.js';
import { createLines, readLine } from '../lib/record/load/inside/worker-lines.js';
import { writeManifest } from '../lib/run/manifest.js';
import { createRunFolder } from '../lib/run/run-folder.js';

const [workers = 200, seconds = 36, endpoints = 40] = process.argv.slice(2).map(Number);
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

const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-bench-'));
try {
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
  const receive = (/** @type {typeof senders[number]} */ sender, /** @type {object} */ record) => {
    sender.lines.send('metrics', JSON.stringify(record));
    sentBytes += sender.text.length;
    const before = process.cpuUsage();
    const line = /** @type {any} */ (readLine(sender.text.trimEnd()));
    receiver.add({ worker: sender.worker, aheadMs: 0 }, line);
    const { user, system } = process.cpuUsage(before);
    cpuMs += (user + system) / 1000;
  };
  const [first] = senders;
  const phase = { index: 0, name: 'load', spec: { duration: seconds, arrivalRate: 1 } };
  for (const [kind, fields] of Object.entries({
    'load-start': { engine: 'loadflame', scenarios: ['0'], phases: [phase.spec], workers: 1 },
    'phase-start': phase,
  }))
    if (first) receive(first, { t: START_MS, kind, ...fields });
  for (let second = 0; second < seconds; second++) {
    for (const sender of senders) receive(sender, makeSecond(START_MS + second * 1000));
    receiver.progress.read();
  }
  const fileBytes = statSync(files.metrics).size;
  const received = process.resourceUsage().maxRSS * 1024;
  writeManifest(files.manifest, {
    ...{ schema: 'loadflame-run/1', id: 'bench', kind: 'load', status: 'complete', reasons: [] },
    ...{ pid: process.pid, pidStartTicks: null, startedAtMs: START_MS, command: 'bench' },
    ...{ endedAtMs: START_MS + seconds * 1000, target: 'http://api', script: null, versions: {} },
    host: { platform: 'linux', cpus: 1, cpuModel: '', memoryBytes: 0 },
    ...{ settings: [], profile: null, joinable: false },
  });
  const before = process.cpuUsage();
  const { report } = await analyseFolder(files.folder, { rulesFile: null });
  const { user, system } = process.cpuUsage(before);
  const reportMs = (user + system) / 1000;
  const hours = HOUR_SEC / seconds;
  const rows = {
    'records of a second': workers * seconds,
    'requests in the report': report.load?.http.requests,
    'CPU to receive a second of all workers, ms': cpuMs / seconds,
    'log of a worker, KB a second': sentBytes / workers / seconds / 1024,
    'to the coordinator, MB a second': sentBytes / seconds / MB,
    'run folder after an hour, MB': (fileBytes / MB) * hours,
    'memory while receiving, MB': received / MB,
    'CPU to build the report of an hour, s': (reportMs / 1000) * hours,
    'memory with the report of these seconds, MB': (process.resourceUsage().maxRSS * 1024) / MB,
  };
  for (const [name, value] of Object.entries(rows))
    console.log(`${name.padEnd(46)} ${Number(value).toFixed(value && value < 100 ? 1 : 0)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
