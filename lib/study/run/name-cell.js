/** What a cell is called, in file names and for people. */
import { formatNumberOf, formatRate } from '../../format.js';

/** @import { Block, CellKey, StudyPlan } from '../../facts/study-records.d.ts' */

const LONGEST = 30;

/**
 * A name for files, different for each cell: `2-workers-2-cache-redis-r1-16`.
 * @param {StudyPlan} plan
 * @param {CellKey} cell
 */
export function nameCell(plan, { variant, repeat, step, purpose }) {
  const profile = purpose === 'profile' ? '-profile' : '';
  return `${nameBlock(plan, { variant, repeat })}-${step}${profile}`;
}

/**
 * @param {StudyPlan} plan
 * @param {Block} block
 */
export function nameBlock({ variants }, { variant, repeat }) {
  const slug = variant.replace(/[^A-Za-z0-9]+/g, '-').slice(0, LONGEST);
  return `${variants.findIndex(({ id }) => id === variant) + 1}-${slug}-r${repeat}`;
}

/**
 * For people: `2 workers, cache redis · 16 users · repeat 2`.
 * @param {StudyPlan} plan
 * @param {CellKey} cell
 */
export function describeCell({ study, variants }, { variant, repeat, step, purpose }) {
  const label = variants.find(({ id }) => id === variant)?.label ?? variant;
  return [
    label,
    {
      closed: formatNumberOf(step, 'user'),
      open: `${formatRate(step)} arrivals`,
      burst: `${step} at once`,
      spike: `${formatRate(step)} more`,
    }[study.load.model],
    study.repeats > 1 ? `repeat ${repeat}` : null,
    purpose === 'profile' ? 'profile' : null,
  ]
    .filter(Boolean)
    .join(' · ');
}
