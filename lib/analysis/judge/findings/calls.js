/** What the statements and other calls of requests cost. Statement texts contain no values. */
import { sum } from '../../../base/math/summary.js';
import { findCallsOf, findCostOf } from '../../../run/facts/of-endpoint.js';
import { isCpuBound } from '../../bottleneck/what-if.js';
import { WAITS_FOR_ITEM } from '../bottleneck/gather-run.js';
import { finding } from '../statements.js';
import {
  ASKS,
  cpuOfQuery,
  findPage,
  findParents,
  isForEachRow,
  isRepeated,
  isTwice,
  isWrite,
  MANY_CALLS,
  predictOnce,
} from './repeated-calls.js';

/** @import { Statement } from '../../../run/facts/calls.d.ts' */
/** @import { CallOfEndpoint } from '../../../run/facts/findings.d.ts' */
/** @import { Facts, FindingRule } from '../statements.js' */

/** Share of a request's time in the server; without that time, ms. Less is only a remark. */
const MUCH_TIME = 0.1;
const MUCH_MS = 10;

/** A statement makes requests slow only if its p95 is at least half of theirs, and at least 20 ms. */
const PART_OF_P95 = 0.5;
const SLOW_MS = 20;
const VERY_SLOW_MS = 100;
/** A p95 needs at least 20 executions. A statement in fewer than 5 % of the requests does not set their p95. */
const LEAST_CALLS = 20;
const LEAST_REQUESTS = 0.05;
/** With more executions per request, their number is what counts. */
const FEW_CALLS = 5;
/** Of an endpoint's mean time in the server: less is one part of it among others. */
const LARGE_PART = 0.3;
/** No index has such an order. */
const AT_RANDOM = /\bORDER BY (?:random|rand|newid)\(\)/i;
/** A statement's p95 covers all endpoints: it stands for an endpoint only if that has most of the executions. */
const MOSTLY = 0.5;

/** Any pool in use shows shorter waits for a connection. */
const POOL_MS = 1;

/** Per request. A call to a nearby service is shorter. */
const OPEN_MS = 10;
const LONG_OPEN_MS = 50;

/** Bytes of the response per row read: even a list of short rows has more, also if it was compressed. */
const MANY_ROWS = 500;
const SOME_ROWS = 100;
const [BYTES_PER_ROW, GZIP_BYTES_PER_ROW] = [2, 0.5];
const NEARLY_ALL = 0.9;
const MOST_ACTS = 5;

/** @param {Statement['endpoints'][number]} use @param {Facts} facts @returns {CallOfEndpoint} */
function describeUse({ name, requests, count, ms }, facts) {
  const own = findCallsOf(facts, name);
  const all = own?.requests || requests;
  return {
    name,
    ofRequests: requests / all,
    perRequest: count / all,
    msPerRequest: ms / all,
    serverMs: own?.serverMs ?? null,
    ...(facts.calls?.bound && { isBound: true }),
    view: findCostOf(facts, name)?.views[0] ?? null,
  };
}

/** Is it a large part of a request's time, at most? @param {Pick<CallOfEndpoint, 'msPerRequest' | 'serverMs'>} times */
const mayBeMuch = ({ msPerRequest, serverMs }) =>
  msPerRequest >= (serverMs === null ? MUCH_MS : serverMs * MUCH_TIME);

/** @param {Pick<CallOfEndpoint, 'msPerRequest' | 'serverMs' | 'isBound'>} times */
const isMuch = times => !times.isBound && mayBeMuch(times);

/**
 * Where times are not known, the count says more, unless even their upper bound and the CPU of driver and ORM are little.
 * @param {CallOfEndpoint} own @param {Statement} call @param {Facts} facts
 */
function isMany({ name, perRequest, ...own }, { system, text }, facts) {
  if (perRequest >= MANY_CALLS && system !== 'sqlite') return true;
  if (perRequest < (own.isBound ? MANY_CALLS / 2 : MANY_CALLS)) return false;
  // Driver and ORM make no objects of settings.
  const cpuShare = ASKS.test(text ?? '') ? 0 : cpuOfQuery(name, facts);
  return mayBeMuch(own) || cpuShare === null || cpuShare * perRequest >= MUCH_TIME;
}

/** Samples show how long requests wait in the function that opens a connection. @param {Statement} call @param {Facts} facts */
const findOpening = ({ function: name, file }, { bottleneck }) =>
  bottleneck?.paths.find(own => own.as === 'connect' && own.function === name && own.file === file);

