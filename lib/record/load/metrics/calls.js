/**
 * Sums up the database statements and other calls that responses report (`Loadflame-Calls`,
 * `companion/loadflame_companion.py`), per second, endpoint and worker.
 */
import { Sketch } from '../../../math/sketch.js';
import { foldPath } from '../../../run/endpoint-names.js';

/** @import { CallKind, StatementName } from '../../../facts/calls.d.ts' */
/** @import { CallGroup, CallSums, Second, ServerSums } from './second.d.ts' */

/** The companion sends at most 6 kB and 40 entries. */
const LONGEST_HEADER = 8192;
const MOST_ENTRIES = 64;
/** The companion tracks 500 per process; statements beyond the limit are summed up together. */
const MOST_STATEMENTS = 2000;
/** Per second: worker ids are untrusted. */
const MOST_GROUPS = 2000;
const OTHERS = '(others)';
/** Limits of a request: an hour, a million executions. */
const MOST_US = 3.6e9;
const MOST_TIMES = 1e6;
/** A bin is 10 % wide; this one contains `MOST_US`. */
const LAST_BIN = Math.round(Math.log(MOST_US) / Math.log(1.1));
const LONGEST_TEXT = 1000;
const ID = /^[0-9a-f]{8}$/;
/** @type {CallKind[]} */
const KINDS = ['sql', 'redis', 'mongodb', 'http'];
const TEXTS = /** @type {const} */ (['system', 'text', 'file', 'function', 'relation']);

/** In one request. @typedef {[id: string, n: number, us: number, rows: number | null, openUs: number, bins: [number, number][], kind?: CallKind]} Call */
/** @typedef {[count: number, us: number]} Amount */
/** @typedef {{calls: Call[], pool: Amount, more: Amount, named: [id: string, name: Omit<StatementName, 'id'>][]}} Reported */

/** @type {Reported} */
const NOTHING = { calls: [], pool: [0, 0], more: [0, 0], named: [] };

/**
 * @param {(kind: 'call-named' | 'calls', fields: Record<string, unknown>) => void} write records of `load/calls.ndjson`
 * @param {(text: string) => string} redact
 */
export function createCalls(write, redact) {
  /** Responses count from the first one with the header on. */
  let isKnown = false;
  /** Statements with their own sums; true: the name is written. @type {Map<string, boolean>} */
  const ids = new Map();

  /** @param {string} id */
  const takes = id => {
    if (!ids.has(id) && ids.size < MOST_STATEMENTS) ids.set(id, false);
    return ids.has(id);
  };

  return {
    /**
     * @param {Second} second
     * @param {string} endpoint
     * @param {string} worker that responded
     * @param {string | null} text of the header
     * @param {ServerSums} server of the endpoint
     */
    note(second, endpoint, worker, text, server) {
      if (text === null && !isKnown) return;
      isKnown = true;
      const group = findGroup(second, endpoint, worker);
      const reported = text === null ? NOTHING : parseCalls(text);
      if (!reported) {
        group.unreadable += 1;
        return;
      }
      for (const [id, name] of reported.named) {
        if (!takes(id) || ids.get(id)) continue;
        ids.set(id, true);
        write('call-named', { id, call: redactName(name, redact) });
      }
      server.sums ??= {};
      for (const [id, amount] of addRequest(group, reported, takes))
        server.sums[id] = (server.sums[id] ?? 0) + amount;
    },
    /** Writes a finished second. @param {Second} second */
    write({ fromMs, calls }) {
      for (const group of calls?.values() ?? []) write('calls', { fromMs, ...groupToJson(group) });
    },
  };
}

/** @param {Second} second @param {string} endpoint @param {string} worker @returns {CallGroup} */
function findGroup(second, endpoint, worker) {
  second.calls ??= new Map();
  const key = `${endpoint}\n${worker}`;
  const known = second.calls.get(key);
  if (!known && second.calls.size >= MOST_GROUPS && worker !== OTHERS)
    return findGroup(second, endpoint, OTHERS);
  const group = known ?? {
    ...{ endpoint, worker, responses: 0, unreadable: 0 },
    perRequest: new Map(),
    databaseMs: new Sketch(),
    pool: { count: 0, us: 0 },
    more: { count: 0, us: 0 },
    calls: new Map(),
  };
  second.calls.set(key, group);
  return group;
}

/**
 * Adds a request. Calls without a known statement (`more`) count as database time.
 * @param {CallGroup} group @param {Reported} reported @param {(id: string) => boolean} takes
 * @returns its amounts, by id of a measure
 */
