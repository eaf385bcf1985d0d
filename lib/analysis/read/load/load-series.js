/** The load per window, from the records of seconds. */
import { addTo } from '../../../base/files/maps.js';
import { countErrors } from '../../../base/math/counters.js';
import { Sketch } from '../../../base/math/sketch.js';
import { findNearestWindow, SECOND_MS } from './build-grid.js';
import { addEndpoint, createSum } from './endpoints.js';

/** @import { Timeline } from '../../../run/facts/timeline.d.ts' */

/** @typedef {import('./endpoints.js').EndpointSum} EndpointSum */

/**
 * A second belongs to the window that holds its middle. What was counted just outside of all windows (in a second
 * that started before the load) belongs to the nearest one, so that nothing is lost.
 */
export class LoadSeries {
  /** @type {number[]} */
  edgesMs = [];
  latencyOf;
  /** @type {ReturnType<typeof createWindow>[]} */
  windows = [];
  /** @type {Map<string, EndpointSum[]>} per endpoint, per window */
  endpoints = new Map();

  /**
   * @param {number[]} edgesMs
   * @param {string[]} names of endpoints, in the order of the Report
   * @param {NonNullable<Timeline['load']>['latencyOf']} latencyOf what the percentiles measure
   */
  constructor(edgesMs, names, latencyOf) {
    this.latencyOf = latencyOf;
    this.extend(edgesMs, names);
  }

  /**
   * Takes later windows, and endpoints whose seconds are still to come.
   * @param {number[]} edgesMs the same as before, plus more; the last one may have moved
   * @param {string[]} names of all endpoints
   */
  extend(edgesMs, names) {
    this.edgesMs = edgesMs;
    const fill = (/** @type {any[]} */ list, /** @type {() => object} */ create) => {
      while (list.length < edgesMs.length - 1) list.push(create());
      return list;
    };
    fill(this.windows, createWindow);
    const known = this.endpoints;
    this.endpoints = new Map(names.map(name => [name, fill(known.get(name) ?? [], createSum)]));
  }

  /** @param {import('./seconds.js').SecondRecord} record @param {(name: string) => string} [nameOf] of an endpoint */
  add(record, nameOf = name => name) {
    const { fromMs, usersActive, usersMost: users = usersActive } = record;
    const { counters = {}, sketches = {}, endpoints = {} } = record;
    const index = findNearestWindow(this.edgesMs, fromMs + SECOND_MS / 2);
    const window = this.windows[index];
    if (!window) return;
    window.requests += Number(counters['http.requests'] ?? 0);
    window.errors += countErrors(counters);
    const times = sketches[this.latencyOf === 'total' ? 'http.total' : 'http.response_time'];
    if (times) window.latency.addJson(times);
    if (typeof users === 'number') addTo(window.users, fromMs, users);
    for (const [name, part] of Object.entries(endpoints)) {
      const own = this.endpoints.get(nameOf(name))?.[index];
      if (!own) continue;
      addEndpoint(own, part);
      for (const { count } of Object.values(part.statuses ?? {})) window.answered += count;
    }
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
