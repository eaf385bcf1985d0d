/** What a threshold can be about, as data: names, units and where the Report has the value. */

/** @import { EndpointCosts } from '../analysis/costs.d.ts' */
/** @import { Estimate, LatencySummary, Report } from '../analysis/report.d.ts' */
/** @import { MeasureId } from '../compare/compare-report.d.ts' */
/** @import { ThresholdUnit } from './threshold.d.ts' */

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {ThresholdUnit} unit
 * @property {string} about for people
 * @property {MeasureId | null} measure of a comparison; without one there is no `regression(…)`
 * @property {boolean} ofEndpoint an endpoint has it, too
 * @property {boolean} [ofCategory] its name starts with a category: `auth.cpuMsPerRequest`
 * @property {(report: Report, of: {endpoint: string | null, category: string | null}) => Estimate | number | null} read
 *   null where the run does not know it
 * @property {string} missing why a run may not know it
 */

const PERCENTILES = /** @type {const} */ (['p50', 'p75', 'p90', 'p95', 'p99', 'max', 'mean']);
const NO_LOAD = 'the run has no load test, or no answer';
const NO_CPU = 'it needs a profile of the gunicorn workers while the load runs (--profile)';
/** Percentiles that comparisons know. */
const COMPARED = ['p50', 'p95', 'p99'];

/** @type {Metric[]} */
export const METRICS = [
  ...latencyMetrics('http', 'total', 'total time of answers', 'totalTime'),
  ...latencyMetrics('ttfb', 'timeToFirstByte', 'time to the first byte', 'timeToFirstByte'),
  ...latencyMetrics('intended', null, 'total time from the moment that the schedule meant', null),
  {
    name: 'throughput',
    unit: 'perSec',
    about: 'answers with 2xx or 3xx, per second',
    measure: 'throughputPerSec',
    ofEndpoint: true,
    read: ({ load }, { endpoint }) => {
      if (!load || endpoint === null) return load?.http.throughputPerSec ?? null;
      const found = findEndpoint(load, endpoint);
      const lengthMs = load.windows.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
      return found && lengthMs > 0 ? (1000 * (found.requests - found.errors)) / lengthMs : null;
    },
    missing: NO_LOAD,
  },
  {
    name: 'requests',
    unit: 'count',
    about: 'requests that were sent',
    measure: null,
    ofEndpoint: true,
    read: ({ load }, { endpoint }) =>
      load &&
      (endpoint === null ? load.http.requests : (findEndpoint(load, endpoint)?.requests ?? null)),
    missing: NO_LOAD,
  },
  {
    name: 'errors',
    unit: 'share',
    about: 'share of requests that failed: 4xx, 5xx, or no answer',
    measure: 'errorRate',
    ofEndpoint: true,
    read: ({ load }, { endpoint }) => {
      if (!load) return null;
      if (endpoint === null) return load.http.requests > 0 ? load.http.errorRate : null;
      const found = findEndpoint(load, endpoint);
      return found && found.requests > 0 ? found.errors / found.requests : null;
    },
    missing: NO_LOAD,
  },
  {
    name: 'users.failed',
    unit: 'share',
    about: 'share of virtual users that failed',
    measure: null,
    ofEndpoint: false,
    read: ({ load }) =>
      load && load.users.created > 0 ? load.users.failed / load.users.created : null,
    missing: NO_LOAD,
  },
  {
    name: 'users.skipped',
    unit: 'count',
    about: 'arrivals that never became users',
    measure: null,
    ofEndpoint: false,
    read: ({ load }) => load?.users.skipped ?? null,
    missing: NO_LOAD,
  },
  ...['p50', 'p95', 'p99'].flatMap(percentile => [
    socketMetric('connect', percentile, 'connectTime', 'from the wish to connect to the welcome'),
    socketMetric('acknowledge', percentile, 'acknowledged', 'from an emit to its acknowledgement'),
    socketMetric(
      'response',
      percentile,
      'responseWait',
      'from an emit to the event that answers it',
    ),
  ]),
  {
    name: 'cpuMsPerRequest',
    unit: 'ms',
    about: 'CPU time of the workers per request',
    measure: 'cpuMsPerRequest',
    ofEndpoint: true,
    read: ({ profile, costs }, { endpoint }) => {
      if (profile?.cpu.basis !== 'process-cpu') return null;
      if (endpoint === null) return profile.cpu.perRequest;
      return findCost(costs, endpoint)?.cpuMsPerRequest ?? null;
    },
    missing: NO_CPU,
  },
  {
    name: 'cpuMsPerRequest',
    unit: 'ms',
    about: 'CPU time per request of a category of work',
    measure: 'cpuMsPerRequest',
    ofEndpoint: true,
    ofCategory: true,
    read: ({ profile, costs }, { endpoint, category }) => {
      if (profile?.cpu.basis !== 'process-cpu') return null;
      if (endpoint !== null) {
        const cost = findCost(costs, endpoint);
        const part = cost?.byCategory.find(item => item.category === category);
        return cost?.cpuMsPerRequest ? (part?.cpuMsPerRequest ?? (part ? null : 0)) : null;
      }
      const found = profile.categories.find(({ id }) => id === category);
      // a category without a sample costs nothing that could be seen
      return found ? found.cpuMsPerRequest : 0;
    },
    missing: NO_CPU,
  },
  {
    name: 'share',
    unit: 'share',
    about: 'share of a category of work in all CPU samples',
    measure: null,
    ofEndpoint: false,
    ofCategory: true,
    read: ({ profile }, { category }) => {
      if (!profile || profile.samples.active === 0) return null;
      return profile.categories.find(({ id }) => id === category)?.share ?? 0;
    },
    missing: 'the run has no profile',
  },
  {
    name: 'worker.memory',
    unit: 'bytes',
    about: 'largest resident memory of a worker',
    measure: null,
    ofEndpoint: false,
    read: ({ profile }) => {
      const sizes = (profile?.workers ?? []).flatMap(({ rssBytesMax }) => rssBytesMax ?? []);
      return sizes.length > 0 ? Math.max(...sizes) : null;
    },
    missing: NO_CPU,
  },
  {
    name: 'worker.restarts',
    unit: 'count',
    about: 'workers that ended and were replaced',
    measure: null,
    ofEndpoint: false,
    read: ({ profile }) => profile?.workerRestarts ?? null,
    missing: NO_CPU,
  },
];

