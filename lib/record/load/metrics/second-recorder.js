/**
 * Sums up the events of a thread per second as they happen: memory grows with endpoints and statuses, never with
 * requests.
 */
import { mapValues } from '../../../files/maps.js';
import { Sketch } from '../../../math/sketch.js';
import { createCalls } from './calls.js';
import { MAX_ERROR_NAME } from './error-samples.js';
import { createServerSide } from './server-side.js';

/** @import { SecondFields } from './periods.js' */
/** @import { Answers, EndpointHandle, EndpointSecond, Second, ServerSums } from './second.d.ts' */
/** @import { AnswerSigns } from './server-side.js' */

const SECOND_MS = 1000;
/** Paths without a recognisable id (slugs, names) must not grow the file without limit. */
const MAX_ENDPOINTS = 300;
/** Nor must error messages that contain ids or addresses. */
const MAX_NAMES = 2000;
/** Connection times are zero on an open connection, which is the usual case. */
const CONNECTION_TIMES = new Set(['http.dns', 'http.tcp', 'http.tls']);
/** A body that arrives faster is not counted. */
const LEAST_BODY_MS = 1;
/** We keep these per endpoint ourselves. */
const PER_URL = 'plugins.metrics-by-endpoint.';
/** Untrusted text follows these. */
const OUTSIDE = ['errors.', 'errors_of_steps.', 'http.refused.', 'vusers.first_failure.', PER_URL];

/**
 * @param {(record: SecondFields) => void} write takes the fields of a `second` record
 * @param {object} [options]
 * @param {(text: string) => string} [options.redact] errors and paths are untrusted text
 * @param {boolean} [options.perUrl] keep metrics of `metrics-by-endpoint`: the script uses them
 * @param {string | null} [options.stickyCookie] of a router; null: the well-known ones
 * @param {Parameters<typeof createCalls>[0]} [options.writeCalls] takes records of `load/calls.ndjson`
 * @param {() => number} [options.now]
 */
