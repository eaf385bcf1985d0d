/**
 * Sums up the events of a thread per second as they happen: memory grows with endpoints and statuses, never with
 * requests.
 */
import { entryOf } from '../../base/files/maps.js';
import { Sketch } from '../../base/math/sketch.js';
import { createCalls } from './calls.js';
import { MAX_ERROR_NAME } from './error-samples.js';
import { addQuery } from './query-sums.js';
import { createRenaming } from './rename-endpoints.js';
import { secondToJson } from './second-to-json.js';
import { createServerSide } from './server-side.js';

/** @import { SecondFields } from './periods.js' */
/** @import { Answers, EndpointHandle, EndpointSecond, Second } from './second.d.ts' */
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
/** Fewer parts of a body are not counted. */
const LEAST_PARTS = 20;
/** Deflate makes data smaller by no more than this. */
const MOST_DEFLATED = 1032;
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
  const names = createNames(redact);
  const serverSide = createServerSide({ stickyCookie, redact });
  const calls = createCalls(writeCalls, redact);
  const seconds = createOpenSeconds({ write, calls, now });
  return {
    ...countByName(seconds, names.keyOf, perUrl),
    ...countByEndpoint(seconds, serverSide, calls, redact),
    endpoint: names.endpoint,
    rename: createRenaming(seconds, names, MAX_NAMES),
    /** Whether a router keeps users at an instance: requests then show which one. */
    knowsBackends: serverSide.knowsBackends,
    flush: seconds.flush,
  };
}

/** @typedef {ReturnType<typeof createSecondRecorder>} SecondRecorder */
/** @typedef {ReturnType<typeof createOpenSeconds>} OpenSeconds */
/** @typedef {ReturnType<typeof createNames>} Names */

/**
 * Names as they are written: some contain untrusted text, and their number is bounded.
 * @param {(text: string) => string} redact
 */
function createNames(redact) {
  /** @type {Map<string, EndpointHandle>} name → handle */
  const handles = new Map();
  /** @type {Map<string, string>} name → as written */
  const keys = new Map();
  /** Our own names, which are written unchanged: checked once. @type {Set<string>} */
  const plain = new Set();
  return {
    /** @param {string} name of a counter or a time */
    keyOf(name) {
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
      const handle = { key, second: null, entry: null, firstMs: null, isRouted: false };
      if (!full) handles.set(name, handle);
      return handle;
    },
    /** Whether an endpoint has a name of its own; then the name is free for others. @param {EndpointHandle} handle */
    forget(handle) {
      for (const [name, own] of handles) if (own === handle) return handles.delete(name);
      return false;
    },
  };
}

/**
 * The seconds that are not written yet, and the users of now, who go on from one second to the next.
 * @param {object} options
 * @param {(record: SecondFields) => void} options.write
 * @param {ReturnType<typeof createCalls>} options.calls
 * @param {() => number} options.now
 */
