import { formatCount, formatDuration, formatPercent } from '../../format.js';
import { bar, h, section } from './dom.js';
import { table } from './table.js';

/** @import { BalanceGroup } from '../../analysis/costs.d.ts' */
/** @import { Report } from '../../analysis/report.d.ts' */

const BASES = {
  companion: 'Counted from the worker’s name in each answer.',
  'sticky-cookie': 'Counted from the router’s sticky cookie.',
  'process-cpu': 'By CPU time: answers did not say which worker they came from.',
};

/** How traffic spread over workers and instances. @param {Report} report */
export function renderBalance({ balance = null }) {
  if (!balance?.workers && !balance?.backends) return null;
  return section(
    'balance',
    'How the traffic spread',
    h(
      'div',
      { class: 'columns' },
      balance.workers && renderGroup(balance.workers, 'Workers', 'Worker'),
      balance.backends && renderGroup(balance.backends, 'Instances', 'Instance'),
    ),
  );
}

/** @param {BalanceGroup} group @param {string} title @param {string} noun */
function renderGroup(group, title, noun) {
  const { basis, expected, members, min, mean, median, max, jain } = group;
  const byCpu = basis === 'process-cpu';
  /** @param {number} value */
  const format = value => (byCpu ? formatDuration(value) : formatCount(value));
  const facts = [
    ['min', format(min)],
    ['mean', format(mean)],
    ['median', format(median)],
    ['max', format(max)],
    ['Jain’s index', jain.toFixed(3)],
  ];
  const total = members.reduce(
    (sum, member) => sum + ((byCpu ? member.cpuMs : member.requests) ?? 0),
    0,
  );
  return h(
    'div',
    {},
    h('h3', {}, title),
    h(
      'p',
      { class: 'lede' },
      `${BASES[basis]} Jain’s index is 1 where all got the same, ${(1 / Math.max(1, members.length)).toFixed(2)} where one of ${members.length} got everything.`,
      expected !== null && expected !== members.length && ` ${expected} were expected.`,
    ),
    h(
      'dl',
      { class: 'facts-list' },
      facts.map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, value))),
    ),
    table(
      `${title} and what they got`,
      [
        { label: noun },
        { label: byCpu ? 'CPU time' : 'Requests', number: true },
        { label: 'Share', number: true },
        { label: '' },
        ...(byCpu ? [] : [{ label: 'CPU time', number: true }]),
      ],
      members.map(({ id, requests, cpuMs }) => {
        const own = (byCpu ? cpuMs : requests) ?? 0;
        return {
          cells: [
            h('span', { class: 'mono' }, id),
            format(own),
            formatPercent(total > 0 ? own / total : null),
            bar(max > 0 ? own / max : 0),
            ...(byCpu ? [] : [formatDuration(cpuMs)]),
          ],
        };
      }),
    ),
  );
}
