/** `--output`: the JSON file that Artillery writes at the end of a run. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @param {string | undefined} output a file, or a folder that exists
 * @returns {string | null} the file; a folder gets one that is named after the time
 * @throws {Error} its folder does not exist
 */
export function findOutputFile(output) {
  if (!output) return null;
  if (statSync(output, { throwIfNoEntry: false })?.isDirectory()) {
    const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
    return path.join(output, `artillery_report_${stamp}.json`);
  }
  if (!existsSync(path.dirname(output))) throw new Error(`path does not exist: ${output}`);
  return output;
}

/**
 * @param {string} file
 * @param {Record<string, any>} aggregate stats of the whole run
 * @param {Record<string, any>[]} intermediate of its periods
 */
export function writeOutput(file, aggregate, intermediate) {
  // Artillery has the summaries twice, and no histogram.
  const plain = (/** @type {Record<string, any>} */ stats) => ({
    ...stats,
    histograms: stats.summaries,
  });
  const report = { aggregate: plain(aggregate), intermediate: intermediate.map(plain) };
  writeFileSync(file, JSON.stringify(report, null, 2));
}