/** Statements that a request repeats; those that run for each row of another one come first. @type {FindingRule} */
export function findRepeatedCalls(facts) {
  const statements = facts.calls?.statements ?? [];
  const found = statements.flatMap(call => {
    const pairs = call.endpoints.map(use => ({ use, own: findCallsOf(facts, use.name) }));
    const isPerRow = pairs.some(({ use, own }) => isForEachRow(call, use, own));
    const again = pairs.filter(({ use, own }) => isRepeated(call, use, own));
    const twice = pairs.filter(
      ({ use, own }) => isTwice(call, use, own) && isMuch(describeUse(use, facts)),
    );
    // Rows that one endpoint loads one by one are rows in another one, too, whose pages have the same number.
    const uses = (again.length > 0 ? again : twice).map(({ use }) => use);
    if (uses.length === 0) return [];
    const isSerious = uses
      .map(use => describeUse(use, facts))
      .some(one => isMuch(one) || isMany(one, call, facts));
    // SQLite opens a file, which samples of the driver show to cost much or not.
    const isRemote = call.kind === 'connect' && call.system !== 'sqlite';
    const isWarning = isRemote || (isSerious && again.length > 0);
    return { isWarning, isPerRow, call, uses, parents: findParents(call, uses, statements) };
  });
  // New connections to one service are one finding, whichever lines open them; so are relations of the same rows.
  const alike = Map.groupBy(found, ({ isPerRow, call, uses, parents }) => {
    if (call.kind === 'connect') return call.text;
    if (!isPerRow || !call.relation || parents) return call.id;
    const names = uses.map(({ name }) => name).sort();
    const isCount = /^SELECT COUNT/i.test(call.text ?? '');
    return [call.relation.split('.').at(-2), isCount, ...names].join('\n');
  });
  const merged = [...alike.values()].flatMap(all => {
    const uses = all.flatMap(own => own.uses);
    const endpoints = [...Map.groupBy(uses, ({ name }) => name).values()].flatMap(same => {
      const sums = { count: sum(same.map(own => own.count)), ms: sum(same.map(own => own.ms)) };
      return same.slice(0, 1).map(use => describeUse({ ...use, ...sums }, facts));
    });
    const [own] = all;
    const [first] = endpoints;
    if (!own || !first) return [];
    const { isPerRow, call, parents } = own;
    const spentMs = Math.min(first.msPerRequest, first.serverMs ?? Infinity);
    const opening = call.kind === 'connect' ? findOpening(call, facts) : null;
    const gone = 1 - (all.length * first.ofRequests) / first.perRequest;
    const againMs = call.kind === 'connect' || first.isBound ? null : spentMs * gone;
    const savedMs = opening ? Math.min(opening.ms, first.serverMs ?? Infinity) : againMs;
    const cpuMs = findCostOf(facts, first.name)?.cpuMsPerRequest?.value ?? 0;
    const savedCpuMs = (cpuOfQuery(first.name, facts) ?? 0) * cpuMs * first.perRequest * gone;
    // Without the time that a new connection takes, its CPU alone would predict too little.
    const gain =
      call.kind === 'connect' ? (opening?.without ?? null) : predictOnce(call, uses, facts);
    const relations = all.flatMap(one =>
      one.uses.slice(0, 1).map(use => {
        return { call: one.call, perRequest: describeUse(use, facts).perRequest };
      }),
    );
    const more = isPerRow && all.length > 1 && { alike: relations };
    const repeated = { call, endpoints, savedMs, savedCpuMs, gain, parents, ...more };
    const severity = all.some(({ isWarning }) => isWarning) ? 'warn' : 'info';
    return finding(isPerRow ? 'n-plus-one' : 'repeated-call', severity, repeated, call.id);
  });
  return merged.sort((a, b) => a.id.localeCompare(b.id));
}

/**
 * What nearly each request of an endpoint makes the process do. Fewer requests may all be the first ones of their
 * workers. To read one folder takes some microseconds. A failed import is one act for each package above the module, and
 * has a cause that knows its CPU. @type {FindingRule}
 */
export function findActs(facts) {
  const imports = facts.profile?.causes.find(({ id }) => id === 'import-in-request')?.places ?? [];
  const found = (facts.calls?.acts ?? []).flatMap(act => {
    const isAt = imports.some(({ file, line }) => file === act.file && line === act.line);
    if (act.kind === 'import' && isAt) return [];
    const uses = act.endpoints.filter(({ requests }) => requests >= LEAST_CALLS);
    const endpoints = uses
      .map(use => describeUse(use, facts))
      .filter(own => own.ofRequests >= NEARLY_ALL)
      .filter(own => act.kind !== 'folder' || own.perRequest >= MANY_CALLS)
      .map(({ name, ofRequests, perRequest, view }) => ({ name, ofRequests, perRequest, view }));
    const isOfServer = act.kind === 'thread' && act.file === null;
    const severity = act.kind === 'lookup' || isOfServer ? 'info' : 'warn';
    return endpoints.length > 0
      ? finding('act-per-request', severity, { act, endpoints }, act.id)
      : [];
  });
  return found.slice(0, MOST_ACTS);
}

