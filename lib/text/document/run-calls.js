/** Calls to databases and other services, as a part of a document. */
import { formatMs, formatNumberOf, formatPercent } from '../../base/format.js';
import { sum } from '../../base/math/summary.js';
import { findCostOf } from '../../run/facts/of-endpoint.js';
import { createShortener, nameCall, nameCaller, nameKind, waitOf } from '../calls.js';
import { formatFew, joinWords, listFirst } from '../words.js';
import {
  amount,
  code,
  column,
  drawing,
  findSmall,
  folded,
  inFull,
  lede,
  only,
  onPage,
  part,
  section,
  table,
} from './build.js';
import { MOST_ENDPOINTS } from './run-endpoints.js';
import { sayNoStats } from './run-plans.js';

/** @import { Act, CallsReport, DatabaseStats, EndpointSums, Statement } from '../../run/facts/calls.d.ts' */
/** @import { WordedReport } from '../worded-report.d.ts' */
/** @import { ColumnOf } from './build.js' */

/**
 * Percentiles and extremes of a selection are not known.
 * @template T @template {keyof T} Known
 * @typedef {Pick<T, Known> & {[Key in Exclude<keyof T, Known>]: T[Key] | null}} Known
 */
/** @typedef {Omit<Statement, 'most' | 'p95Ms'> & {most: number | null, p95Ms: number | null}} StatementRow */
/**
 * @typedef {Omit<EndpointSums, 'queries' | 'databaseMs'> & {queries: Known<EndpointSums['queries'], 'mean'>,
 *   databaseMs: Known<EndpointSums['databaseMs'], 'mean'>}} SumsRow
 */
/** @typedef {NonNullable<CallsReport['bound']>} Bound */
/** @typedef {SumsRow & {name: string, cpuMs: number | null}} EndpointRow `cpuMs`: CPU per request of ORM and driver */
/** @typedef {Pick<CallsReport, 'more'> & {statements: StatementRow[], endpoints: EndpointRow[], whole: SumsRow}} SelectedCalls */

const MOST_STATEMENTS = 20;
const MOST_STATEMENTS_SHORT = 3;
/** Share of the time in the server; with less in calls, the short form leaves them out. */
const MATTERS = 0.05;
const LONGEST_NAME = 200;
const MOST_USES = 2;
const OF_ALL = 'mean over all requests to its endpoints, with and without it';

/** @param {WordedReport} report @param {SelectedCalls | null} [calls] of a selection */
export function describeCalls(report, calls = callsOfRun(report)) {
  const stats = report.databaseStats;
  if (!calls)
    return stats ? section('database', 'Database', lede(describeStats(stats, calls))) : null;
  const { statements, endpoints, whole, more } = calls;
  const bound = report.calls?.bound ?? null;
  const overlaps = describeOverlaps(calls);
  const spentMs = whole.databaseMs.mean + whole.callsMs.mean;
  const isShort = whole.serverMs === null || spentMs >= whole.serverMs * MATTERS;
  const allMs = sum(statements.map(({ ms }) => ms));
  const shareOf = (/** @type {StatementRow} */ row) => (isConnect(row) ? null : row.ms / allMs);
  const small = findSmall(statements, 'statements', shareOf);
  /** @param {number} most */
  const statementTable = most =>
    table('Statements', statements, listColumns(statements, bound === null), {
      most,
      isSortable: true,
      small,
    });
  const left = `${formatNumberOf(more.count, 'more call')}, of statements that the companion could not list, took ${formatMs(more.ms)} in all.`;
  return section(
    'database',
    nameSection(calls, bound),
    only(['full'], lede(describeBase(calls))),
    bound && !statements.every(isConnect) && lede(describeBound(bound)),
    overlaps && lede(overlaps),
    stats && lede(describeStats(stats, calls)),
    isShort && only(['short'], statementTable(MOST_STATEMENTS_SHORT)),
    inFull(folded(part('By endpoint', endpointTable(endpoints, bound === null)))),
    inFull(part('Statements and other calls', statementTable(MOST_STATEMENTS))),
    onPage(folded(part('How this was measured', lede(describeBase(calls))))),
    more.count > 0 && inFull(lede(left)),
  );
}

/** What requests make the process do. @param {WordedReport} report */
export function describeActs({ calls }) {
  const acts = calls?.acts ?? [];
  const title = 'Files, imports, compiled code and processes of requests';
  /** @type {ColumnOf<Act>[]} */
  const columns = [
    column('', own => code([nameCaller(own), nameCall(own)].filter(Boolean).join(' '))),
    amount(
      'per request',
      own => own.perRequest,
      'count',
      'of its endpoints, also those without it',
    ),
    amount('in requests', own => own.requests / own.ofRequests, 'share'),
    column('endpoints', nameUses),
  ];
  return inFull(section('acts', title, table(title, acts, columns, { most: MOST_ENDPOINTS })));
}

