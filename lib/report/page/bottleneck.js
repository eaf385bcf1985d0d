import { formatPercent, formatRate, formatRoughShare } from '../../format.js';
import {
  bar,
  evidenceList,
  h,
  intervalOf,
  lede,
  mono,
  prose,
  section,
  severityTag,
} from './dom.js';
import { amount, figure, table } from './table.js';

/** @import { Child } from './dom.js' */
/** @import { Estimate } from '../../facts/estimate.d.ts' */
/** @import { WordedReport as Report, WordedWaits } from '../../text/worded-report.d.ts' */

/** The bottleneck, what request threads wait for, and what a fix would buy. @param {Report} report */
export function renderBottleneck({ bottleneck = null, whatIf = [], profile }) {
  const waits = profile?.waits ?? null;
  if (!bottleneck && whatIf.length === 0 && !waits) return null;
  return section(
    'bottleneck',
    'The bottleneck, and what a fix would buy',
    bottleneck && renderFound(bottleneck),
    waits && waits.kinds.length > 0 && renderWaits(waits),
    whatIf.length > 0 && renderWhatIf(whatIf),
  );
}

/** @param {NonNullable<Report['bottleneck']>} bottleneck */
function renderFound({ id, text: { name, title, evidence } }) {
  return [
    h(
      'p',
      { class: 'bottleneck' },
      severityTag(id === 'none' ? 'good' : 'info', name),
      prose(title),
    ),
    evidenceList(evidence, 'run-facts bottleneck-facts'),
  ];
}

/** @param {WordedWaits} waits */
function renderWaits({ kinds, busySlots, slots, inFlight, busyThreads }) {
  const busy =
    slots === null
      ? `${(inFlight ?? busyThreads).toFixed(1)} requests were in progress${inFlight == null ? '' : ' (the client: rate × time)'}`
      : `${busySlots.toFixed(1)} of ${slots} threads were inside a request`;
  return [
    h('h3', {}, 'Where requests spend their time'),
    lede(`${busy} on average. These are shares of time, waiting included, not of CPU.`),
    table('Where requests spend their time', kinds, [
      { label: 'At', cell: ({ text }) => text },
      figure('Share of time', ({ share }) => formatRoughShare(share)),
      { label: '', cell: ({ share }) => bar(share.value, undefined, intervalOf(share)) },
      {
        label: 'In',
        cell: ({ where }) =>
          where.map((place, index) => [
            index > 0 && ', ',
            mono(place.function),
            ` ${formatPercent(place.share)}`,
          ]),
      },
    ]),
  ];
}

/** @param {Report['whatIf']} whatIf */
function renderWhatIf(whatIf) {
  const isKnown = whatIf.some(({ gain }) => gain);
  const conditions = new Set(whatIf.map(({ text }) => text.condition));
  const [only = ''] = conditions.size === 1 ? conditions : [];
  return [
    h('h3', {}, 'What a fix would buy'),
    only && lede(prose(sentenceOf(only))),
    table('What a fix would buy', whatIf, [
      { label: 'Without', cell: ({ text }) => prose(text.title) },
      figure('Share of CPU', ({ share }) => formatRoughShare(share)),
      isKnown &&
        amount(
          'Capacity now',
          ({ capacityPerSec }) => capacityPerSec?.value,
          formatRate,
          'requests per second at CPU saturation',
        ),
      isKnown &&
        figure('then', ({ capacityAfterPerSec }) => withRange(capacityAfterPerSec, formatRate)),
      isKnown &&
        figure(
          'Gain',
          ({ gain }) =>
            withRange(gain, formatPercent, value => h('strong', {}, `+${formatPercent(value)}`)),
          'with its 95 % interval',
        ),
      !only && { label: 'If', cell: ({ text }) => prose(text.condition) },
    ]),
  ];
}

/** @param {Estimate | null} estimate @param {(value: number) => string} format @param {(value: number) => Child} show */
function withRange(estimate, format, show = format) {
  if (!estimate) return '–';
  const { value, low, high } = estimate;
  const range = low === null || high === null ? '' : `${format(low)} – ${format(high)}`;
  return [show(value), h('span', { class: 'interval' }, range)];
}

/** @param {string} clause */
function sentenceOf(clause) {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1).replace(/\.$/, '')}.`;
}
