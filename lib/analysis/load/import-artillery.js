/** The load half of a Report from a JSON file that `artillery run --output` wrote. */

import {
  buildWebsocket,
  countersBelow,
  listErrors,
  listScenarios,
  totalCount,
} from './counters.js';
import { sumUpFailures } from './failures.js';
import { countErrors } from './seconds.js';

const PERIOD_MS = 10_000;

/**
 * Artillery's file holds percentiles and no sketches: nothing in it can be merged or refined. Rates are
 * computed from counters and the moments of the first and last of them, because those that the file
 * gives are rounded and averaged over partial periods.
 * @param {Record<string, any>} json
 * @returns {import('../../facts/load-report.d.ts').LoadReport}
 */
export function importArtillery(json) {
  const { aggregate, intermediate = [] } = json;
  /** @type {Record<string, number>} */
  const counters = aggregate.counters ?? {};
  const startMs = Number(aggregate.firstCounterAt ?? aggregate.firstMetricAt ?? 0);
  const endMs = Math.max(
    startMs + 1,
    Number(aggregate.lastCounterAt ?? aggregate.lastMetricAt ?? 0),
  );
  const window = { startMs, endMs };
  const perSec = (/** @type {number} */ n) => (n * 1000) / (endMs - startMs);
  const codes = countersBelow(counters, 'http.codes.').map(({ name, count }) => ({
    code: name,
    count,
  }));
  const good = totalCount(codes.filter(({ code }) => Number(code) < 400));
  const seconds = intermediate.map(importPeriod);
  const requests = counters['http.requests'] ?? 0;
  const load = {
    engine: json.engine === 'loadflame' ? 'loadflame' : 'artillery',
    window,
    windows: [window],
    phases: [],
    users: {
      created: counters['vusers.created'] ?? 0,
      completed: counters['vusers.completed'] ?? 0,
      failed: counters['vusers.failed'] ?? 0,
      skipped: counters['vusers.skipped'] ?? 0,
      byScenario: listScenarios(counters),
      neverRun: [],
      sessionMs: importSummary(aggregate.summaries?.['vusers.session_length']),
    },
    http: {
      requests,
      responses: counters['http.responses'] ?? 0,
      meanRatePerSec: perSec(counters['http.responses'] ?? 0),
      throughputPerSec: perSec(good),
      peakRatePerSec: null,
      errorRate: requests > 0 ? Math.max(0, requests - good) / requests : 0,
      unknown: 0,
      codes,
      timeToFirstByte: importSummary(aggregate.summaries?.['http.response_time']),
      totalTime: importSummary(aggregate.summaries?.['http.total']),
      totalFromIntended: importSummary(aggregate.summaries?.['http.total_from_intended']),
      connections: {
        dns: importSummary(aggregate.summaries?.['http.dns']),
        tcp: importSummary(aggregate.summaries?.['http.tcp']),
        tls: importSummary(aggregate.summaries?.['http.tls']),
      },
      bytesReceived: counters['http.downloaded_bytes'] ?? null,
    },
    socketio: importSocketio(counters, aggregate.summaries ?? {}),
    websocket: buildWebsocket(counters, name => importSummary(aggregate.summaries?.[name])),
    errors: listErrors(counters),
    endpoints: [],
    resolutionMs: PERIOD_MS,
    seconds,
    heldBy: [],
    generator: null,
    stall: null,
    errorSamples: [],
    errorBursts: [],
    tokens: null,
    counters: {},
  };
  return { ...load, failures: sumUpFailures(load) };
}

/**
 * @param {Record<string, number>} counters
 * @param {Record<string, any>} summaries
 * @returns {import('../../facts/load-report.d.ts').LoadReport['socketio']}
 */
function importSocketio(counters, summaries) {
  const emits = counters['socketio.emit'] ?? 0;
  if (emits === 0) return null;
  const times = (/** @type {string} */ name) => importSummary(summaries[`socketio.${name}`]);
  const count = (/** @type {string} */ name) => counters[`socketio.${name}`] ?? null;
  // Emits without an answer are in Artillery's times with the cost of a local call, about 0 ms; such
  // times are no latency.
  const mixed = times('response_time');
  return {
    connects: count('connect'),
    connectErrors: count('connect_error'),
    reconnects: count('reconnect'),
    disconnects: countersBelow(counters, 'socketio.disconnect.').map(({ name, count }) => ({
      reason: name,
      count,
    })),
    emits,
    received: count('received'),
    bytesSent: count('bytes_sent'),
    bytesReceived: count('bytes_received'),
    connectTime: times('connect_time'),
    upgradeTime: times('upgrade_time'),
    acknowledged: times('acknowledge_time') ?? (mixed && mixed.minMs >= 1 ? mixed : null),
    responseWait: times('response_wait'),
    pushWait: times('push_wait'),
  };
}

/** @param {Record<string, any>} period @returns {import('../../facts/load-report.d.ts').LoadReport['seconds'][number]} */
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
  };
}

/** @param {Record<string, number | null> | undefined} summary @returns {import('../../facts/estimate.d.ts').LatencySummary | null} */
function importSummary(summary) {
  if (!summary?.count || summary.min === null) return null;
  const at = (/** @type {string} */ name) => Number(summary[name] ?? Number.NaN);
  return {
    count: at('count'),
    minMs: at('min'),
    meanMs: at('mean'),
    p50Ms: at('p50'),
    p75Ms: at('p75'),
    p90Ms: at('p90'),
    p95Ms: at('p95'),
    p99Ms: at('p99'),
    maxMs: at('max'),
  };
}
