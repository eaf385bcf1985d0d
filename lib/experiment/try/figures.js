/** The figures that a try decides, and their values in a pair of runs. */

import { measureOf, readMeasure } from '../../run/facts/measures.js';
import { keyOfFigure } from '../compare/figures.js';
import { estimateWithinRun } from '../compare/within-run.js';
import { ALPHA } from '../strategies/pairs.js';

/** @import { MeasureId } from '../../run/facts/compare-report.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { WithinRun } from '../compare/compare-values.js' */
/** @import { TryLoad } from '../../run/facts/try.d.ts' */
/** @import { Pair } from '../strategies/pairs.js' */

/** One run of a side. `within`: how certain its figures are, by `keyOfFigure` @typedef {{folder: string, report: Report, within: Map<string, WithinRun>}} SideRun */
/** @typedef {Record<'a' | 'b', SideRun>} ReportedPair two consecutive runs */

/** @param {string} folder @param {Report} report @returns {Promise<SideRun>} */
export async function readSideRun(folder, report) {
  return { folder, report, within: await estimateWithinRun(report, ALPHA) };
}

/**
 * In a closed loop a faster server gets more requests; with arrivals only the latency changes.
 * @param {TryLoad['model']} model
 * @param {ReportedPair[]} pairs
 * @returns {MeasureId[]}
 */
export function chooseMeasures(model, pairs) {
  const isTotalKnown = pairs.every(pair => readPair(pair, 'total.p95Ms').a !== null);
  const latency = isTotalKnown ? 'total.p95Ms' : 'timeToFirstByte.p95Ms';
  return [model === 'closed' ? 'throughputPerSec' : latency, 'cpuMsPerRequest'];
}

/** @param {TryLoad['model']} model @param {ReportedPair[]} pairs @returns {Map<MeasureId, Pair[]>} */
export function readFigures(model, pairs) {
  const measures = chooseMeasures(model, pairs);
  return new Map(measures.map(own => [own, pairs.map(pair => readPair(pair, own))]));
}

/** @param {ReportedPair} pair @param {MeasureId} measure @returns {Pair} */
export function readPair({ a, b }, measure) {
  const key = keyOfFigure({ scope: 'overall', name: '', measure });
  const read = (/** @type {SideRun} */ { report }) => {
    const known = readMeasure(measureOf(measure), report, { endpoint: null, category: null });
    return typeof known === 'number' ? known : (known?.value ?? null);
  };
  const [own = null, other = null] = [a, b].map(({ within }) => within.get(key)?.logError);
  const error = own === null || other === null ? null : Math.hypot(own, other);
  return { a: read(a), b: read(b), error };
}
