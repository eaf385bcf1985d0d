/**
 * The one table of figures: the definition of each, and where a Report has it. Thresholds, comparisons, studies, CSV
 * and table columns read it.
 */

import { bodyRateOf } from './body-rate.js';
import { findCallsOf, findCostOf } from './of-endpoint.js';

/** @import { EndpointSums } from './calls.d.ts' */
/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { LoadReport } from './load-report.d.ts' */
/** @import { Report } from './report.d.ts' */
/** @import { ThresholdUnit } from '../../base/units.d.ts' */

/**
 * What a figure refers to; all null: the whole run.
 * @typedef {{endpoint: string | null, category: string | null, package?: string | null}} Names
 */
/** @typedef {'overall' | 'category' | 'package' | 'endpoint' | 'endpointCategory'} Scope */
/** @typedef {number | Estimate | null | undefined} Known */
/** @typedef {(report: Report, names: Names) => Known} Read null or undefined if the run does not know it */

/**
 * @typedef {object} Measure
 * @property {string} id
 * @property {string} [threshold] its name in a thresholds file; a category precedes it: `auth.`
 * @property {string} [study] its name in the figures of a study
 * @property {ThresholdUnit} unit
 * @property {'higher' | 'lower' | 'neither'} better
 * @property {'http' | 'schedule' | 'users' | 'socketio' | 'sse' | 'workers' | 'profile' | 'calls'} needs what a run must have for the figure to exist
 * @property {boolean} [isCompared] between runs, so `regression(…)` accepts it
 * @property {number} [least] number of observations that a comparison needs
 * @property {(report: Report, names: Names) => number} [count] number of observations
 * @property {Partial<Record<Scope, Read>>} of where a Report has it
 * @property {(report: Report, names: Names) => boolean} [isPart] covers a part only: comparable with the
 *   same figure of another run, but not what a threshold means
 * @property {(perSec: number, cores: number) => {top: number, bottom: number}} [ratio] for one second of a cell of a study
 */

/** With fewer than `least` responses, a percentile is just the slowest response. */
const PERCENTILES = /** @type {const} */ ([
  { name: 'p50', field: 'p50Ms', q: 0.5, least: 5 },
  { name: 'p75', field: 'p75Ms' },
  { name: 'p90', field: 'p90Ms' },
  { name: 'p95', field: 'p95Ms', q: 0.95, least: 20 },
  { name: 'p99', field: 'p99Ms', q: 0.99, least: 100 },
  { name: 'max', field: 'maxMs' },
  { name: 'mean', field: 'meanMs' },
]);
/** The percentiles that comparisons use, for total time and for time to first byte. */
export const COMPARED_PERCENTILES = PERCENTILES.filter(percentile => 'q' in percentile);

