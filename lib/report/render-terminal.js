import { plainLine } from '../files/plain-text.js';
import { bottleneckLines, findingLines } from './terminal/bottleneck-lines.js';
import { balanceLines, costLines, withoutCostLines } from './terminal/cost-lines.js';
import { loadLines } from './terminal/load-lines.js';
import { profileLines, taskWorkerLines } from './terminal/profile-lines.js';
import { sign } from './terminal/sign.js';
import {
  joinBlocks,
  makePaint,
  padEnd,
  shortenText,
  textWidth,
  wrapText,
} from './terminal/text.js';

/** @import { WordedCluster, WordedReport } from '../text/worded-report.d.ts' */
/** @import { Paint } from './terminal/text.js' */

/** Causes stand with their hot paths already, and the bottleneck in the verdict. */
const SHOWN_ELSEWHERE = ['cause', 'bottleneck'];

/**
 * The report for a terminal or a pipe, the answer first.
 * @param {WordedReport} report
 * @param {{color?: boolean, width?: number}} [options]
 * @returns {string} lines of at most `width` columns, without a line feed at the end
 */
export function renderTerminal(report, { color = false, width = 80 } = {}) {
  const paint = makePaint(color);
  const others = report.findings.filter(({ id }) => !SHOWN_ELSEWHERE.includes(id));
  return joinBlocks([
    verdictLines(report, width, paint),
    report.load ? loadLines(report.load, width, paint) : missingLoad(report, width, paint),
    report.profile
      ? profileLines(report.profile, report.cpu, width, paint)
      : missingProfile(report, width, paint),
    ...describeCosts(report, width, paint),
    report.taskWorkers ? taskWorkerLines(report.taskWorkers, width, paint) : [],
    report.balance ? balanceLines(report.balance, width, paint) : [],
    report.cluster ? clusterLines(report.cluster, width, paint) : [],
    bottleneckLines(report, width, paint),
    findingLines(others, width, paint),
    qualityLines(report, width, paint),
    fileLines(report, width, paint),
  ]);
}

/** @param {WordedReport} report @param {number} width @param {Paint} paint */
function describeCosts({ costs, load, profile }, width, paint) {
  if (costs) return [costLines(costs, width, paint)];
  return load?.endpoints.length && profile ? [withoutCostLines(width, paint)] : [];
}

/** @param {WordedReport} report @param {number} width @param {Paint} paint */
function verdictLines({ run, verdict }, width, paint) {
  const headline = wrapText(verdict.text.headline, width, sign(verdict.level, paint));
  const lines = headline.map(line => paint('bold', line));
  for (const sentence of verdict.text.sentences) lines.push(...wrapText(sentence, width, '  '));
  if (run.status === 'partial') {
    lines.push(
      '',
      ...wrapText('partial run: the numbers cover what was measured', width, sign('warn', paint)),
    );
    for (const { text } of run.reasons) lines.push(...wrapText(text, width, '  - '));
  }
  return lines;
}

/** @param {WordedReport} report @param {number} width @param {Paint} paint */
function missingLoad({ run }, width, paint) {
  if (run.kind === 'profile' || run.kind === 'import') return [];
  return [paint('bold', 'Load test'), ...wrapText('Nothing was recorded of it.', width, '  ')];
}

/** @param {WordedReport} report @param {number} width @param {Paint} paint */
function missingProfile({ run, cpu }, width, paint) {
  if (cpu?.text) return [paint('bold', 'CPU of the workers'), ...wrapText(cpu.text, width, '  ')];
  const text =
    run.kind === 'load' && !run.command?.startsWith('loadflame cluster ')
      ? `Not recorded. To see where the time of a request goes, type: ${run.command} --profile`
      : run.kind === 'load'
        ? 'Not recorded: workers in a cluster sent the load.'
        : 'Nothing was recorded of it. To see why, type: loadflame doctor';
  return [paint('bold', 'Profile'), ...wrapText(text, width, '  ')];
}

/** @param {WordedCluster} cluster @param {number} width @param {Paint} paint */
function clusterLines({ text }, width, paint) {
  const sentences = text.sentences.flatMap(sentence => wrapText(sentence, width, '  '));
  const unseen = text.unseen.flatMap(sentence => wrapText(sentence, width, sign('warn', paint)));
  return [paint('bold', text.title), ...sentences, ...unseen];
}

/** What is not as it should be, and how two machines' clocks became one; the page shows all. @param {WordedReport} report @param {number} width @param {Paint} paint */
function qualityLines({ quality, reliability }, width, paint) {
  // Why it is partial stands above.
  const doubts = quality.filter(
    ({ id, level }) => id === 'merged-clock' || (level !== 'ok' && id !== 'partial'),
  );
  if (doubts.length === 0) return [];
  return [
    paint('bold', `Quality of the measurement: ${reliability.level}`),
    ...doubts.flatMap(({ level, text }) => wrapText(text, width, sign(level, paint))),
  ];
}

/** @param {WordedReport} report @param {number} width @param {Paint} paint */
function fileLines({ run }, width, paint) {
  if (run.files.length === 0) return [];
  const names = run.files.map(({ path }) => plainLine(path));
  const column = Math.min(30, Math.max(...names.map(textWidth))) + 2;
  const lines = run.files.flatMap(({ label }, index) =>
    wrapText(label, width, `  ${padEnd(shortenText(names[index] ?? '', column - 2), column)}`),
  );
  return [paint('bold', `Files of ${plainLine(run.id)}`), ...lines];
}
