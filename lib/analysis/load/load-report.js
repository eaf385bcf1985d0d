/** The load half of the Report, from the records of `load/`. */
import { listErrors } from '../../base/math/counters.js';
import { most } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { NAMES_OF_ENGINES } from '../read/load/counters.js';
import { spanOf } from '../read/load/load-totals.js';
import { listLoadWindows } from '../read/scope.js';
import { buildCollections } from './collections.js';
import { sumUpFailures } from './failures.js';
import { buildGenerator } from './generator.js';
import { importArtillery } from './import-artillery.js';
import {
  buildHttp,
  buildSocketio,
  buildSse,
  buildUsers,
  buildWebsocket,
  sumUpResponses,
} from './load-parts.js';
import { buildPools } from './pools.js';
import { readTokenStory } from './tokens.js';

/** @import { LoadReport } from '../../run/facts/load-report.d.ts' */
/** @import { PhaseSpec } from '../../run/facts/records.d.ts' */

/** Error samples kept per endpoint and code. */
const SAMPLES_PER_ERROR = 5;

/** Counters that have their own place in the Report. */
const SHOWN_ELSEWHERE =
  /^(http\.(requests|responses|codes\.|broken$|refused\.|downloaded_bytes)|vusers\.(created|completed|failed|skipped|(created|completed|failed)_by_name\..*|first_failure\..*)$|errors(_of_steps)?\.|socketio\.(connect|connect_error|emit|received|reconnect|bytes_sent|bytes_received|disconnect\..*)$|websocket\.|sse\.|loadflame\.)/;

/**
 * @param {Pick<import('../read/read-run.js').RunRecords, 'load' | 'errors' | 'tokens' | 'artillery'>} records
 * @param {ReadonlyMap<string, string>} [podOf] id of an instance → pod
 * @returns {import('../../run/facts/load-report.d.ts').LoadReport | null} null when no load test was recorded
 */
export function buildLoadReport({ load, errors, tokens, artillery }, podOf = new Map()) {
  const { tests, sums } = load;
  const [first] = tests;
  if (!first) return null;
  const trustsAnyone = tests.some(({ start }) => start.trustsAnyone === true);
  if (artillery) {
    return {
      ...importArtillery(artillery),
      engine: 'artillery',
      ...(trustsAnyone && { trustsAnyone }),
      phases: tests.flatMap(buildPhases),
      tokens: readTokenStory(tokens, load.seconds),
    };
  }
  const windows = listLoadWindows(load);
  const { counters } = sums;
  const [seconds, endpoints] = [load.seconds.list(), load.endpoints.list()];
  const endMs = Math.max(...tests.map(test => test.end?.t ?? test.lastMs));
  const phases = tests.flatMap(buildPhases);
  const scenarios = tests.flatMap(({ start }) => start.scenarios ?? []);
  const times = (/** @type {string} */ name) => sums.times(name);
  const responses = sumUpResponses(sums);
  const http = {
    ...buildHttp(counters, times, { windows, endpoints }),
    peakRatePerSec: Math.max(0, most(seconds.map(second => second.requests))),
    // A closed loop has no schedule: its users restart when they finish.
    ...(!phases.some(({ model }) => model === 'open') && { totalFromIntended: null }),
  };
  const [collections, pools] = [buildCollections(load.endpoints), buildPools(counters)];
  const report = {
    engine: first.start.engine ?? 'loadflame',
    ...(trustsAnyone && { trustsAnyone }),
    window: spanOf(windows) ?? { startMs: first.start.t, endMs },
    windows,
    phases,
    ...readSteered(tests),
    users: buildUsers(counters, times, scenarios),
    responses,
    http,
    socketio: buildSocketio(counters, times),
    websocket: buildWebsocket(counters, times),
    sse: buildSse(counters, times, windows),
    errors: listErrors(counters),
    endpoints,
    groups: load.endpoints.findGroups(),
    resolutionMs: 1000,
    seconds,
    // Load ran before a part of a load too, so the generator is warm.
    generator: buildGenerator(tests, windows, responses.latency?.p50Ms ?? 0, {
      isWarm: load.window !== null,
    }),
    stall: null,
    errorSamples: pickErrorSamples(errors, podOf),
    // Filled in later, with what the logs say about each burst.
    errorBursts: [],
    tokens: readTokenStory(tokens, load.seconds),
    counters: listOtherCounters(counters),
    ...(collections && { collections }),
    ...(pools.length > 0 && { pools }),
    ...listHistograms(sums),
  };
  return { ...report, failures: sumUpFailures(report) };
}

