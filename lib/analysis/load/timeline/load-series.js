/** The load per window, from the records of seconds. */
import { addTo } from '../../../files/maps.js';
import { countErrors } from '../../../math/counters.js';
import { Sketch } from '../../../math/sketch.js';
import { mean, sum } from '../../../math/summary.js';
import { packSketches } from '../../../sample-table/pack.js';
import { addEndpoint, createSum, listServerIds } from '../endpoints.js';
import { findNearestWindow } from './build-grid.js';
import { findSpike } from './find-spike.js';

/** @import { Timeline } from '../../../facts/timeline.d.ts' */

/** @typedef {NonNullable<Timeline['load']>} LoadTimeline */
/** @typedef {import('../endpoints.js').EndpointSum} EndpointSum */

const SECOND_MS = 1000;

/**
 * A second belongs to the window that holds its middle. What was counted just outside of all windows (in a second
 * that started before the load) belongs to the nearest one, so that nothing is lost.
 */
export class LoadSeries {
  /** @type {number[]} */
  #edgesMs = [];
  #latencyOf;
  /** @type {ReturnType<typeof createWindow>[]} */
  #windows = [];
  /** @type {Map<string, EndpointSum[]>} per endpoint, per window */
  #endpoints = new Map();

  /**
   * @param {number[]} edgesMs
   * @param {string[]} names of endpoints, in the order of the Report
   * @param {LoadTimeline['latencyOf']} latencyOf what the percentiles measure
   */
  constructor(edgesMs, names, latencyOf) {
    this.#latencyOf = latencyOf;
    this.extend(edgesMs, names);
  }

  /**
   * Takes later windows, and endpoints whose seconds are still to come.
   * @param {number[]} edgesMs the same as before, plus more; the last one may have moved
   * @param {string[]} names of all endpoints
   */
  extend(edgesMs, names) {
    this.#edgesMs = edgesMs;
    const fill = (/** @type {any[]} */ list, /** @type {() => object} */ create) => {
      while (list.length < edgesMs.length - 1) list.push(create());
      return list;
    };
    fill(this.#windows, createWindow);
    const known = this.#endpoints;
    this.#endpoints = new Map(names.map(name => [name, fill(known.get(name) ?? [], createSum)]));
  }

  /** @param {import('../seconds.js').SecondRecord} record */
  add(record) {
    const { fromMs, usersActive, usersMost: users = usersActive } = record;
    const { counters = {}, sketches = {}, endpoints = {} } = record;
    const index = findNearestWindow(this.#edgesMs, fromMs + SECOND_MS / 2);
    const window = this.#windows[index];
    if (!window) return;
    window.requests += Number(counters['http.requests'] ?? 0);
    window.errors += countErrors(counters);
    const times = sketches[this.#latencyOf === 'total' ? 'http.total' : 'http.response_time'];
    if (times) window.latency.addJson(times);
    if (typeof users === 'number') addTo(window.users, fromMs, users);
    for (const [name, part] of Object.entries(endpoints)) {
      const own = this.#endpoints.get(name)?.[index];
      if (!own) continue;
      addEndpoint(own, part);
      for (const { count } of Object.values(part.statuses ?? {})) window.answered += count;
    }
  }

  /** @returns {LoadTimeline} */
  close() {
    const windows = this.#windows;
    const ids = listServerIds([...this.#endpoints.values()].flat());
    return {
      requests: windows.map(({ requests }) => requests),
      errors: windows.map(({ errors }) => errors),
      answered: listAnswered(windows),
      usersActive: windows.map(({ users }) => (users.size > 0 ? mean([...users.values()]) : null)),
      latencyOf: this.#latencyOf,
      p50Ms: windows.map(({ latency }) => latency.quantile(0.5)),
      p95Ms: windows.map(({ latency }) => latency.quantile(0.95)),
      p99Ms: windows.map(({ latency }) => latency.quantile(0.99)),
      endpoints: [...this.#endpoints].map(([name, own]) => ({
        name,
        requests: own.map(({ requests }) => requests),
        errors: own.map(({ errors }) => errors),
        answered: listAnswered(
          own.map(({ requests, codes }) => ({ requests, answered: sum(Object.values(codes)) })),
        ),
        measured: listMeasured(own),
        ...listSums(own, ids),
      })),
      spike: findSpike(
        this.#edgesMs,
        [...this.#endpoints].map(([name, own]) => ({
          name,
          requests: own.map(({ requests }) => requests),
          latency: own.map(window =>
            this.#latencyOf === 'total' ? window.total : window.timeToFirstByte,
          ),
        })),
      ),
      latency: packSketches(listSketches([...this.#endpoints.values()].flat())),
    };
  }
}

function createWindow() {
  return {
    requests: 0,
    errors: 0,
    answered: 0,
    latency: new Sketch(),
    /** gauges of the workers of a second add up */
    users: /** @type {Map<number, number>} */ (new Map()),
  };
}

/** @param {{requests: number, answered: number}[]} windows */
function listAnswered(windows) {
  return windows.some(({ requests, answered }) => answered !== requests)
    ? windows.map(({ answered }) => answered)
    : null;
}

/**
 * Where the server reports on some responses of a window, their mean counts for all of its responses.
 * @param {EndpointSum[]} windows @param {string[]} ofServer ids of the measures that servers report
 */
function listSums(windows, ofServer) {
  const ids = [...new Set(windows.flatMap(({ sums }) => Object.keys(sums)))];
  const sums = ids.map(id => [id, windows.map(own => own.sums[id] ?? 0)]);
  if (windows.some(({ server }) => server))
    for (const id of ofServer)
      sums.push([
        id,
        windows.map(({ server, codes }) =>
          server ? ((server.sums?.[id] ?? 0) / server.count) * sum(Object.values(codes)) : 0,
        ),
      ]);
  return sums.length > 0 && { sums: Object.fromEntries(sums) };
}

/** If one response lacks thread CPU, the sum would cover other responses. @param {EndpointSum[]} windows */
function listMeasured(windows) {
  const sums = windows.map(({ server }) => ({ count: 0, cpuMs: 0, aroundMs: 0, ...server }));
  if (sums.every(({ count }) => count === 0) || sums.some(({ cpuMs }) => cpuMs === null))
    return null;
  const round = (/** @type {number} */ ms) => Number(ms.toFixed(3));
  return {
    answers: sums.map(({ count }) => count),
    cpuMs: sums.map(({ cpuMs, aroundMs }) => round((cpuMs ?? 0) + aroundMs)),
    aroundMs: sums.map(({ aroundMs }) => round(aroundMs)),
  };
}

/** One by one, so that only one is in memory as JSON. @param {EndpointSum[]} windows */
function* listSketches(windows) {
  for (const { timeToFirstByte, total } of windows) {
    yield timeToFirstByte.toJson();
    yield total.toJson();
  }
}