export function createSecondRecorder(write, options = {}) {
  const { redact = text => text, perUrl = false, now = Date.now } = options;
  const { stickyCookie = null, writeCalls = () => {} } = options;
  /** @type {Map<number, Second>} */
  const open = new Map();
  /** @type {Map<string, EndpointHandle>} name → handle */
  const handles = new Map();
  /** @type {Map<string, string>} name → as written */
  const keys = new Map();
  /** Our own names, which are written unchanged: checked once. @type {Set<string>} */
  const plain = new Set();
  /** @type {Second | null} */
  let newest = null;
  const serverSide = createServerSide({ stickyCookie });
  const calls = createCalls(writeCalls, redact);
  let usersActive = 0;
  let lastWritten = floorToSecond(now()) - SECOND_MS;

  /** @returns {Second} */
  const current = () => {
    const ms = now();
    if (newest && ms >= newest.fromMs && ms < newest.fromMs + SECOND_MS) {
      newest.lastMs = ms;
      return newest;
    }
    const fromMs = floorToSecond(ms);
    newest = open.get(fromMs) ?? null;
    if (!newest) {
      newest = createSecond(fromMs, ms);
      newest.usersMost = usersActive;
      open.set(fromMs, newest);
    }
    newest.lastMs = ms;
    return newest;
  };

  /** Some names contain untrusted text. @param {string} name */
  const keyOf = name => {
    if (plain.has(name)) return name;
    const group = OUTSIDE.find(one => name.startsWith(one));
    if (!group) {
      if (plain.size < MAX_NAMES) plain.add(name);
      return name;
    }
    const known = keys.get(name);
    if (known !== undefined) return known;
    const full = keys.size >= MAX_NAMES;
    const most = group === PER_URL ? undefined : group.length + MAX_ERROR_NAME;
    const key = full ? `${group}(others)` : redact(name).slice(0, most);
    if (!full) keys.set(name, key);
    return key;
  };

  /** @param {EndpointHandle} handle @returns {EndpointSecond} */
  const entryOf = handle => {
    const second = current();
    if (handle.second === second && handle.entry) return handle.entry;
    let entry = second.endpoints.get(handle.key);
    if (!entry) {
      entry = { requests: 0, errors: 0, statuses: new Map() };
      second.endpoints.set(handle.key, entry);
    }
    handle.second = second;
    handle.entry = entry;
    return entry;
  };

  /** @param {Second} second @param {string} name @param {number} value */
  const add = (second, name, value) => {
    const key = keyOf(name);
    second.counters[key] = (second.counters[key] ?? 0) + value;
    if (name === 'vusers.created') usersActive += value;
    else if (name === 'vusers.completed' || name === 'vusers.failed') usersActive -= value;
    second.usersMost = Math.max(second.usersMost, usersActive);
  };

  return {
    /** @param {string} name @param {number} value */
    count(name, value) {
      // Artillery has counters of 0 in its summary: `vusers.failed`, those of `apdex`.
      if (!Number.isFinite(value)) return;
      if (!perUrl && name.startsWith(PER_URL)) return;
      add(current(), name, value);
    },
    /** Counts several of our own at once: reads the clock once. @param {Readonly<Record<string, number>>} counts */
    countAll(counts) {
      const second = current();
      for (const name in counts) add(second, name, counts[name] ?? 0);
    },
    /** @param {string} name @param {number} value */
    measure(name, value) {
      if (!Number.isFinite(value) || value < 0) return;
      if (!perUrl && name.startsWith(PER_URL)) return;
      if (value === 0 && CONNECTION_TIMES.has(name)) return;
      const { sketches } = current();
      const key = keyOf(name);
      sketches[key] ??= new Sketch();
      sketches[key].accept(value);
    },
    /** Counts an event that is reported as a rate per second. @param {string} name */
    rate(name) {
      const { rates } = current();
      rates[name] = (rates[name] ?? 0) + 1;
    },
    /**
     * The handle of an endpoint; the same one for the same name.
     * @param {string} name
     * @returns {EndpointHandle}
     */
    endpoint(name) {
      const known = handles.get(name);
      if (known) return known;
      const full = handles.size >= MAX_ENDPOINTS;
      const key = full ? `${name.split(' ')[0]} (other paths)` : redact(name);
      const handle = { key, second: null, entry: null };
      if (!full) handles.set(name, handle);
      return handle;
    },
    /** A request is being sent; each hop of a redirect is one. @param {EndpointHandle} handle */
    countRequest(handle) {
      entryOf(handle).requests += 1;
    },
    /**
     * A response is complete (or has begun, if the engine does not report its end).
     * @param {EndpointHandle} handle
     * @param {number} status
     * @param {number | undefined} ttfbMs time to the first byte
     * @param {number} [totalMs] from being queued to the last byte, including connecting
     * @param {number} [fromIntendedMs] the same from the intended time of the schedule
     * @param {number} [bytes] of the body, as received
     * @param {number} [bodyMs] from the headers to the last byte
     */
    countAnswer(handle, status, ttfbMs, totalMs, fromIntendedMs, bytes = 0, bodyMs = 0) {
      const entry = entryOf(handle);
      const second = /** @type {Second} */ (handle.second);
      let answers = entry.statuses.get(status);
      if (!answers) {
        answers = { count: 0, timeToFirstByte: new Sketch(), total: new Sketch(), sums: {} };
        entry.statuses.set(status, answers);
      }
      answers.count += 1;
      if (status >= 400) entry.errors += 1;
      if (Number.isFinite(ttfbMs)) answers.timeToFirstByte.accept(/** @type {number} */ (ttfbMs));
      if (totalMs !== undefined) {
        answers.total.accept(totalMs);
        const { sums } = answers;
        sums.responseBytes = (sums.responseBytes ?? 0) + bytes;
        // Most bodies come with their headers.
        if (bodyMs >= LEAST_BODY_MS) sums.bodyMs = (sums.bodyMs ?? 0) + bodyMs;
      }
      if (fromIntendedMs !== undefined) {
        second.totalFromIntended ??= new Sketch();
        second.totalFromIntended.accept(fromIntendedMs);
      }
    },
    /**
     * A request ended without a response, or its response below 400 is `broken` nevertheless.
     * @param {EndpointHandle} handle @param {'errors' | 'broken'} [how]
     */
    countFailure(handle, how = 'errors') {
      const entry = entryOf(handle);
      entry[how] = (entry[how] ?? 0) + 1;
    },
    /** A request needs a variable that is empty. @param {EndpointHandle} handle @param {string} name in the script */
    countEmpty(handle, name) {
      const entry = entryOf(handle);
      entry.empty ??= {};
      entry.empty[name] = (entry.empty[name] ?? 0) + 1;
    },
    /**
     * Notes what a response reports about its server.
     * @param {EndpointHandle} handle
     * @param {AnswerSigns} signs
     */
    noteServer(handle, signs) {
      const entry = entryOf(handle);
      const second = /** @type {Second} */ (handle.second);
      const noted = serverSide.note(second, entry, signs);
      const { reported } = noted;
      if (reported && entry.server)
        calls.note(second, handle.key, reported.worker, signs.readCalls(), entry.server);
      return noted;
    },
    /** Whether a router keeps users at an instance: requests then show which one. */
    knowsBackends: serverSide.knowsBackends,
    /**
     * Writes the finished seconds; with `all` also the unfinished one.
     * @param {{all?: boolean}} [options]
     */
    flush({ all = false } = {}) {
      const end = floorToSecond(now()) + (all ? SECOND_MS : 0);
      for (let fromMs = lastWritten + SECOND_MS; fromMs < end; fromMs += SECOND_MS) {
        const second = open.get(fromMs);
        close(fromMs);
        if (second || usersActive > 0) {
          write({
            ...secondToJson(second ?? createSecond(fromMs, fromMs)),
            usersActive,
            usersMost: second?.usersMost ?? usersActive,
          });
          if (second) calls.write(second);
        }
      }
      if (end - SECOND_MS > lastWritten) lastWritten = end - SECOND_MS;
      // The clock was set back, or the current second was flushed before: no gauge the second time.
      for (const [fromMs, second] of open) {
        if (fromMs > lastWritten) continue;
        close(fromMs);
        write(secondToJson(second));
        calls.write(second);
      }
    },
  };

  /** @param {number} fromMs */
  function close(fromMs) {
    open.delete(fromMs);
    if (newest?.fromMs === fromMs) newest = null;
  }
}

