/**
 * Sums up the database statements and other calls that responses report (`Loadflame-Calls`,
 * `companion/loadflame/calls/ledger.py`), per second, endpoint and worker.
 */

import { foldPath } from '../../base/config/endpoint-names.js';
import { addTo, entryOf } from '../../base/files/maps.js';
import { tryOr } from '../../base/files/try-or.js';
import { Sketch } from '../../base/math/sketch.js';
import { sum } from '../../base/math/summary.js';
import { ACT_KINDS, isAct } from '../../run/acts.js';
import { addServer } from '../../run/server-sums.js';

/** @import { CallAmount as Amount, CallTold, ReportedCall as Call, ReportedCalls as Reported } from '../../run/facts/whole-request.d.ts' */
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
/** @type {string[]} */
const KINDS = ['sql', 'redis', 'mongodb', 'http', 'connect', ...ACT_KINDS];
const TEXTS = /** @type {const} */ (['system', 'text', 'file', 'function', 'relation']);

const NONE = /** @type {Amount} */ ([0, 0]);
const NO_SUMS = { pool: NONE, more: NONE, commits: NONE, held: NONE };
/** @type {Reported} */
const NOTHING = { ...NO_SUMS, cpu: null, calls: [], late: [0, []], named: [] };

/**
 * @param {(kind: 'call-named' | 'calls', fields: Record<string, unknown>) => void} write records of `load/calls.ndjson`
 * @param {(text: string) => string} redact
 */
export function createCalls(write, redact) {
  /** Responses count from the first one with the header on. */
  let isKnown = false;
  /** Measures of the database exist from the first call on: acts are none. */
  let hasCalls = false;
  /** Statements with their own sums; true: the name is written. @type {Map<string, boolean>} */
  const ids = new Map();
  /** By endpoint and worker: responses before the first late calls; −1: these have come. @type {Map<string, number>} */
  const early = new Map();

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
     * @returns {number | null} statements of this response; null: not known
     */
    note(second, endpoint, worker, text, server) {
      const key = `${endpoint}\n${worker}`;
      const earlier = early.get(key) ?? 0;
      if (earlier >= 0 && (earlier > 0 || early.size < MOST_GROUPS)) early.set(key, earlier + 1);
      if (text === null && !isKnown) return null;
      isKnown = true;
      const group = findGroup(second, endpoint, worker);
      const reported = text === null ? NOTHING : parseCalls(text);
      if (!reported) {
        group.unreadable += 1;
        return null;
      }
      for (const [id, name] of reported.named) {
        if (!takes(id) || ids.get(id)) continue;
        ids.set(id, true);
        write('call-named', { id, call: redactName(name, redact) });
      }
      // No response reports what the last request of a worker does after its headers: the first late calls of a load
      // stand for that too. They are of no request of it where an earlier load left them.
      const [requests, calls] = reported.late;
      const isFirst = requests > 0 && earlier >= 0;
      const times = isFirst ? Math.min(2, Math.round((earlier + 1) / requests)) : 1;
      if (isFirst) early.set(key, -1);
      const parts = [reported, ...Array(times).fill({ ...NO_SUMS, calls })];
      const amounts = parts.map(part => addCalls(group, part, takes));
      const sumUp = (/** @type {0 | 1} */ at) => sum(amounts.slice(0, 2).map(own => own[at][1]));
      if (reported.cpu) addServer(server, { calls: reported.cpu });
      group.responses += 1;
      addTo(group.perRequest, sumUp(0), 1);
      group.databaseMs.accept(sumUp(1));
      hasCalls ||=
        reported.pool[0] + reported.more[0] > 0 ||
        ![...reported.calls, ...calls].every(([, , , , , , kind = 'sql']) => isAct(kind));
      for (const [id, amount] of hasCalls ? amounts.flat() : [])
        addServer(server, { sums: { [id]: amount } });
      return amounts[0]?.[0][1] ?? 0;
    },
    /** Writes a finished second. @param {Second} second */
    write({ fromMs, calls }) {
      for (const group of calls?.values() ?? []) write('calls', { fromMs, ...groupToJson(group) });
    },
  };
}

