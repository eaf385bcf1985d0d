/** What is compared: measures as data, and where the Report has them. */

/** @import { Estimate, LatencySummary, Report } from '../analysis/report.d.ts' */
/** @import { Change, Measure, MeasureId } from './compare-report.d.ts' */

/** @type {Measure[]} */
export const MEASURES = [
  { id: 'throughputPerSec', label: 'Throughput', unit: 'perSec', better: 'higher' },
  { id: 'errorRate', label: 'Failed requests', unit: 'share', better: 'lower' },
  { id: 'cpuMsPerRequest', label: 'CPU per request', unit: 'ms', better: 'lower' },
  { id: 'cpuShare', label: 'Share of CPU', unit: 'share', better: 'neither' },
  { id: 'total.p50Ms', label: 'Median', unit: 'ms', better: 'lower' },
  { id: 'total.p95Ms', label: 'p95', unit: 'ms', better: 'lower' },
  { id: 'total.p99Ms', label: 'p99', unit: 'ms', better: 'lower' },
  { id: 'timeToFirstByte.p50Ms', label: 'Median to first byte', unit: 'ms', better: 'lower' },
  { id: 'timeToFirstByte.p95Ms', label: 'p95 to first byte', unit: 'ms', better: 'lower' },
  { id: 'timeToFirstByte.p99Ms', label: 'p99 to first byte', unit: 'ms', better: 'lower' },
];

/**
 * Percentiles, each with the answers that it needs at least: below that, it is the slowest answer by
 * another name.
 */
export const PERCENTILES = /** @type {const} */ ([
  { field: 'p50Ms', q: 0.5, answers: 5 },
  { field: 'p95Ms', q: 0.95, answers: 20 },
  { field: 'p99Ms', q: 0.99, answers: 100 },
]);

/**
 * @typedef {object} Figure
 * @property {Change['scope']} scope
 * @property {string} name of the category or endpoint; empty for the whole run
 * @property {MeasureId} measure
 * @property {number} value
 * @property {Estimate | null} estimate the interval that the Report gives it
 */

/**
 * @param {Report} report
 * @returns {Figure[]} only what the run knows
 */
export function readFigures(report) {
  return [...overallFigures(report), ...categoryFigures(report), ...endpointFigures(report)];
}

/** @param {Report} report @returns {Figure[]} */
function overallFigures({ load, profile }) {
  const at = /** @type {const} */ ({ scope: 'overall', name: '' });
  const cpu = profile?.cpu.basis === 'process-cpu' ? profile.cpu.perRequest : null;
  /** @type {Figure[]} */
  const figures = [];
  if (load && load.http.requests > 0) {
    const { throughputPerSec, errorRate, totalTime, timeToFirstByte } = load.http;
    figures.push(
      { ...at, measure: 'throughputPerSec', value: throughputPerSec, estimate: null },
      { ...at, measure: 'errorRate', value: errorRate, estimate: null },
      ...percentiles(at, 'total', totalTime),
      ...percentiles(at, 'timeToFirstByte', timeToFirstByte),
    );
  }
  if (cpu) figures.push({ ...at, measure: 'cpuMsPerRequest', value: cpu.value, estimate: cpu });
  return figures;
}

/** @param {Report} report @returns {Figure[]} */
function categoryFigures({ profile }) {
  if (!profile) return [];
  const isCpuKnown = profile.cpu.basis === 'process-cpu';
  return profile.categories.flatMap(({ id, share, cpuMsPerRequest }) => {
    const at = /** @type {const} */ ({ scope: 'category', name: id });
    return [
      { ...at, measure: /** @type {const} */ ('cpuShare'), value: share.value, estimate: share },
      ...(isCpuKnown && cpuMsPerRequest
        ? [
            {
              ...at,
              measure: /** @type {const} */ ('cpuMsPerRequest'),
              value: cpuMsPerRequest.value,
              estimate: cpuMsPerRequest,
            },
          ]
        : []),
    ];
  });
}

/** @param {Report} report @returns {Figure[]} */
function endpointFigures({ load, costs }) {
  if (!load) return [];
  const seconds = load.windows.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0) / 1000;
  return load.endpoints.flatMap(({ name, requests, errors, totalTime, timeToFirstByte }) => {
    const at = /** @type {const} */ ({ scope: 'endpoint', name });
    const cost = costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === name);
    const cpu = cost?.cpuMsPerRequest ?? null;
    /** @type {Figure[]} */
    const figures = [
      ...percentiles(at, 'total', totalTime),
      ...percentiles(at, 'timeToFirstByte', timeToFirstByte),
    ];
    if (cpu) figures.push({ ...at, measure: 'cpuMsPerRequest', value: cpu.value, estimate: cpu });
    if (requests === 0) return figures;
    figures.push({ ...at, measure: 'errorRate', value: errors / requests, estimate: null });
    if (seconds > 0) {
      const value = (requests - errors) / seconds;
      figures.push({ ...at, measure: 'throughputPerSec', value, estimate: null });
    }
    return figures;
  });
}

/**
 * @param {{scope: Change['scope'], name: string}} at
 * @param {'total' | 'timeToFirstByte'} time
 * @param {LatencySummary | null} latency
 * @returns {Figure[]}
 */
function percentiles(at, time, latency) {
  if (!latency) return [];
  return PERCENTILES.filter(({ answers }) => latency.count >= answers).map(({ field }) => ({
    ...at,
    measure: /** @type {MeasureId} */ (`${time}.${field}`),
    value: latency[field],
    estimate: null,
  }));
}

/** @param {Pick<Figure, 'scope' | 'name' | 'measure'>} figure */
export function keyOfFigure({ scope, name, measure }) {
  return `${scope}\n${name}\n${measure}`;
}
