/** What a study would do, for `--dry-run`: in words and as a table, without sending anything. */
import { formatDuration, formatNumberOf } from '../../format.js';
import { plainLine } from '../../report/plain-text.js';
import { padEnd, shortenText, textWidth, wrapText } from '../../report/terminal/text.js';
import { listSteps } from '../study-file/list-steps.js';
import { matchesFactors } from '../study-file/matches-factors.js';
import { describeStopRule } from './describe-stop-rule.js';

/** @import { Study } from '../study-file.d.ts' */
/** @import { StudyPlan } from '../study-records.d.ts' */

const MAX_VARIANTS = 40;
const MAX_ROUNDS = 10;

/**
 * @param {StudyPlan} plan
 * @param {{width: number}} options columns of the terminal, or of a pipe
 * @returns {string} lines, the last without a line break
 */
export function describePlan(plan, { width }) {
  const { study } = plan;
  const room = Math.max(40, width);
  const title = `${plainLine(study.title)}${study.isQuick ? ' (quick form)' : ''}`;
  return [
    ...wrapText(title, room),
    ...(study.question ? wrapText(plainLine(study.question), room) : []),
    '',
    ...wrapText(describeSize(plan), room),
    '',
    'Variants',
    ...describeVariants(plan, room),
    '',
    'Each cell',
    ...describeCell(study).flatMap(line => wrapText(line, room - 2, '  ', '    ')),
    '',
    `Order (seed ${plan.seed})`,
    ...describeOrder(plan).flatMap(line => wrapText(line, room - 2, '  ', '    ')),
  ].join('\n');
}

/** @param {StudyPlan} plan */
function describeSize({ study, variants, estimate }) {
  const steps = listSteps(study.load);
  const isProfiled = study.record.profile === 'plateau';
  const parts = [
    formatNumberOf(variants.length, 'variant'),
    `${study.load.untilSaturated ? 'up to ' : ''}${formatNumberOf(steps.length, 'step')}`,
    formatNumberOf(study.repeats, 'repeat'),
  ].join(' × ');
  const profile = isProfiled ? ` + ${formatNumberOf(variants.length, 'profile')}` : '';
  const bound = study.load.untilSaturated ? 'at most ' : 'about ';
  const time = formatDuration(estimate.seconds * 1000);
  return `${parts}${profile}: ${bound}${formatNumberOf(estimate.cells, 'cell')}, ${bound}${time}`;
}

/** One row per variant: its factors, and the services that are started. @param {StudyPlan} plan @param {number} width */
function describeVariants({ study, variants }, width) {
  const names = study.factors.map(({ name }) => name);
  const hasServices = study.services.length > 0;
  const rows = variants
    .slice(0, MAX_VARIANTS)
    .map(({ factors }, index) => [
      String(index + 1),
      ...names.map(name => factors[name] ?? ''),
      ...(hasServices ? [listServices(study, factors)] : []),
    ]);
  const head = ['', ...names, ...(hasServices ? ['services'] : [])];
  const table = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...table.map(row => textWidth(row[column] ?? ''))),
  );
  const lines = table.map(row => {
    const cells = row.map((cell, column) => padEnd(cell, widths[column] ?? 0));
    return shortenText(`  ${cells.join('  ')}`.trimEnd(), width);
  });
  const left = variants.length - rows.length;
  return left > 0 ? [...lines, `  … and ${formatNumberOf(left, 'more', 'more')}`] : lines;
}

/** @param {Study} study @param {Record<string, string>} factors */
function listServices({ services }, factors) {
  const names = services
    .filter(({ when }) => matchesFactors(when, factors))
    .map(({ name, scope }) => (scope === 'study' ? `${name} (kept)` : name));
  return names.join(', ') || '–';
}

/** @param {Study} study */
function describeCell({ load, warmUpSec, durationSec, settleSec, record }) {
  const steps = listSteps(load).join(', ');
  const model =
    load.model === 'closed'
      ? `closed model: ${steps} users, each waits for its answer and sends again`
      : `open model: ${steps} arrivals per second, whether or not answers come`;
  const seconds = (/** @type {number} */ value) => formatDuration(value * 1000);
  return [
    model,
    load.untilSaturated
      ? `steps go on until ${describeStopRule(load.stop)}`
      : 'all steps are run, whatever happens',
    `${seconds(warmUpSec)} of warm-up, ${seconds(durationSec)} measured, ${seconds(settleSec)} to settle`,
    ...(record.profile === 'plateau'
      ? ['once per variant, the step with the highest throughput is run again with the profiler']
      : []),
  ];
}

/** Variants by their numbers in the table. @param {StudyPlan} plan */
function describeOrder({ study, variants, blocks }) {
  const numbers = new Map(variants.map(({ id }, index) => [id, index + 1]));
  const rounds = Array.from({ length: Math.min(study.repeats, MAX_ROUNDS) }, (_, index) => {
    const round = blocks.filter(({ repeat }) => repeat === index + 1).slice(0, MAX_VARIANTS);
    const order = round.map(({ variant }) => numbers.get(variant)).join(', ');
    return `round ${index + 1}: ${order}${variants.length > MAX_VARIANTS ? ', …' : ''}`;
  });
  return study.repeats > MAX_ROUNDS
    ? [...rounds, `… and ${study.repeats - MAX_ROUNDS} more`]
    : rounds;
}
