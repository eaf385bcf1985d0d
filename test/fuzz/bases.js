/** What is mutated: small folders and files that are read without a complaint. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { contentStudy } from '../helpers/synthetic-study/examples.js';
import { makeStudy, writeStudy } from '../helpers/synthetic-study/index.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'profiles/example/records.tar.gz');
const REFERENCE = path.join(ROOT, '../shared/reference/queue-management-2020.svg');
/** A stack is read as the next one: a few of each file are enough. */
const MOST_LINES = 60;

/**
 * @typedef {object} Base
 * @property {string} path
 * @property {(path: string) => string[]} args what is typed
 */

/** Of Artillery: a short run. */
const SUMMARY = {
  count: 90,
  min: 1,
  max: 90,
  mean: 9.5,
  p50: 8,
  median: 8,
  p75: 10,
  p90: 12,
  p95: 15,
  p99: 60,
};
const PERIOD = {
  counters: {
    'http.requests': 90,
    'http.responses': 90,
    'http.codes.200': 80,
    'http.codes.500': 10,
    'vusers.created': 9,
  },
  rates: { 'http.request_rate': 9 },
  summaries: { 'http.response_time': SUMMARY },
  histograms: { 'http.response_time': SUMMARY },
};
const ARTILLERY = {
  aggregate: {
    ...PERIOD,
    firstCounterAt: 1795211100000,
    lastCounterAt: 1795211120000,
    period: 1795211110000,
  },
  intermediate: [1795211100000, 1795211110000].map(period => ({
    ...PERIOD,
    period: String(period),
  })),
};

