/** A cell: what it is called in file names and for people, and what is sent in it. */
import { formatNumberOf, formatRate } from '../../format.js';
import { sum } from '../../math/summary.js';
import { AFTER, BEFORE, PLATEAU } from '../measure/measurement-window.js';

/** @import { Study } from '../../facts/study-file.d.ts' */
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

/**
 * More seconds' worth of open arrivals than this are never under way at once: the target is past all
 * use then, and memory is not endless. `MAX_VIRTUAL_USERS` of the study's settings says it otherwise.
 */
const BACKLOG_SEC = 5;
const LEAST_USERS = 100;
/** Of arrivals that are due at once; a phase that lasts no time is none. */
const AT_ONCE_SEC = 0.001;

/**
 * The same load twice: before it is measured, and while it is. A burst has nothing before it, and a spike
 * the load that comes all the time before and after it.
 * @param {Study} study @param {number} step
 * @returns {{phases: Record<string, unknown>[], leadMs: number, timeoutSec: number | null}} `leadMs` of phases
 *   before what is measured; null: as the scenario says it
 */
export function planCell({ load, settings, warmUpSec, durationSec }, step) {
  const { model, of = '', base = 0 } = load;
  if (model === 'burst')
    return {
      phases: [{ name: PLATEAU, duration: AT_ONCE_SEC, arrivalCount: step }],
      leadMs: 0,
      // the last one waits for all before it
      timeoutSec: durationSec,
    };
  const isSpike = model === 'spike';
  // as many may be under way before, in and after a spike: what waits is not gone when it is over
  const most = Math.max(LEAST_USERS, Math.ceil((base + step) * BACKLOG_SEC));
  const level =
    model === 'closed'
      ? { users: step }
      : {
          arrivalRate: isSpike ? base : step,
          maxVusers: Number(settings.MAX_VIRTUAL_USERS ?? most),
        };
  const measured = { duration: durationSec, ...level };
  const before = [
    { name: 'warm-up', duration: warmUpSec, ...level },
    ...(isSpike ? [{ name: BEFORE, ...measured }] : []),
  ];
  return {
    leadMs: sum(before.map(({ duration }) => duration)) * 1000,
    phases: [
      ...before,
      { name: PLATEAU, ...measured, ...(isSpike && { more: { [of]: step } }) },
      ...(isSpike ? [{ name: AFTER, ...measured }] : []),
    ],
    timeoutSec: null,
  };
}