function addRequest(group, { calls, pool, more }, takes) {
  let [queries, databaseUs] = more;
  addAmount(group.more, more);
  addAmount(group.pool, pool);
  for (const [id, n, us, rows, openUs, bins, kind = 'sql'] of calls) {
    if (kind === 'sql') {
      queries += n;
      databaseUs += us;
    }
    if (!takes(id)) {
      addAmount(group.more, [n, us]);
      continue;
    }
    /** @type {CallSums} */
    const sums = group.calls.get(id) ?? {
      ...{ requests: 0, n: 0, us: 0, rows: 0, openUs: 0, most: 0 },
      bins: new Map(),
    };
    group.calls.set(id, sums);
    sums.requests += 1;
    sums.n += n;
    sums.us += us;
    sums.rows = typeof rows === 'number' && sums.rows !== null ? sums.rows + rows : null;
    sums.openUs += openUs;
    sums.most = Math.max(sums.most, n);
    for (const [bin, count] of bins) sums.bins.set(bin, (sums.bins.get(bin) ?? 0) + count);
  }
  group.responses += 1;
  group.perRequest.set(queries, (group.perRequest.get(queries) ?? 0) + 1);
  group.databaseMs.accept(databaseUs / 1000);
  return /** @type {const} */ ([
    ['db.queriesPerRequest', queries],
    ['db.msPerRequest', databaseUs / 1000],
    ['db.poolMsPerRequest', pool[1] / 1000],
  ]);
}

/** @param {{count: number, us: number}} sums @param {Amount} amount */
function addAmount(sums, [count, us]) {
  sums.count += count;
  sums.us += us;
}

/** A `calls` record of `load/calls.ndjson`. @param {CallGroup} group */
function groupToJson({ perRequest, databaseMs, calls, unreadable, ...group }) {
  return {
    ...group,
    ...(unreadable > 0 && { unreadable }),
    perRequest: [...perRequest],
    databaseMs: databaseMs.toJson(),
    calls: [...calls].map(([id, { requests, n, us, rows, openUs, most, bins }]) => [
      ...[id, requests, n, us, rows, openUs, most],
      [...bins],
    ]),
  };
}

// -- The header is untrusted: one of another shape is not counted.

/** @param {string} text @returns {Reported | null} null for an invalid header */
function parseCalls(text) {
  if (text.length > LONGEST_HEADER) return null;
  try {
    const reported = JSON.parse(text);
    const { calls = [], pool = [0, 0], more = [0, 0], named = {} } = reported;
    const names = Object.entries(named);
    const isWhole =
      isList(calls, MOST_ENTRIES) &&
      calls.every(isCall) &&
      [pool, more].every(isAmount) &&
      names.length <= MOST_ENTRIES &&
      names.every(([id, name]) => ID.test(id) && isName(name));
    return isWhole ? { calls, pool, more, named: names } : null;
  } catch {
    return null;
  }
}

/** @param {unknown} value @param {number} most @returns {value is unknown[]} */
const isList = (value, most) => Array.isArray(value) && value.length <= most;

/** @param {unknown} value @param {number} most */
const isWhole = (value, most) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;

/** @param {unknown} value @param {boolean} isRight */
const isNothingOr = (value, isRight) => value === null || value === undefined || isRight;

/** @param {unknown} value */
const isAmount = value =>
  isList(value, 2) && isWhole(value[0], MOST_TIMES) && isWhole(value[1], MOST_US);

/** @param {unknown} value @returns {value is Call} */
function isCall(value) {
  if (!isList(value, 7)) return false;
  const [id, n, us, rows, openUs, bins, kind = 'sql'] = value;
  return (
    typeof id === 'string' &&
    ID.test(id) &&
    isAmount([n, us]) &&
    isNothingOr(rows, isWhole(rows, MOST_US)) &&
    isWhole(openUs, MOST_US) &&
    isList(bins, LAST_BIN) &&
    bins.every(bin => isList(bin, 2) && isWhole(bin[0], LAST_BIN) && isWhole(bin[1], MOST_TIMES)) &&
    KINDS.includes(/** @type {CallKind} */ (kind))
  );
}

/** @param {unknown} value */
function isName(value) {
  const name = /** @type {Record<string, unknown>} */ (value);
  return (
    KINDS.includes(/** @type {CallKind} */ (name.kind)) &&
    isNothingOr(name.line, isWhole(name.line, MOST_TIMES)) &&
    TEXTS.every(field => isNothingOr(name[field], typeof name[field] === 'string'))
  );
}

/** @param {Omit<StatementName, 'id'>} name @param {(text: string) => string} redact */
function redactName(name, redact) {
  const texts = TEXTS.map(field => [
    field,
    redact(name[field] ?? '').slice(0, LONGEST_TEXT) || null,
  ]);
  const call = { kind: name.kind, line: name.line ?? null, ...Object.fromEntries(texts) };
  // The companion does that, too, but the header is anyone's.
  if (call.kind === 'http') call.text = call.text?.replace(/\/.*$/s, foldPath) ?? null;
  return call;
}