function createOpenSeconds({ write, calls, now }) {
  /** @type {Map<number, Second>} */
  const open = new Map();
  /** @type {Second | null} */
  let newest = null;
  let usersActive = 0;
  let lastWritten = floorToSecond(now()) - SECOND_MS;
  /** @param {number} fromMs */
  const close = fromMs => {
    open.delete(fromMs);
    if (newest?.fromMs === fromMs) newest = null;
  };
  return {
    /** @returns {Second} */
    current() {
      const ms = now();
      if (!newest || ms < newest.fromMs || ms >= newest.fromMs + SECOND_MS) {
        const fromMs = floorToSecond(ms);
        newest = open.get(fromMs) ?? createSecond(fromMs, ms);
        newest.usersMost = Math.max(newest.usersMost, usersActive);
        open.set(fromMs, newest);
      }
      newest.lastMs = ms;
      return newest;
    },
    /** @param {Second} second @param {number} count below 0 if they end */
    addUsers(second, count) {
      usersActive += count;
      second.usersMost = Math.max(second.usersMost, usersActive);
    },
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
}

/**
 * Counters, times and rates, each under a name.
 * @param {OpenSeconds} seconds
 * @param {(name: string) => string} keyOf
 * @param {boolean} perUrl
 */
function countByName({ current, addUsers }, keyOf, perUrl) {
  /**
   * @param {Second} second
   * @param {string} name
   * @param {number} value
   */
  const add = (second, name, value) => {
    const key = keyOf(name);
    second.counters[key] = (second.counters[key] ?? 0) + value;
    if (name === 'vusers.created') addUsers(second, value);
    else if (name === 'vusers.completed' || name === 'vusers.failed') addUsers(second, -value);
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
  };
}

/**
 * Requests of each endpoint, with their responses and what these say of the server.
 * @param {OpenSeconds} seconds
 * @param {ReturnType<typeof createServerSide>} serverSide
 * @param {ReturnType<typeof createCalls>} calls
 * @param {(text: string) => string} redact
 */
function countByEndpoint({ current }, serverSide, calls, redact) {
  /** @param {EndpointHandle} handle @returns {EndpointSecond} */
  const secondOf = handle => {
    const second = current();
    if (handle.second === second && handle.entry) return handle.entry;
    const entry = entryOf(second.endpoints, handle.key, createEndpoint);
    handle.second = second;
    handle.entry = entry;
    handle.firstMs ??= second.fromMs;
    return entry;
  };

  return {
    /** A request is being sent; each hop of a redirect is one. @param {EndpointHandle} handle */
    countRequest(handle) {
      secondOf(handle).requests += 1;
    },
    /**
     * The body of a counted response was gzip. What it says of its size is trusted as far as deflate can reach.
     * @param {EndpointHandle} handle
     * @param {number} status
     * @param {number} bytes as received
     * @param {NonNullable<import('../engine/http/connection/exchange.js').Exchange['gzip']>} gzip
     */
    countGzip(handle, status, bytes, { unpackedBytes, isBest }) {
      if (unpackedBytes === 0 || unpackedBytes > MOST_DEFLATED * bytes) return;
      const { sums } = answersOf(secondOf(handle), status);
      const own = { gzips: 1, bestGzips: Number(isBest), gzipBytes: bytes, unpackedBytes };
      for (const [id, amount] of Object.entries(own)) sums[id] = (sums[id] ?? 0) + amount;
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
     * @param {number} [parts] in which the body arrived
     */
    countAnswer(handle, status, ttfbMs, totalMs, fromIntendedMs, bytes = 0, bodyMs = 0, parts = 0) {
      const entry = secondOf(handle);
      const second = /** @type {Second} */ (handle.second);
      if (status >= 400) entry.errors += 1;
      const answers = answersOf(entry, status);
      answers.count += 1;
      if (Number.isFinite(ttfbMs)) answers.timeToFirstByte.accept(/** @type {number} */ (ttfbMs));
      if (totalMs !== undefined) addWhole(answers, totalMs, bytes, bodyMs, parts);
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
      const entry = secondOf(handle);
      entry[how] = (entry[how] ?? 0) + 1;
    },
    /** A request needs a variable that is empty. @param {EndpointHandle} handle @param {string} name in the script */
    countEmpty(handle, name) {
      const entry = secondOf(handle);
      entry.empty ??= {};
      entry.empty[name] = (entry.empty[name] ?? 0) + 1;
    },
    /**
     * Notes what a response reports about its server.
     * @param {EndpointHandle} handle
     * @param {AnswerSigns} signs
     */
    noteServer(handle, signs) {
      const entry = secondOf(handle);
      const second = /** @type {Second} */ (handle.second);
      const noted = serverSide.note(second, entry, signs);
      const { reported } = noted;
      if (reported && entry.server) {
        const { worker } = reported;
        const statements = calls.note(second, handle.key, worker, signs.readCalls(), entry.server);
        addQuery(handle, entry, signs.query ?? null, redact, [statements, reported.cpuMs]);
      }
      return noted;
    },
  };
}

/** @returns {EndpointSecond} */
const createEndpoint = () => ({ requests: 0, errors: 0, statuses: new Map() });

/** @param {EndpointSecond} entry @param {number} status @returns {Answers} */
const answersOf = ({ statuses }, status) => entryOf(statuses, status, createAnswers);

/** @returns {Answers} */
function createAnswers() {
  return { count: 0, timeToFirstByte: new Sketch(), total: new Sketch(), sums: {} };
}

/**
 * Adds a response that was read to its end.
 * @param {Answers} answers
 * @param {number} totalMs
 * @param {number} bytes
 * @param {number} bodyMs
 * @param {number} parts
 */
function addWhole({ total, sums }, totalMs, bytes, bodyMs, parts) {
  total.accept(totalMs);
  sums.responseBytes = (sums.responseBytes ?? 0) + bytes;
  // Most bodies come with their headers.
  if (bodyMs >= LEAST_BODY_MS) sums.bodyMs = (sums.bodyMs ?? 0) + bodyMs;
  if (parts >= LEAST_PARTS) sums.parts = (sums.parts ?? 0) + parts;
}

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
    renamed: {},
    calls: null,
  };
}

/** @param {number} ms */
export function floorToSecond(ms) {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}
