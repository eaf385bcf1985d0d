/** A load whose generator watched itself. */
import assert from 'node:assert/strict';
import { judgeQuality, NOTHING_BESIDES } from '../../../lib/analysis/judge/quality/index.js';
import { buildLoadReport } from '../../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../../lib/analysis/read/load/load-totals.js';
import { Sketch } from '../../../lib/base/math/sketch.js';
import { recordsOf } from '../../helpers/records.js';

export const START = 1_795_211_100_000;

/** @param {number[]} values */
function sketch(values) {
  const made = new Sketch();
  for (const value of values) made.accept(value);
  return made.toJson();
}

/**
 * What a second of a worker is, where it is not idle.
 * @typedef {{busy?: number, cores?: number | null, queued?: number, lag?: number | number[] | null, delay?: number, lengthMs?: number}} Second
 */

/**
 * A load test with answers of 20 ms all the time.
 * @param {Second[][]} workers the seconds of each
 * @param {{answerMs?: number, engine?: string}} [options]
 */
export function watchedLoad(workers, { answerMs = 20, engine = 'loadflame' } = {}) {
  const length = Math.max(5, ...workers.map(series => series.length));
  const seconds = Array.from({ length }, (_, i) => ({
    t: START + i * 1000 + 1000,
    kind: 'second',
    fromMs: START + i * 1000,
    counters: { 'http.requests': 10, 'http.responses': 10, 'http.codes.200': 10 },
    sketches: { 'http.response_time': sketch([answerMs]), 'http.total': sketch([answerMs]) },
  }));
  const watched = workers.flatMap((series, index) =>
    series.map(
      ({ busy = 0.05, cores = busy, queued = 0, lag = 0.4, delay = 0.5, lengthMs = 1000 }, i) => ({
        t: START + i * 1000 + 1000,
        kind: 'generator',
        fromMs: START + i * 1000,
        lengthMs,
        worker: index + 1,
        cpuMs: cores === null ? null : cores * lengthMs,
        queuedMs: queued * lengthMs,
        utilization: busy,
        delayMs: { p50: 0, p99: delay, max: delay },
        ...(lag !== null && { lagMs: sketch(Array.isArray(lag) ? lag : Array(50).fill(lag)) }),
        arrivals: 50,
        skipped: 0,
        sockets: 4 + i,
        gcMaxMs: 0.7,
        rssBytes: 1e8 + i,
      }),
    ),
  );
  const report = buildLoadReport({
    load: LoadTotals.of(
      recordsOf('metrics', [
        { t: START, kind: 'load-start', engine },
        ...seconds,
        ...watched,
        { t: START + length * 1000, kind: 'load-end', reason: 'complete' },
      ]),
    ),
    errors: [],
    tokens: [],
  });
  assert.ok(report);
  return report;
}

/** @param {number} n @param {Second} [second] */
export const secs = (n, second = {}) => Array.from({ length: n }, () => second);

/** @param {ReturnType<typeof watchedLoad>} report */
export const qualityOf = report =>
  judgeQuality(
    { run: /** @type {any} */ ({ reasons: [] }), load: report, profile: null, logs: null },
    NOTHING_BESIDES,
  );
