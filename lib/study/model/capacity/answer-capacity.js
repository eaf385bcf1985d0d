/** `answerCapacity({…})` → CapacityAnswer (`study-report.d.ts`): is it enough, and if not, how many are? */
import { formatMs, formatNumberOf, formatPercent } from '../../../format.js';
import { formatChosenShare } from '../format-chosen-share.js';
import { describeDemand, formatSmallRate, rateOf } from './count-demand.js';
import { measureCapacity } from './measure-capacity.js';

/** @typedef {import('../../study-report.d.ts').CapacityAnswer} CapacityAnswer */
/** @typedef {import('../../study-file.d.ts').Objective} Objective */

/**
 * @typedef {object} CapacityVariant
 * @property {string} variant
 * @property {string} label `2 workers, cache redis`; empty where nothing is varied
 * @property {number | null} size of the numeric factor over which scaling is judged: fewer is cheaper
 * @property {import('../../study-report.d.ts').Point[]} points
 * @property {import('../../study-report.d.ts').Saturation} saturation
 * @property {string | null} limitText what stops it: `the limit is the database at 3,000/s`
 */
/** @typedef {CapacityAnswer['variants'][number]} Answer */

/**
 * @param {object} asked
 * @param {Objective} asked.objective
 * @param {string} asked.throughputLabel `requests/s`
 * @param {CapacityVariant[]} asked.variants
 * @param {import('./count-demand.js').ServiceTime | null} [asked.service] of one transaction; not told
 *   when everything is refused, for a generator at its limit measures its own times
 * @returns {CapacityAnswer}
 */
export function answerCapacity({ objective, throughputLabel, variants, service = null }) {
  const rate = rateOf(objective);
  const judged = variants.map(variant => ({
    ...variant,
    answer: answerVariant(variant, objective, rate, throughputLabel),
  }));
  const known = judged.filter(({ answer }) => answer.capacityPerSec);
  const isRefused = judged.every(({ answer }) => answer.enough === null && !answer.capacityPerSec);
  const [cheapest] = known
    .filter(({ answer }) => answer.enough)
    .toSorted((a, b) => (a.size ?? 0) - (b.size ?? 0) || usableOf(b) - usableOf(a));
  const [strongest] = known.toSorted((a, b) => usableOf(b) - usableOf(a));
  const question = describeQuestion(objective, rate, throughputLabel);
  return {
    state: isRefused ? 'refused' : 'answered',
    ratePerSec: rate,
    p95Ms: objective.p95Ms,
    headroom: objective.headroom,
    demandText: describeDemand(objective, isRefused ? null : service),
    variants: judged.map(({ answer }) => answer),
    text: `${question}: ${describeAnswer(cheapest, strongest, judged, rate, objective, throughputLabel)}`,
  };
}

/** @param {CapacityVariant} variant @param {Objective} objective @param {number | null} rate @param {string} label @returns {Answer} */
function answerVariant(variant, objective, rate, label) {
  const { capacityPerSec, step, basis, broken } = measureCapacity(variant, objective);
  const usablePerSec = capacityPerSec ? capacityPerSec.value * (1 - objective.headroom) : null;
  const isKnown = usablePerSec !== null;
  const texts = {
    measured: '',
    interpolated: `, interpolated between steps ${step} and ${broken?.step}`,
    'at-least': ', the highest step: it may do more',
    none: `not even step ${broken?.step} is within the objective (p95 ${formatMs(broken?.latency?.p95Ms ?? null)}, ${formatPercent(broken?.errorRate ?? null)} errors)`,
    'generator-limited': 'no capacity is given: the load generator was the limit, not the target',
    unknown: 'nothing valid was measured',
  };
  return {
    variant: variant.variant,
    capacityPerSec,
    usablePerSec,
    enough: rate === null ? null : isEnough(usablePerSec, rate, basis),
    needed: rate === null || !isKnown ? null : Math.max(1, Math.ceil(rate / usablePerSec)),
    step,
    text: isKnown
      ? `${basis === 'at-least' ? 'at least' : 'up to'} ${formatSmallRate(capacityPerSec?.value ?? 0)} ${label}${texts[basis]}; ${formatSmallRate(usablePerSec)} with ${formatChosenShare(objective.headroom)} head-room`
      : texts[basis],
  };
}

/** @param {number | null} usablePerSec @param {number} rate @param {import('./measure-capacity.js').Capacity['basis']} basis */
function isEnough(usablePerSec, rate, basis) {
  if (basis === 'none') return false;
  if (usablePerSec === null) return null;
  // a lower bound can say yes, but not no
  return usablePerSec >= rate || (basis === 'at-least' ? null : false);
}

/** @param {Objective} objective @param {number | null} rate @param {string} label */
function describeQuestion({ p95Ms, errors }, rate, label) {
  const bounds = [
    ...(p95Ms === null ? [] : [`p95 < ${formatMs(p95Ms)}`]),
    ...(errors === null ? [] : [`at most ${formatChosenShare(errors)} errors`]),
  ];
  const within = bounds.length > 0 ? ` at ${bounds.join(' and ')}` : '';
  return rate === null ? `the most${within}` : `for ${formatSmallRate(rate)} ${label}${within}`;
}

/** @typedef {CapacityVariant & {answer: Answer}} Judged */
/** @param {Judged | undefined} cheapest that is enough @param {Judged | undefined} strongest @param {Judged[]} all @param {number | null} rate @param {Objective} objective @param {string} label */
function describeAnswer(cheapest, strongest, all, rate, { headroom }, label) {
  const room = `${formatChosenShare(headroom)} head-room`;
  const limit = (/** @type {Judged} */ { limitText }) => (limitText ? `; ${limitText}` : '');
  if (cheapest)
    return `${cheapest.label ? `${cheapest.label},` : 'enough'} with ${room} (${formatSmallRate(usableOf(cheapest))} ${label} usable)${limit(cheapest)}`;
  if (!strongest)
    return (
      [...new Set(all.map(({ answer }) => answer.text))].join('; ') || 'nothing valid was measured'
    );
  if (rate === null)
    return `${strongest.label ? `${strongest.label}, ` : ''}${strongest.answer.text}${limit(strongest)}`;
  const most = strongest.answer.enough === null ? 'at most ' : '';
  return `nothing that was measured is enough; it takes ${most}${formatNumberOf(strongest.answer.needed, 'machine')} like this one${strongest.label ? ` with ${strongest.label}` : ''} (${formatSmallRate(usableOf(strongest))} ${label} usable each, ${room}), if they share nothing${limit(strongest)}`;
}

/** @param {Judged} judged */
function usableOf({ answer }) {
  return answer.usablePerSec ?? 0;
}
