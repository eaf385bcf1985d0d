import { formatNumberOf } from '../../format.js';
import { describeEachCell, describeSize } from '../../text/study-plan.js';
import { padEnd, shortenText, textWidth, wrapText } from '../print/terminal-text.js';

/** @import { PlanOutline, StudyPlan } from '../../facts/study-records.d.ts' */

const MAX_VARIANTS = 40;
const MAX_ROUNDS = 10;

/**
 * What a study would do, for `--dry-run`, in words and as a table.
 * @param {StudyPlan} plan
 * @param {PlanOutline} outline
 * @param {{width: number}} options columns of the terminal, or of a pipe
 * @returns {string} lines, the last without a line break
 */
export function renderStudyPlan(plan, outline, { width }) {
  const { study } = plan;
  const room = Math.max(40, width);
  const title = `${study.title}${study.isQuick ? ' (quick form)' : ''}`;
  const indented = (/** @type {string} */ line) => wrapText(line, room - 2, '  ', '    ');
  return [
    ...wrapText(title, room),
    ...(study.question ? wrapText(study.question, room) : []),
    '',
    ...wrapText(describeSize(plan, outline.steps.length), room),
    '',
    'Variants',
    ...variantLines(plan, outline, room),
    '',
    'Each cell',
    ...describeEachCell(study, outline.steps).flatMap(indented),
    '',
    `Order (seed ${plan.seed})`,
    ...orderLines(outline).flatMap(indented),
  ].join('\n');
}

/** One row per variant: its factors, and the services that are started. @param {StudyPlan} plan @param {PlanOutline} outline @param {number} width */
function variantLines({ study, variants }, { services }, width) {
  const names = study.factors.map(({ name }) => name);
  const hasServices = study.services.length > 0;
  const rows = variants.slice(0, MAX_VARIANTS).map(({ factors }, index) => {
    return [
      String(index + 1),
      ...names.map(name => factors[name] ?? ''),
      ...(hasServices ? [services[index]?.join(', ') || '–'] : []),
    ];
  });
  const table = [['', ...names, ...(hasServices ? ['services'] : [])], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map(row => textWidth(row[column] ?? ''))),
  );
  const lines = table.map(row => {
    const cells = row.map((cell, column) => padEnd(cell, widths[column] ?? 0));
    return shortenText(`  ${cells.join('  ')}`.trimEnd(), width);
  });
  const left = variants.length - rows.length;
  return left > 0 ? [...lines, `  … and ${formatNumberOf(left, 'more', 'more')}`] : lines;
}

/** Variants by their numbers in the table. @param {PlanOutline} outline */
function orderLines({ rounds }) {
  const lines = rounds.slice(0, MAX_ROUNDS).map((round, index) => {
    const order = round.slice(0, MAX_VARIANTS).join(', ');
    return `round ${index + 1}: ${order}${round.length > MAX_VARIANTS ? ', …' : ''}`;
  });
  const left = rounds.length - lines.length;
  return left > 0 ? [...lines, `… and ${left} more`] : lines;
}
