/** The records of `load/metrics.ndjson` and `load/errors.ndjson`. */

import { Sketch } from '../../../lib/base/math/sketch.js';
import { buildGenerator } from './generator-records.js';

/** @import { RawRecord } from '../../../lib/run/ndjson.js' */

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */
/** @typedef {import('./simulate.js').Second} Second */

/** An engine keeps the first errors of each kind. */
const SAMPLES_PER_ERROR = 5;
const BODY_BYTES = 512;
/** Time to first byte as part of the total time. */
const FIRST_BYTE = 0.96;

/**
 * @param {CompleteSpec} spec
 * @param {Second[]} seconds
 * @param {(second: Second, worker: number) => string} workerId as the companion tells it
 */
export function buildLoadRecords(spec, seconds, workerId) {
  const phases = spec.phases.map((phase, index) => ({
    index,
    name: phase.name,
    ...planOf(spec, phase, seconds),
  }));
  /** @type {RawRecord[]} */
  const metrics = [
    {
      t: spec.startMs - 20,
      kind: 'load-start',
      engine: 'loadflame',
      script: 'scenarios/synthetic.yaml',
      scenarios: ['synthetic'],
      phases,
      workers: spec.generator.workers,
    },
  ];
  /** @type {RawRecord[]} */
  const errors = [];
  /** @type {Map<string, number>} */
  const kept = new Map();
  const totals = { requests: 0 };
  let next = 0;
  let phaseEndMs = spec.startMs;
  for (const [at, second] of seconds.entries()) {
    if (second.fromMs >= phaseEndMs && next < phases.length) {
      if (next > 0) metrics.push(endOf(phases[next - 1], second.fromMs));
      metrics.push({
        t: second.fromMs,
        kind: 'phase-start',
        index: next,
        name: phases[next]?.name,
        spec: phases[next],
      });
      phaseEndMs += (spec.phases[next]?.durationSec ?? 0) * 1000;
      next++;
    }
    const { fields, failed } = buildSecond(spec, second, at, workerId);
    metrics.push({ t: second.fromMs + 1001, kind: 'second', ...fields });
    totals.requests += fields.counters['http.requests'] ?? 0;
    for (const error of failed) {
      const kind = `${error.endpoint} ${error.code}`;
      kept.set(kind, (kept.get(kind) ?? 0) + 1);
      if ((kept.get(kind) ?? 0) <= SAMPLES_PER_ERROR) errors.push(error);
    }
    for (let worker = 1; worker <= spec.generator.workers; worker++)
      metrics.push(buildGenerator(spec, second, worker));
  }
  const endMs = spec.startMs + seconds.length * 1000;
  metrics.push(endOf(phases.at(-1), endMs), {
    t: endMs + 30,
    kind: 'load-end',
    reason: 'complete',
    exitCode: 0,
    signal: null,
    counters: { 'http.requests': totals.requests },
  });
  shiftRequests(spec, seconds, metrics);
  return { metrics, errors };
}

/** @param {CompleteSpec} spec @param {CompleteSpec['phases'][number]} phase @param {Second[]} seconds */
function planOf(spec, { durationSec, factor, toFactor }, seconds) {
  const users = seconds[0]?.users ?? 0;
  if (spec.model === 'closed') return { duration: durationSec, users };
  const rate = spec.endpoints.reduce((sum, { ratePerSec }) => sum + ratePerSec, 0);
  return {
    duration: durationSec,
    arrivalRate: rate * factor,
    ...(toFactor !== factor && { rampTo: rate * toFactor }),
    maxVusers: users,
  };
}

/**
 * Answers come in the second after they were asked for: what is under way at the end of each second was sent in the
 * first one, and not in the last.
 * @param {CompleteSpec} spec @param {Second[]} seconds @param {RawRecord[]} metrics
 */
function shiftRequests(spec, seconds, metrics) {
  const records = metrics.filter(({ kind }) => kind === 'second');
  const [first, last] = [records[0], records.at(-1)];
  for (const [e, { name }] of spec.endpoints.entries()) {
    const [early, late] = [first?.endpoints[name], last?.endpoints[name]];
    if (!early || !late || early === late) continue;
    const inFlight = Math.round((early.requests * (seconds[0]?.latencyMs[e] ?? 0)) / 1000);
    const shifted = Math.min(inFlight, late.requests);
    early.requests += shifted;
    late.requests -= shifted;
    if (first) first.counters['http.requests'] += shifted;
    if (last) last.counters['http.requests'] -= shifted;
  }
}

/** @param {{index: number, name: string} | undefined} phase @param {number} t */
function endOf(phase, t) {
  return { t, kind: 'phase-end', index: phase?.index, name: phase?.name };
}

/**
 * @param {CompleteSpec} spec
 * @param {Second} second
 * @param {number} at which second it is
 * @param {(second: Second, worker: number) => string} workerId
 */
