/** How the load generator performed, from the `generator` records of its workers. */
import { mergeSketches } from '../../base/math/sketch.js';
import { most, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { SECOND_MS } from '../read/load/build-grid.js';
import { summarizeLatency } from '../read/load/counters.js';
import { findSign, rankSigns } from './generator-signs.js';

/** @typedef {import('../../run/facts/load-report.d.ts').GeneratorReport} GeneratorReport */
/** @typedef {import('../../run/facts/records.d.ts').RecordOf<'metrics', 'generator'>} GeneratorRecord */

/**
 * @param {import('../read/load/load-totals.js').LoadTest[]} tests
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows only seconds inside them count: before and after
 *   them there is no load to keep up with
 * @param {number} typicalMs median response time: what a lag is compared with
 * @param {{isWarm?: boolean}} [options] `isWarm`: load ran before the windows too, so that all of their
 *   seconds are judged
 * @returns {GeneratorReport | null} null where the generator did not monitor itself
 */
export function buildGenerator(tests, windows, typicalMs, { isWarm = false } = {}) {
  const seconds = tests.map(({ records }) =>
    ofKind(records, 'generator').filter(({ fromMs, lengthMs }) =>
      windows.some(
        ({ startMs, endMs }) => fromMs + Math.max(SECOND_MS, lengthMs) > startMs && fromMs < endMs,
      ),
    ),
  );
  const all = seconds.flat();
  if (all.length === 0) return null;
  // A worker of another load test is another thread, with its own start.
  const signs = seconds.flatMap(records =>
    [...groupByWorker(records).values()].flatMap(
      series => findSign(series.map(readSecond), typicalMs, isWarm) ?? [],
    ),
  );
  const workers = [...groupByWorker(all)]
    .sort(([a], [b]) => a - b)
    .map(([worker, series]) => sumUpWorker(worker, series));
  return {
    workers,
    cores: sumKnown(workers.map(({ cores }) => cores)),
    rssBytesMax: highest(all, ({ rssBytes }) => rssBytes),
    lag: summarizeLatency(mergeSketches(all.flatMap(({ lagMs }) => lagMs ?? []))),
    signs: rankSigns(signs),
  };
}

/** @param {GeneratorRecord[]} records */
function groupByWorker(records) {
  const ordered = records.toSorted((a, b) => a.fromMs - b.fromMs);
  return Map.groupBy(ordered, ({ worker }) => worker);
}

/** @param {GeneratorRecord} record @returns {import('./generator-signs.js').GeneratorSecond} */
function readSecond(record) {
  const lag = record.lagMs ? mergeSketches([record.lagMs]) : null;
  return {
    worker: record.worker,
    fromMs: record.fromMs,
    lengthMs: record.lengthMs,
    utilization: busyShareOf(record),
    cores: record.cpuMs === null ? null : record.cpuMs / record.lengthMs,
    delayP99Ms: record.delayMs?.p99 ?? null,
    lagP50Ms: lag?.quantile(0.5) ?? null,
    lagP99Ms: lag?.quantile(0.99) ?? null,
    usersLate: lag && lag.sum / record.lengthMs,
  };
}

/** To its own clock, a loop that was woken and waits for a core is idle. @param {GeneratorRecord} second of a worker */
const busyShareOf = ({ utilization, cpuMs, queuedMs, lengthMs }) =>
  Math.max(utilization, Math.min(1, ((cpuMs ?? 0) + (queuedMs ?? 0)) / lengthMs));

/** @param {GeneratorRecord[]} series of one worker, at least one second @returns {number} share of its time in which it was busy */
export function measureUtilization(series) {
  const busyMs = sum(series.map(record => busyShareOf(record) * record.lengthMs));
  return busyMs / sum(series.map(record => record.lengthMs));
}

/** @param {number} worker @param {GeneratorRecord[]} series @returns {GeneratorReport['workers'][number]} */
function sumUpWorker(worker, series) {
  const lengthMs = sum(series.map(record => record.lengthMs));
  const cpuMs = sumKnown(series.map(record => record.cpuMs));
  return {
    worker,
    seconds: Math.round(lengthMs / 1000),
    cores: cpuMs === null ? null : cpuMs / lengthMs,
    utilization: measureUtilization(series),
    utilizationMax: highest(series, busyShareOf) ?? 0,
    delayP99Ms: highest(series, ({ delayMs }) => delayMs?.p99),
    gcMaxMs: highest(series, ({ gcMaxMs }) => gcMaxMs),
  };
}

/** @param {(number | null)[]} values @returns {number | null} null where a value is unknown */
const sumKnown = values => (values.includes(null) ? null : sum(values.map(Number)));

/**
 * @param {GeneratorRecord[]} records
 * @param {(record: GeneratorRecord) => number | undefined} read
 */
function highest(records, read) {
  const known = records.flatMap(record => read(record) ?? []);
  return known.length > 0 ? most(known) : null;
}
