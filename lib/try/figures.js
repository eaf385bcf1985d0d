/** The figures that a try decides, and their values in a pair of runs. */
import { measureOf, readMeasure } from '../facts/measures.js';

/** @import { MeasureId } from '../facts/compare-report.d.ts' */
/** @import { Report } from '../facts/report.d.ts' */
/** @import { TryLoad } from '../facts/try.d.ts' */
/** @import { Pair } from './decide.js' */

/** @typedef {{a: {report: Report}, b: {report: Report}}} Reports */

/**
 * In a closed loop a faster server gets more requests; with arrivals only the latency changes.
 * @param {TryLoad['model']} model
 * @param {Reports[]} pairs
 * @returns {MeasureId[]}
 */
export function chooseMeasures(model, pairs) {
  const isTotalKnown = pairs.every(pair => readPair(pair, 'total.p95Ms').a !== null);
  const latency = isTotalKnown ? 'total.p95Ms' : 'timeToFirstByte.p95Ms';
  return [model === 'closed' ? 'throughputPerSec' : latency, 'cpuMsPerRequest'];
}

/** @param {Reports} pair @param {MeasureId} measure @returns {Pair} */
export function readPair({ a, b }, measure) {
  const read = (/** @type {Report} */ report) => {
    const known = readMeasure(measureOf(measure), report, { endpoint: null, category: null });
    return typeof known === 'number' ? known : (known?.value ?? null);
  };
  return { a: read(a.report), b: read(b.report) };
}
