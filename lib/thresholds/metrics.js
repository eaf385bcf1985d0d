/** What a threshold can be about, as data: names, units and where the Report has the value. */

/** @import { Estimate, LatencySummary } from '../facts/estimate.d.ts' */
/** @import { LoadReport } from '../facts/load-report.d.ts' */
/** @import { Report } from '../facts/report.d.ts' */
/** @import { MeasureId } from '../facts/compare-report.d.ts' */
/** @import { Missing, Threshold, ThresholdUnit } from '../facts/threshold.d.ts' */

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {ThresholdUnit} unit
 * @property {'http' | 'schedule' | 'users' | 'socketio' | 'workers' | 'profile'} needs what a run has that knows it
 * @property {MeasureId} [measure] of a comparison; without one there is no `regression(…)`
 * @property {boolean} [ofEndpoint] an endpoint has it, too
 * @property {boolean} [ofCategory] its name starts with a category: `auth.cpuMsPerRequest`
 * @property {(report: Report, of: {endpoint: string | null, category: string | null}) => Estimate | number | null} read
 *   null where the run does not know it
 */

const PERCENTILES = /** @type {const} */ (['p50', 'p75', 'p90', 'p95', 'p99', 'max', 'mean']);
/** Percentiles that comparisons know. */
const COMPARED = ['p50', 'p95', 'p99'];

/** @type {Metric[]} */
export const METRICS = [
  ...PERCENTILES.map(percentile => httpLatency('http', percentile, 'totalTime')),
  ...PERCENTILES.map(percentile => httpLatency('ttfb', percentile, 'timeToFirstByte')),
  ...PERCENTILES.map(percentile => ({
    name: `intended.${percentile}`,
    unit: /** @type {const} */ ('ms'),
    needs: /** @type {const} */ ('schedule'),
    read: (/** @type {Report} */ { load }) =>
      pick(load?.http.totalFromIntended ?? null, percentile),
  })),
  {
    name: 'throughput',
    unit: 'perSec',
    needs: 'http',
    measure: 'throughputPerSec',
    ofEndpoint: true,
    read: ({ load }, { endpoint }) => {
      if (!load || load.http.requests === 0) return null;
      if (endpoint === null) return load.http.throughputPerSec;
      const found = findEndpoint(load, endpoint);
      const lengthMs = load.windows.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
      return found && lengthMs > 0 ? (1000 * (found.requests - found.errors)) / lengthMs : null;
    },
  },
  {
    name: 'requests',
    unit: 'count',
    needs: 'http',
    ofEndpoint: true,
    read: ({ load }, { endpoint }) => load && (findSent(load, endpoint)?.requests ?? null),
  },
  {
    name: 'errors',
    unit: 'share',
    needs: 'http',
    measure: 'errorRate',
    ofEndpoint: true,
    read: ({ load }, { endpoint }) => {
      if (!load || load.http.requests === 0) return null;
      if (endpoint === null) return load.http.errorRate;
      const found = findEndpoint(load, endpoint);
      return found && found.requests > 0 ? found.errors / found.requests : null;
    },
  },
  {
    name: 'users.failed',
    unit: 'share',
    needs: 'users',
    read: ({ load }) =>
      load && load.users.created > 0 ? load.users.failed / load.users.created : null,
  },
  {
    name: 'users.dropped',
    unit: 'count',
    needs: 'users',
    read: ({ load }) => load?.users.skipped ?? null,
  },
  ...COMPARED.flatMap(percentile => [
    socketLatency('connect', percentile, 'connectTime'),
    socketLatency('acknowledge', percentile, 'acknowledged'),
    socketLatency('response', percentile, 'responseWait'),
  ]),
  {
    name: 'cpuMsPerRequest',
    unit: 'ms',
    needs: 'workers',
    measure: 'cpuMsPerRequest',
    ofEndpoint: true,
    read: ({ cpu, costs }, { endpoint }) => {
      if (endpoint !== null) return findCost({ cpu, costs }, endpoint)?.cpuMsPerRequest ?? null;
      return cpu?.basis === 'process-cpu' ? cpu.perRequest : null;
    },
  },
  {
    name: 'cpuMsPerRequest',
    unit: 'ms',
    needs: 'workers',
    measure: 'cpuMsPerRequest',
    ofEndpoint: true,
    ofCategory: true,
    read: ({ cpu, profile, costs }, { endpoint, category }) => {
      if (endpoint !== null) {
        const cost = findCost({ cpu, costs }, endpoint);
        const part = cost?.byCategory.find(item => item.category === category);
        if (!cost?.cpuMsPerRequest || cost.samples === 0) return null;
        return part?.cpuMsPerRequest ?? (part ? null : 0);
      }
      if (!profile || cpu?.basis !== 'process-cpu') return null;
      const found = profile.categories.find(({ id }) => id === category);
      // a category without a sample costs nothing that could be seen
      return found ? found.cpuMsPerRequest : 0;
    },
  },
  {
    name: 'share',
    unit: 'share',
    needs: 'profile',
    ofCategory: true,
    read: ({ profile }, { category }) => {
      if (!profile || profile.samples.active === 0) return null;
      return profile.categories.find(({ id }) => id === category)?.share ?? 0;
    },
  },
  {
    name: 'worker.memory',
    unit: 'bytes',
    needs: 'workers',
    read: ({ cpu }) => {
      const sizes = (cpu?.workers ?? []).flatMap(({ rssBytesMax }) => rssBytesMax ?? []);
      return sizes.length > 0 ? Math.max(...sizes) : null;
    },
  },
  {
    name: 'worker.restarts',
    unit: 'count',
    needs: 'workers',
    // A worker that ended without a replacement is no better.
    read: ({ cpu }) => cpu && cpu.workerRestarts + (cpu.workersLost ?? 0),
  },
];

