/** What each endpoint was asked, and how it responded. */
import {
  findGroups,
  fitsPath,
  foldConstants,
  groupEndpoint,
} from '../../../base/config/endpoint-names.js';
import { entryOf } from '../../../base/files/maps.js';
import { countersBelow } from '../../../base/math/counters.js';
import { Sketch } from '../../../base/math/sketch.js';
import { sum } from '../../../base/math/summary.js';
import { addServer } from '../../../run/server-sums.js';
import { findContrasts } from './contrasts.js';
import { addAmounts, summarizeLatency } from './counters.js';

/** @import { LoadReport } from '../../../run/facts/load-report.d.ts' */
/** @import { EndpointRecord, QuerySums } from '../../../run/facts/records.d.ts' */
/** @import { SecondRecord } from './seconds.js' */

/**
 * What the server reported in its responses: sums of the companion's `Server-Timing`.
 * @typedef {object} ServerTimes
 * @property {number} count responses with a report
 * @property {number} totalMs
 * @property {number | null} cpuMs thread CPU; null where the worker can't measure it
 * @property {number} [aroundMs] time of the server between requests, not part of `cpuMs`
 * @property {{count: number, ms: number}} ended CPU of threads that ended during requests that were alone in their worker
 * @property {{cpuMs: number | null, ownMs: number}} [calls] CPU time in followed calls, and of the companion around these
 * @property {Omit<import('../../../run/facts/profile-report.d.ts').BlockedSteps, 'answers'>} [blocked]
 * @property {Record<string, {count: number, ms: number}>} [waited] by the route that kept the event loop
 * @property {import('../../../run/facts/records.d.ts').Collections} [gc]
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
 * @property {boolean} isRouted its name is a route of the server's framework
 * @property {Record<string, QuerySums>} queries by the query of the script's step
 */

/** More different words in one part of a path may be values. */
const MOST_WORDS = 10;
/** What needs no quotes in a setting, and is no list. */
const PLAIN = /^[A-Z]+ [\w/:.~%-]+$/;

/** Adds up the endpoints of `second` records. */
export class Endpoints {
  /** @type {Map<string, EndpointSum>} */
  #sums = new Map();
  /** By path → by route: until a response named its route, requests counted by path. @type {Map<string, string>} */
  renamed = new Map();

  /** By the name with constants folded: the only name that is alike. @type {Map<string, string>} */
  #constants = new Map();