/**
 * What counts all rows for one page of them. On a saturated CPU both are upper bounds, and the longer one is.
 * @type {FindingRule}
 */
export function findCountedPages(facts) {
  const statements = facts.calls?.statements ?? [];
  return statements.flatMap(call =>
    call.endpoints.flatMap(use => {
      const page = findPage(call, use, statements);
      const endpoint = describeUse(use, facts);
      const isLonger = !endpoint.isBound || call.meanMs >= (page?.meanMs ?? 0);
      if (!page || !mayBeMuch(endpoint) || !isLonger) return [];
      return finding('counted-page', 'warn', { call, page, endpoint }, `${call.id} ${use.name}`);
    }),
  );
}

/** What requests that read something write each time; not `ON CONFLICT DO NOTHING` that finds its row. @type {FindingRule} */
export function findWrites(facts) {
  const writes = facts.calls?.statements.filter(one => isWrite(one) && (one.rows ?? 1) > 0.5) ?? [];
  return writes.flatMap(call => {
    const [first, ...others] = call.endpoints
      .filter(({ name, requests }) => /^(?:GET|HEAD) /.test(name) && requests >= LEAST_CALLS)
      .map(use => {
        const own = describeUse(use, facts);
        const commitMs = findCallsOf(facts, use.name)?.commitMs ?? 0;
        return { ...own, commitMs, msPerRequest: own.msPerRequest + commitMs };
      })
      .filter(own => own.ofRequests >= NEARLY_ALL && own.perRequest < FEW_CALLS && mayBeMuch(own));
    return first ? finding('write-per-read', 'warn', { call, first, others }, call.id) : [];
  });
}

/**
 * The part of an endpoint's CPU in a driver that queries within the process, divided by the time of the statements. In there,
 * a statement takes longer while its thread waits for the GIL or a core, as all of the request does.
 * @param {Statement['endpoints'][number]} use @param {Facts} facts
 */
function cpuInDriver({ name, ms }, facts) {
  const cpu = findCostOf(facts, name)?.shareOfCpu.value;
  const all = sum(facts.calls?.statements.map(own => own.ms) ?? []);
  const own = facts.profile?.hotPaths.flatMap(({ heaviest }) => heaviest) ?? [];
  const inDriver = own.filter(({ file }) => file.startsWith('<C code'));
  return cpu ? (sum(inDriver.map(({ total }) => total.value)) * ms) / all / cpu : 0;
}

/** A call that takes most of the time of an endpoint's slowest requests, or a large part of all. @type {FindingRule} */
export function findSlowCalls(facts) {
  const { calls, load, bottleneck = null } = facts;
  const explained = [...findCountedPages(facts), ...findWrites(facts)];
  return (load?.endpoints ?? []).flatMap(({ name, totalTime, timeToFirstByte }) => {
    const responseMs = (totalTime ?? timeToFirstByte)?.p95Ms ?? 0;
    const own = findCallsOf(facts, name);
    const some = (calls?.statements ?? [])
      .flatMap(call => call.endpoints.filter(use => use.name === name).map(use => ({ call, use })))
      .filter(
        ({ call, use }) =>
          !explained.some(({ of }) => of?.startsWith(call.id)) &&
          use.count >= LEAST_CALLS &&
          use.count < use.requests * FEW_CALLS &&
          use.requests >= (own?.requests ?? use.requests) * LEAST_REQUESTS,
      );
    const partOf = (/** @type {(typeof some)[number]} */ { call, use }) => {
      const { msPerRequest, serverMs } = describeUse(use, facts);
      const part = serverMs && call.kind !== 'connect' ? msPerRequest / serverMs : 0;
      if (call.system === 'sqlite') return Math.min(part, cpuInDriver(use, facts));
      return calls?.bound ? 0 : part;
    };
    const [slowest] = some
      .filter(
        ({ call, use }) =>
          !calls?.bound &&
          (call.p95Ms ?? 0) >= Math.max(SLOW_MS, responseMs * PART_OF_P95) &&
          use.count >= call.count * MOSTLY,
      )
      .sort((a, b) => (b.call.p95Ms ?? 0) - (a.call.p95Ms ?? 0));
    // Calls in parallel may take more than all of the time, and more than the request waits; one of two branches makes
    // fewer. Their client uses CPU, too.
    const least = (own?.requests ?? 0) * NEARLY_ALL;
    const all = some.filter(one => one.call.kind === 'http' && one.use.requests >= least);
    const allMs = sum(all.map(({ use }) => use.ms)) / (own?.requests ?? 1);
    const cpuMs = findCostOf(facts, name)?.cpuMsPerRequest?.value ?? Infinity;
    const inTurn = all.length > 1 && allMs * NEARLY_ALL <= (own?.serverMs ?? 0) - cpuMs ? all : [];
    const [largest] = some
      .filter(one => partOf(one) * (inTurn.includes(one) ? inTurn.length : 1) >= LARGE_PART)
      .filter(one => partOf(one) <= 1)
      .sort((a, b) => b.use.ms - a.use.ms);
    const found = slowest ?? largest;
    if (!found) return [];
    const { call, use } = found;
    const slow = {
      call,
      endpoint: describeUse(use, facts),
      responseMs,
      isCpuBound: isCpuBound(bottleneck),
      isOfPartner: WAITS_FOR_ITEM.test(call.text ?? ''),
      ...(!slowest && { part: partOf(found) }),
      ...(inTurn.includes(found) && { inTurn: { calls: inTurn.map(one => one.call), ms: allMs } }),
    };
    const isSerious = responseMs >= VERY_SLOW_MS || AT_RANDOM.test(call.text ?? '');
    return finding('slow-call', isSerious ? 'warn' : 'info', slow, `${call.id} ${name}`);
  });
}