/** @param {string} folder @returns {Promise<Base[]>} */
export async function makeBases(folder) {
  const readIt = (/** @type {string} */ given) => ['report', given];
  const at = (/** @type {string} */ name) => path.join(folder, name);

  mkdirSync(at('unpacked'));
  execFileSync('tar', ['-xzf', EXAMPLE, '-C', at('unpacked')]);
  const [recorded = ''] = globSync(at('unpacked/*'));
  for (const file of globSync(path.join(recorded, '{profile/*.raw,logs/*}'))) {
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${lines.slice(0, MOST_LINES).join('\n')}\n`);
  }
  // Nothing reads them.
  for (const name of ['profile/py-spy.log', 'load/generator.log', 'load/script.json'])
    rmSync(path.join(recorded, name));

  writeRun(at('synthetic'), makeRun({ durationSec: 12, companion: true, segmentMs: 2000 }));

  // The same with looks of our own recorder, an imported load, and what else a run may leave.
  writeRun(at('looks'), makeRun({ durationSec: 5, segmentMs: 1000 }));
  writeLooks(at('looks'));

  const { report } = await analyseRun(at('synthetic'));
  const cell = /** @type {Record<string, any>} */ (report);
  const truth = contentStudy.truth;
  const study = makeStudy({
    ...contentStudy,
    truth: factors => ({ ...truth(factors), report: factors.workers === '1' ? cell : undefined }),
  });
  writeStudy(at('study'), study);
  writeFileSync(at('load.json'), JSON.stringify(ARTILLERY));

  const loose = ['py-spy-0.4.3.svg', 'gunicorn-sync.raw'];
  for (const name of loose)
    cpSync(path.join(ROOT, 'test/analysis/stacks/fixtures', name), at(name));
  if (existsSync(REFERENCE)) cpSync(REFERENCE, at('reference.svg'));
  return [
    { path: recorded, args: readIt },
    { path: at('synthetic'), args: readIt },
    { path: at('looks'), args: readIt },
    { path: at('load.json'), args: readIt },
    { path: at('study'), args: given => ['study', 'report', given] },
    ...loose.map(name => ({ path: at(name), args: readIt })),
    ...(existsSync(REFERENCE) ? [{ path: at('reference.svg'), args: readIt }] : []),
  ];
}

/** A recording of our own recorder in place of py-spy's, with tokens, events and logs. @param {string} folder of a run of 5 s */
function writeLooks(folder) {
  const files = runFiles(folder);
  const index = readLines(files.segments);
  const first = index.find(({ kind }) => kind === 'segment');
  for (const file of globSync(path.join(folder, 'profile/*.raw'))) rmSync(file);
  const begin = {
    t: first.startMs,
    kind: 'recording-start',
    rootPid: 4000,
    masterPid: 4000,
    server: 'gunicorn',
  };
  const seconds = Array.from({ length: 5 }, (_, n) => ({
    t: first.startMs + (n + 1) * 1000,
    kind: 'segment',
    file: path.basename(files.samples(1)),
    startMs: first.startMs + n * 1000,
    endMs: first.startMs + (n + 1) * 1000,
    ...{ samples: 40, looks: 50, errors: 1, missedMs: 2, processes: { 4001: [50, 1] } },
  }));
  const workers = [4001, 4002].map(pid => ({ t: first.startMs, kind: 'worker-start', pid }));
  writeLines(files.segments, [
    {
      ...begin,
      rateHz: 50,
      recorder: { name: 'loadflame', version: '3.15.0', hasTimes: true, seesWaiting: true },
      python: '3.15.0',
      threads: 4,
    },
    ...workers,
    ...seconds,
    { t: first.startMs + 5000, kind: 'recording-end', reason: 'stopped' },
  ]);
  const looks = Array.from({ length: 250 }, (_, n) => [
    `L\t${(first.startMs + n * 20) * 1000}\t${4001 + (n % 2)}`,
    `T\t${4001 + (n % 2)}\t${[66, 98, 8, 0][n % 4]}\t${n % 3}`,
  ]);
  const head = [
    'P\t4000\t0\t"gunicorn app:app"',
    'P\t4001\t4000\t"gunicorn app:app"',
    'P\t4002\t4000\t"gunicorn app:app"',
    'F\t0\t["app.py", "view", 3, "/srv/app.py"]',
    'F\t1\t["json/decoder.py", "decode", 9, "/lib/json/decoder.py"]',
    'F\t2\t["<loadflame route>", "GET /a/{id}", 1, "<loadflame route>"]',
    'N\t0\t-1\t2',
    'N\t1\t0\t0',
    'N\t2\t1\t1',
  ];
  writeFileSync(files.samples(1), `${[...head, ...looks.flat()].join('\n')}\n`);
  const call = {
    kind: 'line',
    function: 'view',
    file: 'app.py',
    line: 3,
    calls: ['orjson.dumps'],
    inLoop: false,
  };
  writeLines(files.calls, [
    { t: first.startMs, kind: 'start' },
    { t: first.startMs + 9, ...call },
  ]);
  const t = first.startMs + 2000;
  writeLines(files.tokens, [
    { t, kind: 'configured', flow: 'password', issuer: 'https://idp', mode: 'per-user', users: 2 },
    { t, kind: 'obtained', user: 0, lifetimeSec: 60 },
    { t, kind: 'refreshed', user: 0, lifetimeSec: 60 },
    { t, kind: 'failed', user: 1, code: 'OIDC_TOKEN_FAILED', message: 'gone' },
    { t, kind: 'warning', user: 1, message: 'again' },
  ]);
  writeLines(files.events, [
    { t, kind: 'log-ended', source: 'logs', message: 'a log ended' },
    { t, kind: 'target-gone', source: 'load', message: 'the target is gone' },
    { t, kind: 'load-joined', source: 'session', pid: 1, pidStartTicks: 5 },
    { t, kind: 'load-left', source: 'session', pid: 1 },
  ]);
  writeLines(files.probes, [{ t, kind: 'probe', name: 'queue', tookMs: 3, values: { length: 4 } }]);
  const line = { kind: 'line', atMs: t, level: 'error', pid: 4001, isTraceback: true };
  const text =
    'Traceback (most recent call last):\n  File "app.py", line 3, in view\nValueError: no';
  mkdirSync(files.logs);
  writeLines(path.join(files.logs, '1.ndjson'), [
    { t, kind: 'source', type: 'file', name: 'api.log' },
    { t, ...line, text },
    {
      t,
      kind: 'line',
      atMs: t,
      level: 'error',
      pid: 4001,
      text: 'GET /a 500',
      status: 500,
      path: '/a',
    },
    { t, kind: 'left-out', why: 'plain', fromMs: t, lines: 3, bytes: 90 },
  ]);
}

/** @param {string} file @returns {any[]} */
function readLines(file) {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** @param {string} file @param {object[]} records */
function writeLines(file, records) {
  writeFileSync(file, records.map(record => `${JSON.stringify(record)}\n`).join(''));
}
