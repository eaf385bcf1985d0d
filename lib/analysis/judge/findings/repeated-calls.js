/** When a statement that a request repeats is an N+1, and the gain from executing it once. */

import { widenInterval } from '../../../base/math/intervals.js';
import { sum } from '../../../base/math/summary.js';
import { findCallsOf, findCostOf } from '../../../run/facts/of-endpoint.js';
import { predictShorter } from '../../bottleneck/predict-fix.js';
import { foreseeGain, isCpuBound } from '../../bottleneck/what-if.js';

/** @import { EndpointCalls, Statement } from '../../../run/facts/calls.d.ts' */
/** @import { Estimate } from '../../../base/math/estimate.d.ts' */
/** @import { RequestPath } from '../../../run/facts/bottleneck.d.ts' */
/** @import { Facts } from '../statements.js' */

/** @typedef {Statement['endpoints'][number]} Use of a statement, in the requests to one endpoint */
/** @typedef {{one: Statement, use: Use, own: EndpointCalls | undefined}} Repeated */

/** Per request: so many are noticeable with a more distant database, however quick each is. */
export const MANY_CALLS = 20;
/** Per request. A view that looks up a few rows one after another repeats its statement two to four times. */
const LEAST_REPEATS = 5;
/** Per request: some requests end before. */
const NEARLY_TWICE = 1.9;
/** Share of the endpoint's requests: fewer make it a rare path, such as a retry after an error. */
const IN_MOST = 0.5;
/** Maximum ÷ mean, and p95 ÷ median. A count that is the same in every request is not of rows: say, 12 months. */
const VARIES = 1.2;
/** Rows per execution: a loop that polls mostly finds nothing. */
const FINDS_ROWS = 0.5;
/** Between two executions, outside of calls: a longer pause means a polling loop. */
const PAUSE_MS = 50;
/** One query for all rows takes longer than one for a single row: at worst that costs half of the time saved. */
const LEAST_SAVED = 0.5;

/** The companion cuts the middle out of a long text, maybe with its FROM. */
const READS_ROWS = /^\W*(?:SELECT|WITH)\b.*(?:\bFROM\b|\S \.\.\. )/is;
/** Inserts from queries, sequences, and what an ORM asks the database about itself. `SELECT … FOR UPDATE` reads rows. */
const NO_ROWS_OF_APP =
  /\b(?:INSERT INTO|(?<!\bFOR (?:NO KEY )?)UPDATE|DELETE FROM|MERGE INTO|pg_catalog|information_schema|sqlite_master|nextval)\b/i;
