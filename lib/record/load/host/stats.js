/** Sums as Artillery's plugins and its `--output` know them. */

import { mergeIntoSketch } from '../../../run/sketch.js';
import { importArtillery, importArtillerysPackage } from '../artillery-modules.js';
import { ratePerSec } from './periods.js';

/** Only where a script asks for them (`config.http.extendedMetrics`). */
const EXTENDED = new Set(['http.dns', 'http.tcp', 'http.tls', 'http.total']);
const OURS = new Set(['http.total_from_intended']);

/** @typedef {import('./periods.js').Summed} Summed */

/**
 * @param {{extendedMetrics: boolean}} options
 * @returns {Promise<StatsFormat>}
 */
export async function createStatsFormat({ extendedMetrics }) {
  const [{ SSMS }, { DDSketch }] = await Promise.all([
    importArtillery('core/ssms.js'),
    importArtillerysPackage('@artilleryio/sketches-js'),
  ]);
  const isWanted = (/** @type {string} */ name) =>
    !OURS.has(name) && (extendedMetrics || !EXTENDED.has(name));

  return {
    format(sum, period) {
      /** @type {Record<string, any>} */
      const histograms = {};
      /** @type {Record<string, any>} */
      const summaries = {};
      for (const [name, sketch] of Object.entries(sum.sketches)) {
        if (!isWanted(name)) continue;
        // Of its own package: plugins serialize it.
        const histogram = new DDSketch({ relativeAccuracy: 0.01 });
        mergeIntoSketch(histogram, sketch);
        histograms[name] = histogram;
        summaries[name] = SSMS.summarizeHistogram(histogram);
      }
      const hasHistograms = Object.keys(histograms).length > 0;
      const [firstMs, lastMs] = Number.isFinite(sum.firstMs)
        ? [sum.firstMs, sum.lastMs]
        : [undefined, undefined];
      return {
        counters: { ...sum.counters },
        rates: Object.fromEntries(
          Object.entries(sum.rates).map(([name, span]) => [name, ratePerSec(span)]),
        ),
        firstCounterAt: firstMs,
        firstHistogramAt: hasHistograms ? firstMs : undefined,
        lastCounterAt: lastMs,
        lastHistogramAt: hasHistograms ? lastMs : undefined,
        firstMetricAt: firstMs,
        lastMetricAt: lastMs,
        period,
        summaries,
        histograms,
      };
    },
    legacy: stats => SSMS.legacyReport(stats),
  };
}

/**
 * @typedef {object} StatsFormat
 * @property {(sum: Summed, period: number | string) => Record<string, any>} format
 * @property {(stats: Record<string, any>) => {report(): Record<string, any>}} legacy Artillery 1.6's
 */
