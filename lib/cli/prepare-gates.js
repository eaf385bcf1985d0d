/** Reads the limits that a run has to pass, before anything is measured. Loads their code only if they are used. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { orThrow } from '../base/errors.js';

/** @import { Threshold } from '../run/facts/threshold.d.ts' */
/** @import { Config } from '../base/config/read-config.js' */
/** @import { HistoryOptions, HistoryPlace } from './commands/history.js' */

/**
 * @typedef {object} Gates limits and outputs, checked before anything is measured
 * @property {Threshold[]} thresholds of a file, or of `--find`
 * @property {string[]} baseline folders of runs; none without one
 * @property {string | null} rulesFile
 * @property {string | undefined} [junit] file to write
 * @property {string | undefined} [markdown] file to write
 * @property {HistoryPlace | null} [history] the history that gets the run
 */

/** For a run without limits. @type {Gates} */
export const NO_GATES = { thresholds: [], baseline: [], rulesFile: null };

/**
 * Reads limits and outputs; a typing mistake must not cost a run.
 * @param {Config} config
 * @param {HistoryOptions & {junit?: string, markdown?: string, baseline?: string, find?: string[], profiles: string}} options
 * @returns {Promise<Gates>}
 * @throws {LoadflameError} THRESHOLDS_…, COMPARE_…, REPORT_UNWRITABLE
 */
export async function prepareGates(config, options) {
  const { junit, markdown, baseline, profiles, history, find } = options;
  for (const file of [junit, markdown]) if (file) checkPlace(file);
  const rulesFile = config.get('RULES_FILE');
  const file = config.get('THRESHOLDS');
  const limits = (file || find) && (await import('../experiment/thresholds/read-thresholds.js'));
  const kept = history && (await import('./commands/history.js'));
  const runs = baseline && (await import('./read-runs.js'));
  return {
    thresholds: limits
      ? await (find
          ? limits.readLimits(find, { rulesFile })
          : limits.readThresholds(file, { rulesFile }))
      : [],
    baseline: runs ? runs.expandRuns([baseline], profiles) : [],
    ...{ junit, markdown, rulesFile },
    history: kept ? await kept.placeHistory(history, options, process.env) : null,
  };
}

/** @param {string} file */
function checkPlace(file) {
  const folder = path.dirname(path.resolve(file));
  orThrow('REPORT_UNWRITABLE', { file, folder }, () => accessSync(folder, constants.W_OK));
}
