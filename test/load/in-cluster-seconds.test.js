/** Records of workers inside a cluster: nothing is lost, and nothing counts twice. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { LoadTotals } from '../../lib/analysis/read/load/load-totals.js';
import { Sketch } from '../../lib/base/math/sketch.js';
import { createReceiver } from '../../lib/load/in-cluster/worker-lines.js';
import { createRecordCheck } from '../../lib/run/folder-shapes.js';
import { writeManifest } from '../../lib/run/manifest.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { createRunFolder } from '../../lib/run/run-folder.js';
import { recordsOf } from '../helpers/records.js';
import { createRandom } from '../helpers/synthetic-run/random.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @typedef {any} Rec */
/** @typedef {{n: number, file: 'metrics' | 'processes', record: Rec}} Line */
/** @typedef {import('../helpers/synthetic-run/random.js').Random} Random */

const START_MS = 1_795_000_000_000;
const onWriteError = (/** @type {Error} */ error) => assert.fail(error);
const check = createRecordCheck('metrics');

const MANIFEST = {
  ...{ schema: /** @type {const} */ ('loadflame-run/1'), id: 'load', startedAtMs: START_MS },
  ...{ kind: /** @type {const} */ ('load'), status: /** @type {const} */ ('complete') },
  ...{ reasons: [], pid: process.pid, pidStartTicks: null, command: 'test', target: 'http://api' },
  ...{ script: null, versions: {}, settings: [], profile: null, joinable: false },
  host: { platform: 'linux', cpus: 1, cpuModel: '', memoryBytes: 0 },
};

/** Whole milliseconds: their sums are the same in any order. @param {number[]} values */
function sketchOf(...values) {
  const sketch = new Sketch();
  for (const value of values) sketch.accept(value);
  return sketch.toJson();
}

/** @param {number} fromMs @param {Rec} more */
const makeSecond = (fromMs, more) => ({
  ...{ t: fromMs + 1200, kind: 'second', fromMs, usersActive: 2, usersMost: 3 },
  counters: { 'http.requests': 1, 'http.responses': 1, 'http.codes.200': 1 },
  sketches: { 'http.response_time': sketchOf(20) },
  endpoints: {
    'GET /a': { requests: 1, errors: 0, statuses: { 200: { count: 1, total: sketchOf(20) } } },
  },
  ...more,
});

/** All that a second may hold, and names that are traps. @param {Random} random @param {number} fromMs */
function drawSecond({ below, uniform }, fromMs) {
  const count = 1 + below(3);
  const times = Array.from({ length: count }, () => 1 + below(900));
  const [status, errors] = uniform() < 0.2 ? [500, count] : [200, 0];
  const hasTotal = uniform() < 0.8;
  const isBlocked = uniform() < 0.3;
  const blocked = { count: 1, ms: 150, cpuMs: 100, longestMs: 100 + below(200) };
  const server = { count, totalMs: 40, cpuMs: uniform() < 0.1 ? null : 30, aroundMs: 2 };
  const worker = `a1b2c3d4.${1 + below(3)}`;
  return makeSecond(fromMs, {
    usersActive: below(9),
    usersMost: 9 + below(9),
    counters: {
      ...{ 'http.requests': count, 'http.responses': count, [`http.codes.${status}`]: count },
      ...(uniform() < 0.2 && { 'errors.ETIMEDOUT': 1 }),
      longestMs: below(9),
    },
    sketches: { 'http.response_time': sketchOf(...times), 'http.total': sketchOf(...times, 0) },
    endpoints: {
      [`GET /${below(3)}`]: {
        ...{ requests: count, errors },
        statuses: {
          [status]: {
            count,
            timeToFirstByte: sketchOf(...times),
            ...(hasTotal && { total: sketchOf(...times) }),
          },
        },
        server: { ...server, ...(isBlocked && { blocked }) },
        ...(uniform() < 0.3 && { routes: { 'GET /r': count } }),
      },
    },
    workers: JSON.parse(`{"${worker}":${count},"__proto__":1,"constructor":2}`),
    backends: { [`c${below(4)}`]: count },
    ...(errors > 0 && { failed: { [status]: { a1b2c3d4: count } } }),
  });
}

/** What a worker sends: with seconds without anything, and with some that come late. @param {Random} random @param {number} worker @param {number} seconds */
function drawStream(random, worker, seconds) {
  /** @type {(record: Rec) => Line['file']} */
  const fileOf = ({ kind }) => (kind === 'sample' ? 'processes' : 'metrics');
  /** @type {Rec[]} */
  const records = [{ t: START_MS, kind: 'load-start', workers: 1, phases: [] }];
  for (let second = 0; second < seconds; second++) {
    const fromMs = START_MS + second * 1000;
    if (random.uniform() < 0.9) records.push(drawSecond(random, fromMs));
    const { uniform, below } = random;
    const cpu = { cpuMs: 5, utilization: 0.1, arrivals: 1 };
    records.push({ t: fromMs + 1000, kind: 'generator', fromMs, lengthMs: 1000, worker, ...cpu });
    if (random.uniform() < 0.5)
      records.push({ t: fromMs + 1100, kind: 'sample', role: 'generator', pid: 7, cpuMs: 5 });
    if (uniform() < 0.1) {
      // Its clock was set back: no gauges the second time.
      const { usersActive: _, usersMost: __, ...late } = drawSecond(random, fromMs);
      records.push({ ...late, fromMs: fromMs - below(4) * 1000, t: fromMs + 1100 });
    }
  }
  return records.map((record, at) => ({ n: 2 * at + 1, file: fileOf(record), record }));
}

