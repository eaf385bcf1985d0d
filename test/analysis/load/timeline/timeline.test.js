import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPeriodTimeline } from '../../../../lib/analysis/load/import-artillery.js';
import { buildTimeline } from '../../../../lib/analysis/load/timeline/build-timeline.js';
import { buildLoadTimeline } from '../../../../lib/analysis/load/timeline/load-timeline.js';
import { LoadSeries } from '../../../../lib/analysis/read/load/load-series.js';
import { LoadTotals } from '../../../../lib/analysis/read/load/load-totals.js';
import { mergeLatency, unpackLatency } from '../../../../lib/analysis/sample-table/sketches.js';
import { Sketch } from '../../../../lib/base/math/sketch.js';
import { recordsOf } from '../../../helpers/records.js';

/** @param {number[]} values ms */
function sketchOf(values) {
  const sketch = new Sketch();
  for (const value of values) sketch.accept(value);
  return sketch.toJson();
}

const A = 'GET /a';
const B = 'POST /b';

/** @param {number} fromMs @param {{a?: number[], b?: number[], failed?: number, users?: number}} own */
function second(fromMs, { a = [], b = [], failed = 0, users }) {
  const all = [...a, ...b];
  return {
    t: fromMs + 1000,
    kind: 'second',
    fromMs,
    counters: {
      'http.requests': all.length,
      'http.codes.200': all.length - failed,
      'http.codes.500': failed,
    },
    sketches: {
      'http.response_time': sketchOf(all.map(ms => ms / 2)),
      'http.total': sketchOf(all),
    },
    endpoints: {
      [A]: {
        requests: a.length,
        errors: failed,
        statuses: a.length
          ? {
              200: {
                count: a.length,
                timeToFirstByte: sketchOf(a.map(ms => ms / 2)),
                total: sketchOf(a),
              },
            }
          : {},
      },
      [B]: {
        requests: b.length,
        errors: 0,
        statuses: b.length
          ? {
              201: {
                count: b.length,
                timeToFirstByte: sketchOf(b.map(ms => ms / 2)),
                total: sketchOf(b),
              },
            }
          : {},
      },
    },
    ...(users !== undefined && { usersActive: users }),
  };
}

const START = { t: 10_000, kind: 'load-start', engine: 'loadflame' };
const METRICS = [
  START,
  // the second in which the load began had begun before it
  second(9_000, { a: [10] }),
  second(10_000, { a: [10, 20], users: 2 }),
  // two workers tell of the same second
  second(10_000, { b: [40], users: 3 }),
  second(11_000, { a: [100, 200, 300], failed: 1, users: 4 }),
  second(13_000, { b: [50] }),
  second(14_000, { b: [60] }),
];
/** @param {Record<string, any>[]} metrics @param {Record<string, any>[]} [processes] */
function follow(metrics, processes = []) {
  const series = new LoadSeries(GRID.edgesMs, [A, B], 'total');
  const records = recordsOf('metrics', metrics);
  for (const record of records) if (record.kind === 'second') series.add(record);
  const known = { load: LoadTotals.of(records), processes: recordsOf('processes', processes) };
  return buildTimeline(GRID, known, buildLoadTimeline(series));
}

const GRID = { edgesMs: [10_000, 12_000, 14_000], basis: /** @type {const} */ ('seconds') };

test('each second is in one window, none is lost, and gauges of workers add up', () => {
  const { load } = follow(METRICS);
  assert.ok(load);
  assert.deepEqual(load.requests, [7, 2]);
  assert.deepEqual(load.errors, [1, 0]);
  assert.deepEqual(load.usersActive, [4.5, null]);
  assert.deepEqual(load.endpoints, [
    { name: A, requests: [6, 0], errors: [1, 0], answered: null, measured: null },
    { name: B, requests: [1, 2], errors: [0, 0], answered: null, measured: null },
  ]);
  assert.equal(load.latencyOf, 'total');
  assert.ok(Math.abs((load.p99Ms[0] ?? 0) - 200) <= 2, `${load.p99Ms[0]}`);
});

test('sums thread CPU in responses per window, unless one response lacks it', () => {
  const tell = (/** @type {number | null} */ cpuMs, alone = 2) =>
    METRICS.map(record => {
      const { endpoints } = /** @type {Record<string, any>} */ (record);
      const ended = { count: alone, ms: 3 };
      const server = { count: 2, totalMs: 9, cpuMs, aroundMs: 0.25, ended };
      return endpoints?.[B]
        ? { ...record, endpoints: { [B]: { ...endpoints[B], server } } }
        : record;
    });
  const measuredOf = (/** @type {Record<string, any>[]} */ metrics) =>
    follow(metrics).load?.endpoints.map(({ measured }) => measured);
  const told = tell(1.25).filter(record => 'endpoints' in record && B in record.endpoints).length;
  assert.equal(told, METRICS.length - 1, 'all seconds tell of both');
  assert.deepEqual(measuredOf(tell(1.25)), [
    null,
    { answers: [8, 4], cpuMs: [18, 9], aroundMs: [1, 0.5], endedMs: [12, 6] },
  ]);
  // what ended beside several requests belongs to none of them
  assert.deepEqual(measuredOf(tell(1.25, 1)), [
    null,
    { answers: [8, 4], cpuMs: [6, 3], aroundMs: [1, 0.5] },
  ]);
  assert.deepEqual(measuredOf([...tell(1.25).slice(0, -1), ...tell(null).slice(-1)]), [null, null]);
});

