/**
 * What responses say of database statements and other calls (`Loadflame-Calls`, `companion/loadflame_companion.py`),
 * summed up per second, endpoint and worker.
 */
import { Sketch } from '../../../math/sketch.js';

/** @import { CallKind, StatementName } from '../../../facts/calls.d.ts' */
/** @import { CallGroup, Second, ServerSums } from './second.d.ts' */

/** The companion's has 6 kB and 40 entries at most. */
const LONGEST_HEADER = 8192;
const MOST_ENTRIES = 64;
/** The companion knows 500 per process; more are summed up. */
const MOST_STATEMENTS = 2000;
/** Of a second: worker ids come from outside. */
const MOST_GROUPS = 2000;
/** Of a request: an hour, a million executions. */
const MOST_US = 3.6e9;
const MOST_TIMES = 1e6;
/** A bin is 10 % wide: that of `MOST_US`. */
const LAST_BIN = Math.round(Math.log(MOST_US) / Math.log(1.1));
const LONGEST_TEXT = 1000;
const LONGEST_NAME = 300;
const ID = /^[0-9a-f]{8}$/;
/** @type {CallKind[]} */
const KINDS = ['sql', 'redis', 'mongodb', 'http'];

/** Of a request. @typedef {[id: string, n: number, us: number, rows: number | null, openUs: number, bins: [number, number][], kind?: CallKind]} Call */
/** How often, and µs. @typedef {[count: number, us: number]} Amount */
/** @typedef {{calls: Call[], pool: Amount, more: Amount, named: [id: string, name: Omit<StatementName, 'id'>][]}} Told */

/** @type {Told} */
const NOTHING = { calls: [], pool: [0, 0], more: [0, 0], named: [] };

/**
 * @param {(kind: 'call-named' | 'calls', fields: Record<string, unknown>) => void} write records of `load/calls.ndjson`
 * @param {(text: string) => string} redact
 */
export function createCalls(write, redact) {
  /** Until a response has the header, none is summed up. */
  let isKnown = false;
  /** Those with sums of their own; true: their names are written. @type {Map<string, boolean>} */
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
      const told = text === null ? NOTHING : parseCalls(text);
      if (!told) {
        group.unreadable += 1;
        return;
      }
      for (const [id, name] of told.named) {
        if (!takes(id) || ids.get(id)) continue;
        ids.set(id, true);
        write('call-named', { id, call: redactName(name, redact) });
      }
      const amounts = addRequest(group, told, takes);
      server.sums ??= {};
      for (const [id, amount] of amounts) server.sums[id] = (server.sums[id] ?? 0) + amount;
    },
    /** A second that is over. @param {Second} second */
    write({ fromMs, calls }) {
      for (const group of calls?.values() ?? []) write('calls', { fromMs, ...groupToJson(group) });
    },
  };
}

/** @param {Second} second @param {string} endpoint @param {string} worker @returns {CallGroup} */
function findGroup(second, endpoint, worker) {
  second.calls ??= new Map();
  const known = second.calls.get(`${endpoint}\n${worker}`);
  if (known) return known;
  const own = second.calls.size < MOST_GROUPS ? worker : '(others)';
  const group = second.calls.get(`${endpoint}\n${own}`) ?? {
    ...{ endpoint, worker: own, responses: 0, unreadable: 0 },
    perRequest: new Map(),
    databaseMs: new Sketch(),
    pool: { count: 0, us: 0, requests: 0 },
    more: { count: 0, us: 0 },
    calls: new Map(),
  };
  second.calls.set(`${endpoint}\n${own}`, group);
  return group;
}

/**
 * What no statement is known for counts as the database's.
 * @param {CallGroup} group @param {Told} told @param {(id: string) => boolean} takes
 * @returns its amounts, by id of a measure
 */
function addRequest(group, { calls, pool, more }, takes) {
  let [queries, databaseUs] = more;
  group.more.count += queries;
  group.more.us += databaseUs;
  for (const [id, n, us, rows, openUs, bins, kind = 'sql'] of calls) {
    if (kind === 'sql') {
      queries += n;
      databaseUs += us;
    }
    if (!takes(id)) {
      group.more.count += n;
      group.more.us += us;
      continue;
    }
    const sums = group.calls.get(id) ?? createSums();
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
  const [waits, poolUs] = pool;
  group.pool.count += waits;
  group.pool.us += poolUs;
  if (waits > 0) group.pool.requests += 1;
  return /** @type {const} */ ([
    ['db.queriesPerRequest', queries],
    ['db.msPerRequest', databaseUs / 1000],
    ['db.poolMsPerRequest', poolUs / 1000],
  ]);
}

function createSums() {
  return {
    ...{ requests: 0, n: 0, us: 0, openUs: 0, most: 0 },
    rows: /** @type {number | null} */ (0),
    bins: /** @type {Map<number, number>} */ (new Map()),
  };
}

/** As `calls` of `load/calls.ndjson`. @param {CallGroup} group */
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

// -- The header is text from outside: what is not of its shape is not counted.

/** @param {string} text @returns {Told | null} null for one that is not what it should be */
function parseCalls(text) {
  if (text.length > LONGEST_HEADER) return null;
  try {
    const told = JSON.parse(text);
    const { calls = [], pool = [0, 0], more = [0, 0], named = {} } = told;
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
  const { kind, text, line, ...names } = /** @type {Record<string, unknown>} */ (value);
  return (
    KINDS.includes(/** @type {CallKind} */ (kind)) &&
    typeof text === 'string' &&
    isNothingOr(line, isWhole(line, MOST_TIMES)) &&
    [names.system, names.file, names.function, names.relation].every(name =>
      isNothingOr(name, typeof name === 'string'),
    )
  );
}

/** @param {Omit<StatementName, 'id'>} name @param {(text: string) => string} redact */
function redactName({ kind, system, text, file, line, function: caller, relation }, redact) {
  const keep = (/** @type {string | null | undefined} */ own, most = LONGEST_NAME) =>
    own ? redact(own).slice(0, most) : null;
  return {
    ...{ kind, system: keep(system), text: keep(text, LONGEST_TEXT) },
    ...{ file: keep(file), line: line ?? null, function: keep(caller), relation: keep(relation) },
  };
}
