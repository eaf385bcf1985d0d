/** Which runs a comparison names, where they are, and their reports. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
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
  if (folders.length < 2) return;
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
  const stat = statOrNull(place);
  if (!stat) throw refuse(place, 'no such folder, and no run of that id');
  if (!stat.isDirectory()) throw refuse(place, 'it is a file');
  const files = runFiles(place);
  if (existsSync(files.manifest) || existsSync(files.reportJson)) return [place];
  const runs = readdirSync(place)
    .sort()
    .map(name => path.join(place, name))
    .filter(folder => existsSync(runFiles(folder).manifest));
  if (runs.length === 0) throw refuse(place, 'it contains neither a run.json nor runs');
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
  return Array.fromAsync(folders, folder => {
    onProgress?.(folder);
    return readOneReport(folder, rulesFile);
  });
}

/** @param {string} folder @param {string | null} rulesFile @returns {Promise<Report>} see `readReports` */
export async function readOneReport(folder, rulesFile) {
  if (!existsSync(runFiles(folder).manifest)) return readLooseReport(folder);
  const saved = readSavedReport(folder, rulesFile);
  if (saved) return saved;
  // Imported only now: a report that is up to date needs none of it.
  const { analyseRun } = await import('../analysis/analyse-run.js');
  return (await analyseRun(folder, { rulesFile })).report;
}

/** @param {string} folder @returns {Report} */
function readLooseReport(folder) {
  let report;
  try {
    report = readRegularJson(runFiles(folder).reportJson);
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw refuse(folder, `its report.json cannot be read (${message})`, cause);
  }
  if (report?.schema !== 'loadflame-report/2')
    throw refuse(folder, `its report.json has the schema ${showValue(report?.schema)}`);
  const lost = ['run', 'findings', 'verdict'].find(part => !(report[part] instanceof Object));
  if (lost) throw refuse(folder, `its report.json has no \`${lost}\``);
  return report;
}

/** @param {string} place @param {string} reason @param {unknown} [cause] */
const refuse = (place, reason, cause) =>
  new LoadflameError('COMPARE_NO_RUN', { path: place, reason }, { cause });
