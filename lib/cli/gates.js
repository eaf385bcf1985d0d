/** Whether a run passes, after `test`, `report` and `compare`: a baseline and thresholds. */
import path from 'node:path';
import { replaceFile } from '../base/files/replace-file.js';
import { buildComparison } from '../experiment/compare/build-comparison.js';
import { checkThresholds, hasFailed } from '../experiment/thresholds/check-thresholds.js';
import { renderCompareHtml } from '../report/compare/render-html.js';
import { printMarkdown } from '../report/print/markdown.js';
import { printSection, printTerminal } from '../report/print/terminal.js';
import { renderJunit } from '../report/render-junit.js';
import { wordComparison } from '../text/comparison.js';
import { describeComparison } from '../text/document/comparison.js';
import { describeRun, describeThresholds } from '../text/document/run.js';
import { wordThresholds } from '../text/thresholds.js';
import { listTryResults } from '../text/try.js';
import { createNamer, printWide } from './io.js';
import { placeRuns, readReports } from './read-runs.js';

/** @import { CompareReport } from '../run/facts/compare-report.d.ts' */
/** @import { Report } from '../run/facts/report.d.ts' */
/** @import { Ending } from './exit-code.js' */
/** @import { Io } from './io.js' */
/** @import { Gates } from './prepare-gates.js' */
/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { WordedReport } from '../text/worded-report.d.ts' */
/** @import { JunitResult } from '../report/render-junit.js' */
/** @import { WordedComparison } from '../text/worded-comparison.d.ts' */

/**
 * Compares a run with its baseline, checks its thresholds, prints and writes the requested outputs.
 * @param {Gates} gates
 * @param {{report: WordedReport, files: RunFiles, io: Io}} run
 * @returns {Promise<Ending>}
 */
export async function concludeRun(gates, { report, files, io }) {
  const own = path.resolve(files.folder);
  const others = gates.baseline.filter(folder => folder !== own);
  const facts =
    others.length > 0
      ? await buildComparison(await readReports(others, gates), [report], {
          labels: { before: 'baseline', after: 'this run' },
          places: placeRuns({ before: others, after: [own] }, files.folder),
        })
      : null;
  const checked = await checkThresholds(gates.thresholds, { reports: [report], comparison: facts });
  const results = wordThresholds(checked);
  const comparison = facts && wordComparison(facts, checked);
  if (comparison) showComparison(comparison, files, io);
  else if (results.length > 0)
    printWide(io, terminal => printSection(describeThresholds(results), terminal));
  const { reliability } = report;
  const isInvalid = reliability.level === 'invalid';
  const failures = report.load?.failures;
  const limits = gates.thresholds.filter(one => one.endpoint === null && !one.isRegression);
  const hasOwn = (/** @type {string} */ metric) => limits.some(one => one.metric === metric);
  // A user's own limit for the whole run replaces ours: for errors, or for users alone.
  const isTooMany =
    (failures?.isTooMany ?? false) &&
    !hasOwn('errors') &&
    !(hasOwn('users.failed') && (failures?.share ?? 0) <= (failures?.allowed ?? 0));
  const dropped = hasOwn('users.dropped') ? null : findDropped(report);
  const tooMany = failures && isTooMany ? failures.text : dropped;
  writeForOthers(gates, results, io, {
    name: report.run.id,
    invalid: isInvalid ? (reliability.reasons[0]?.text ?? 'invalid') : null,
    tooMany,
    startedAtMs: report.run.startedAtMs ?? report.createdAtMs,
    endedAtMs: report.run.endedAtMs ?? report.createdAtMs,
    markdown: () => {
      const content = describeRun(report, comparison ? [] : results);
      const own = printMarkdown(content, { extent: 'short' });
      return comparison ? `${own}\n${printMarkdown(describeComparison(comparison))}` : own;
    },
  });
  if (gates.history && report.load?.steered)
    io.stdout.write(`history: without ${report.run.id}, whose load was changed on its live page\n`);
  else if (gates.history) {
    const { addToHistory } = await import('./commands/history.js');
    addToHistory(gates.history, report);
    io.stdout.write(`history: ${gates.history.file}\n`);
  }
  return { invalid: isInvalid, failed: hasFailed(results) || tooMany !== null };
}

/** Most of the load was not sent, so the measured load is another one. @param {WordedReport} report */
function findDropped({ findings, load }) {
  const allowed = load?.failures.allowed ?? 0;
  const isFound = (/** @type {WordedReport['findings'][number]} */ { id, severity, facts }) =>
    id === 'dropped-arrivals' && severity === 'bad' && facts.dropped > facts.arrivals * allowed;
  return findings.find(isFound)?.text.title ?? null;
}

/**
 * Checks the thresholds of a comparison, prints and writes it.
 * @param {Gates} gates
 * @param {{facts: CompareReport, reports: Report[], files: Pick<RunFiles, 'compareJson' | 'compareHtml'>, io: Io}} made
 *   `reports` of the side after
 * @returns {Promise<Ending>}
 */
export async function concludeComparison(gates, { facts, reports, files, io }) {
  const used = reports.filter((_, index) => facts.after.runs[index]?.isUsed);
  const checked = await checkThresholds(gates.thresholds, { reports: used, comparison: facts });
  const comparison = wordComparison(facts, checked);
  showComparison(comparison, files, io);
  const isInvalid = comparison.verdict.level === 'invalid';
  const starts = comparison.after.runs.map(
    ({ startedAtMs }) => startedAtMs ?? comparison.createdAtMs,
  );
  const own = facts.tried ? listTryResults(facts.tried) : [];
  writeForOthers(gates, [...own, ...comparison.thresholds], io, {
    name: `${comparison.before.label} and ${comparison.after.label}`,
    invalid: isInvalid ? comparison.verdict.text.headline : null,
    // There is no run if a try was interrupted before its first pair.
    startedAtMs: Math.min(comparison.createdAtMs, ...starts),
    endedAtMs: comparison.createdAtMs,
    // A reviewer needs the decision; the page has the rest.
    markdown: () =>
      printMarkdown(describeComparison(comparison), { extent: facts.tried ? 'short' : 'full' }),
  });
  return { invalid: isInvalid, failed: hasFailed([...own, ...checked]) };
}

/**
 * @param {Gates} gates
 * @param {JunitResult[]} results
 * @param {Io} io
 * @param {{name: string, invalid: string | null, tooMany?: string | null, startedAtMs: number, endedAtMs: number, markdown: () => string}} facts
 */
function writeForOthers({ junit, markdown }, results, io, facts) {
  const named = createNamer(io);
  const { name, invalid, tooMany = null, startedAtMs, endedAtMs } = facts;
  const durationMs = Math.max(0, endedAtMs - startedAtMs);
  const suite = { name, startedAtMs, durationMs, invalid, tooMany, results };
  if (junit) replaceFile(junit, named(renderJunit(suite)), { shared: true });
  if (markdown) replaceFile(markdown, named(facts.markdown()), { shared: true });
}

/**
 * Writes and prints it.
 * @param {WordedComparison} comparison
 * @param {Pick<RunFiles, 'compareJson' | 'compareHtml'>} files
 * @param {Io} io
 */
function showComparison(comparison, { compareJson, compareHtml }, io) {
  replaceFile(compareJson, `${JSON.stringify(comparison)}\n`);
  replaceFile(compareHtml, renderCompareHtml(comparison, createNamer(io)));
  printWide(io, terminal => printTerminal(describeComparison(comparison), terminal));
  io.stdout.write(`\ncomparison: ${compareHtml}\n`);
}