/** Shorter names, and those of earlier versions. @type {Record<string, string>} */
export const ALIASES = {
  ...Object.fromEntries(PERCENTILES.map(name => [name, `http.${name}`])),
  errorRate: 'errors',
  'users.skipped': 'users.dropped',
};

/** @param {Pick<Threshold, 'metric' | 'category'>} threshold @returns {Metric} */
export function metricOf({ metric, category }) {
  return /** @type {Metric} */ (
    METRICS.find(
      ({ name, ofCategory }) => name === metric && Boolean(ofCategory) === (category !== null),
    )
  );
}

/**
 * What a run lacks that does not know a metric.
 * @param {Metric} metric @param {Report} report @param {string | null} endpoint
 * @returns {Missing}
 */
export function findMissing({ name, needs, ofCategory }, { load, cpu, profile }, endpoint) {
  if (load && load.http.requests > 0 && endpoint !== null && !findEndpoint(load, endpoint))
    return endpoint === '*'
      ? { id: 'no-endpoints', facts: {} }
      : { id: 'no-endpoint', facts: { endpoint } };
  if (needs === 'profile' || needs === 'workers') {
    if (needs === 'profile' || ofCategory ? !profile : !cpu) return { id: 'no-profile', facts: {} };
    if (needs === 'profile') return { id: 'no-samples', facts: {} };
    const isPerRequest = name === 'cpuMsPerRequest' && cpu?.basis === 'process-cpu';
    if (!isPerRequest || (load && load.http.requests > 0)) return { id: 'no-workers', facts: {} };
  }
  if (!load) return { id: 'no-load', facts: {} };
  if (needs === 'users') return { id: 'no-users', facts: {} };
  if (needs === 'socketio')
    return { id: 'no-socketio-time', facts: { isUsed: Boolean(load.socketio) } };
  const { requests, timeToFirstByte, totalTime } = load.http;
  if (requests === 0) {
    const { websocket, socketio } = load;
    return {
      id: 'no-requests',
      facts: { websocket: Boolean(websocket), socketio: Boolean(socketio) },
    };
  }
  if (!timeToFirstByte && !totalTime) return { id: 'no-responses', facts: { requests } };
  if (needs === 'schedule') {
    const isClosed = load.phases.some(({ model }) => model === 'closed');
    return { id: 'no-schedule', facts: { isClosed } };
  }
  return name.startsWith('http.') && !totalTime
    ? { id: 'no-total-time', facts: { use: name.replace('http.', 'ttfb.') } }
    : { id: 'no-responses', facts: { requests: findSent(load, endpoint)?.requests ?? requests } };
}

/**
 * @param {string} prefix @param {typeof PERCENTILES[number]} percentile
 * @param {'totalTime' | 'timeToFirstByte'} field
 * @returns {Metric}
 */
function httpLatency(prefix, percentile, field) {
  const compared = field === 'totalTime' ? 'total' : field;
  return {
    name: `${prefix}.${percentile}`,
    unit: 'ms',
    needs: 'http',
    ...(COMPARED.includes(percentile) && {
      measure: /** @type {MeasureId} */ (`${compared}.${percentile}Ms`),
    }),
    ofEndpoint: true,
    read: ({ load }, { endpoint }) =>
      load && pick(findSent(load, endpoint)?.[field] ?? null, percentile),
  };
}

/**
 * @param {string} name @param {string} percentile
 * @param {'connectTime' | 'acknowledged' | 'responseWait'} field
 * @returns {Metric}
 */
function socketLatency(name, percentile, field) {
  return {
    name: `socketio.${name}.${percentile}`,
    unit: 'ms',
    needs: 'socketio',
    read: ({ load }) => pick(load?.socketio?.[field] ?? null, percentile),
  };
}

/** @param {LatencySummary | null} latency @param {string} percentile */
function pick(latency, percentile) {
  return latency?.[/** @type {keyof LatencySummary} */ (`${percentile}Ms`)] ?? null;
}

/** Of the whole run, or of an endpoint. @param {LoadReport} load @param {string | null} endpoint */
export function findSent(load, endpoint) {
  return endpoint === null ? load.http : findEndpoint(load, endpoint);
}

/** @param {LoadReport} load @param {string} endpoint */
function findEndpoint(load, endpoint) {
  return load.endpoints.find(({ name }) => name === endpoint);
}

/**
 * By samples alone it would be an upper bound, and of a view alone it is not all of a request.
 * @param {Pick<Report, 'cpu' | 'costs'>} report  @param {string} endpoint
 */
function findCost({ cpu, costs }, endpoint) {
  const cost = costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === endpoint);
  if (cost?.isMeasured) return cost;
  return cpu?.basis === 'process-cpu' && cost?.basis !== 'source' ? cost : undefined;
}
