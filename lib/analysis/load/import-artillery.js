/** Builds load and timeline of a Report from a JSON file that `artillery run --output` wrote. */

import { countErrors, listErrors } from '../../base/math/counters.js';
import { least, most } from '../../base/math/summary.js';
import { readWindow } from '../read/scope.js';
import { sumUpFailures } from './failures.js';
import { buildHttp, buildSocketio, buildUsers, buildWebsocket } from './load-parts.js';

/** @import { ArtilleryPeriod, ArtilleryReport, ArtillerySummary } from '../../run/facts/records.d.ts' */

const PERIOD_MS = 10_000;

/**
 * Artillery's file holds percentiles and no sketches: nothing in it can be merged or refined. Rates are computed
 * from counters and the times of the first and last of them, because the file's own rates are rounded and averaged
 * over partial periods.
 * @param {ArtilleryReport} json
 * @returns {import('../../run/facts/load-report.d.ts').LoadReport}
 */
export function importArtillery(json) {
  const { aggregate, intermediate = [] } = json;
  const counters = aggregate.counters ?? {};
  const window = readWindow(json);
  const times = (/** @type {string} */ name) => importSummary(aggregate.summaries?.[name]);
  const load = {
    engine: json.engine === 'loadflame' ? 'loadflame' : 'artillery',
    window,
    windows: [window],
    phases: [],
    users: buildUsers(counters, times),
    http: buildHttp(counters, times, { windows: [window], endpoints: [] }),
    socketio: buildSocketio(counters, times),
    websocket: buildWebsocket(counters, times),
    sse: null,
    errors: listErrors(counters),
    endpoints: [],
    resolutionMs: PERIOD_MS,
    seconds: intermediate.map(importPeriod),
    generator: null,
    stall: null,
    errorSamples: [],
    errorBursts: [],
    tokens: null,
    counters: {},
  };
  return { ...load, failures: sumUpFailures(load) };
}

/** @param {ArtilleryPeriod} period @returns {import('../../run/facts/load-report.d.ts').LoadReport['seconds'][number]} */
function importPeriod(period) {
  const counters = period.counters ?? {};
  const latency = importSummary(period.summaries?.['http.response_time']);
  const perSec = (/** @type {number} */ n) => (n * 1000) / PERIOD_MS;
  return {
    startMs: Number(period.period),
    requests: perSec(counters['http.requests'] ?? 0),
    errors: perSec(countErrors(counters)),
    p50Ms: latency?.p50Ms ?? null,
    p95Ms: latency?.p95Ms ?? null,
    p99Ms: latency?.p99Ms ?? null,
    usersActive: null,
    inFlight: null,
    inFlightAtEnd: null,
  };
}

/** @param {ArtillerySummary | undefined} summary @returns {import('../../base/math/estimate.d.ts').LatencySummary | null} */
function importSummary(summary) {
  if (!summary?.count || summary.min === null) return null;
  const { count, min, mean, p50, p75, p90, p95, p99, max } = summary;
  return {
    ...{ count, minMs: min, meanMs: mean ?? Number.NaN, maxMs: max ?? Number.NaN, p50Ms: p50 },
    ...{ p75Ms: p75 ?? Number.NaN, p90Ms: p90 ?? Number.NaN, p95Ms: p95, p99Ms: p99 },
  };
}

// The timeline of a load that Artillery sent: Artillery's own periods of ten seconds.

/** A week, and windows are numbered in 16 bits: a longer load has a broken clock. */
const MAX_PERIODS = 60_480;

/**
 * Percentiles of periods can't be merged, so each period becomes a window, however many there are.
 * @param {ArtilleryReport} json that `artillery run --output` wrote
 * @returns {import('../../run/facts/timeline.d.ts').Timeline | null} null without periods
 */
export function buildPeriodTimeline({ intermediate = [] }) {
  const timeOf = (/** @type {ArtilleryPeriod} */ { period }) => Number(period);
  // A multiple of the period, unless the load's times were moved to another clock.
  const startMs = least(intermediate.map(timeOf).filter(Number.isFinite));
  const periods = new Map(
    intermediate.map(period => [Math.round((timeOf(period) - startMs) / PERIOD_MS), period]),
  );
  const last = most([...periods.keys()].filter(Number.isFinite));
  if (!(last >= 0 && last <= MAX_PERIODS)) return null;
  const own = Array.from({ length: last + 1 }, (_, index) =>
    importPeriod(periods.get(index) ?? { period: '' }),
  );
  const count = (/** @type {number} */ perSec) => (perSec * PERIOD_MS) / 1000;
  return {
    edgesMs: Array.from({ length: own.length + 1 }, (_, index) => startMs + index * PERIOD_MS),
    basis: 'periods',
    load: {
      requests: own.map(({ requests }) => count(requests)),
      errors: own.map(({ errors }) => count(errors)),
      answered: null,
      usersActive: own.map(() => null),
      latencyOf: 'time-to-first-byte',
      p50Ms: own.map(({ p50Ms }) => p50Ms),
      p95Ms: own.map(({ p95Ms }) => p95Ms),
      p99Ms: own.map(({ p99Ms }) => p99Ms),
      endpoints: [],
      latency: null,
    },
    workers: [],
    hostCores: null,
    recordedCores: [],
    generator: null,
  };
}
