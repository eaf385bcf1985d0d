/** From a run folder or loose files to everything that people look at. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { analyseFiles, analyseRun } from '../analysis/build-report.js';
import { formatRaw } from '../profile/write-raw.js';
import { formatSpeedscope } from '../profile/write-speedscope.js';
import { renderSvg } from '../profile/write-svg.js';
import { renderTerminal } from '../report/render-terminal.js';
import { replaceFile } from '../report/replace-file.js';
import { writeHtml } from '../report/write-html.js';
import { writeJson } from '../report/write-json.js';
import { createRunFolder, runFiles } from '../run/run-folder.js';
import { collectGarbage, keepHeapSmall } from './keep-heap-small.js';

/** @typedef {import('../analysis/report.d.ts').Report} Report */

/**
 * Builds the report of a run folder and writes all its outputs into it.
 * @param {string} folder
 * @param {{rulesFile: string | null}} options
 * @returns {Promise<Report>}
 * @throws {import('../errors.js').LoadflameError} REPORT_UNWRITABLE (the summary is printed then), and
 *   what the analysis throws
 */
export async function writeOutputs(folder, { rulesFile }) {
  keepHeapSmall();
  const analysis = await analyseRun(folder, { rulesFile, onRead: collectGarbage });
  collectGarbage();
  return writeAll(analysis, runFiles(folder));
}

/**
 * Builds a report of loose files, in a folder of its own.
 * @param {string[]} files
 * @param {{rulesFile: string | null, root: string}} options
 * @returns {Promise<{report: Report, folder: string}>}
 */
export async function writeImport(files, { rulesFile, root }) {
  const analysis = await analyseFiles(files, { rulesFile });
  const name = `import-${path.basename(files[0] ?? '').replace(/\.[^.]*$/, '')}`;
  const target = createRunFolder(root, name);
  analysis.report.run.id = path.basename(target.folder);
  return { report: writeAll(analysis, target), folder: target.folder };
}

/**
 * The report first: on a full disk the small files are worth the most.
 * @param {import('../analysis/build-report.js').Analysis} analysis
 * @param {import('../run/run-folder.js').RunFiles} files
 * @returns {Report}
 */
function writeAll({ report, profile, masterPid, colorOf }, files) {
  /** @param {string} file @param {string} label */
  const list = (file, label) =>
    report.run.files.push({ path: path.relative(files.folder, file), label });
  const { id } = report.run;
  const flamegraph = files.flamegraph(masterPid ?? 'imported');
  if (profile) {
    list(flamegraph, 'flamegraph (SVG)');
    list(files.speedscope, 'profile for speedscope');
    list(files.raw, 'collapsed stacks');
  }
  list(files.reportJson, 'this report as JSON');
  try {
    writeJson(report, files.reportJson);
    writeHtml(report, files.reportHtml);
    if (profile) {
      replaceFile(flamegraph, renderSvg(profile, { title: id, colorOf }));
      // Pool threads of a worker do the same; one by one they would make these files five times as large.
      replaceFile(files.speedscope, formatSpeedscope(profile, { name: id, threads: false }));
      replaceFile(files.raw, formatRaw(profile, { threads: false }));
    }
  } catch (error) {
    // What can't be kept can be read at least.
    showReport(report, files);
    throw error;
  }
  return report;
}

/**
 * Prints the summary and where the report is.
 * @param {Report} report
 * @param {import('../run/run-folder.js').RunFiles} files
 */
export function showReport(report, files) {
  const { stdout } = process;
  const color = Boolean(stdout.isTTY) && !process.env.NO_COLOR;
  // A terminal that does not know its size says 0.
  const width = Math.min(stdout.columns || 80, 100);
  stdout.write(`${renderTerminal(report, { color, width })}\n`);
  if (existsSync(files.reportHtml)) stdout.write(`\nreport: ${files.reportHtml}\n`);
}
