import { formatCount, formatDuration, formatPercent } from '../../format.js';
import { bar, h, lede, mono, pairList, section } from './dom.js';
import { amount, figure, table } from './table.js';

/** @import { BalanceGroup } from '../../facts/costs.d.ts' */
/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */

const BASES = {
  companion: 'Counted from the worker’s name in each response.',
  'sticky-cookie': 'Counted from the router’s sticky cookie.',
  'pod-log': 'Counted from access lines of the pods.',
  'process-cpu': 'By CPU time: responses did not say which worker they came from.',
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
      balance.workers && renderGroup(balance.workers, 'Worker'),
      balance.backends &&
        renderGroup(balance.backends, balance.backends.isPods ? 'Pod' : 'Instance'),
    ),
  );
}

/** @param {BalanceGroup} group @param {string} noun */
function renderGroup(group, noun) {
  const { basis, expected, members, min, mean, median, max, jain } = group;
  const byCpu = basis === 'process-cpu';
  const format = byCpu ? formatDuration : formatCount;
  const amountOf = (/** @type {BalanceGroup['members'][number]} */ { requests, cpuMs }) =>
    (byCpu ? cpuMs : requests) ?? 0;
  const total = members.reduce((sum, member) => sum + amountOf(member), 0);
  return h(
    'div',
    {},
    h('h3', {}, `${noun}s`),
    lede(
      BASES[basis],
      members.length === 1 && !group.isPods && ' Whether there are others is not known.',
      members.length > 1 &&
        ` Jain’s index is 1 where all got the same, ${(1 / members.length).toFixed(2)} where one of ${members.length} got everything.`,
      expected !== null && expected !== members.length && ` ${expected} were expected.`,
    ),
    pairList(
      [
        ['min', format(min)],
        ['mean', format(mean)],
        ['median', format(median)],
        ['max', format(max)],
        ['Jain’s index', jain.toFixed(3)],
      ],
      'facts-list',
    ),
    table(`Load by ${noun.toLowerCase()}`, members, [
      { label: noun, cell: ({ id }) => mono(id) },
      figure(byCpu ? 'CPU time' : 'Requests', member => format(amountOf(member))),
      amount('Share', member => (total > 0 ? amountOf(member) / total : null), formatPercent),
      { label: '', cell: member => bar(max > 0 ? amountOf(member) / max : 0) },
      !byCpu && amount('CPU time', ({ cpuMs }) => cpuMs, formatDuration),
    ]),
  );
}
