/** Labels of measures, and the measures that are columns of tables. */
import { measureOf } from '../run/facts/measures.js';

/** @import { MeasureId } from '../run/facts/compare-report.d.ts' */

/** In a sentence or as the label of a figure. @type {Record<MeasureId, string>} */
export const MEASURE_LABELS = {
  throughputPerSec: 'Throughput',
  errorRate: 'Failed requests',
  cpuMsPerRequest: 'CPU per request',
  childCpuMsPerRequest: 'CPU of child processes per request',
  cpuShare: 'Share of CPU',
  'total.p50Ms': 'Median',
  'total.p95Ms': 'p95',
  'total.p99Ms': 'p99',
  'timeToFirstByte.p50Ms': 'Median to first byte',
  'timeToFirstByte.p95Ms': 'p95 to first byte',
  'timeToFirstByte.p99Ms': 'p99 to first byte',
  'db.queriesPerRequest': 'Queries per request',
  'db.msPerRequest': 'Database time per request',
  'sse.firstEvent.p50': 'Median to the first event',
  'sse.firstEvent.p95': 'p95 to the first event',
  'sse.gap.p50': 'Median gap between events',
  'sse.gap.p95': 'p95 gap between events',
};

/** In the middle of a sentence; "CPU per request" stays. @param {MeasureId} measure */
export function nameMeasure(measure) {
  const label = MEASURE_LABELS[measure];
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** Columns of a study's cells, in its tables and in CSV; `id`: the property of a cell. */
export const CELL_COLUMNS = /** @type {const} */ ([
  ['p50Ms', 'Median', 'p50_ms'],
  ['p95Ms', 'p95', 'p95_ms'],
  ['p99Ms', 'p99', 'p99_ms'],
  ['errorRate', 'Failed', 'error_rate'],
]).map(([id, label, csv]) => ({ id, label, csv, unit: measureOf(id, 'study').unit }));
