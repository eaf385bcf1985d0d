/**
 * Keeps whole the slowest requests of each endpoint and the first failure of each kind, anew in each phase. Only their
 * times stay in memory: every few seconds, those that are still among the slowest are written.
 */
import { entryOf } from '../../base/files/maps.js';
import { MAX_ERROR_NAME, nameError } from './error-samples.js';

/** @import { SlowRecord } from '../../run/facts/records.d.ts' */
/** @import { WholeRequest } from '../../run/facts/whole-request.d.ts' */
/** @import { Exchange } from '../engine/http/connection/exchange.js' */
/** @import { Outcome } from './whole-request.js' */

const SLOWEST = 10;
/** A target that responds with ever new codes must not fill the disk. */
const MOST_KINDS = 200;
/** While latency grows, each request is among the slowest: most are replaced before they are written. */
const WRITE_EACH_MS = 10_000;
const MOST_UNWRITTEN = 500;

/** @typedef {{totalMs: number, build: () => SlowRecord}} Unwritten redacted when it is written: that takes longest */

/**
 * @param {(record: SlowRecord) => void} write
 * @param {(exchange: Exchange, outcome: Outcome) => WholeRequest} describe
 * @param {{now?: () => number}} [options]
 */
export function createSlowest(write, describe, { now = Date.now } = {}) {
  /** By endpoint: the longest times of the phase, ascending. @type {Map<string, number[]>} */
  const times = new Map();
  /** @type {Set<string>} */
  const failed = new Set();
  /** By endpoint. @type {Map<string, Unwritten[]>} */
  const unwritten = new Map();
  let count = 0;
  let writtenMs = now();

  const flush = ({ all = false } = {}) => {
    if (!all && now() - writtenMs < WRITE_EACH_MS) return;
    for (const { build } of [...unwritten.values()].flat()) write(build());
    unwritten.clear();
    count = 0;
    writtenMs = now();
  };

  const build = (/** @type {Exchange} */ exchange, /** @type {Outcome} */ outcome) =>
    toRecord(describe(exchange, outcome), exchange.execution.context._uid);

  return {
    /** A request has ended. @param {Exchange} exchange @param {Outcome} outcome */
    offer(exchange, outcome) {
      const { endMs, queuedAtMs, status, options } = exchange;
      // Its reader decides how long an event stream lasts.
      if (endMs === 0) return;
      const { error } = outcome;
      const totalMs = endMs - queuedAtMs;
      const { key } = options.endpoint;
      const hasFailed = status >= 400 || Boolean(error);
      const kind = `${key} ${status >= 400 ? status : nameError(error)}`;
      const isFirst = hasFailed && failed.size < MOST_KINDS && !failed.has(kind);
      if (isFirst) {
        failed.add(kind);
        write(build(exchange, outcome));
      }
      const longest = entryOf(times, key, () => []);
      if (longest.length === SLOWEST && totalMs <= (longest[0] ?? 0)) return;
      longest.push(totalMs);
      longest.sort((a, b) => a - b);
      if (longest.length > SLOWEST) longest.shift();
      if (isFirst) return;
      // Bodies may be long, and users hold what they captured. Of good responses, no body is kept.
      const { _uid, scenario } = exchange.execution.context;
      const execution = { context: { _uid, scenario } };
      const own = { ...options, body: null };
      const bare = { ...exchange, chunks: null, abort: null, execution, options: own };
      const waiting = entryOf(unwritten, key, () => []);
      waiting.push({ totalMs, build: () => build(/** @type {any} */ (bare), { error }) });
      waiting.sort((a, b) => b.totalMs - a.totalMs);
      if (waiting.length > SLOWEST) waiting.pop();
      else count += 1;
      if (count >= MOST_UNWRITTEN) flush({ all: true });
    },
    flush,
    /** A phase begins: its report shows its own slowest. */
    restart() {
      times.clear();
      failed.clear();
    },
  };
}

/** @param {WholeRequest} request @param {unknown} user @returns {SlowRecord} */
function toRecord({ calls, ...request }, user) {
  const { status, error } = request;
  return {
    ...request,
    // `load/calls.ndjson` has the names.
    calls: calls && {
      pool: calls.pool,
      more: calls.more,
      calls: calls.calls.map(([id, n, us, , , , kind = 'sql']) => [id, n, us, kind]),
    },
    code: (status ?? 0) >= 400 ? String(status) : (error?.slice(0, MAX_ERROR_NAME) ?? null),
    user: String(user ?? ''),
  };
}

/** @typedef {ReturnType<typeof createSlowest>} Slowest */
