/** Sums as Artillery's plugins and its `--output` know them. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { statOrNull } from '../../../files/regular-file.js';
import { importArtillery, importArtillerysPackage } from '../artillery-modules.js';
import { ratePerSec } from '../metrics/periods.js';

/** @import { Summed } from '../metrics/periods.js' */

/** Only where a script asks for them (`config.http.extendedMetrics`). */
const EXTENDED = new Set(['http.dns', 'http.tcp', 'http.tls', 'http.total']);
/** What scripts, plugins and files of Artillery's do not know. */
const OURS =
  /^(http\.(total_from_intended$|refused\.)|hooks\.held\.|vusers\.(completed|failed)_by_name\.)/;

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
    !OURS.test(name) && (extendedMetrics || !EXTENDED.has(name));

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
        for (const [key, count] of sketch.bins()) histogram.store.add(key, count);
        const { count, sum: total, min, max, zero } = sketch;
        Object.assign(histogram, { count, sum: total, min, max, zeroCount: zero });
        histograms[name] = histogram;
        summaries[name] = SSMS.summarizeHistogram(histogram);
      }
      const hasHistograms = Object.keys(histograms).length > 0;
      const [firstMs, lastMs] = Number.isFinite(sum.firstMs)
        ? [sum.firstMs, sum.lastMs]
        : [undefined, undefined];
      return {
        counters: Object.fromEntries(
          Object.entries(sum.counters).filter(([name]) => !OURS.test(name)),
        ),
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

// -- A summary as text, the way that Artillery prints it (console-reporter.ts).

const WIDTH = 79;

/**
 * @param {string} title
 * @param {Record<string, any>} stats
 * @param {readonly string[]} hidden parts of names that are not shown
 * @returns {string}
 */
export function printSummary(title, { counters, summaries, rates }, hidden) {
  const line = '-'.repeat(title.length);
  const names = [...new Set([counters, summaries, rates].flatMap(Object.keys))].sort();
  const rows = names
    .filter(name => !hidden.some(part => name.includes(part)))
    .flatMap(name => [
      ...(name in counters ? [pad(`${name}:`, counters[name])] : []),
      ...(name in summaries ? printHistogram(name, summaries[name]) : []),
      ...(name in rates ? [`${pad(`${name}:`, rates[name])}/sec`] : []),
    ]);
  const body = rows.length > 0 ? rows : ['No measurements recorded during this period'];
  return [line, title, line, '', ...body, ''].join('\n');
}

/** @param {string} name @param {Record<string, number>} summary */
function printHistogram(name, summary) {
  const shown = ['min', 'max', 'mean', 'median', 'p95', 'p99'];
  return [`${name}:`, ...shown.map(key => pad(`  ${key}:`, Number(summary[key])))];
}

/** @param {string} label @param {number} value */
function pad(label, value) {
  const cut = label.length > WIDTH ? `${label.slice(0, WIDTH - 3)}...` : label;
  return `${cut} ${'.'.repeat(WIDTH - cut.length)} ${value}`;
}

// -- `--output`: the JSON file that Artillery writes at the end of a run.

/**
 * @param {string | undefined} output a file, or a folder that exists
 * @returns {string | null} the file; a folder gets one that is named after the time
 * @throws {Error} its folder does not exist
 */
export function findOutputFile(output) {
  if (!output) return null;
  if (statOrNull(output)?.isDirectory()) {
    const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
    return path.join(output, `artillery_report_${stamp}.json`);
  }
  if (!existsSync(path.dirname(output))) throw new Error(`path does not exist: ${output}`);
  return output;
}

/**
 * @param {Record<string, any>} aggregate stats of the whole run
 * @param {Record<string, any>[]} intermediate of its periods
 * @returns {Record<string, any>} what the file holds
 */
export function formatOutput(aggregate, intermediate) {
  // Artillery has the summaries twice, and no histogram.
  const plain = (/** @type {Record<string, any>} */ stats) => ({
    ...stats,
    histograms: stats.summaries,
  });
  return { aggregate: plain(aggregate), intermediate: intermediate.map(plain) };
}
