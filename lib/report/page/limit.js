import { formatPercent, formatRate, formatRoughShare } from '../../format.js';
import { bar, h, prose, section, severityTag } from './dom.js';
import { table } from './table.js';

/** @import { Estimate } from '../../analysis/report.d.ts' */
/** @import { Limit, Waits, WhatIf } from '../../analysis/limit.d.ts' */
/** @import { Report } from '../../analysis/report.d.ts' */

/** @type {Record<string, string>} */
const LIMIT_NAMES = {
  workers: 'CPU of the workers',
  gil: 'one core per worker (GIL)',
  database: 'the database',
  'external-call': 'a call to another service',
  slots: 'workers × threads',
  pool: 'a pool of connections',
  lock: 'a lock',
  imbalance: 'uneven spread',
  quota: 'the container’s CPU quota',
  generator: 'the load generator',
  machine: 'the machine',
  none: 'nothing: not saturated',
  unknown: 'not enough data',
};

/** What limits the throughput, what request threads wait for, and what a fix would buy. @param {Report} report */
export function renderLimit({ limit = null, whatIf = [], profile }) {
  const waits = profile?.waits ?? null;
  if (!limit && whatIf.length === 0 && !waits) return null;
  return section(
    'limit',
    'What limits it, and what a fix would buy',
    limit && renderVerdict(limit),
    waits && waits.kinds.length > 0 && renderWaits(waits),
    whatIf.length > 0 && renderWhatIf(whatIf),
  );
}

/** @param {Limit} limit */
function renderVerdict({ id, text, evidence }) {
  return [
    h(
      'p',
      { class: 'limit' },
      severityTag(id === 'none' ? 'good' : 'info', LIMIT_NAMES[id] ?? id),
      prose(text),
    ),
    evidence.length > 0 &&
      h(
        'dl',
        { class: 'run-facts limit-facts' },
        evidence.map(({ label, value }) => h('div', {}, h('dt', {}, label), h('dd', {}, value))),
      ),
  ];
}

/** @param {Waits} waits */
function renderWaits({ kinds, busySlots, slots }) {
  const busy = `${busySlots.toFixed(1)}${slots === null ? '' : ` of ${slots}`}`;
  return [
    h('h3', {}, 'Where request threads are'),
    h(
      'p',
      { class: 'lede' },
      `${busy} threads were inside a request on average. Waiting counts here: these are shares of time, not of CPU.`,
    ),
    table(
      'Where request threads spend their time',
      [{ label: 'At' }, { label: 'Share of time', number: true }, { label: '' }, { label: 'In' }],
      kinds.map(({ label, share, where }) => ({
        cells: [
          label,
          formatRoughShare(share),
          bar(share.value, undefined, intervalOf(share)),
          where.map((place, index) => [
            index > 0 && ', ',
            h('span', { class: 'mono' }, place.function),
            ` ${formatPercent(place.share)}`,
          ]),
        ],
      })),
    ),
  ];
}

/** @param {WhatIf[]} whatIf */
function renderWhatIf(whatIf) {
  const knows = whatIf.some(({ gain }) => gain);
  const conditions = new Set(whatIf.map(({ condition }) => condition));
  const [only = ''] = conditions.size === 1 ? conditions : [];
  return [
    h('h3', {}, 'What a fix would buy'),
    only && h('p', { class: 'lede' }, prose(sentenceOf(only))),
    table(
      'What a fix would buy',
      [
        { label: 'Without' },
        { label: 'Share of CPU', number: true },
        ...(knows
          ? [
              {
                label: 'Capacity now',
                number: true,
                about: 'requests per second at CPU saturation',
              },
              { label: 'then', number: true },
              { label: 'Gain', number: true, about: 'with its 95 % interval' },
            ]
          : []),
        ...(only ? [] : [{ label: 'If' }]),
      ],
      whatIf.map(({ title, share, capacityPerSec, capacityAfterPerSec, gain, condition }) => ({
        cells: [
          prose(title),
          formatRoughShare(share),
          ...(knows
            ? [
                capacityPerSec ? formatRate(capacityPerSec.value) : '–',
                capacityAfterPerSec
                  ? [
                      formatRate(capacityAfterPerSec.value),
                      h('span', { class: 'interval' }, rangeOf(capacityAfterPerSec, formatRate)),
                    ]
                  : '–',
                gain
                  ? [
                      h('strong', {}, `+${formatPercent(gain.value)}`),
                      h('span', { class: 'interval' }, rangeOf(gain, formatPercent)),
                    ]
                  : '–',
              ]
            : []),
          ...(only ? [] : [prose(condition)]),
        ],
      })),
    ),
  ];
}

/** @param {string} clause */
function sentenceOf(clause) {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1).replace(/\.$/, '')}.`;
}

/** @param {Estimate} estimate @returns {[number, number] | undefined} */
function intervalOf({ low, high }) {
  return low === null || high === null ? undefined : [low, high];
}

/** @param {Estimate} estimate @param {(value: number | null) => string} format */
function rangeOf({ low, high }, format) {
  return low === null || high === null ? '' : `${format(low)} – ${format(high)}`;
}
