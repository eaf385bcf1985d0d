/** What each endpoint was asked, and how it responded. */
import { entryOf } from '../../files/maps.js';
import { countersBelow } from '../../math/counters.js';
import { Sketch } from '../../math/sketch.js';
import { sum } from '../../math/summary.js';
import { addAmounts, summarizeLatency } from './counters.js';

/** @import { LoadReport } from '../../facts/load-report.d.ts' */
/** @import { EndpointRecord } from '../../facts/records.d.ts' */
/** @import { SecondRecord } from './seconds.js' */

/**
 * What the server reported in its responses: sums of the companion's `Server-Timing`.
 * @typedef {object} ServerTimes
 * @property {number} count responses with a report
 * @property {number} totalMs
 * @property {number | null} cpuMs thread CPU; null where the worker can't measure it
 * @property {number} [aroundMs] time of the server between requests, not part of `cpuMs`
 * @property {Omit<import('../../facts/profile-report.d.ts').BlockedSteps, 'answers'>} [blocked]
 * @property {Record<string, number>} [sums] by id of a measure
 */

/**
 * @typedef {object} EndpointSum
 * @property {number} requests
 * @property {number} errors
 * @property {Record<string, number>} codes
 * @property {Sketch} timeToFirstByte
 * @property {Sketch} total
 * @property {Record<string, number>} sums over its responses, by id of a measure
 * @property {ServerTimes | null} server
 * @property {Record<string, number>} empty requests by the variable of the script that was empty in them
 * @property {Record<string, number> | null} routes responses per route, of requests that the script named
 */

/** Adds up the endpoints of `second` records. */
export class Endpoints {
  /** @type {Map<string, EndpointSum>} */
  #sums = new Map();

  /** @param {Pick<SecondRecord, 'endpoints'>} record */
  add({ endpoints = {} }) {
    for (const [name, own] of Object.entries(endpoints)) {
      addEndpoint(entryOf(this.#sums, name, createSum), own);
    }
  }

  /** @returns {LoadReport['endpoints']} the most frequent first */
  list() {
    const ids = listServerIds(this.#sums.values());
    return [...this.#sums]
      .map(([name, { requests, errors, codes, timeToFirstByte, total, sums, server, empty }]) => ({
        name,
        requests,
        errors,
        codes: countersBelow(codes, '').map(({ name: code, count }) => ({ code, count })),
        timeToFirstByte: summarizeLatency(timeToFirstByte),
        totalTime: summarizeLatency(total),
        ...listMeans(sums, codes, server, ids),
        ...(Object.keys(empty).length > 0 && { empty: countersBelow(empty, '') }),
        ...(server?.blocked && { blocked: { ...server.blocked, answers: server.count } }),
      }))
      .sort((a, b) => b.requests - a.requests || a.name.localeCompare(b.name));
  }

  /** @param {string} name */
  of(name) {
    return this.#sums.get(name) ?? createSum();
  }
}

/** @returns {EndpointSum} */
export function createSum() {
  return {
    ...{ requests: 0, errors: 0, codes: {}, server: null, routes: null, sums: {}, empty: {} },
    timeToFirstByte: new Sketch(),
    total: new Sketch(),
  };
}

/** The measures that servers report. @param {Iterable<EndpointSum>} all */
export function listServerIds(all) {
  return [...new Set([...all].flatMap(({ server }) => Object.keys(server?.sums ?? {})))];
}

/**
 * @param {Record<string, number>} sums @param {Record<string, number>} codes responses by status
 * @param {ServerTimes | null} server @param {string[]} ids of the measures that servers report: 0 where this one does not
 */
function listMeans(sums, codes, server, ids) {
  const responses = sum(Object.values(codes));
  const means = Object.entries(sums).map(([id, amount]) => [id, amount / responses]);
  if (server) for (const id of ids) means.push([id, (server.sums?.[id] ?? 0) / server.count]);
  return means.length > 0 && responses > 0 && { means: Object.fromEntries(means) };
}

/** @param {ServerTimes} server @param {NonNullable<ServerTimes['blocked']>} own */
function addBlocked(server, { count, ms, cpuMs, longestMs }) {
  server.blocked ??= { count: 0, ms: 0, cpuMs: 0, longestMs: 0 };
  const sum = server.blocked;
  sum.count += count;
  sum.ms += ms;
  sum.cpuMs += cpuMs;
  sum.longestMs = Math.max(sum.longestMs, longestMs);
}

/** @param {EndpointSum} sum @param {EndpointRecord} own */
export function addEndpoint(sum, own) {
  const { requests = 0, errors = 0, broken = 0, statuses = {}, server, routes, empty = {} } = own;
  sum.requests += requests;
  sum.errors += errors + broken;
  for (const [code, { count, timeToFirstByte, total, sums = {} }] of Object.entries(statuses)) {
    sum.codes[code] = (sum.codes[code] ?? 0) + count;
    if (timeToFirstByte) sum.timeToFirstByte.addJson(timeToFirstByte);
    if (total) sum.total.addJson(total);
    addAmounts(sum.sums, sums);
  }
  if (server) {
    sum.server ??= { count: 0, totalMs: 0, cpuMs: 0 };
    sum.server.count += server.count;
    sum.server.totalMs += server.totalMs;
    // with one response missing, the mean would cover other responses
    sum.server.cpuMs =
      sum.server.cpuMs === null || server.cpuMs === null ? null : sum.server.cpuMs + server.cpuMs;
    if (server.aroundMs !== undefined)
      sum.server.aroundMs = (sum.server.aroundMs ?? 0) + server.aroundMs;
    if (server.blocked) addBlocked(sum.server, server.blocked);
    if (server.sums) sum.server.sums = addAmounts(sum.server.sums ?? {}, server.sums);
  }
  addAmounts(sum.empty, empty);
  if (routes) sum.routes = addAmounts(sum.routes ?? {}, routes);
}