/** @typedef {ReturnType<typeof createSecondRecorder>} SecondRecorder */

/** @param {number} fromMs @param {number} ms now @returns {Second} */
function createSecond(fromMs, ms) {
  return {
    fromMs,
    firstMs: ms,
    lastMs: ms,
    usersMost: 0,
    counters: {},
    rates: {},
    sketches: {},
    endpoints: new Map(),
    totalFromIntended: null,
    workers: {},
    backends: {},
    failed: {},
    calls: null,
  };
}

/** @param {number} ms */
export function floorToSecond(ms) {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

// -- The sums of a second as a `second` record (`docs/run-folder.md`).

/**
 * @param {Second} second
 * @returns {SecondFields}
 */
function secondToJson(second) {
  const { fromMs, firstMs, lastMs, counters, rates, sketches, workers, backends, failed } = second;
  addHttp(second);
  return {
    fromMs,
    firstMs,
    lastMs,
    rates,
    counters,
    sketches: mapValues(sketches, sketch => sketch.toJson()),
    endpoints: mapValues(
      Object.fromEntries(second.endpoints),
      ({ statuses, server, ...counts }) => ({
        ...counts,
        statuses: mapValues(Object.fromEntries(statuses), answersToJson),
        ...(server && { server: roundSums(server) }),
      }),
    ),
    ...(Object.keys(workers).length > 0 && { workers }),
    ...(Object.keys(backends).length > 0 && { backends }),
    ...(Object.keys(failed).length > 0 && { failed }),
  };
}

/** Workers report microseconds. @param {ServerSums} sums */
function roundSums({ count, totalMs, cpuMs, aroundMs, blocked, sums }) {
  const round = (/** @type {number} */ ms) => Math.round(ms * 1000) / 1000;
  return {
    count,
    totalMs: round(totalMs),
    cpuMs: cpuMs === null ? null : round(cpuMs),
    ...(aroundMs !== undefined && { aroundMs: round(aroundMs) }),
    ...(blocked && { blocked: { ...blocked, ms: round(blocked.ms), cpuMs: round(blocked.cpuMs) } }),
    ...(sums && { sums: mapValues(sums, round) }),
  };
}

/** @param {Answers} answers */
function answersToJson({ count, timeToFirstByte, total, sums }) {
  return {
    count,
    timeToFirstByte: timeToFirstByte.toJson(),
    ...(total.count > 0 && { total: total.toJson() }),
    ...(Object.keys(sums).length > 0 && { sums }),
  };
}

/**
 * Adds what Artillery's HTTP engine would have counted, under its names; `http.total_from_intended` is ours.
 * @param {Second} second
 */
function addHttp({ counters, sketches, endpoints, totalFromIntended }) {
  const add = (/** @type {string} */ name, /** @type {number} */ n) => {
    if (n > 0) counters[name] = (counters[name] ?? 0) + n;
  };
  const merge = (/** @type {string} */ name, /** @type {Sketch} */ sketch) => {
    if (sketch.count === 0) return;
    sketches[name] ??= new Sketch();
    sketches[name].merge(sketch);
  };
  let [ended, bytes] = [0, 0];
  for (const { requests, broken = 0, statuses } of endpoints.values()) {
    add('http.requests', requests);
    add('http.broken', broken);
    for (const [status, { count, timeToFirstByte, total, sums }] of statuses) {
      add('http.responses', count);
      add(`http.codes.${status}`, count);
      merge('http.response_time', timeToFirstByte);
      if (status >= 200 && status < 600) {
        merge(`http.response_time.${Math.floor(status / 100)}xx`, timeToFirstByte);
      }
      merge('http.total', total);
      ended += total.count;
      bytes += sums.responseBytes ?? 0;
    }
  }
  // Artillery counts complete bodies, including empty ones.
  if (ended > 0)
    counters['http.downloaded_bytes'] = (counters['http.downloaded_bytes'] ?? 0) + bytes;
  if (totalFromIntended) merge('http.total_from_intended', totalFromIntended);
}
