/** Writes all outputs of a run folder or of loose files. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { analyseFiles } from '../analysis/analyse-files.js';
import { analyseFolder } from '../analysis/analyse-folder.js';
import { joinThreads } from '../analysis/stacks/node-table.js';
import { formatRaw } from '../analysis/stacks/write-raw.js';
import { formatSpeedscope } from '../analysis/stacks/write-speedscope.js';
import { renderSvg } from '../analysis/stacks/write-svg.js';
import { LoadflameError } from '../base/errors.js';
import { createRedactor } from '../base/files/redaction.js';
import { replaceFile } from '../base/files/replace-file.js';
import { cleanLeftSegments } from '../record/profiler/clean-segment.js';
import { renderHtml } from '../report/render-html.js';
import { isRunActive, readManifest } from '../run/manifest.js';
import { createRunFolder, runFiles } from '../run/run-folder.js';
import { wordReport } from '../text/index.js';
import { createNamer } from './io.js';
import { showReport } from './show-report.js';

/** @import { Analysis } from '../analysis/analyse-run.js' */
/** @import { Profile } from '../analysis/stacks/profile.d.ts' */
/** @import { Redactor } from '../base/files/redaction.js' */
/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { WordedReport } from '../text/worded-report.d.ts' */
/** @import { Io } from './io.js' */

/** @typedef {{joined: Profile, failure: unknown}} WrittenProfile `failure`: why its stacks could not be written */

/**
 * Builds the report of a run folder and writes all its outputs into it.
 * @param {string} folder
 * @param {{rulesFile: string | null, io: Io, redactor?: Redactor}} options `redactor`: for files that a killed
 *   loadflame left in it
 * @returns {Promise<WordedReport>}
 * @throws {import('../base/errors.js').LoadflameError} REPORT_UNWRITABLE (the summary is printed then), and
 *   what the analysis throws
 */
export async function writeOutputs(folder, { rulesFile, io, redactor = createRedactor() }) {
  const files = runFiles(folder);
  const manifest = readManifest(files.manifest);
  if (manifest.status !== 'complete' && !isRunActive(manifest))
    cleanLeftSegments(folder, redactor.redactText);
  /** @type {WrittenProfile | null} */
  let written = null;
  const analysis = await analyseFolder(folder, {
    rulesFile,
    onProfile: profile => {
      written = writeStacks(profile, files);
    },
  });
  return writeAll(analysis, files, { written, io });
}

/**
 * Builds a report of loose files, in a folder of its own.
 * @param {string[]} files
 * @param {{rulesFile: string | null, root: string, io: Io}} options
 * @returns {Promise<{report: WordedReport, folder: string}>}
 */
export async function writeImport(files, { rulesFile, root, io }) {
  const analysis = await analyseFiles(files, { rulesFile });
  const name = `import-${path.basename(files[0] ?? '').replace(/\.[^.]*$/, '')}`;
  const target = createRunFolder(root, name);
  analysis.report.run.id = path.basename(target.folder);
  const written = analysis.profile && writeStacks(analysis.profile, target);
  return { report: writeAll(analysis, target, { written, io }), folder: target.folder };
}

/**
 * Writes the stacks, which takes longest.
 * @param {Profile} profile
 * @param {RunFiles} files
 * @returns {WrittenProfile}
 */
function writeStacks(profile, files) {
  // Pool threads of a worker do the same; one by one they would make the files five times as large.
  const joined = joinThreads(profile);
  try {
    replaceFile(files.raw, formatRaw(joined));
    return { joined, failure: null };
  } catch (failure) {
    return { joined, failure };
  }
}

/**
 * @param {Analysis} analysis
 * @param {RunFiles} files
 * @param {{written: WrittenProfile | null, io: Io}} context
 * @returns {WordedReport}
 */
function writeAll({ report: facts, serverPid, colors }, files, { written, io }) {
  /** @param {string} file @param {string} label */
  const list = (file, label) =>
    facts.run.files.push({ path: path.relative(files.folder, file), label });
  const { id } = facts.run;
  const flamegraph = files.flamegraph(serverPid ?? 'imported');
  if (written) {
    list(flamegraph, 'flamegraph (SVG)');
    list(files.speedscope, 'profile for speedscope');
    list(files.raw, 'collapsed stacks');
  }
  list(files.reportJson, 'this report as JSON');
  const report = wordReport(facts);
  try {
    writeReport(report, files, io);
    if (written) {
      replaceFile(
        flamegraph,
        renderSvg(written.joined, {
          title: id,
          colorOf: node => colors?.palette[colors.category[node] ?? -1] ?? null,
        }),
      );
      replaceFile(files.speedscope, formatSpeedscope(written.joined, { name: id }));
      if (written.failure) throw written.failure;
    }
  } catch (error) {
    // Print the report if it can't be written.
    showReport(report, files, { io, full: true });
    throw error;
  }
  return report;
}

/**
 * @param {WordedReport} report
 * @param {RunFiles} files
 * @param {Io} io
 */
function writeReport(report, files, io) {
  const write = () => {
    // Its schema is made from the type: `npm run check -- --fix`.
    replaceFile(files.reportJson, `${JSON.stringify(report)}\n`);
    replaceFile(files.reportHtml, renderHtml(report, createNamer(io)));
  };
  try {
    write();
  } catch (error) {
    if (!(error instanceof LoadflameError) || error.data.reason !== 'ENOSPC') throw error;
    // On a full disk the small files are worth the most, and this one can be made again.
    rmSync(files.raw, { force: true });
    write();
  }
}
