/** What the statements and other calls of requests cost. Statement texts contain no values. */
import { isCpuBound } from '../../../bottleneck/what-if.js';
import { finding } from '../statements.js';
import { isForEachRow, isRepeated, isTwice, predictOnce } from './repeated-calls.js';

/** @import { EndpointCalls, Statement } from '../../../facts/calls.d.ts' */
/** @import { CallOfEndpoint } from '../../../facts/findings.d.ts' */
/** @import { Facts, FindingRule } from '../statements.js' */

/** Share of a request's time in the server; without that time, ms. Less is only a remark. */
const MUCH_TIME = 0.1;
const MUCH_MS = 10;
/** However quick each call is, this many are noticeable with a more distant database. */
const MANY_CALLS = 20;

/** A statement makes requests slow only if its p95 is at least half of theirs, and at least 20 ms. */
const PART_OF_P95 = 0.5;
const SLOW_MS = 20;
const VERY_SLOW_MS = 100;
/** A p95 needs at least 20 executions. A statement in fewer than 5 % of the requests does not set their p95. */
const LEAST_CALLS = 20;
const LEAST_REQUESTS = 0.05;
/** With more executions per request, their number is what counts. */
const FEW_CALLS = 5;
/** A statement's p95 covers all endpoints: it stands for an endpoint only if that has most of the executions. */
const MOSTLY = 0.5;

/** Any pool in use shows shorter waits for a connection. */
const POOL_MS = 1;
const MOST_ENDPOINTS = 3;

/** Per request. A call to a nearby service is shorter. */
const OPEN_MS = 10;
const LONG_OPEN_MS = 50;

/** Bytes of the response, perhaps compressed, per row read: even a list of short rows has more. */
const MANY_ROWS = 500;
const BYTES_PER_ROW = 0.5;
const NEARLY_ALL = 0.9;

/** @param {Facts} facts @param {string} name @returns {EndpointCalls | null} */
const findEndpoint = ({ calls }, name) => calls?.endpoints.find(own => own.name === name) ?? null;

/** @param {Statement['endpoints'][number]} use @param {Facts} facts @returns {CallOfEndpoint} */
function describeUse({ name, requests, count, ms }, facts) {
  const own = findEndpoint(facts, name);
  const cost = facts.costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === name);
  return {
    name,
    ofRequests: own ? requests / own.requests : 1,
    perRequest: count / requests,
    msPerRequest: ms / requests,
    serverMs: own?.serverMs ?? null,
    ...(facts.calls?.bound && { isBound: true }),
    view: cost?.views[0] ?? null,
  };
}

/** Is it a large part of a request's time? @param {Pick<CallOfEndpoint, 'msPerRequest' | 'serverMs' | 'isBound'>} times */
const isMuch = ({ msPerRequest, serverMs, isBound }) =>
  !isBound && msPerRequest >= (serverMs === null ? MUCH_MS : serverMs * MUCH_TIME);

/** Statements that a request repeats; those that run for each row of another one come first. @type {FindingRule} */
function findRepeatedCalls(facts) {
  const found = (facts.calls?.statements ?? []).flatMap(call => {
    const pairs = call.endpoints.map(use => ({ use, own: findEndpoint(facts, use.name) }));
    const perRow = pairs.filter(({ use, own }) => isForEachRow(call, use, own));
    const again = pairs.filter(({ use, own }) => isRepeated(call, use, own));
    const twice = pairs.filter(
      ({ use, own }) => isTwice(call, use, own) && isMuch(describeUse(use, facts)),
    );
    const repeats = [perRow, again, twice].find(found => found.length > 0) ?? [];
    const uses = repeats.map(({ use }) => use);
    const endpoints = uses.map(use => describeUse(use, facts));
    const [first] = endpoints;
    if (!first) return [];
    const isSerious = endpoints.some(one => isMuch(one) || one.perRequest >= MANY_CALLS);
    const severity = isSerious && repeats !== twice ? 'warn' : 'info';
    const savedMs = first.isBound ? null : first.msPerRequest * (1 - 1 / first.perRequest);
    const gain = predictOnce(call, uses, facts);
    const repeated = { call, endpoints, savedMs, gain };
    return finding(perRow.length > 0 ? 'n-plus-one' : 'repeated-call', severity, repeated, call.id);
  });
  return found.sort((a, b) => a.id.localeCompare(b.id));
}

