/** The load per window, from the records of seconds. */
import { Sketch } from '../../../math/sketch.js';
import { mean } from '../../../math/summary.js';
import { packSketches } from '../../../sample-table/pack-sketches.js';
import { addAmounts } from '../counters.js';
import { countErrors } from '../seconds.js';
import { findWindow } from './build-grid.js';
import { findSpike } from './find-spike.js';

/** @import { Timeline } from '../../../facts/timeline.d.ts' */

/** @typedef {NonNullable<Timeline['load']>} LoadTimeline */
/** @typedef {ReturnType<typeof createEndpointWindow>} EndpointWindow */

const SECOND_MS = 1000;

/**
 * A second belongs to the window that holds its middle; what was counted just outside of all windows
 * (a second that had begun before the load) to the nearest one, so that nothing is missing.
 */
export class LoadSeries {
  #edgesMs;
  #latencyOf;
  #windows;
  /** @type {Map<string, EndpointWindow[]>} per endpoint, per window */
  #endpoints;

  /**
   * @param {number[]} edgesMs
   * @param {string[]} names of endpoints, in the order of the Report
   * @param {LoadTimeline['latencyOf']} latencyOf what the percentiles are of
   */
  constructor(edgesMs, names, latencyOf) {
    this.#edgesMs = edgesMs;
    this.#latencyOf = latencyOf;
    const windows = edgesMs.slice(1);
    this.#windows = windows.map(() => ({
      requests: 0,
      errors: 0,
      answered: 0,
      latency: new Sketch(),
      /** gauges of the workers of a second add up */
      users: /** @type {Map<number, number>} */ (new Map()),
    }));
    this.#endpoints = new Map(names.map(name => [name, windows.map(() => createEndpointWindow())]));
  }

  /** @param {Record<string, any>} record a `second` of one worker */
  add(record) {
    const { fromMs, usersActive, usersMost: users = usersActive } = record;
    const { counters = {}, sketches = {}, endpoints = {} } = record;
    const middleMs = fromMs + SECOND_MS / 2;
    const found = findWindow(this.#edgesMs, middleMs);
    const isBefore = middleMs < (this.#edgesMs[0] ?? 0);
    const index = found >= 0 ? found : isBefore ? 0 : this.#windows.length - 1;
    const window = this.#windows[index];
    if (!window) return;
    window.requests += Number(counters['http.requests'] ?? 0);
    window.errors += countErrors(counters);
    const times = sketches[this.#latencyOf === 'total' ? 'http.total' : 'http.response_time'];
    if (times) window.latency.addJson(times);
    if (typeof users === 'number')
      window.users.set(fromMs, (window.users.get(fromMs) ?? 0) + users);
    for (const [name, part] of Object.entries(endpoints)) {
      const { requests = 0, errors = 0, statuses = {}, server = NOT_TOLD } = part;
      const own = this.#endpoints.get(name)?.[index];
      if (!own) continue;
      own.requests += requests;
      own.errors += errors;
      own.answers += server.count;
      own.cpuMs += (server.cpuMs ?? Number.NaN) + (server.aroundMs ?? 0);
      own.aroundMs += server.aroundMs ?? 0;
      for (const { count, timeToFirstByte, total, sums = {} } of Object.values(statuses)) {
        own.answered += count;
        window.answered += count;
        if (timeToFirstByte) own.timeToFirstByte.addJson(timeToFirstByte);
        if (total) own.total.addJson(total);
        addAmounts(own.sums, sums);
      }
    }
  }

  /** @returns {LoadTimeline} */
  close() {
    const windows = this.#windows;
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
        answered: listAnswered(own),
        measured: listMeasured(own),
        ...listSums(own),
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

/** @param {{requests: number, answered: number}[]} windows */
function listAnswered(windows) {
  return windows.some(({ requests, answered }) => answered !== requests)
    ? windows.map(({ answered }) => answered)
    : null;
}

/** An answer that tells nothing of the worker. */
const NOT_TOLD = { count: 0, cpuMs: 0, aroundMs: 0 };

function createEndpointWindow() {
  return {
    ...{ requests: 0, errors: 0, answered: 0, answers: 0, cpuMs: 0, aroundMs: 0 },
    timeToFirstByte: new Sketch(),
    total: new Sketch(),
    sums: /** @type {Record<string, number>} */ ({}),
  };
}

/** @param {EndpointWindow[]} windows */
function listSums(windows) {
  const ids = [...new Set(windows.flatMap(({ sums }) => Object.keys(sums)))];
  const sums = ids.map(id => [id, windows.map(own => own.sums[id] ?? 0)]);
  return sums.length > 0 && { sums: Object.fromEntries(sums) };
}

/** Where one answer tells no thread CPU, the sum would be of others. @param {EndpointWindow[]} windows */
function listMeasured(windows) {
  const answers = windows.map(own => own.answers);
  const listMs = (/** @type {'cpuMs' | 'aroundMs'} */ key) =>
    windows.map(own => Number(own[key].toFixed(3)));
  const [cpuMs, aroundMs] = [listMs('cpuMs'), listMs('aroundMs')];
  return answers.every(count => count === 0) || cpuMs.some(Number.isNaN)
    ? null
    : { answers, cpuMs, aroundMs };
}

/** One after the other, so that only one is in memory as JSON. @param {EndpointWindow[]} windows */
function* listSketches(windows) {
  for (const { timeToFirstByte, total } of windows) {
    yield timeToFirstByte.toJson();
    yield total.toJson();
  }
}
