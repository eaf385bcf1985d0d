/** A cell: its name in files and for people, and the load it sends. */
import { listPresent } from '../../../base/files/maps.js';
import { formatNumberOf, formatRate } from '../../../base/format.js';
import { MEASURED, planPhases } from '../../choose-load.js';

/** @import { Study } from '../../../run/facts/study-file.d.ts' */
/** @import { Block, CellKey, StudyPlan } from '../../../run/facts/study-records.d.ts' */

const LONGEST = 30;

/**
 * A name for files, unique per cell: `2-workers-2-cache-redis-r1-16`.
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
  return listPresent(
    label,
    {
      closed: formatNumberOf(step, 'user'),
      open: `${formatRate(step)} arrivals`,
      burst: `${step} at once`,
      spike: `${formatRate(step)} more`,
    }[study.load.model],
    study.repeats > 1 && `repeat ${repeat}`,
    purpose === 'profile' && 'profile',
  ).join(' · ');
}

/**
 * Limits open arrivals in progress to this many seconds' worth: beyond that the target is unusable, and memory is
 * finite. `MAX_VIRTUAL_USERS` in the study's settings overrides it.
 */
const BACKLOG_SEC = 5;
const LEAST_USERS = 100;
/** For arrivals that are due at once; a phase must have a length. */
const AT_ONCE_SEC = 0.001;

/**
 * The same load twice: before and during the measurement. A burst has nothing before it; a spike has its base load
 * before and after it.
 * @param {Study} study @param {number} step
 * @returns {{phases: object[], leadMs: number, timeoutSec: number | null}} `leadMs` of phases
 *   before the measurement; `timeoutSec` null: the scenario sets it
 */
export function planCell({ load, settings, warmUpSec, durationSec }, step) {
  const { model, of = '', base = 0 } = load;
  if (model === 'burst')
    return {
      phases: [{ name: MEASURED, duration: AT_ONCE_SEC, arrivalCount: step }],
      leadMs: 0,
      // the last one waits for all before it
      timeoutSec: durationSec,
    };
  const isSpike = model === 'spike';
  // the same limit before, during and after a spike: its queue outlives it
  const least = Math.max(LEAST_USERS, Math.ceil((base + step) * BACKLOG_SEC));
  const phases = planPhases({
    model: model === 'closed' ? model : 'open',
    level: isSpike ? base : step,
    most: model === 'closed' ? null : Number(settings.MAX_VIRTUAL_USERS ?? least),
    warmUpSec,
    durationSec,
  });
  if (!isSpike) return { phases, leadMs: warmUpSec * 1000, timeoutSec: null };
  const [measured] = phases.splice(-1);
  const around = [
    { ...measured, name: 'before' },
    { ...measured, more: { [of]: step } },
    { ...measured, name: 'after' },
  ];
  const leadMs = (warmUpSec + durationSec) * 1000;
  return { phases: [...phases, ...around], leadMs, timeoutSec: null };
}
