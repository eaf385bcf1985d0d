/** What is compared: measures as data, and where the Report has them. */

/** @import { Estimate, LatencySummary } from '../facts/estimate.d.ts' */
/** @import { Report } from '../facts/report.d.ts' */
/** @import { Change, Measure, MeasureId } from '../facts/compare-report.d.ts' */

/** @type {Measure[]} */
export const MEASURES = [
  { id: 'throughputPerSec', unit: 'perSec', better: 'higher' },
  { id: 'errorRate', unit: 'share', better: 'lower' },
  { id: 'cpuMsPerRequest', unit: 'ms', better: 'lower' },
  { id: 'cpuShare', unit: 'share', better: 'neither' },
  { id: 'total.p50Ms', unit: 'ms', better: 'lower' },
  { id: 'total.p95Ms', unit: 'ms', better: 'lower' },
  { id: 'total.p99Ms', unit: 'ms', better: 'lower' },
  { id: 'timeToFirstByte.p50Ms', unit: 'ms', better: 'lower' },
  { id: 'timeToFirstByte.p95Ms', unit: 'ms', better: 'lower' },
  { id: 'timeToFirstByte.p99Ms', unit: 'ms', better: 'lower' },
];

/** @param {MeasureId} measure */
export function measureOf(measure) {
  return /** @type {Measure} */ (MEASURES.find(({ id }) => id === measure));
}

/**
 * Percentiles, each with the responses that it needs at least: below that, it is the slowest one by
 * another name.
 */
export const PERCENTILES = /** @type {const} */ ([
  { field: 'p50Ms', q: 0.5, responses: 5 },
  { field: 'p95Ms', q: 0.95, responses: 20 },
  { field: 'p99Ms', q: 0.99, responses: 100 },
]);

/**
 * @typedef {object} Figure
 * @property {Change['scope']} scope
 * @property {string} name of the category or endpoint; empty for the whole run
 * @property {MeasureId} measure
 * @property {number} value
 * @property {'measured' | 'samples'} [basis] what is told from samples is no match for what was measured
 */

/**
 * @param {Report} report
 * @returns {Figure[]} only what the run knows
 */
export function readFigures({ load, cpu: use, profile, costs }) {
  // an upper bound by samples is no match for CPU time
  const cpu = use?.basis === 'process-cpu' ? use : null;
  const overall = makeFigures('overall', '');
  const sent = load && load.http.requests > 0 ? load.http : null;
  const seconds =
    (load?.windows ?? []).reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0) / 1000;
  return [
    ...overall('throughputPerSec', sent?.throughputPerSec),
    ...overall('errorRate', sent?.errorRate),
    ...(sent ? latencies(overall, sent) : []),
    ...overall('cpuMsPerRequest', cpu?.perRequest),
    ...(profile?.categories ?? []).flatMap(({ id, share, cpuMsPerRequest }) => {
      const own = makeFigures('category', id);
      return [...own('cpuShare', share), ...own('cpuMsPerRequest', cpu && cpuMsPerRequest)];
    }),
    ...(load?.endpoints ?? []).flatMap(endpoint => {
      const { name, requests, errors } = endpoint;
      const own = makeFigures('endpoint', name);
      const cost = costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === name);
      return [
        ...latencies(own, endpoint),
        ...own(
          'cpuMsPerRequest',
          cpu || cost?.isMeasured ? cost?.cpuMsPerRequest : null,
          cost?.isMeasured ? 'measured' : 'samples',
        ),
        ...own('errorRate', requests > 0 ? errors / requests : null),
        ...own(
          'throughputPerSec',
          requests > 0 && seconds > 0 ? (requests - errors) / seconds : null,
        ),
      ];
    }),
  ];
}

/**
 * Makes a figure of a measure, or none where the run does not know it.
 * @param {Change['scope']} scope @param {string} name
 * @returns {(measure: MeasureId, known: number | Estimate | null | undefined, basis?: Figure['basis']) => Figure[]}
 */
function makeFigures(scope, name) {
  return (measure, known, basis) => {
    if (known === null || known === undefined) return [];
    const value = typeof known === 'number' ? known : known.value;
    return [{ scope, name, measure, value, ...(basis && { basis }) }];
  };
}

/**
 * @param {ReturnType<typeof makeFigures>} own
 * @param {{totalTime: LatencySummary | null, timeToFirstByte: LatencySummary | null}} times
 * @returns {Figure[]}
 */
function latencies(own, { totalTime, timeToFirstByte }) {
  return Object.entries({ total: totalTime, timeToFirstByte }).flatMap(([time, latency]) =>
    PERCENTILES.flatMap(({ field, responses }) =>
      latency && latency.count >= responses
        ? own(/** @type {MeasureId} */ (`${time}.${field}`), latency[field])
        : [],
    ),
  );
}

/** @param {Pick<Figure, 'scope' | 'name' | 'measure'>} figure */
export function keyOfFigure({ scope, name, measure }) {
  return `${scope}\n${name}\n${measure}`;
}