/**
 * Requests that wait for a pool connection, as measured by the companion. With a saturated CPU, they may wait for that.
 * @type {FindingRule}
 */
export function findPoolWaits({ calls }) {
  if (calls?.bound) return [];
  const [first, ...others] = (calls?.endpoints ?? [])
    .map(({ name, poolMs, serverMs }) => ({ name, msPerRequest: poolMs.mean, serverMs }))
    .filter(one => one.msPerRequest >= POOL_MS && isMuch(one))
    .sort((a, b) => b.msPerRequest - a.msPerRequest);
  return first ? [finding('pool-wait', 'warn', { first, others })] : [];
}

/** Calls to another service while a transaction holds its connection and its locks. @type {FindingRule} */
export function findOpenTransactions({ calls }) {
  const isBound = calls?.bound != null;
  const isPoolShort = (calls?.whole.poolMs.mean ?? 0) >= POOL_MS;
  return (calls?.statements ?? []).flatMap(call => {
    if (call.openMs < OPEN_MS * call.requests) return [];
    const isLong = call.openMs >= LONG_OPEN_MS * call.requests;
    const severity = !isBound && (isLong || isPoolShort) ? 'warn' : 'info';
    const facts = { call, openMs: call.openMs / call.ofRequests, isBound };
    return finding('open-transaction', severity, facts, call.id);
  });
}

const LOCKS = /\bFOR (?:NO KEY )?UPDATE\b/i;

/** Transactions that stay open while the request does something else than statements and calls. @type {FindingRule} */
export function findHeldTransactions({ calls }) {
  if (!calls || calls.bound) return [];
  return calls.endpoints.flatMap(({ name, databaseMs, poolMs, commitMs = 0, heldMs = 0 }) => {
    const own = calls.statements.filter(one => one.endpoints.some(use => use.name === name));
    const inCalls = own.map(({ openMs, ofRequests }) => openMs / ofRequests);
    const usedMs = databaseMs.mean + commitMs;
    const idleMs = heldMs - usedMs - sum(inCalls);
    const lock = own.find(one => LOCKS.test(one.text ?? '')) ?? own.find(isWrite) ?? null;
    const isShort = poolMs.mean >= POOL_MS;
    if (idleMs < (lock || isShort ? OPEN_MS : LONG_OPEN_MS) || heldMs < 2 * usedMs) return [];
    const severity = isShort || idleMs >= LONG_OPEN_MS ? 'warn' : 'info';
    return finding('held-transaction', severity, { name, heldMs, usedMs, lock }, name);
  });
}

/** Statements that read many rows for a response too short to contain them. @type {FindingRule} */
export function findUnusedRows(facts) {
  const { calls, load } = facts;
  return (calls?.statements ?? []).flatMap(call => {
    const [use] = call.endpoints;
    const own = load?.endpoints.find(({ name }) => name === use?.name);
    const { responseBytes = Infinity, gzips = 0 } = own?.means ?? {};
    // The row count covers all endpoints together.
    if (!use || use.count < call.count * NEARLY_ALL || use.name.startsWith('HEAD ')) return [];
    const { perRequest } = describeUse(use, facts);
    const rows = (call.rows ?? 0) * perRequest;
    const isUnused =
      rows >= SOME_ROWS && responseBytes < rows * (gzips > 0 ? GZIP_BYTES_PER_ROW : BYTES_PER_ROW);
    const unused = { call, endpoint: use.name, rows, responseBytes };
    const cpuShare = (cpuOfQuery(use.name, facts) ?? 0) * perRequest;
    const severity = rows >= MANY_ROWS || cpuShare >= MUCH_TIME ? 'warn' : 'info';
    return isUnused ? finding('unused-rows', severity, unused, call.id) : [];
  });
}
