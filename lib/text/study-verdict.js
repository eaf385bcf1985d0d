/** The verdict of a study: its headline, the short lines below it, and its gaps. */
import {
  formatChange,
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
} from '../base/format.js';
import { nameBottleneck } from './bottleneck.js';
import {
  describePair,
  describeScaling,
  describeTooFewRuns,
  nameMeasure,
} from './study-comparison.js';
import { describeSpike } from './study-variant.js';
import { describeStep, formatChosenShare, formatSmallRate, rateWithoutUnit } from './words.js';

/** @import { CapacityTable, NamedBottleneck, StudyFindingTable, StudyHeadlineTable, StudyLineTable, StudyReasonTable, VariantCapacity } from '../run/facts/study-report.d.ts' */
/** @import { Catalogue } from './text.d.ts' */

/** @type {Catalogue<StudyReasonTable, string>} */
export const STUDY_REASONS = {
  'nothing-run': () => 'nothing was run',
  'cells-failed': ({ cells, reasons }) =>
    `${formatNumberOf(cells, 'cell')} failed: ${reasons.map(firstLine).join('; ')}`,
  'cells-missing': ({ cells }) =>
    formatNumberOf(cells, 'cell of the plan is missing', 'cells of the plan are missing'),
  'block-failed': ({ message }) => firstLine(message),
  interrupted: () => 'it was interrupted',
  failed: ({ message }) => message ?? 'it failed',
  'not-ended': () => 'it has not ended',
};

/** Drops the end of a log, which the table of cells shows. @param {string} message */
const firstLine = message => message.split('\n')[0] ?? message;

/** @type {Catalogue<CapacityTable, string>} */
const CAPACITY = {
  'capacity-enough': facts =>
    `Enough for ${askedFor(facts)}: ${facts.variant ?? 'what was measured'} (${usableOf(facts)})${describeBottleneck(facts)}.`,
  'capacity-not-enough': facts =>
    `Nothing measured is enough for ${askedFor(facts)}: it takes ${facts.isAtMost ? 'at most ' : ''}${formatNumberOf(facts.needed, 'machine')} like this one${facts.variant === null ? '' : ` with ${facts.variant}`} that share nothing (each ${usableOf(facts)})${describeBottleneck(facts)}.`,
  'capacity-most': facts =>
    `The most${within(facts)}: ${facts.variant === null ? '' : `${facts.variant}, `}${describeVariantCapacity(facts.capacity, facts)}${describeBottleneck(facts)}.`,
  'capacity-unknown': facts => {
    const why = [...new Set(facts.variants.map(own => describeVariantCapacity(own, facts)))];
    const asked = facts.ratePerSec === null ? 'the most' : askedFor(facts);
    return `Not known for ${asked}: ${why.join('; ') || 'nothing valid was measured'}.`;
  },
};

/** @type {Catalogue<StudyHeadlineTable, string>} */
export const STUDY_HEADLINES = {
  ...CAPACITY,
  'nothing-measured': ({ isTried, error }) =>
    isTried
      ? `No request succeeded at any step${error ? ` (${formatCount(error.count)} × ${error.name})` : ''}: nothing follows about the target.`
      : 'Nothing was measured: the study has no valid cell.',
  'generator-limit': ({ mostPerSec, throughputLabel }) =>
    `The load generator was the bottleneck, so no capacity follows: the target takes at least ${rateWithoutUnit(mostPerSec)} ${throughputLabel}.`,
  spike: describeSpike,
  most: ({ variant, perSec, throughputLabel, isReached, step, model, bottleneck }) => {
    const most = `${isReached ? '' : 'at least '}${rateWithoutUnit(perSec)} ${throughputLabel}`;
    const from = isReached && step !== null ? ` from ${describeStep(step, model)} on` : '';
    const name = nameBottleneck(bottleneck);
    const why = name
      ? `the bottleneck is ${name}`
      : bottleneck.id === 'none'
        ? 'no limit was seen'
        : 'the bottleneck is not known';
    return `The most is ${most}${from}${variant === null ? '' : `, with ${variant}`}; ${why}.`;
  },
};

/** Lines that are not findings. @type {Catalogue<Omit<StudyLineTable, keyof StudyFindingTable>, string>} */
export const STUDY_LINES = {
  scaling: describeScaling,
  factor: facts => {
    const change = `${nameMeasure(facts)} ${formatChange(facts.relative?.value ?? null)}`;
    const untested = describeTooFewRuns(facts);
    if (untested) return `${describePair(facts)}: ${change} (${untested}).`;
    const what =
      facts.call === 'none' ? `no significant difference in ${nameMeasure(facts)}` : change;
    return `${describePair(facts)}: ${what}.`;
  },
};

/** The capacity of a variant within the objective. @param {VariantCapacity} capacity @param {{headroom: number, throughputLabel: string}} asked */
export function describeVariantCapacity(capacity, { headroom, throughputLabel }) {
  const { basis, capacityPerSec, usablePerSec, step, broken } = capacity;
  const texts = {
    measured: '',
    interpolated: `, interpolated between steps ${step} and ${broken?.step}`,
    'at-least': ', the highest step: it may do more',
    none: `not even step ${broken?.step} is within the objective (p95 ${formatMs(broken?.p95Ms ?? null)}, ${formatPercent(broken?.errorRate ?? null)} errors)`,
    'generator-limited':
      'no capacity is given: the load generator was the bottleneck, not the target',
    unknown: 'nothing valid was measured',
  };
  if (capacityPerSec === null || usablePerSec === null) return texts[basis];
  const most = `${basis === 'at-least' ? 'at least' : 'up to'} ${formatSmallRate(capacityPerSec.value)} ${throughputLabel}${texts[basis]}`;
  return `${most}; ${formatSmallRate(usablePerSec)} with ${formatChosenShare(headroom)} headroom`;
}

/** @typedef {Pick<CapacityTable['capacity-enough'], 'ratePerSec' | 'p95Ms' | 'errors' | 'throughputLabel'>} Asked */

/** "300 requests/s at p95 < 100 ms" @param {Asked} asked */
const askedFor = asked =>
  `${formatSmallRate(asked.ratePerSec ?? 0)} ${asked.throughputLabel}${within(asked)}`;

/** @param {Pick<Asked, 'p95Ms' | 'errors'>} asked */
function within({ p95Ms, errors }) {
  const bounds = [
    ...(p95Ms === null ? [] : [`p95 < ${formatMs(p95Ms)}`]),
    ...(errors === null ? [] : [`at most ${formatChosenShare(errors)} errors`]),
  ];
  return bounds.length > 0 ? ` at ${bounds.join(' and ')}` : '';
}

/** @param {{usablePerSec: number, throughputLabel: string, headroom: number}} facts */
const usableOf = ({ usablePerSec, throughputLabel, headroom }) =>
  `${formatSmallRate(usablePerSec)} ${throughputLabel} usable with ${formatChosenShare(headroom)} headroom`;

/** If the load generator shares a saturated machine, a capacity is a lower bound. @param {{bottleneck: NamedBottleneck, isShared: boolean}} facts */
function describeBottleneck({ bottleneck, isShared }) {
  const name = nameBottleneck(bottleneck);
  if (!name) return '';
  const shared = ', which the load generator uses, too: alone, the target takes more';
  return `; the bottleneck is ${name}${bottleneck.id === 'machine' && isShared ? shared : ''}`;
}