/** Shorter names. @type {Record<string, string>} */
export const ALIASES = {
  ...Object.fromEntries(PERCENTILES.map(name => [name, `http.${name}`])),
  errorRate: 'errors',
};

/**
 * @param {string} prefix @param {'total' | 'timeToFirstByte' | null} compared @param {string} about
 * @param {'totalTime' | 'timeToFirstByte' | null} ofEndpoint
 * @returns {Metric[]}
 */
function latencyMetrics(prefix, compared, about, ofEndpoint) {
  return PERCENTILES.map(percentile => ({
    name: `${prefix}.${percentile}`,
    unit: /** @type {const} */ ('ms'),
    about: `${percentile} of the ${about}`,
    measure:
      compared && COMPARED.includes(percentile)
        ? /** @type {MeasureId} */ (`${compared}.${percentile}Ms`)
        : null,
    ofEndpoint: ofEndpoint !== null,
    read: ({ load }, { endpoint }) => {
      if (!load) return null;
      if (endpoint === null) return pick(load.http[ofEndpoint ?? 'totalFromIntended'], percentile);
      return ofEndpoint && pick(findEndpoint(load, endpoint)?.[ofEndpoint] ?? null, percentile);
    },
    missing:
      prefix === 'ttfb'
        ? NO_LOAD
        : prefix === 'http'
          ? `${NO_LOAD}; with --engine artillery only ttfb.${percentile} is known`
          : 'only load with arrivals has a schedule; users in a closed loop have none',
  }));
}

/**
 * @param {string} name @param {string} percentile
 * @param {'connectTime' | 'acknowledged' | 'responseWait'} field @param {string} about
 * @returns {Metric}
 */
function socketMetric(name, percentile, field, about) {
  return {
    name: `socketio.${name}.${percentile}`,
    unit: 'ms',
    about: `${percentile} of the time ${about}`,
    measure: null,
    ofEndpoint: false,
    read: ({ load }) => pick(load?.socketio?.[field] ?? null, percentile),
    missing: 'the run measured no such time of socket.io',
  };
}

/** @param {LatencySummary | null} latency @param {string} percentile */
function pick(latency, percentile) {
  return latency?.[/** @type {keyof LatencySummary} */ (`${percentile}Ms`)] ?? null;
}

/** @param {NonNullable<Report['load']>} load @param {string} endpoint */
function findEndpoint(load, endpoint) {
  return load.endpoints.find(({ name }) => name === endpoint);
}

/** @param {EndpointCosts | null | undefined} costs @param {string} endpoint */
function findCost(costs, endpoint) {
  return costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === endpoint);
}
