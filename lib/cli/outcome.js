/** What a run is held against, after `test`, `report` and `compare`: a baseline and thresholds. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { buildComparison } from '../compare/build-comparison.js';
import { expandRuns, readReports } from '../compare/read-runs.js';
import { EXIT, LoadflameError } from '../errors.js';
import { renderCompareHtml } from '../report/compare/render-html.js';
import { renderCompareMarkdown } from '../report/compare/render-markdown.js';
import { renderCompareTerminal } from '../report/compare/render-terminal.js';
import { renderJunit } from '../report/render-junit.js';
import { renderMarkdown } from '../report/render-markdown.js';
import { replaceFile } from '../report/replace-file.js';
import { makePaint } from '../report/terminal/text.js';
import { thresholdLines } from '../report/terminal/threshold-lines.js';
import { checkThresholds, hasFailed } from '../thresholds/check-thresholds.js';
import { readThresholds } from '../thresholds/read-thresholds.js';

/** @import { Report } from '../analysis/report.d.ts' */
/** @import { CompareReport } from '../compare/compare-report.d.ts' */
/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { Threshold, ThresholdResult } from '../thresholds/threshold.d.ts' */

/**
 * @typedef {object} Outcome what was asked for, checked before anything is measured
 * @property {Threshold[]} thresholds
 * @property {string[]} baseline folders of runs; none without one
 * @property {string | null} junit file to write
 * @property {string | null} markdown file to write
 * @property {string | null} rulesFile
 */

/** Of a run that is held against nothing. @type {Outcome} */
export const NOTHING_ASKED = {
  thresholds: [],
  baseline: [],
  junit: null,
  markdown: null,
  rulesFile: null,
};

/**
 * Adds the flags of files that a build server or a pull request takes.
 * @param {import('commander').Command} command
 */
export function outcomeFlags(command) {
  command
    .option('--junit <file>', 'also write thresholds and their outcome as junit.xml')
    .option('--markdown <file>', 'also write a summary for a pull request');
}

/** @param {import('commander').Command} command */
export function baselineFlag(command) {
  command.option('--baseline <run>', 'compare with this run, or with the runs in this folder');
}

/**
 * Reads what is asked for; a typing mistake must not cost a run.
 * @param {import('../config/read-config.js').Config} config
 * @param {{junit?: string, markdown?: string, baseline?: string}} options
 * @returns {Promise<Outcome>}
 * @throws {LoadflameError} THRESHOLDS_…, COMPARE_…, REPORT_UNWRITABLE
 */
export async function prepareOutcome(config, { junit, markdown, baseline }) {
  for (const file of [junit, markdown]) if (file) checkPlace(file);
  const rulesFile = config.get('RULES_FILE');
  const file = config.get('THRESHOLDS');
  return {
    thresholds: file ? await readThresholds(file, { rulesFile }) : [],
    baseline: baseline ? expandRuns([baseline]) : [],
    junit: junit ?? null,
    markdown: markdown ?? null,
    rulesFile,
  };
}

/** Was anything asked for? @param {Outcome} outcome */
export function isAsked({ thresholds, baseline, junit }) {
  return thresholds.length > 0 || baseline.length > 0 || junit !== null;
}

/** @param {string} file */
function checkPlace(file) {
  const folder = path.dirname(path.resolve(file));
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    throw new LoadflameError('REPORT_UNWRITABLE', { file, folder, reason }, { cause });
  }
}

/**
 * Compares a run with its baseline, checks its thresholds, prints and writes what was asked for.
 * @param {Outcome} outcome
 * @param {{report: Report, files: RunFiles, quiet?: boolean}} run `quiet`: print nothing
 * @returns {Promise<number>} exit code: good, threshold or invalid
 */