/** @param {Record<string, number>} counters */
function listOtherCounters(counters) {
  const others = Object.entries(counters).filter(([name]) => !SHOWN_ELSEWHERE.test(name));
  return Object.fromEntries(others);
}

/** Times that a script measured itself. @param {import('../read/load/counters.js').Sums} sums */
function listHistograms(sums) {
  const own = sums.names().filter(name => !NAMES_OF_ENGINES.test(name));
  const histograms = Object.fromEntries(own.map(name => [name, sums.times(name)]));
  return own.length > 0 && { histograms };
}

/** @param {import('../read/load/load-totals.js').LoadTest} test */
function buildPhases({ records }) {
  const ends = ofKind(records, 'phase-end');
  return ofKind(records, 'phase-start').map(start => ({
    name: String(start.name ?? `phase ${start.index + 1}`),
    startMs: start.t,
    endMs: ends.find(({ index }) => index === start.index)?.t ?? null,
    plan: readPlan(start.spec ?? {}),
    model: findModel(start.spec ?? {}),
  }));
}

/**
 * @param {import('../read/read-run.js').RunRecords['errors']} errors
 * @param {ReadonlyMap<string, string>} podOf
 * @returns {import('../../run/facts/load-report.d.ts').ErrorSample[]}
 */
function pickErrorSamples(errors, podOf) {
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
        ...(sample.expression && { expression: sample.expression }),
        ...(sample.requestBody && { requestBody: String(sample.requestBody) }),
        body: String(sample.body ?? ''),
        requestId: sample.requestId ?? null,
        traceparent: sample.traceparent ?? null,
        ...(podOf.has(sample.instance ?? '') && { pod: podOf.get(sample.instance ?? '') }),
      })),
  );
}

/** @param {import('../read/load/load-totals.js').LoadTest[]} tests */
function readSteered(tests) {
  const turns = tests.flatMap(({ records }) => ofKind(records, 'steered'));
  const steered = turns.map(({ t: atMs, phase, of, from, to }) => ({ atMs, phase, of, from, to }));
  return steered.length > 0 && { steered };
}

/** @typedef {LoadReport['phases'][number]} Phase */

/**
 * Do users arrive by a schedule, or do the same users repeat?
 * @param {PhaseSpec} spec
 * @returns {Phase['model']}
 */
export function findModel(spec) {
  if (spec.users != null) return 'closed';
  return (spec.arrivalRate ?? spec.arrivalCount ?? spec.rampTo) == null ? 'none' : 'open';
}

/**
 * The plan of a phase, as its script states it.
 * @param {PhaseSpec} spec
 * @returns {Phase['plan']}
 */
export function readPlan({ pause, duration, users, arrivalRate, arrivalCount, rampTo, maxVusers }) {
  const read = (/** @type {unknown} */ value) => (value == null ? null : String(value));
  return {
    lengthSec: read(pause ?? duration),
    users: read(users),
    arrivalRate: read(arrivalRate),
    arrivalCount: read(arrivalCount),
    rampTo: read(rampTo),
    maxVusers: read(maxVusers),
  };
}

/** Does the load consist of repeating users only, without arrivals? @param {Pick<Phase, 'model'>[]} phases */
export function isClosedLoop(phases) {
  const models = phases.map(({ model }) => model);
  return models.includes('closed') && !models.includes('open');
}
