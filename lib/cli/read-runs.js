/** Which runs a comparison names, where they are, and their reports. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { analyseRun } from '../analysis/analyse-run.js';
import { LoadflameError } from '../base/errors.js';
import { showValue } from '../base/files/check-shape.js';
import { readRegularJson, statOrNull } from '../base/files/regular-file.js';
import { tryOr } from '../base/files/try-or.js';
import { readManifest } from '../run/manifest.js';
import { locateRun, RUNS_FOLDER, runFiles } from '../run/run-folder.js';
import { readSavedReport } from './saved-report.js';

/** @import { Report } from '../run/facts/report.d.ts' */
/** @import { Place } from '../experiment/compare/build-comparison.js' */
/** @import { Manifest } from '../run/facts/records.d.ts' */

/**
 * Expands a list of paths to run folders; a folder of runs stands for all of its runs.
 * @param {string[]} paths folders, ids of runs, or `last`
 * @param {string} [root] the folder that holds the runs
 * @returns {string[]} absolute paths
 * @throws {LoadflameError} COMPARE_NO_RUN, COMPARE_RUN_TWICE
 */
export function expandRuns(paths, root = RUNS_FOLDER) {
  const folders = paths
    .flatMap(given => findRuns(locateRun(given, root)))
    .map(folder => path.resolve(folder));
  checkTwice(folders);
  return folders;
}

/**
 * Refuses a run that is named twice. A load, and the same load merged with a recording, count as one.
 * @param {string[]} folders of all sides
 * @throws {LoadflameError} COMPARE_RUN_TWICE
 */
export function checkTwice(folders) {
  const runs = folders.map(readOrigin);
  const loads = runs.map(({ id, mergedFrom }) => mergedFrom?.load ?? id);
  const twice =
    folders.find((folder, index) => folders.indexOf(folder) !== index) ??
    runs.find(({ mergedFrom }, at) => loads.some((id, i) => i !== at && id === mergedFrom?.load))
      ?.mergedFrom?.load;
  if (twice) throw new LoadflameError('COMPARE_RUN_TWICE', { folder: twice });
}

/** @param {string} folder @returns {Partial<Manifest>} empty if it can't be read: the analysis reports why */
export function readOrigin(folder) {
  return tryOr({}, () => readManifest(runFiles(folder).manifest));
}

/** @param {string} place @returns {string[]} */
function findRuns(place) {
  const complain = (/** @type {string} */ reason) =>
    new LoadflameError('COMPARE_NO_RUN', { path: place, reason });
  const stat = statOrNull(place);
  if (!stat) throw complain('no such folder, and no run of that id');
  if (!stat.isDirectory()) throw complain('it is a file');
  const files = runFiles(place);
  if (existsSync(files.manifest) || existsSync(files.reportJson)) return [place];
  const runs = readdirSync(place)
    .sort()
    .map(name => path.join(place, name))
    .filter(folder => existsSync(runFiles(folder).manifest));
  if (runs.length === 0) throw complain('it contains neither a run.json nor runs');
  return runs;
}

/**
 * Folders of runs for display, and their pages relative to the folder of a comparison.
 * @param {{before: string[], after: string[]}} folders
 * @param {string} from folder of the comparison
 * @returns {{before: Place[], after: Place[]}}
 */
export function placeRuns({ before, after }, from) {
  const place = (/** @type {string} */ folder) => {
    const page = runFiles(folder).reportHtml;
    return {
      folder: path.relative('', folder) || '.',
      report: existsSync(page) ? path.relative(from, page).split(path.sep).join('/') : null,
    };
  };
  return { before: before.map(place), after: after.map(place) };
}

/**
 * Analyses runs again where their report is of other rules or code, so that the same ones apply to all. A report of
 * loose files is used unchanged.
 * @param {string[]} folders
 * @param {{rulesFile: string | null, onProgress?: (folder: string) => void}} options
 * @returns {Promise<Report[]>} in the order of the folders
 * @throws {LoadflameError} COMPARE_NO_RUN, and what the analysis throws
 */
export async function readReports(folders, { rulesFile, onProgress }) {
  /** @type {Report[]} */
  const reports = [];
  for (const folder of folders) {
    onProgress?.(folder);
    const files = runFiles(folder);
    const report = existsSync(files.manifest)
      ? (readSavedReport(folder, rulesFile) ?? (await analyseRun(folder, { rulesFile })).report)
      : readReport(files.reportJson);
    reports.push(report);
  }
  return reports;
}

/** @param {string} file @returns {Report} */
function readReport(file) {
  const complain = (/** @type {string} */ reason, /** @type {unknown} */ cause = undefined) =>
    new LoadflameError('COMPARE_NO_RUN', { path: path.dirname(file), reason }, { cause });
  let report;
  try {
    report = readRegularJson(file);
  } catch (cause) {
    throw complain(
      `its report.json cannot be read (${/** @type {Error} */ (cause).message})`,
      cause,
    );
  }
  if (report?.schema !== 'loadflame-report/2')
    throw complain(`its report.json has the schema ${showValue(report?.schema)}`);
  const lost = ['run', 'findings', 'verdict'].find(part => !(report[part] instanceof Object));
  if (lost) throw complain(`its report.json has no \`${lost}\``);
  return report;
}