const WRITES = /^\W*(?:INSERT|UPDATE|DELETE|REPLACE|MERGE)\b/i;
/** Questions about the schema and settings, whose responses rarely change, and procedures. */
export const ASKS = /^\W*(?:PRAGMA|SHOW|DESCRIBE|CALL|EXEC)\b/i;
const COUNTS = /^\W*SELECT COUNT\(/i;
const CUTS = /\b(?:LIMIT|FETCH (?:FIRST|NEXT))\b/i;
/** A list of keys: `selectinload` and `prefetch_related` repeat the statement for each 500 keys or so. */
const TAKES_LIST = /\bIN \((?!\s*SELECT\b)|\bANY ?\(/i;

/** @param {Statement} statement */
const isRead = ({ kind, text }) =>
  kind === 'sql' && READS_ROWS.test(text ?? '') && !NO_ROWS_OF_APP.test(text ?? '');

/** @param {Statement} statement */
export const isWrite = ({ kind, text }) => kind === 'sql' && WRITES.test(text ?? '');

/** Rows per execution. The list has a single key where the app loads one object after another. */
const ROWS_OF_ONE = 2;

/** @param {Statement} statement */
const takesList = ({ text, rows }) =>
  TAKES_LIST.test(text ?? '') && (rows === null || rows > ROWS_OF_ONE);

/**
 * An ORM that loads an object's relation does so for that object. Without a relation, the statement follows rows if
 * its count varies from request to request. A polling loop pauses, or finds nothing.
 * @param {Repeated} repeated
 */
function isOfRows({ one, own }) {
  if (one.relation !== null || !own) return one.relation !== null;
  const { queries, serverMs, databaseMs, callsMs } = own;
  return (
    one.most >= (one.count / one.requests) * VARIES &&
    (queries.p95 ?? queries.most) >= queries.p50 * VARIES &&
    (one.rows ?? 1) >= FINDS_ROWS &&
    (serverMs ?? 0) - databaseMs.mean - callsMs.mean < queries.mean * PAUSE_MS
  );
}

/**
 * A statement has one place in an endpoint, and two relations make two.
 * @param {Statement} one @param {Use} use @param {EndpointCalls | undefined} own @param {number} least per request
 */
const isAgain = (one, use, own, least) =>
  !takesList(one) &&
  (one.relation !== null || one.file !== null) &&
  use.count >= use.requests * least &&
  use.requests >= (own?.requests ?? use.requests) * IN_MOST;

/**
 * An N+1: a query for each row of another one. A loop that sends different statements shows up as several statements, and
 * a batch of inserts reads no rows.
 * @param {Statement} one @param {Use} use @param {EndpointCalls | undefined} own
 */
export const isForEachRow = (one, use, own) =>
  isRead(one) && isAgain(one, use, own, LEAST_REPEATS) && isOfRows({ one, use, own });

/** Does it repeat from one place, for rows or not? @param {Statement} one @param {Use} use @param {EndpointCalls | undefined} own */
export const isRepeated = (one, use, own) =>
  (one.kind !== 'sql' || isRead(one) || isWrite(one) || ASKS.test(one.text ?? '')) &&
  isAgain(one, use, own, one.kind === 'connect' ? 1 : LEAST_REPEATS);

/** Of a relation: fewer statements for its parents are not one for each. */
const NEARLY_EACH = 0.9;
const FROM = /\bFROM\s+(?:["`[]?\w+["`\]]?\.)?["`[]?(\w{1,100})/i;

/** "billversion" of BillVersion and bill_versions, "categor" of Category and categories @param {string} name */
const stemOf = name =>
  name
    .replaceAll('_', '')
    .toLowerCase()
    .replace(/[yi]?[es]*$/, '');

/** @param {string | null} text of a statement @returns {string} '' if not known */
const tableOf = text => FROM.exec(text ?? '')?.[1] ?? '';

/**
 * The query for one page of the rows that a statement counts, in the same requests; null: there is none.
 * @param {Statement} count @param {Use} use @param {Statement[]} statements
 */
export function findPage({ text }, { name, requests, count }, statements) {
  const table = tableOf(text);
  if (!COUNTS.test(text ?? '') || table === '' || count >= requests * LEAST_REPEATS) return null;
  const isPage = (/** @type {Statement} */ one) =>
    isRead(one) &&
    CUTS.test(one.text ?? '') &&
    tableOf(one.text) === table &&
    (one.rows ?? Infinity) >= ROWS_OF_ONE &&
    one.endpoints.some(own => own.name === name && own.requests >= requests * IN_MOST);
  return statements.find(isPage) ?? null;
}

/**
 * The statement that loads the parents of a relation one by one, too, so that no single query has its rows; null: none
 * is known. Tables are those of a class if their names, or the ends of them as Django makes them, are.
 * @param {Statement} call @param {Use[]} uses @param {Statement[]} statements
 */
export function findParents({ id, relation, text }, uses, statements) {
  const parent = relation?.split('.').at(-2) ?? '';
  const isOfParent = (/** @type {string | null} */ sql) => {
    const table = tableOf(sql);
    return [table, table.replace(/^[^_]+_/, '')].some(name => stemOf(name) === stemOf(parent));
  };
  if (!parent || isOfParent(text)) return null; // of a tree, all statements read the same table
  const isAsOften = (/** @type {Statement} */ one) =>
    uses.every(({ name, count }) =>
      one.endpoints.some(own => own.name === name && own.count >= count * NEARLY_EACH),
    );
  const isOther = (/** @type {Statement} */ one) =>
    one.id !== id && isRead(one) && !takesList(one) && isOfParent(one.text);
  return statements.find(one => isOther(one) && isAsOften(one)) ?? null;
}

/** A SELECT that one line sends exactly twice in most requests. @type {typeof isRepeated} */
export const isTwice = (one, use, own) =>
  isRead(one) && one.most === 2 && isAgain(one, use, own, NEARLY_TWICE);

/**
 * The share of an endpoint's CPU that goes to each of its queries: that of the database (ORM and driver), divided evenly.
 * @param {string} name @param {Pick<Facts, 'calls' | 'costs'>} facts
 * @returns {number | null} null where it is not known
 */
export function cpuOfQuery(name, facts) {
  const queries = findCallsOf(facts, name)?.queries.mean;
  const cost = findCostOf(facts, name);
  if (!queries || !cost?.samples) return null;
  return (cost.byCategory.find(({ category }) => category === 'database')?.share ?? 0) / queries;
}

/** Rows for which ORM and driver need as much CPU as for a statement with one, in SQLAlchemy and Django. */
const ROWS_OF_CPU = 30;

/**
 * The gain in requests per second if each of these requests executed the statement once. That saves the time of its
 * other executions, and of the CPU for the database (ORM and driver) at most the same share as of the queries.
 * @param {Statement} statement @param {Use[]} uses @param {Facts} facts
 * @returns {Estimate | null} null where the resource model cannot predict it
 */
export function predictOnce({ kind }, uses, facts) {
  const { calls, bottleneck, cpu: used, profile, run, timeline = null } = facts;
  const { serverMs, requests: all } = calls?.whole ?? {};
  if (!bottleneck || !serverMs || !all) return null;
  const gone = uses.map(({ name, ms, requests, count }) => {
    const own = findCallsOf(facts, name);
    const insideMs = Math.min(ms, own?.serverMs ? own.serverMs * own.requests : ms);
    const cpu = findCostOf(facts, name)?.shareOfCpu.value ?? 0;
    const most = (cpu * (cpuOfQuery(name, facts) ?? 0) * (count - requests)) / (own?.requests || 1);
    // Their rows are read either way.
    const more = (calls?.statements ?? []).flatMap(({ rows, endpoints }) =>
      endpoints.map(use => (use.name === name ? use.count * Math.max(0, (rows ?? 1) - 1) : 0)),
    );
    const each = sum(more) / ((own?.queries.mean || 1) * (own?.requests || 1));
    return { ms: insideMs * (1 - requests / count), most, cpu: most / (1 + each / ROWS_OF_CPU) };
  });
  /** @type {(kind: RequestPath['kind'], value: number, high?: number) => RequestPath & {share: {low: number, high: number}}} */
  const shorten = (kind, value, high = value) => {
    return { kind, function: '', file: '', share: { value, low: value * LEAST_SAVED, high } };
  };
  const cpu = shorten('cpu', sum(gone.map(one => one.cpu)), sum(gone.map(({ most }) => most)));
  // With less work, requests wait less for a core, too.
  if (isCpuBound(bottleneck) && used && profile) {
    const { high } = widenInterval(cpu.share, profile.samples);
    return foreseeGain({ run, timeline, bottleneck, cpu: used }, { ...cpu.share, high });
  }
  // An upper bound would promise too much.
  const goneMs = calls?.bound ? 0 : sum(gone.map(({ ms }) => ms));
  const wait = shorten(kind === 'http' ? 'external-call' : 'database', goneMs / (serverMs * all));
  return predictShorter(bottleneck.id, bottleneck.facts, [wait, cpu]);
}
