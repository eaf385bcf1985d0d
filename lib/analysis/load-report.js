/** The load half of the Report, from the records of `load/`. */
import { countersBelow, mergeNamedSketches, sumCounters, totalCount } from './counters.js';
import { describePhase, findModel } from './describe-phase.js';
import { buildEndpoints } from './endpoints.js';
import { explainError } from './error-explanations.js';
import { buildGenerator } from './generator.js';
import { summarizeLatency } from './latency.js';
import { findLoadWindow, splitLoadTests, totalLengthMs } from './load-windows.js';
import { buildSeconds } from './seconds.js';
import { buildSocketio } from './socketio-report.js';
import { readTokenStory } from './tokens.js';
import { buildWebsocket } from './websocket-report.js';

/** Error samples that are kept per endpoint and code. */
const SAMPLES_PER_ERROR = 5;

/** Counters that have a place of their own in the Report. */
const SHOWN_ELSEWHERE =
  /^(http\.(requests|responses|codes\.|downloaded_bytes)|vusers\.(created|completed|failed|skipped|created_by_name\..*)$|errors\.|socketio\.(connect|connect_error|emit|received|reconnect|bytes_sent|bytes_received|disconnect\..*)$|websocket\.)/;

/**
 * @param {{metrics: Record<string, any>[], errors: Record<string, any>[], tokens: Record<string, any>[]}} records
 * @returns {import('./report.d.ts').LoadReport | null} null when no load test was recorded
 */
export function buildLoadReport({ metrics, errors, tokens }) {
  const tests = splitLoadTests(metrics);
  const first = tests[0];
  if (!first) return null;
  const records = tests.flatMap(test => test.records);
  const windows = tests.flatMap(test => findLoadWindow(test) ?? []);
  const counters = sumCounters(records);
  const seconds = buildSeconds(records);
  const window = {
    startMs: Math.min(first.start.t, ...windows.map(({ startMs }) => startMs)),
    endMs: Math.max(...tests.map(test => test.end?.t ?? test.records.at(-1)?.t ?? test.start.t)),
  };
  const phases = tests.flatMap(buildPhases);
  const http = buildHttp(counters, records, windows, seconds, phases);
  return {
    engine: String(first.start.engine),
    window: windows.length > 0 ? spanOf(windows) : window,
    windows,
    phases,
    users: buildUsers(counters, records),
    http,
    socketio: buildSocketio(counters, records),
    websocket: buildWebsocket(counters, records),
    errors: countersBelow(counters, 'errors.').map(({ name, count }) => ({
      name,
      count,
      explanation: explainError(name),
    })),
    endpoints: buildEndpoints(records),
    resolutionMs: 1000,
    seconds,
    generator: buildGenerator(tests, windows, (http.totalTime ?? http.timeToFirstByte)?.p50Ms ?? 0),
    errorSamples: pickErrorSamples(errors),
    // Those that the logs speak of are put in with what they say.
    errorBursts: [],
    tokens: readTokenStory(tokens, records),
    counters: Object.fromEntries(
      Object.entries(counters).filter(([name]) => !SHOWN_ELSEWHERE.test(name)),
    ),
  };
}

/** @param {import('./report.d.ts').TimeRange[]} windows */
function spanOf(windows) {
  return {
    startMs: Math.min(...windows.map(({ startMs }) => startMs)),
    endMs: Math.max(...windows.map(({ endMs }) => endMs)),
  };
}

/** @param {import('./load-windows.js').LoadTest} test */
function buildPhases({ records }) {
  const starts = records.filter(({ kind }) => kind === 'phase-start');
  const ends = records.filter(({ kind }) => kind === 'phase-end');
  return starts.map(start => ({
    name: String(start.name ?? `phase ${start.index + 1}`),
    startMs: start.t,
    endMs: ends.find(({ index }) => index === start.index)?.t ?? null,
    planned: describePhase(start.spec ?? {}),
    model: findModel(start.spec ?? {}),
  }));
}

/** @param {Record<string, number>} counters @param {Record<string, any>[]} records */
function buildUsers(counters, records) {
  return {
    created: counters['vusers.created'] ?? 0,
    completed: counters['vusers.completed'] ?? 0,
    failed: counters['vusers.failed'] ?? 0,
    skipped: counters['vusers.skipped'] ?? 0,
    byScenario: countersBelow(counters, 'vusers.created_by_name.'),
    sessionMs: summarizeLatency(mergeNamedSketches(records, 'vusers.session_length')),
  };
}

/**
 * @param {Record<string, number>} counters
 * @param {Record<string, any>[]} records
 * @param {import('./report.d.ts').TimeRange[]} windows
 * @param {import('./report.d.ts').LoadReport['seconds']} seconds
 * @param {import('./report.d.ts').LoadReport['phases']} phases
 * @returns {import('./report.d.ts').LoadReport['http']}
 */
function buildHttp(counters, records, windows, seconds, phases) {
  const requests = counters['http.requests'] ?? 0;
  const responses = counters['http.responses'] ?? 0;
  const codes = countersBelow(counters, 'http.codes.').map(({ name, count }) => ({
    code: name,
    count,
  }));
  const good = totalCount(codes.filter(({ code }) => Number(code) < 400));
  const windowSec = totalLengthMs(windows) / 1000;
  const perSec = (/** @type {number} */ n) => (windowSec > 0 ? n / windowSec : 0);
  const times = (/** @type {string} */ name) =>
    summarizeLatency(mergeNamedSketches(records, `http.${name}`));
  return {
    requests,
    responses,
    meanRatePerSec: perSec(responses),
    throughputPerSec: perSec(good),
    peakRatePerSec: Math.max(0, ...seconds.map(second => second.requests)),
    errorRate: requests > 0 ? Math.max(0, requests - good) / requests : 0,
    codes,
    timeToFirstByte: times('response_time'),
    totalTime: times('total'),
    // A closed loop has no schedule: its users begin again when they are done.
    totalFromIntended: phases.some(({ model }) => model === 'open')
      ? times('total_from_intended')
      : null,
    connections: { dns: times('dns'), tcp: times('tcp'), tls: times('tls') },
    bytesReceived: counters['http.downloaded_bytes'] ?? null,
  };
}

/** @param {Record<string, any>[]} errors @returns {import('./report.d.ts').ErrorSample[]} */
function pickErrorSamples(errors) {
  const byKind = Map.groupBy(errors, ({ endpoint, code }) => `${endpoint}\n${code}`);
  return [...byKind.values()].flatMap(samples =>
    samples
      .sort((a, b) => a.t - b.t)
      .slice(0, SAMPLES_PER_ERROR)
      .map(sample => ({
        atMs: sample.t,
        endpoint: String(sample.endpoint),
        code: String(sample.code),
        url: String(sample.url ?? ''),
        headers: sample.headers ?? {},
        body: String(sample.body ?? ''),
        requestId: sample.requestId ?? null,
        traceparent: sample.traceparent ?? null,
      })),
  );
}
