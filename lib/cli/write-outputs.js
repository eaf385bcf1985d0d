/** From a run folder or loose files to everything that people look at. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { analyseFiles, analyseRun } from '../analysis/build-report.js';
import { formatRaw } from '../profile/write-raw.js';
import { toSpeedscope } from '../profile/write-speedscope.js';
import { renderSvg } from '../profile/write-svg.js';
import { renderTerminal } from '../report/render-terminal.js';
import { writeHtml } from '../report/write-html.js';
import { writeJson } from '../report/write-json.js';
import { createRunFolder, runFiles } from '../run/run-folder.js';

/** @typedef {import('../analysis/report.d.ts').Report} Report */

/**
 * Builds the report of a run folder and writes all its outputs into it.
 * @param {string} folder
 * @param {{rulesFile: string | null}} options
 * @returns {Promise<Report>}
 */
export async function writeOutputs(folder, { rulesFile }) {
  const analysis = await analyseRun(folder, { rulesFile });
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
 * @param {import('../analysis/build-report.js').Analysis} analysis
 * @param {import('../run/run-folder.js').RunFiles} files
 * @returns {Report}
 */
function writeAll({ report, profile, masterPid, colorOf }, files) {
  /** @param {string} file @param {string} label */
  const list = (file, label) =>
    report.run.files.push({ path: path.relative(files.folder, file), label });
  if (profile) {
    const flamegraph = files.flamegraph(masterPid ?? 'imported');
    writeFileSync(flamegraph, renderSvg(profile, { title: report.run.id, colorOf }));
    writeFileSync(files.speedscope, JSON.stringify(toSpeedscope(profile, { name: report.run.id })));
    writeFileSync(files.raw, [...formatRaw(profile)].join(''));
    list(flamegraph, 'flamegraph (SVG)');
    list(files.speedscope, 'profile for speedscope');
    list(files.raw, 'collapsed stacks');
  }
  list(files.reportJson, 'this report as JSON');
  writeJson(report, files.reportJson);
  writeHtml(report, files.reportHtml);
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
  stdout.write(
    `${renderTerminal(report, { color, width: Math.min(stdout.columns ?? 80, 100) })}\n`,
  );
  stdout.write(`\nreport: ${files.reportHtml}\n`);
}