export async function concludeRun(outcome, { report, files, quiet = false }) {
  const own = path.resolve(files.folder);
  const others = outcome.baseline.filter(folder => folder !== own);
  const comparison =
    others.length > 0
      ? await buildComparison(await readReports(others, outcome), [report], {
          labels: { before: 'baseline', after: 'this run' },
        })
      : null;
  const results = await checkThresholds(outcome.thresholds, { reports: [report], comparison });
  if (comparison) {
    comparison.thresholds = results;
    writeComparison(comparison, files);
    if (!quiet) showComparison(comparison, files);
  } else if (results.length > 0 && !quiet) {
    const { color, width } = describeTerminal();
    const lines = thresholdLines(results, width, makePaint(color));
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
  const { validity } = report;
  const isInvalid = validity.level === 'invalid';
  writeForOthers(outcome, results, {
    name: report.run.id,
    invalid: isInvalid ? (validity.reasons[0]?.text ?? 'not valid') : null,
    startedAtMs: report.run.startedAtMs ?? report.createdAtMs,
    endedAtMs: report.run.endedAtMs ?? report.createdAtMs,
    markdown: () => {
      const parts = [renderMarkdown(report, comparison ? [] : results)];
      if (comparison) parts.push(renderCompareMarkdown(comparison));
      return parts.join('\n');
    },
  });
  return exitOf(isInvalid, results);
}

/**
 * Checks the thresholds of a comparison, prints and writes all of it.
 * @param {Outcome} outcome
 * @param {{comparison: CompareReport, reports: Report[], files: Pick<RunFiles, 'compareJson' | 'compareHtml'>, quiet: boolean}} made
 *   `reports` of the side after
 * @returns {Promise<number>} exit code
 */
export async function concludeComparison(outcome, { comparison, reports, files, quiet }) {
  const used = reports.filter((_, index) => comparison.after.runs[index]?.isUsed);
  const results = await checkThresholds(outcome.thresholds, { reports: used, comparison });
  comparison.thresholds = results;
  writeComparison(comparison, files);
  if (!quiet) showComparison(comparison, files);
  const isInvalid = comparison.verdict.level === 'invalid';
  const starts = comparison.after.runs.map(
    ({ startedAtMs }) => startedAtMs ?? comparison.createdAtMs,
  );
  writeForOthers(outcome, results, {
    name: `${comparison.before.label} and ${comparison.after.label}`,
    invalid: isInvalid
      ? [comparison.verdict.headline, ...comparison.verdict.sentences].join(' ')
      : null,
    startedAtMs: Math.min(...starts),
    endedAtMs: comparison.createdAtMs,
    markdown: () => renderCompareMarkdown(comparison),
  });
  return exitOf(isInvalid, results);
}

/** @param {boolean} isInvalid @param {ThresholdResult[]} results */
function exitOf(isInvalid, results) {
  if (isInvalid) return EXIT.invalid;
  return hasFailed(results) ? EXIT.threshold : EXIT.good;
}

/**
 * @param {Outcome} outcome
 * @param {ThresholdResult[]} results
 * @param {{name: string, invalid: string | null, startedAtMs: number, endedAtMs: number, markdown: () => string}} facts
 */
function writeForOthers({ junit, markdown }, results, facts) {
  const { name, invalid, startedAtMs, endedAtMs } = facts;
  const durationMs = Math.max(0, endedAtMs - startedAtMs);
  if (junit) replaceFile(junit, renderJunit({ name, startedAtMs, durationMs, invalid, results }));
  if (markdown) replaceFile(markdown, facts.markdown());
}

/** @param {CompareReport} comparison @param {Pick<RunFiles, 'compareJson' | 'compareHtml'>} files */
function writeComparison(comparison, { compareJson, compareHtml }) {
  replaceFile(compareJson, `${JSON.stringify(comparison)}\n`);
  replaceFile(compareHtml, renderCompareHtml(comparison));
}

/** @param {CompareReport} comparison @param {Pick<RunFiles, 'compareHtml'>} files */
function showComparison(comparison, { compareHtml }) {
  process.stdout.write(`\n${renderCompareTerminal(comparison, describeTerminal())}\n`);
  process.stdout.write(`\ncomparison: ${compareHtml}\n`);
}

function describeTerminal() {
  const { stdout } = process;
  const color = Boolean(stdout.isTTY) && !process.env.NO_COLOR;
  // A terminal that does not know its size says 0; tables of a comparison are wide.
  return { color, width: Math.min(stdout.columns || 110, 140) };
}
