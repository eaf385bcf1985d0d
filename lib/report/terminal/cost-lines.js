import { plainLine } from '../../files/plain-text.js';
import {
  formatCount,
  formatEstimateMs,
  formatMs,
  formatMsInterval,
  formatNumberOf,
  formatPercent,
} from '../../format.js';
import { WITHOUT_VIEWS } from '../../text/endpoint-costs.js';
import { alignColumns, wrapText } from './text.js';

/** @import { Balance, BalanceGroup, EndpointCosts } from '../../facts/costs.d.ts' */
/** @import { WordedCosts } from '../../text/worded-report.d.ts' */
/** @import { Paint } from './text.js' */

/** The page shows them all. */
const ENDPOINTS_SHOWN = 12;
const MEMBERS_SHOWN = 4;

/**
 * What a request of each endpoint costs the server, the most expensive first.
 * @param {WordedCosts} costs
 * @param {number} width
 * @param {Paint} paint
 * @returns {string[]}
 */
export function costLines({ basis, endpoints, text, unattributed }, width, paint) {
  const shown = endpoints.slice(0, ENDPOINTS_SHOWN);
  const hidden = endpoints.length - shown.length;
  const isMixed = new Set(shown.map(({ isMeasured }) => isMeasured)).size > 1;
  const isPriced = shown.some(({ cpuMsPerRequest }) => cpuMsPerRequest !== null);
  const rows = shown.map(endpoint => [
    plainLine(endpoint.name),
    ...(isPriced
      ? [formatEstimateMs(endpoint.cpuMsPerRequest), formatMsInterval(endpoint.cpuMsPerRequest)]
      : []),
    ...(isMixed ? [endpoint.isMeasured ? 'measured' : 'samples'] : []),
    formatPercent(endpoint.shareOfCpu.value),
  ]);
  const head = [
    '',
    ...(isPriced ? ['CPU', '95 % interval'] : []),
    ...(isMixed ? ['by'] : []),
    unattributed ? 'of all CPU' : 'of this CPU',
  ];
  return [
    paint('bold', titleOf(basis, isPriced)),
    ...wrapText(text, width, '  ').map(line => paint('dim', line)),
    ...alignColumns([head, ...rows], width),
    ...(hidden > 0 ? [`  ${formatNumberOf(hidden, 'more endpoint')} in report.html`] : []),
  ];
}

/** @param {number} width @param {Paint} paint */
export const withoutCostLines = (width, paint) => [
  paint('bold', 'CPU per request, by endpoint'),
  ...wrapText(WITHOUT_VIEWS, width, '  ').map(line => paint('dim', line)),
];

/** @param {EndpointCosts['basis']} basis @param {boolean} isPriced */
function titleOf(basis, isPriced) {
  if (!isPriced) return 'CPU by view';
  return `CPU ${basis === 'source' || basis === 'view' ? 'in the view ' : ''}per request, by endpoint`;
}

/**
 * How the traffic spread over workers and instances.
 * @param {Balance} balance
 * @param {number} width
 * @param {Paint} paint
 * @returns {string[]}
 */
export function balanceLines({ workers, backends }, width, paint) {
  const noun = backends?.isPods ? 'Pods' : 'Instances';
  const groups = Object.entries({ Workers: workers, [noun]: backends }).flatMap(([title, group]) =>
    group ? [{ title, group }] : [],
  );
  if (groups.length === 0) return [];
  const rows = groups.map(({ title, group }) => [
    title,
    String(group.members.length),
    ...[group.min, group.median, group.max].map(value => formatAmount(value, group)),
    group.jain.toFixed(2),
  ]);
  return [
    paint('bold', 'How the traffic spread'),
    ...alignColumns([['', 'number', 'min', 'median', 'max', "Jain's index"], ...rows], width),
    ...groups.flatMap(({ group }) => wrapText(describeMembers(group), width, '  ')),
  ];
}

/** @param {BalanceGroup} group */
function describeMembers(group) {
  const shown = group.members.slice(0, MEMBERS_SHOWN);
  const rest = group.members.length - shown.length;
  const members = shown.map(
    ({ id, requests, cpuMs }) =>
      `${id}: ${requests === null ? formatMs(cpuMs) : formatNumberOf(requests, 'request')}`,
  );
  return `${members.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}${group.basis === 'process-cpu' ? ' of CPU' : ''}`;
}

/** @param {number} value @param {BalanceGroup} group */
const formatAmount = (value, { basis }) =>
  basis === 'process-cpu' ? formatMs(value) : formatCount(value);