/**
 * @template R
 * @param {string} label @param {(row: R) => number | null | undefined} of @param {string} [about]
 */
const times = (label, of, about) =>
  amount(label, row => (isConnect(row) ? null : of(row)), 'ms', about);

/** Its time is part of the call that needs it. @param {any} row */
const isConnect = row => row.kind === 'connect';

/** @param {StatementRow[]} statements @param {boolean} hasShares @returns {(ColumnOf<StatementRow> | false | null)[]} */
function listColumns(statements, hasShares) {
  // The text of a connection names its kind.
  const isMixed = new Set(statements.filter(own => !isConnect(own)).map(nameKind)).size > 1;
  const hasStats = statements.some(({ databaseMeanMs }) => databaseMeanMs !== undefined);
  const hasRows = statements.some(({ rows }) => rows !== null);
  const shorten = createShortener(statements);
  const ofServer = 'of the time that requests of its endpoints are inside the server';
  return [
    column('', row => nameRow({ ...row, short: ofConnection(row, statements) + shorten(row) })),
    isMixed && inFull(column('kind', nameKind)),
    amount('per request (all)', one => one.perRequest, 'count', `executions, ${OF_ALL}`),
    onPage(amount('most', one => one.most, 'count')),
    times(
      hasShares ? 'mean' : 'mean, at most',
      one => one.meanMs,
      'of one execution, as the app waits for it',
    ),
    hasStats &&
      times('in database', one => one.databaseMeanMs, 'of one execution, as PostgreSQL counts'),
    times('p95', one => one.p95Ms, 'of one execution'),
    hasRows && onPage(amount('rows', one => one.rows, 'count', 'per execution, mean')),
    onPage(times('time per request', one => one.ms / one.ofRequests, OF_ALL)),
    hasShares && amount('share', one => one.shareOfTotalMs || null, 'share', ofServer),
    inFull(column('endpoints', nameUses)),
  ];
}

/** The calls of the whole run. @param {Pick<WordedReport, 'calls' | 'costs'>} report @returns {SelectedCalls | null} null: none were reported */
export function callsOfRun({ calls, costs }) {
  if (!calls?.statements.length) return null;
  const endpoints = calls.endpoints.map(own => {
    const cost = findCostOf({ costs }, own.name);
    return { ...own, cpuMs: cpuOfDatabase(cost?.byCategory, one => one.cpuMsPerRequest) };
  });
  return { ...calls, endpoints };
}

/**
 * CPU for the ORM and the driver.
 * @template {{category: string}} P
 * @param {P[] | undefined} parts @param {(part: P) => number | null} msOf
 */
export function cpuOfDatabase(parts, msOf) {
  const own = parts?.find(({ category }) => category === 'database');
  return own ? msOf(own) : null;
}

/** "Database: 4.2 statements per request, 12.3 ms of 31.0 ms in the server (39.7 %); other calls 3.5 ms" @param {SelectedCalls} calls @param {Bound | null} bound */
function nameSection({ statements, whole, endpoints }, bound) {
  const { queries, serverMs } = whole;
  if (statements.every(isConnect)) return 'New connections; calls were not timed';
  const hasSql = statements.some(({ kind }) => kind === 'sql');
  const waitFor = (
    /** @type {'databaseMs' | 'callsMs'} */ which,
    /** @type {typeof inCalls} */ waitIn,
  ) => {
    const over = sum(endpoints.map(own => own.requests * (own[which].mean - waitIn(own))));
    const ms = whole[which].mean - over / Math.max(1, whole.requests);
    return { ms, isMost: over > 0, shown: `${bound || over > 0 ? 'at most ' : ''}${formatMs(ms)}` };
  };
  const others = waitFor('callsMs', inCalls);
  const pooled = statements.some(own => own.poolShare) ? ', with pool waits' : '';
  const { ms, isMost, shown } = hasSql ? waitFor('databaseMs', inDatabase) : others;
  const of = serverMs
    ? ` of ${formatMs(serverMs)} in the server${bound || isMost ? '' : ` (${formatPercent(ms / serverMs)})`}`
    : '';
  const what = hasSql ? `Database: ${formatFew(queries.mean)} statements` : 'Other services: calls';
  const more = hasSql && whole.callsMs.mean > 0 ? `; other calls ${others.shown}` : '';
  return `${what} per request, ${shown}${of}${more}${pooled}`;
}

/** Per request. @param {SumsRow} own */
const inDatabase = own => waitOf(own.databaseMs.mean, own.serverMs);
/** @param {SumsRow} own */
const inCalls = own => waitOf(own.callsMs.mean, own.serverMs);