/** A call that takes most of the time of an endpoint's slowest requests. @type {FindingRule} */
function findSlowCalls(facts) {
  const { calls, load, bottleneck = null } = facts;
  if (calls?.bound) return [];
  return (load?.endpoints ?? []).flatMap(({ name, totalTime, timeToFirstByte }) => {
    const responseMs = (totalTime ?? timeToFirstByte)?.p95Ms ?? 0;
    const own = findEndpoint(facts, name);
    const [slowest] = (calls?.statements ?? [])
      .flatMap(call => call.endpoints.filter(use => use.name === name).map(use => ({ call, use })))
      .filter(
        ({ call, use }) =>
          (call.p95Ms ?? 0) >= Math.max(SLOW_MS, responseMs * PART_OF_P95) &&
          use.count >= Math.max(LEAST_CALLS, call.count * MOSTLY) &&
          use.count < use.requests * FEW_CALLS &&
          use.requests >= (own?.requests ?? use.requests) * LEAST_REQUESTS,
      )
      .sort((a, b) => (b.call.p95Ms ?? 0) - (a.call.p95Ms ?? 0));
    if (!slowest) return [];
    const { call, use } = slowest;
    const slow = {
      call,
      endpoint: describeUse(use, facts),
      responseMs,
      isCpuBound: isCpuBound(bottleneck),
    };
    const severity = responseMs >= VERY_SLOW_MS ? 'warn' : 'info';
    return finding('slow-call', severity, slow, `${call.id} ${name}`);
  });
}

/** Requests that wait for a pool connection, as measured by the companion. @type {FindingRule} */
function findPoolWaits({ calls }) {
  const [first, ...others] = (calls?.endpoints ?? [])
    .map(({ name, poolMs, serverMs }) => ({ name, msPerRequest: poolMs.mean, serverMs }))
    .filter(one => one.msPerRequest >= POOL_MS && isMuch(one))
    .sort((a, b) => b.msPerRequest - a.msPerRequest)
    .slice(0, MOST_ENDPOINTS);
  return first ? [finding('pool-wait', 'warn', { first, others })] : [];
}

/** Calls to another service while a transaction holds its connection and its locks. @type {FindingRule} */
function findOpenTransactions({ calls }) {
  const isPoolShort = (calls?.whole.poolMs.mean ?? 0) >= POOL_MS;
  return (calls?.statements ?? []).flatMap(call => {
    const openMs = call.openMs / call.requests;
    const severity = openMs >= LONG_OPEN_MS || isPoolShort ? 'warn' : 'info';
    return openMs < OPEN_MS ? [] : finding('open-transaction', severity, { call, openMs }, call.id);
  });
}

/** Statements that read many rows for a response too short to contain them. @type {FindingRule} */
function findUnusedRows({ calls, load }) {
  return (calls?.statements ?? []).flatMap(call => {
    const [use] = call.endpoints;
    const own = load?.endpoints.find(({ name }) => name === use?.name);
    const { responseBytes = Infinity } = own?.means ?? {};
    // The row count covers all endpoints together.
    if (!use || use.count < call.count * NEARLY_ALL || use.name.startsWith('HEAD ')) return [];
    const rows = ((call.rows ?? 0) * use.count) / use.requests;
    const isUnused = rows >= MANY_ROWS && responseBytes < rows * BYTES_PER_ROW;
    const facts = { call, endpoint: use.name, rows, responseBytes };
    return isUnused ? finding('unused-rows', 'warn', facts, call.id) : [];
  });
}

/** @type {FindingRule[]} */
export const CALL_RULES = [
  findRepeatedCalls,
  findSlowCalls,
  findPoolWaits,
  findOpenTransactions,
  findUnusedRows,
];