/**
 * @param {Second} second
 * @param {string} endpoint
 * @param {string} worker
 * @returns {CallGroup}
 */
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

/** @returns {CallSums} */
const createSums = () => ({
  requests: 0,
  n: 0,
  us: 0,
  rows: 0,
  openUs: 0,
  most: 0,
  bins: new Map(),
});

/**
 * Adds calls of a request. Calls without a known statement (`more`) count as database time.
 * @param {CallGroup} group @param {Omit<Reported, 'late' | 'named' | 'cpu'>} reported @param {(id: string) => boolean} takes
 * @returns its amounts, by id of a measure
 */
function addCalls(group, { calls, pool, more, commits, held }, takes) {
  let [queries, databaseUs] = more;
  addAmount(group.more, more);
  addAmount(group.pool, pool);
  for (const [id, n, us, rows, openUs, bins, kind = 'sql'] of calls) {
    if (kind === 'sql') {
      queries += n;
      databaseUs += us;
    }
    if (!takes(id)) {
      if (!isAct(kind)) addAmount(group.more, [n, us]);
      continue;
    }
    const sums = entryOf(group.calls, id, createSums);
    sums.requests += 1;
    sums.n += n;
    sums.us += us;
    sums.rows = typeof rows === 'number' && sums.rows !== null ? sums.rows + rows : null;
    sums.openUs += openUs;
    sums.most = Math.max(sums.most, n);
    for (const [bin, count] of bins) addTo(sums.bins, bin, count);
  }
  return /** @type {const} */ ([
    ['db.queriesPerRequest', queries],
    ['db.msPerRequest', databaseUs / 1000],
    ['db.poolMsPerRequest', pool[1] / 1000],
    ['db.commitMsPerRequest', commits[1] / 1000],
    ['db.heldMsPerRequest', held[1] / 1000],
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

/**
 * The calls of a single response.
 * @param {string} text of the header @param {(text: string) => string} redact
 * @returns {Reported | null} null for an invalid header
 */
export function readCalls(text, redact) {
  const reported = parseCalls(text);
  const named = reported?.named.map(([id, name]) => [id, redactName(name, redact)]);
  return reported && /** @type {Reported} */ ({ ...reported, named });
}

/** @param {string} text @returns {Reported | null} null for an invalid header */
function parseCalls(text) {
  if (text.length > LONGEST_HEADER) return null;
  return tryOr(null, () => {
    const told = JSON.parse(text);
    const { calls = [], late = NOTHING.late, named = {} } = told;
    const { pool = NONE, more = NONE, commits = NONE, held = NONE, cpu = null } = told;
    const names = Object.entries(named);
    const isValid =
      isWhole(late[0], MOST_TIMES) &&
      [calls, late[1]].every(own => isList(own, MOST_ENTRIES) && own.every(isCall)) &&
      [pool, more, commits, held].every(isAmount) &&
      (cpu === null || [cpu[0] ?? 0, cpu[1]].every(us => isWhole(us, MOST_US))) &&
      names.length <= MOST_ENTRIES &&
      names.every(([id, name]) => ID.test(id) && isName(name));
    const cpuMs = cpu && { cpuMs: cpu[0] && cpu[0] / 1000, ownMs: cpu[1] / 1000 };
    return isValid ? { calls, late, pool, more, commits, held, cpu: cpuMs, named: names } : null;
  });
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
    KINDS.includes(String(kind))
  );
}

/** @param {unknown} value */
function isName(value) {
  const name = /** @type {Record<string, unknown>} */ (value);
  return (
    KINDS.includes(String(name.kind)) &&
    isNothingOr(name.line, isWhole(name.line, MOST_TIMES)) &&
    TEXTS.every(field => isNothingOr(name[field], typeof name[field] === 'string'))
  );
}

/** @param {CallTold} name @param {(text: string) => string} redact @returns {CallTold} */
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