/** What a report says of them. @param {Rec[]} records */
function readFigures(records) {
  const totals = LoadTotals.of(recordsOf('metrics', records));
  const { sums, seconds, endpoints, workers, backends, errors } = totals;
  const sorted = (/** @type {Map<string, any>} */ map) => Object.fromEntries([...map].sort());
  const names = ['GET /0', 'GET /1', 'GET /2'];
  return {
    counters: Object.fromEntries(Object.entries(sums.counters).sort()),
    times: ['http.response_time', 'http.total'].map(name => sums.sketch(name).toJson()),
    seconds: seconds.entries().map(([startMs, second]) => {
      return { startMs, ...second, timeToFirstByte: second.timeToFirstByte.toJson() };
    }),
    endpoints: endpoints.list(),
    ofEndpoints: names.map(name => {
      const { server, routes } = endpoints.of(name);
      return { server, routes };
    }),
    ...{ workers: sorted(workers), backends: sorted(backends) },
    errors: [...errors.requests]
      .sort()
      .map(([name, own]) => [name, sorted(/** @type {any} */ (own))]),
    generator: totals.tests[0]?.records.filter(({ kind }) => kind === 'generator').length,
  };
}

/**
 * Streams arrive in pieces and in any order.
 * @param {Random} random @param {Line[][]} streams @param {import('../../lib/run/run-folder.js').RunFiles} files
 * @param {(ms: number) => void} wait
 */
function deliver({ below, uniform }, streams, files, wait) {
  const receiver = createReceiver(files, { workers: streams.length, phases: 1, onWriteError });
  const places = streams.map(() => 0);
  while (places.some((place, at) => place < (streams[at]?.length ?? 0))) {
    const worker = 1 + below(streams.length);
    const stream = streams[worker - 1] ?? [];
    for (let n = below(6); n > 0; n--) {
      const line = stream[places[worker - 1] ?? 0];
      if (!line) break;
      places[worker - 1] = (places[worker - 1] ?? 0) + 1;
      receiver.add({ worker, aheadMs: 0 }, line);
    }
    if (uniform() < 0.3) wait(below(4000));
  }
  return receiver.progress.read();
}

test('a report is the same in whichever order records arrive', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: START_MS });
  for (let seed = 0; seed < 12; seed++) {
    const random = createRandom(seed);
    const streams = Array.from({ length: 2 + random.below(4) }, (_, at) =>
      drawStream(random, at + 1, 30),
    );
    const files = createRunFolder(makeTempFolder(t), 'load');
    const progress = deliver(random, streams, files, ms => t.mock.timers.tick(ms));
    const { records } = await readNdjson(files.metrics, { check });
    const [first, ...rest] = streams.flat().flatMap(({ file, record }) => {
      return file === 'metrics' ? [record] : [];
    });
    const samples = streams.flat().filter(({ file }) => file === 'processes').length;
    assert.equal((await readNdjson(files.processes)).records.length, samples);
    const sent = [first ?? {}, ...rest.filter(({ kind }) => kind !== 'load-start')];
    const figures = readFigures(sent);
    assert.deepEqual(readFigures(records), figures, `seed ${seed}`);
    assert.equal(progress.requests, figures.counters['http.requests']);
  }
});

test('the whole report is that of records that were kept apart', async t => {
  const random = createRandom(99);
  const streams = [1, 2, 3].map(worker => drawStream(random, worker, 40));
  const [apart, together] = ['apart', 'together'].map(name => {
    const files = createRunFolder(makeTempFolder(t), name);
    writeManifest(files.manifest, { ...MANIFEST, endedAtMs: START_MS + 41_000 });
    return files;
  });
  assert.ok(apart && together);
  for (const name of /** @type {const} */ (['metrics', 'processes'])) {
    const lines = streams.flatMap((stream, at) =>
      stream.flatMap(({ file, record }) => {
        const own = file === 'processes' ? { pid: 7 + (at + 1) * 2 ** 22 } : {};
        return file === name ? `${JSON.stringify({ ...record, ...own })}\n` : [];
      }),
    );
    appendFileSync(apart[name], [...new Set(lines)].join(''));
  }
  deliver(random, streams, together, () => {});
  const end = { t: START_MS + 41_000, kind: 'load-end', reason: 'complete', exitCode: 0 };
  const [told, merged] = await Promise.all(
    [apart, together].map(async ({ folder, metrics }) => {
      appendFileSync(metrics, `${JSON.stringify(end)}\n`);
      const { report } = await analyseRun(folder, { rulesFile: null });
      const { run: _, createdAtMs: __, ...rest } = report;
      return JSON.parse(JSON.stringify(rest));
    }),
  );
  assert.ok(told.load.http.requests > 150);
  assert.deepEqual(merged, told);
});