/** @type {Measure[]} in the order of tables */
export const MEASURES = [
  {
    id: 'throughputPerSec',
    threshold: 'throughput',
    study: 'throughputPerSec',
    unit: 'perSec',
    better: 'higher',
    needs: 'http',
    isCompared: true,
    of: {
      overall: ({ load }) => findHttp(load)?.throughputPerSec,
      endpoint: ({ load }, { endpoint }) => {
        const sent = findEndpoint(load, endpoint);
        const lengthMs = (load?.windows ?? []).reduce((ms, own) => ms + own.endMs - own.startMs, 0);
        return sent && lengthMs > 0 ? (1000 * (sent.requests - sent.errors)) / lengthMs : null;
      },
    },
    ratio: perSec => ({ top: perSec, bottom: 1 }),
  },
  {
    id: 'errorRate',
    threshold: 'errors',
    study: 'errorRate',
    unit: 'share',
    better: 'lower',
    needs: 'http',
    isCompared: true,
    of: {
      overall: ({ load }) => findHttp(load)?.errorRate,
      endpoint: ({ load }, { endpoint }) => {
        const sent = findEndpoint(load, endpoint);
        return sent && sent.errors / sent.requests;
      },
    },
  },
  {
    id: 'cpuMsPerRequest',
    threshold: 'cpuMsPerRequest',
    unit: 'ms',
    better: 'lower',
    needs: 'workers',
    isCompared: true,
    of: {
      overall: ({ cpu }) => (cpu?.basis === 'process-cpu' ? cpu.perRequest : null),
      endpoint: (report, { endpoint }) => findCost(report, endpoint)?.cpuMsPerRequest,
      category: ({ cpu, profile }, { category }) => {
        if (!profile || cpu?.basis !== 'process-cpu') return null;
        const found = profile.categories.find(({ id }) => id === category);
        // A category without samples has no measurable cost.
        return found ? found.cpuMsPerRequest : 0;
      },
      package: (report, names) => {
        if (!report.profile?.packages || report.cpu?.basis !== 'process-cpu') return null;
        const found = findPackage(report, names);
        return found ? found.cpuMsPerRequest : 0;
      },
      endpointCategory: (report, { endpoint, category }) => {
        const cost = findCost(report, endpoint);
        const part = cost?.byCategory.find(item => item.category === category);
        if (!cost?.cpuMsPerRequest || cost.samples === 0) return null;
        return part ? part.cpuMsPerRequest : 0;
      },
    },
    isPart: (report, { endpoint }) => {
      const cost = findCost(report, endpoint);
      return cost?.basis === 'source' && !cost.isMeasured;
    },
  },
  {
    ...ofRun('childCpuMsPerRequest', 'ms', 'workers', ({ cpu }) => cpu?.childMsPerRequest),
    isCompared: true,
  },
  {
    id: 'cpuShare',
    threshold: 'share',
    unit: 'share',
    better: 'neither',
    needs: 'profile',
    isCompared: true,
    of: {
      category: ({ profile }, { category }) => {
        if (!profile || profile.samples.active === 0) return null;
        return profile.categories.find(({ id }) => id === category)?.share ?? 0;
      },
      package: (report, names) =>
        report.profile?.packages && (findPackage(report, names)?.share ?? 0),
    },
  },
  ...listLatencies('total', 'http', 'totalTime'),
  ...listLatencies('timeToFirstByte', 'ttfb', 'timeToFirstByte'),
  ...PERCENTILES.map(({ name, field }) =>
    ofRun(
      `intended.${name}`,
      'ms',
      'schedule',
      ({ load }) => load?.http.totalFromIntended?.[field],
    ),
  ),
  {
    id: 'requests',
    threshold: 'requests',
    unit: 'count',
    better: 'neither',
    needs: 'http',
    of: {
      overall: ({ load }) => load?.http.requests,
      endpoint: ({ load }, { endpoint }) => findEndpoint(load, endpoint)?.requests,
    },
  },
  {
    id: 'responseBytes',
    threshold: 'responseBytes',
    unit: 'bytes',
    better: 'lower',
    needs: 'http',
    of: {
      overall: ({ load }) => {
        const { bytesReceived = null, responses = 0 } = load?.http ?? {};
        return bytesReceived !== null && responses > 0 ? bytesReceived / responses : null;
      },
      endpoint: ({ load }, { endpoint }) => findEndpoint(load, endpoint)?.means?.responseBytes,
    },
  },
  {
    id: 'bodyBytesPerSec',
    unit: 'bytes',
    better: 'higher',
    needs: 'http',
    of: {
      endpoint: ({ load }, { endpoint }) => bodyRateOf(findEndpoint(load, endpoint)?.means),
    },
  },
  ofServers('db.queriesPerRequest', 'count', ({ queries }) => queries.mean),
  ofServers('db.msPerRequest', 'ms', ({ databaseMs }) => databaseMs.mean),
  // A wait of microseconds that doubles is not a regression.
  { ...ofServers('db.poolMsPerRequest', 'ms', ({ poolMs }) => poolMs.mean), isCompared: false },
  ofRun('users.failed', 'share', 'users', ({ load }) =>
    load && load.users.created > 0 ? load.users.failed / load.users.created : null,
  ),
  ofRun('users.dropped', 'count', 'users', ({ load }) => load?.users.skipped),
  ...COMPARED_PERCENTILES.flatMap(({ name, field }) => [
    ofSockets(`connect.${name}`, load => load.connectTime?.[field]),
    ofSockets(`acknowledge.${name}`, load => load.acknowledged?.[field]),
    ofSockets(`response.${name}`, load => load.responseWait?.[field]),
  ]),
  .../** @type {const} */ (['firstEvent', 'gap']).flatMap(time =>
    COMPARED_PERCENTILES.slice(0, 2).map(({ name, field, least }) => ({
      ...ofRun(`sse.${time}.${name}`, 'ms', 'sse', ({ load }) => load?.sse?.[time]?.[field]),
      ...{ isCompared: true, least },
      count: (/** @type {Report} */ { load }) => load?.sse?.[time]?.count ?? 0,
    })),
  ),
  { ...ofRun('sse.events', 'count', 'sse', ({ load }) => load?.sse?.events), better: 'neither' },
  ofRun('sse.reconnects', 'count', 'sse', ({ load }) => load?.sse?.reconnects),
  ofRun('worker.memory', 'bytes', 'workers', ({ cpu }) => {
    const sizes = (cpu?.workers ?? []).flatMap(({ rssBytesMax }) => rssBytesMax ?? []);
    return sizes.length > 0 ? Math.max(...sizes) : null;
  }),
  // A worker that ended without a replacement counts as a restart too.
  ofRun('worker.restarts', 'count', 'workers', ({ cpu }) =>
    cpu ? cpu.workerRestarts + (cpu.workersLost ?? 0) : null,
  ),
  ofCells('perBusyCore', 'perSec', 'higher', (perSec, cores) => ({ top: perSec, bottom: cores })),
  ofCells('cpuMsPerTransaction', 'ms', 'lower', (perSec, cores) => ({
    top: cores * 1000,
    bottom: perSec,
  })),
];

