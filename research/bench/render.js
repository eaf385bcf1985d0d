/** Results as a table for the terminal. */
import { summarize } from './statistics.js';

/** @typedef {import('./bench.d.ts').Work} Work */
/** @typedef {import('./bench.d.ts').ToolResult} ToolResult */

/** What ratios are to, where the run has it. */
const REFERENCES = [
  { tool: 'artillery', title: '× Artillery', digits: 1 },
  { tool: 'floor', title: '× floor', digits: 2 },
];

/** @param {Work} work @param {ToolResult[]} results */
export function renderText(work, results) {
  const rows = buildRows(work, results);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map(row => row[column]?.length ?? 0)),
  );
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** @param {Work} work @param {ToolResult[]} results @returns {string[][]} the head first */
function buildRows(work, results) {
  const { ratioOf } = work;
  const references = REFERENCES.filter(
    one => ratioOf !== undefined && results.some(({ tool }) => tool === one.tool),
  );
  const head = ['', ...[...work.columns, ...references].map(({ title }) => title)];
  const rows = results.map(({ tool, rounds }) => [
    tool,
    ...work.columns.map(({ key, digits }) =>
      format(
        rounds.map(round => round?.[key] ?? Number.NaN),
        digits,
      ),
    ),
    ...references.map(one =>
      format(compareRounds(results, tool, `${ratioOf}`, one.tool), one.digits),
    ),
  ]);
  return [head, ...rows];
}

/**
 * How many times the figure of another tool in the same round.
 * @param {readonly ToolResult[]} results @param {string} tool @param {string} key
 * @param {string} [reference]
 * @returns {number[]} NaN where one of both is missing
 */
export function compareRounds(results, tool, key, reference = 'artillery') {
  const [ours, theirs] = [tool, reference].map(
    name => results.find(result => result.tool === name)?.rounds ?? [],
  );
  return (ours ?? []).map(
    (round, index) => (round?.[key] ?? Number.NaN) / (theirs?.[index]?.[key] ?? Number.NaN),
  );
}

/** The median, and from where to where the rounds went. @param {number[]} values @param {number} [digits] */
function format(values, digits = 0) {
  const spread = summarize(values);
  if (!spread) return '–';
  const show = (/** @type {number} */ value) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const [low, high] = [show(spread.min), show(spread.max)];
  return low === high ? show(spread.median) : `${show(spread.median)} (${low}–${high})`;
}
