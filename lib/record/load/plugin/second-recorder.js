/** Sums up what happens in a thread, second by second. */
import { createSketch, sketchToJson } from '../../../run/sketch.js';

const SECOND_MS = 1000;
/** Paths without a recognisable id (slugs, names) must not grow the file without end. */
const MAX_ENDPOINTS = 300;
/** Connection times are zero on a connection that is already open, and mostly are. */
const CONNECTION_TIMES = new Set(['http.dns', 'http.tcp', 'http.tls']);
/** Kept per endpoint by us. */
const PER_URL = 'plugins.metrics-by-endpoint.';

/**
 * @typedef {object} Endpoint
 * @property {number} requests
 * @property {Record<string, number>} codes
 * @property {number} errors
 * @property {import('@datadog/sketches-js').DDSketch} timeToFirstByte
 */

/** @typedef {{counters: Record<string, number>, sketches: Record<string, import('@datadog/sketches-js').DDSketch>, endpoints: Map<string, Endpoint>}} Second */

/**
 * @param {(record: Record<string, any>) => void} write takes the fields of a `second` record
 * @param {object} [options]
 * @param {(text: string) => string} [options.redact] errors and paths are text from outside
 * @param {() => number} [options.now]
 */
export function createSecondRecorder(write, { redact = text => text, now = Date.now } = {}) {
  /** @type {Map<number, Second>} */
  const open = new Map();
  /** @type {Map<string, string>} as asked for → as written */
  const endpointNames = new Map();
  let usersActive = 0;
  let lastWritten = floorToSecond(now()) - SECOND_MS;

  /** @returns {Second} */
  const current = () => {
    const fromMs = floorToSecond(now());
    let second = open.get(fromMs);
    if (!second) {
      second = { counters: {}, sketches: {}, endpoints: new Map() };
      open.set(fromMs, second);
    }
    return second;
  };

  /** @param {string} name @returns {Endpoint} */
  const endpoint = name => {
    let key = endpointNames.get(name);
    if (key === undefined) {
      const full = endpointNames.size >= MAX_ENDPOINTS;
      key = full ? `${name.split(' ')[0]} (other paths)` : redact(name);
      if (!full) endpointNames.set(name, key);
    }
    const { endpoints } = current();
    let entry = endpoints.get(key);
    if (!entry) {
      entry = { requests: 0, codes: {}, errors: 0, timeToFirstByte: createSketch() };
      endpoints.set(key, entry);
    }
    return entry;
  };

  return {
    /** @param {string} name @param {number} value */
    count(name, value) {
      if (!value || name.startsWith(PER_URL)) return;
      const { counters } = current();
      const key = name.startsWith('errors.') ? redact(name) : name;
      counters[key] = (counters[key] ?? 0) + value;
      if (name === 'vusers.created') usersActive += value;
      else if (name === 'vusers.completed' || name === 'vusers.failed') usersActive -= value;
    },
    /** @param {string} name @param {number} value */
    measure(name, value) {
      if (!Number.isFinite(value) || value < 0 || name.startsWith(PER_URL)) return;
      if (value === 0 && CONNECTION_TIMES.has(name)) return;
      const { sketches } = current();
      sketches[name] ??= createSketch();
      sketches[name].accept(value);
    },
    /** @param {string} name */
    countRequest(name) {
      endpoint(name).requests += 1;
    },
    /** @param {string} name @param {number} status @param {number | undefined} timeToFirstByteMs */
    countAnswer(name, status, timeToFirstByteMs) {
      const entry = endpoint(name);
      entry.codes[status] = (entry.codes[status] ?? 0) + 1;
      if (status >= 400) entry.errors += 1;
      if (Number.isFinite(timeToFirstByteMs))
        entry.timeToFirstByte.accept(Number(timeToFirstByteMs));
    },
    /** A request that ended without an answer. @param {string} name */
    countNoAnswer(name) {
      endpoint(name).errors += 1;
    },
    /**
     * Writes the seconds that are over; with `all` the one that is not over, too.
     * @param {{all?: boolean}} [options]
     */
    flush({ all = false } = {}) {
      const end = floorToSecond(now()) + (all ? SECOND_MS : 0);
      for (let fromMs = lastWritten + SECOND_MS; fromMs < end; fromMs += SECOND_MS) {
        const second = open.get(fromMs);
        open.delete(fromMs);
        if (second || usersActive > 0) write({ fromMs, ...toJson(second), usersActive });
      }
      if (end - SECOND_MS > lastWritten) lastWritten = end - SECOND_MS;
      // The clock was set back, or the current second was flushed before: no gauge the second time.
      for (const [fromMs, second] of open) {
        if (fromMs > lastWritten) continue;
        open.delete(fromMs);
        write({ fromMs, ...toJson(second) });
      }
    },
  };
}

/** @typedef {ReturnType<typeof createSecondRecorder>} SecondRecorder */

/** @param {Second} [second] */
function toJson(second = { counters: {}, sketches: {}, endpoints: new Map() }) {
  return {
    counters: second.counters,
    sketches: Object.fromEntries(
      Object.entries(second.sketches).map(([name, sketch]) => [name, sketchToJson(sketch)]),
    ),
    endpoints: Object.fromEntries(
      [...second.endpoints].map(([name, { timeToFirstByte, ...counts }]) => [
        name,
        { ...counts, timeToFirstByte: sketchToJson(timeToFirstByte) },
      ]),
    ),
  };
}

/** @param {number} ms */
function floorToSecond(ms) {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}