/** @param {string} name @param {'id' | 'threshold' | 'study'} [key] whose name it is @returns {Measure} */
export function measureOf(name, key = 'id') {
  return /** @type {Measure} */ (MEASURES.find(measure => measure[key] === name));
}

/**
 * @param {Measure} measure
 * @param {Report} report
 * @param {Names} names
 * @returns {number | Estimate | null}
 */
export function readMeasure({ of }, report, names) {
  if (names.package) return of.package?.(report, names) ?? null;
  const whole = names.endpoint === null ? 'overall' : 'endpoint';
  const part = names.endpoint === null ? 'category' : 'endpointCategory';
  return of[names.category === null ? whole : part]?.(report, names) ?? null;
}

/** @param {Report} report @param {Names} names */
function findPackage({ profile }, names) {
  return profile?.packages.find(({ name }) => name === names.package);
}

/** Of the whole run; undefined if nothing was sent. @param {LoadReport | null} load */
function findHttp(load) {
  return load && load.http.requests > 0 ? load.http : undefined;
}

/** @param {LoadReport | null} load @param {string | null} name */
function findEndpoint(load, name) {
  return load?.endpoints.find(own => own.name === name && own.requests > 0);
}

/**
 * Of the whole run, or of an endpoint.
 * @param {LoadReport | null} load @param {string | null} endpoint
 */
export function findSent(load, endpoint) {
  return endpoint === null ? findHttp(load) : findEndpoint(load, endpoint);
}

/**
 * Samples alone give an upper bound, which cannot be compared with CPU time.
 * @param {Report} report @param {string | null} endpoint
 */
function findCost({ cpu, costs }, endpoint) {
  const cost = findCostOf({ costs }, endpoint);
  return cpu?.basis === 'process-cpu' || cost?.isMeasured ? cost : undefined;
}

/**
 * @param {'total' | 'timeToFirstByte'} time @param {string} prefix of thresholds
 * @param {'totalTime' | 'timeToFirstByte'} field
 * @returns {Measure[]}
 */
function listLatencies(time, prefix, field) {
  return PERCENTILES.map(percentile => {
    const find = (/** @type {Report} */ { load }, /** @type {Names} */ { endpoint }) =>
      findSent(load, endpoint)?.[field];
    /** @type {Read} */
    const read = (report, names) => find(report, names)?.[percentile.field];
    return {
      id: `${time}.${percentile.field}`,
      threshold: `${prefix}.${percentile.name}`,
      ...(time === 'total' && { study: percentile.field }),
      unit: 'ms',
      better: 'lower',
      needs: 'http',
      isCompared: 'least' in percentile,
      ...('least' in percentile && { least: percentile.least }),
      count: (report, names) => find(report, names)?.count ?? 0,
      of: { overall: read, endpoint: read },
    };
  });
}

/**
 * A figure of the whole run, for thresholds only.
 * @param {string} id @param {ThresholdUnit} unit @param {Measure['needs']} needs @param {Read} read
 * @returns {Measure}
 */
function ofRun(id, unit, needs, read) {
  return { id, threshold: id, unit, better: 'lower', needs, of: { overall: read } };
}

/**
 * A mean per request that servers report.
 * @param {string} id @param {ThresholdUnit} unit @param {(sums: EndpointSums) => number} read
 * @returns {Measure}
 */
function ofServers(id, unit, read) {
  return {
    ...{ id, threshold: id, unit, better: 'lower', needs: 'calls', isCompared: true },
    of: {
      overall: ({ calls }) => calls && read(calls.whole),
      endpoint: ({ calls }, { endpoint }) => {
        const own = findCallsOf({ calls }, endpoint);
        return own && read(own);
      },
    },
  };
}

/**
 * A ratio that only cells of a study have.
 * @param {string} id @param {ThresholdUnit} unit @param {Measure['better']} better @param {Measure['ratio']} ratio
 * @returns {Measure}
 */
function ofCells(id, unit, better, ratio) {
  return { id, study: id, unit, better, needs: 'workers', of: {}, ratio };
}

/** @param {string} name @param {(socketio: NonNullable<LoadReport['socketio']>) => Known} read */
function ofSockets(name, read) {
  return ofRun(
    `socketio.${name}`,
    'ms',
    'socketio',
    ({ load }) => load?.socketio && read(load.socketio),
  );
}