/** @param {SelectedCalls} calls */
function describeOverlaps({ endpoints }) {
  const names = endpoints.flatMap(own =>
    inDatabase(own) < own.databaseMs.mean || inCalls(own) < own.callsMs.mean ? own.name : [],
  );
  return names.length === 0
    ? null
    : `${joinWords(listFirst(names, MOST_USES))}: the calls of a request take longer together than it is in the server, so some overlap, or run after the response. The wait for them is at most its time in the server.`;
}

/** @param {Bound} bound */
function describeBound({ by, cores }) {
  const what =
    by === 'workers'
      ? `The workers always had work for the CPU, and used ${cores.toFixed(2)} of a core each`
      : `The ${by === 'loop' ? 'event loop was blocked' : 'CPU was saturated'}`;
  return `${what}: times of calls are upper bounds, because a call ends for the app when its worker gets to the response.`;
}

/** @param {DatabaseStats} stats @param {SelectedCalls | null} calls */
function describeStats({ count, ms, refused }, calls) {
  if (refused) return `How long the database itself worked is not known: ${sayNoStats(refused)}`;
  if (count === 0)
    return 'PostgreSQL counted no execution during the run: is it the database of the app?';
  const each = ms / count;
  const ofRequest = calls && `, so ${formatMs(each * calls.whole.queries.mean)} per request`;
  return `PostgreSQL itself counted ${formatMs(each)} per execution${ofRequest ?? ''}: ${formatNumberOf(count, 'execution')} by all its users during the run, ${formatMs(ms)} in all.`;
}

/** @param {SelectedCalls} calls */
function describeBase({ whole }) {
  return `Measured by the companion in the workers: means over ${formatNumberOf(whole.requests, 'response')}, including those without statements. Pings are left out, and what begins or ends a transaction, except a BEGIN that waits for SQLite’s write lock (IMMEDIATE, EXCLUSIVE). “Per request (all)” of a statement is the ${OF_ALL}. Times are what the app waits for each, including the network and waiting for a CPU; calls at the same time all count.`;
}

/** What sets up a connection, and is sent as often as there are new ones; or waits for one of a client. @param {StatementRow} row @param {StatementRow[]} all */
function ofConnection({ text, endpoints, poolShare }, all) {
  if (poolShare) return `${Math.round(100 * poolShare)} % in its pool: `;
  const opened = all.filter(isConnect).flatMap(own => own.endpoints);
  const counts = new Set(opened.map(({ name, count }) => `${count} ${name}`));
  const isEach = endpoints.every(({ name, count }) => counts.has(`${count} ${name}`));
  return isEach && /^\W*(?:PRAGMA|SET|SHOW)\b/i.test(text ?? '') ? 'new connection: ' : '';
}

/** The line that sends it, and what it loads. @param {StatementRow & {short: string}} row */
function nameRow(row) {
  const text = [nameCaller(row), row.relation ?? row.short].filter(Boolean).join(' ');
  const name = code(text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text);
  return { ...drawing('statement', row), ...name };
}

/** "GET /orders, 2 others" @param {{endpoints: {name: string}[]}} row */
function nameUses({ endpoints }) {
  const names = endpoints.map(({ name }) => name);
  return listFirst(names, names.length > MOST_USES ? 1 : MOST_USES).join(', ');
}

/** @param {EndpointRow[]} endpoints @param {boolean} hasShares */
function endpointTable(endpoints, hasShares) {
  const [each, single] = ['statements per request', 'statements of a single request'];
  const hasPool = endpoints.some(({ poolMs }) => poolMs.count > 0);
  const hasCpu = endpoints.some(({ cpuMs }) => cpuMs !== null);
  const cpu = 'per request, from samples';
  const hasCalls = endpoints.some(({ callsMs }) => callsMs.mean > 0);
  /** @type {(ColumnOf<EndpointRow> | false | null)[]} */
  const columns = [
    column('', ({ name }) => name),
    onPage(amount('responses', ({ requests }) => requests, 'count')),
    amount('statements', ({ queries }) => queries.mean, 'count', each),
    amount('median', ({ queries }) => queries.p50, 'count', each),
    amount('p95', ({ queries }) => queries.p95, 'count', each),
    amount('most', ({ queries }) => queries.most, 'count', single),
    times(
      hasShares ? 'database' : 'database, at most',
      inDatabase,
      'in statements per request, mean',
    ),
    onPage(times('database p95', ({ databaseMs }) => databaseMs.p95, 'in statements per request')),
    hasShares &&
      amount('of server time', one => one.serverMs && inDatabase(one) / one.serverMs, 'share'),
    hasPool && times('pool wait', ({ poolMs }) => poolMs.mean, 'for a connection, per request'),
    hasCalls && times('other calls', inCalls, 'Redis, MongoDB and HTTP'),
    hasCpu && onPage(times('CPU of ORM, driver', ({ cpuMs }) => cpuMs, cpu)),
  ];
  return table('By endpoint', endpoints, columns, { most: MOST_ENDPOINTS, isSortable: true });
}
