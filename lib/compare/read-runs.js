/** Reports of the runs that a comparison names. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { analyseRun } from '../analysis/build-report.js';
import { LoadflameError } from '../errors.js';
import { runFiles } from '../run/run-folder.js';

/** @import { Report } from '../analysis/report.d.ts' */

/**
 * Run folders that a list of paths means; a folder that holds runs stands for all of them.
 * @param {string[]} paths
 * @returns {string[]} absolute paths
 * @throws {LoadflameError} COMPARE_NO_RUN, COMPARE_RUN_TWICE
 */
export function expandRuns(paths) {
  const folders = paths.flatMap(findRuns).map(folder => path.resolve(folder));
  checkTwice(folders);
  return folders;
}

/** @param {string[]} folders of all sides @throws {LoadflameError} COMPARE_RUN_TWICE */
export function checkTwice(folders) {
  const twice = folders.find((folder, index) => folders.indexOf(folder) !== index);
  if (twice) throw new LoadflameError('COMPARE_RUN_TWICE', { folder: twice });
}

/** @param {string} place @returns {string[]} */
function findRuns(place) {
  const complain = (/** @type {string} */ reason) =>
    new LoadflameError('COMPARE_NO_RUN', { path: place, reason });
  const stat = statSync(place, { throwIfNoEntry: false });
  if (!stat) throw complain('there is no such folder');
  if (!stat.isDirectory()) throw complain('it is a file');
  const files = runFiles(place);
  if (existsSync(files.manifest) || existsSync(files.reportJson)) return [place];
  const runs = readdirSync(place)
    .sort()
    .map(name => path.join(place, name))
    .filter(folder => existsSync(runFiles(folder).manifest));
  if (runs.length === 0) throw complain('it holds neither a run.json nor runs');
  return runs;
}

/**
 * Runs are analysed anew, so that old and new ones are read by the same rules; a report of loose files
 * is taken as it is.
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
      ? (await analyseRun(folder, { rulesFile })).report
      : await readReport(files.reportJson);
    reports.push(report);
  }
  return reports;
}

/** What reports of earlier versions do not have. */
const NOT_KNOWN = /** @type {const} */ ({
  timeline: null,
  costs: null,
  balance: null,
  limit: null,
  validity: { level: 'valid', reasons: [] },
});

/** @param {string} file @returns {Promise<Report>} */
async function readReport(file) {
  const complain = (/** @type {string} */ reason, /** @type {unknown} */ cause = undefined) =>
    new LoadflameError('COMPARE_NO_RUN', { path: path.dirname(file), reason }, { cause });
  let report;
  try {
    report = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw complain(
      `its report.json can not be read (${/** @type {Error} */ (cause).message})`,
      cause,
    );
  }
  if (report?.schema !== 'loadflame-report/1')
    throw complain(`its report.json is of schema ${JSON.stringify(report?.schema)}`);
  return { ...NOT_KNOWN, ...report };
}