test('garbage collections are in the window that reported them', () => {
  const collect = (/** @type {number} */ cpuUs) => ({ count: 1, cpuUs, longestUs: cpuUs });
  const gc = { python: '3.13.1', objects: 0, sums: { r2: collect(9000), n0: collect(1000) } };
  const server = { count: 1, totalMs: 9, cpuMs: 9, aroundMs: 0, gc };
  const { endpoints } = second(13_000, { b: [50] });
  const collected = { ...endpoints, [B]: { ...endpoints[B], server } };
  const metrics = [...METRICS, { ...second(13_000, { b: [50] }), endpoints: collected }];
  assert.deepEqual(
    follow(metrics).load?.endpoints.map(({ collectedMs }) => collectedMs),
    [undefined, [0, 10]],
  );
});

test('packed sketches come back as the latency of any range of windows', async () => {
  const { load } = follow(METRICS);
  assert.ok(load?.latency);
  const cells = await unpackLatency(load.latency, 2, 2);
  const all = mergeLatency(cells.flat().map(({ total }) => total));
  assert.equal(all.count, 9);
  assert.ok(Math.abs((all.quantile(1) ?? 0) - 300) <= 3);
  assert.equal(cells[0]?.[1]?.total, null);
  assert.equal(cells[1]?.[1]?.timeToFirstByte?.count, 2);
});

test('CPU time is read at the edges, memory in the middle, and a worker that was not there is null', () => {
  const sample = (
    /** @type {number} */ t,
    /** @type {number} */ pid,
    /** @type {number} */ cpuMs,
    role = 'worker',
  ) => ({
    t,
    kind: 'sample',
    pid,
    role,
    cpuMs,
    rssBytes: t * 10,
    startTicks: pid,
  });
  const host = (/** @type {number} */ t) => ({
    t,
    kind: 'host',
    busyMs: t,
    totalMs: t * 2,
    cpus: 2,
  });
  const { workers, hostCores, recordedCores } = follow(METRICS, [
    host(9_500),
    // a group beside the server, with half a core
    sample(9_500, 11, 100, 'queue'),
    sample(14_500, 11, 2600, 'queue'),
    sample(9_500, 7, 100),
    sample(11_500, 7, 500),
    // born while it was recorded: all that it shows was used here
    sample(12_500, 9, 30),
    host(14_500),
    sample(14_500, 7, 1100),
    sample(14_500, 9, 430),
  ]);
  assert.deepEqual(
    workers.map(({ pid, cpuMs }) => [pid, cpuMs]),
    [
      [7, [400, 400]],
      [9, [null, 330]],
    ],
  );
  assert.deepEqual(workers[0]?.rssBytes, [110_000, 130_000]);
  assert.deepEqual(workers[1]?.rssBytes, [null, 130_000]);
  assert.deepEqual(hostCores, [1, 1]);
  assert.deepEqual(
    recordedCores.map(cores => cores?.toFixed(3)),
    ['0.700', '0.865'],
  );
});

test('the generator is as busy as its busiest thread', () => {
  const generator = (/** @type {number} */ worker, /** @type {number} */ utilization) => ({
    t: 11_000,
    kind: 'generator',
    fromMs: 10_000,
    lengthMs: 1000,
    worker,
    cpuMs: utilization * 900,
    utilization,
    delayMs: { p50: 1, p99: utilization * 10, max: 20 },
  });
  const { generator: series } = follow([...METRICS, generator(1, 0.5), generator(2, 0.9)]);
  assert.deepEqual(series?.utilization, [0.9, null]);
});

const TIMES = { min: 1, max: 9, mean: 5, p50: 5, p75: 6, p90: 7, p95: 8, p99: 9 };

test('an imported report has its own periods as windows, and none where it lacks one', () => {
  const period = (/** @type {number} */ at, /** @type {number} */ requests) => ({
    period: String(at),
    counters: { 'http.requests': requests, 'http.codes.500': 1, 'errors.ETIMEDOUT': 2 },
    summaries: { 'http.response_time': { ...TIMES, count: requests } },
  });
  const timeline = buildPeriodTimeline({
    aggregate: {},
    intermediate: [period(1_800_000_020_000, 7), period(1_800_000_000_000, 5)],
  });
  assert.deepEqual(
    timeline?.edgesMs,
    [1_800_000_000_000, 1_800_000_010_000, 1_800_000_020_000, 1_800_000_030_000],
  );
  assert.equal(timeline.basis, 'periods');
  assert.deepEqual(timeline.load?.requests, [5, 0, 7]);
  assert.deepEqual(timeline.load?.errors, [3, 0, 3]);
  assert.deepEqual(timeline.load?.p95Ms, [8, null, 8]);
  assert.equal(buildPeriodTimeline({ aggregate: {}, intermediate: [] }), null);
  assert.equal(
    buildPeriodTimeline({ aggregate: {}, intermediate: [period(0, 1), period(1.8e12, 1)] }),
    null,
  );
});