  /** @param {Pick<SecondRecord, 'endpoints' | 'renamed'>} record */
  add(record) {
    this.learnNames(record);
    for (const [name, own] of Object.entries(record.endpoints ?? {}))
      addEndpoint(entryOf(this.#sums, this.nameOf(name), createSum), own);
  }

  /** @param {Pick<SecondRecord, 'endpoints' | 'renamed'>} record */
  learnNames({ endpoints = {}, renamed = {} }) {
    this.rename(renamed);
    for (const [name, { isRouted }] of Object.entries(endpoints)) {
      const own = this.nameOf(name);
      const folded = foldConstants(own);
      // Routes state which numbers are constants.
      if (isRouted && own !== folded) this.#constants.delete(folded);
      else if (entryOf(this.#constants, folded, () => own) !== own)
        this.rename({ [this.#constants.get(folded) ?? own]: folded, [own]: folded });
    }
  }

  /** @param {Record<string, string>} renamed */
  rename(renamed) {
    for (const [path, route] of Object.entries(renamed)) {
      if (path === route || this.renamed.has(path) || this.renamed.has(route)) continue;
      this.renamed.set(path, route);
      const own = this.#sums.get(path);
      if (own) addSum(entryOf(this.#sums, route, createSum), own);
      this.#sums.delete(path);
    }
  }

  /** @param {string} name in a record @returns {string} */
  nameOf(name) {
    const own = this.renamed.get(name);
    return own === undefined ? name : this.nameOf(own);
  }

  /**
   * Names routes on stacks as the load does: a worker knows the route of a path only from its second request on.
   * @returns {(name: string) => string}
   */
  createRouteNames() {
    const routed = [...this.#sums].flatMap(([name, { isRouted, routes }]) => [
      ...(isRouted ? [name] : []),
      ...Object.keys(routes ?? {}),
    ]);
    const known = new Set([...this.#sums.keys(), ...routed]);
    const patterns = routed.map(name => name.slice(name.indexOf(' ') + 1)).sort(compareGenerality);
    return name => {
      const own = this.nameOf(name);
      const found = known.has(own) ? own : groupEndpoint(name, patterns);
      return known.has(found) ? found : name;
    };
  }

  /** Rows that ENDPOINTS would make one: they differ in a part of the path, and are no routes of a framework. */
  findGroups() {
    const isFree = (/** @type {string} */ name) => !this.of(name).isRouted && PLAIN.test(name);
    const names = this.names().filter(isFree);
    return findGroups(names, MOST_WORDS).flatMap(path => {
      const rows = names.filter(name => fitsPath(path, name.slice(name.indexOf(' ') + 1)));
      return rows.length > MOST_WORDS
        ? [{ path, rows: rows.length, examples: rows.slice(0, 3) }]
        : [];
    });
  }

  /** @returns {string[]} */
  names() {
    return this.#sort().map(([name]) => name);
  }

  /** @returns {LoadReport['endpoints']} */
  list() {
    const ids = listServerIds(this.#sums.values());
    return this.#sort().map(
      ([
        name,
        { requests, errors, codes, timeToFirstByte, total, sums, server, empty, routes, queries },
      ]) => ({
        name,
        requests,
        errors,
        codes: countersBelow(codes, '').map(({ name: code, count }) => ({ code, count })),
        timeToFirstByte: summarizeLatency(timeToFirstByte),
        totalTime: summarizeLatency(total),
        ...listMeans(sums, codes, server, ids),
        ...(Object.keys(empty).length > 0 && { empty: countersBelow(empty, '') }),
        contrasts: findContrasts(queries),
        ...(server?.blocked && {
          blocked: {
            ...server.blocked,
            answers: server.count,
            victims: this.#findVictims([name, ...Object.keys(routes ?? {})]),
          },
        }),
      }),
    );
  }

  /** Requests that were under way while one of these routes kept the event loop. @param {string[]} routes */
  #findVictims(routes) {
    const nameOf = this.createRouteNames();
    const waits = [...this.#sums.values()].flatMap(({ server }) =>
      Object.entries(server?.waited ?? {}).flatMap(([route, own]) =>
        routes.includes(nameOf(route)) ? own : [],
      ),
    );
    return { count: sum(waits.map(({ count }) => count)), ms: sum(waits.map(({ ms }) => ms)) };
  }

  /** The most frequent first. */
  #sort() {
    return [...this.#sums].sort(
      ([a, one], [b, other]) => other.requests - one.requests || a.localeCompare(b),
    );
  }

  /** @param {string} name */
  of(name) {
    return this.#sums.get(name) ?? createSum();
  }
}

/** The least general first. @param {string} a @param {string} b paths of routes */
function compareGenerality(a, b) {
  const parametersOf = (/** @type {string} */ path) => path.split(':id').length;
  return Number(a.includes('*')) - Number(b.includes('*')) || parametersOf(a) - parametersOf(b);
}

/** @returns {EndpointSum} */
export function createSum() {
  return {
    ...{ requests: 0, errors: 0, codes: {}, server: null, routes: null, sums: {}, empty: {} },
    isRouted: false,
    queries: {},
    timeToFirstByte: new Sketch(),
    total: new Sketch(),
  };
}

/** The measures that servers report. @param {Iterable<EndpointSum>} all */
export const listServerIds = all => [
  ...new Set([...all].flatMap(({ server }) => Object.keys(server?.sums ?? {}))),
];

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

/** @param {EndpointSum} sum @param {EndpointSum} own */
function addSum(sum, { codes, sums, timeToFirstByte, total, server, routes, queries, ...counts }) {
  const own = { ...counts, ...(server && { server }), ...(routes && { routes }) };
  addEndpoint(sum, { ...own, queries });
  addAmounts(sum.codes, codes);
  addAmounts(sum.sums, sums);
  sum.timeToFirstByte.merge(timeToFirstByte);
  sum.total.merge(total);
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
    sum.server ??= { count: 0, totalMs: 0, cpuMs: 0, ended: { count: 0, ms: 0 } };
    addServer(sum.server, server);
  }
  addAmounts(sum.empty, empty);
  if (routes) sum.routes = addAmounts(sum.routes ?? {}, routes);
  sum.isRouted ||= own.isRouted === true;
  addServer(sum.queries, own.queries ?? {});
}