function buildSecond(spec, second, at, workerId) {
  const { random } = spec;
  const sketches = { total: new Sketch(), firstByte: new Sketch(), intended: new Sketch() };
  /** @type {Record<string, number>} */
  const counters = {};
  const add = (/** @type {string} */ name, /** @type {number} */ n) => {
    if (n > 0) counters[name] = (counters[name] ?? 0) + n;
  };
  /** @type {Record<string, any>} */
  const endpoints = {};
  /** @type {RawRecord[]} */
  const failed = [];
  for (const [e, endpoint] of spec.endpoints.entries()) {
    const n = (second.requests[e] ?? []).reduce(
      (sum, count) => sum + count,
      second.elsewhere[e] ?? 0,
    );
    if (n === 0) continue;
    const sigma = endpoint.latencyMs?.sigma ?? spec.latencySigma;
    const burst = spec.errorBursts.find(
      ({ fromSec, lengthSec, endpoint: only }) =>
        at >= fromSec && at < fromSec + lengthSec && (only === undefined || only === endpoint.name),
    );
    const share = burst?.share ?? endpoint.errorShare;
    const code = burst?.status ?? endpoint.status;
    /** @type {Record<string, any>} */
    const statuses = {};
    /** @type {Map<number, {count: number, total: Sketch, firstByte: Sketch}>} */
    const answers = new Map();
    let errors = 0;
    for (let i = 0; i < n; i++) {
      const isFailed = share > 0 && random.uniform() < share;
      const totalMs = (second.latencyMs[e] ?? 1) * Math.exp(sigma * random.normal());
      if (isFailed) {
        errors++;
        failed.push(describeError(spec, second, endpoint.name, code, burst?.body));
      }
      if (isFailed && typeof code === 'string') {
        add(`errors.${code}`, 1);
        continue;
      }
      const status = isFailed ? Number(code) : 200;
      let of = answers.get(status);
      if (!of) {
        of = { count: 0, total: new Sketch(), firstByte: new Sketch() };
        answers.set(status, of);
      }
      of.count++;
      of.total.accept(totalMs);
      of.firstByte.accept(totalMs * FIRST_BYTE);
      if (spec.model === 'open') sketches.intended.accept(totalMs + spec.generator.lagMs);
    }
    add('http.requests', n);
    for (const [status, { count, total, firstByte }] of answers) {
      add('http.responses', count);
      add(`http.codes.${status}`, count);
      sketches.total.merge(total);
      sketches.firstByte.merge(firstByte);
      statuses[status] = {
        count,
        timeToFirstByte: firstByte.toJson(),
        total: total.toJson(),
        sums: { responseBytes: count * BODY_BYTES },
      };
    }
    endpoints[endpoint.name] = { requests: n, errors, statuses };
    if (spec.companion) endpoints[endpoint.name].server = serverOf(second, e, n);
  }
  const responses = counters['http.responses'] ?? 0;
  add('http.downloaded_bytes', responses * BODY_BYTES);
  add('vusers.created', responses);
  add('vusers.completed', responses);
  add('vusers.skipped', spec.generator.skippedPerSec);
  const session = new Sketch();
  for (let i = 0; i < responses; i++) session.accept((second.users * 1000) / responses);
  return {
    failed,
    fields: {
      fromMs: second.fromMs,
      counters,
      sketches: Object.fromEntries(
        Object.entries({
          'http.response_time': sketches.firstByte,
          'http.total': sketches.total,
          'http.total_from_intended': sketches.intended,
          'vusers.session_length': session,
        })
          .filter(([, sketch]) => sketch.count > 0)
          .map(([name, sketch]) => [name, sketch.toJson()]),
      ),
      endpoints,
      ...countServers(spec, second, workerId),
      usersActive: second.users,
    },
  };
}

/** What the companion measured of an endpoint's requests; of other backends as of this one. @param {Second} second @param {number} e @param {number} n */
function serverOf(second, e, n) {
  const here = (second.requests[e] ?? []).reduce((sum, count) => sum + count, 0);
  const cpuMs = second.cpuMs.reduce(
    (sum, perEndpoint) => sum + (perEndpoint[e] ?? []).reduce((part, ms) => part + ms, 0),
    0,
  );
  const all = here > 0 ? (cpuMs / here) * n : 0;
  return { count: n, totalMs: (second.latencyMs[e] ?? 0) * n * FIRST_BYTE, cpuMs: all };
}

/** Requests per worker and backend, where answers tell. @param {CompleteSpec} spec @param {Second} second @param {(second: Second, worker: number) => string} workerId */
function countServers(spec, second, workerId) {
  const perWorker = spec.workerShares.map((_, worker) =>
    second.requests.reduce((sum, counts) => sum + (counts[worker] ?? 0), 0),
  );
  const here = perWorker.reduce((sum, n) => sum + n, 0);
  const elsewhere = second.elsewhere.reduce((sum, n) => sum + n, 0);
  const others = spec.backends.slice(1);
  const rest = spec.random.divide(
    elsewhere,
    others.map(
      ({ weight }) =>
        weight /
        Math.max(
          1e-9,
          others.reduce((sum, b) => sum + b.weight, 0),
        ),
    ),
  );
  /** @type {[string, number][]} */
  const workers = perWorker.map((n, worker) => [workerId(second, worker), n]);
  for (const [i, { id }] of others.entries()) workers.push([`${id}.9000`, rest[i] ?? 0]);
  /** @type {[string, number][]} */
  const backends = spec.backends.map(({ id }, i) => [id, i === 0 ? here : (rest[i - 1] ?? 0)]);
  const positive = (/** @type {[string, number][]} */ list) =>
    Object.fromEntries(list.filter(([, n]) => n > 0));
  return {
    ...(spec.companion && { workers: positive(workers) }),
    ...(spec.stickyCookies && { backends: positive(backends) }),
  };
}

/** @param {CompleteSpec} spec @param {Second} second @param {string} endpoint @param {number | string} code @param {string} [body] */
function describeError(spec, second, endpoint, code, body) {
  const isStatus = typeof code === 'number';
  return {
    t: second.fromMs + Math.floor(spec.random.uniform() * 1000),
    kind: 'error',
    endpoint,
    code: String(code),
    url: `http://127.0.0.1:5000${endpoint.split(' ')[1] ?? '/'}`,
    status: isStatus ? code : null,
    headers: isStatus ? { 'content-type': 'text/plain' } : {},
    body: body ?? (isStatus ? 'Internal Server Error' : `connect ${code} 127.0.0.1:5000`),
    requestId: null,
    traceparent: null,
  };
}
