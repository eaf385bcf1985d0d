import {
  formatBytes,
  formatCores,
  formatCount,
  formatDuration,
  formatPercent,
} from '../../format.js';
import { h, lede, mono, prose, section } from './dom.js';
import { amount, figure, table } from './table.js';

/** @import { PodReport } from '../../facts/cluster.d.ts' */
/** @import { WordedCluster } from '../../text/worded-report.d.ts' */

/** What a cluster said of the pods that serve the target. @param {WordedCluster | null | undefined} cluster */
export function renderCluster(cluster) {
  if (!cluster) return null;
  const { text, pods, events, waysIn } = cluster;
  const settings = waysIn.flatMap(({ settings: own, ...way }) =>
    own.map(setting => ({ ...way, setting })),
  );
  return section(
    'cluster',
    text.title,
    lede([...text.sentences, ...text.unseen].map(sentence => [prose(sentence), ' '])),
    table('Pods during the load', pods, [
      { label: 'Pod', cell: ({ name }) => mono(name) },
      figure('Restarts', ({ restarts }) =>
        formatCount(restarts.reduce((sum, { count }) => sum + count, 0)),
      ),
      amount('Not ready', ({ notReadyMs }) => notReadyMs || null, formatDuration),
      figure('CPU, mean', ({ usage }) => formatCores(usage?.cpuCores.mean ?? null), 'in cores'),
      figure('CPU, most', pod => ofLimit(pod, 'cpu'), 'in cores, of the limit'),
      figure(
        'Held back',
        ({ throttling }) => formatPercent(throttling?.share ?? null),
        'periods in which the CPU quota ran out, where it is known',
      ),
      figure('Memory, most', pod => ofLimit(pod, 'memory'), 'working set, of the limit'),
      { label: 'Node', cell: ({ node }) => node ?? '' },
    ]),
    events.length > 0 &&
      table('Warnings of the cluster', events, [
        { label: 'Reason', cell: ({ reason }) => reason },
        figure('Times', ({ count }) => formatCount(count)),
        amount('After the start', ({ afterMs }) => afterMs, formatDuration),
        { label: 'Object', cell: ({ object }) => mono(object) },
        { label: 'Message', cell: ({ message }) => message },
      ]),
    waysIn.length > 0 && [
      h('h3', {}, 'The way in'),
      table('Routes, ingresses and services', settings, [
        { label: 'Name', cell: ({ type, name }) => mono(`${type} ${name}`) },
        { label: 'Host', cell: ({ host }) => host ?? '' },
        { label: 'Setting', cell: ({ setting }) => mono(setting.name) },
        { label: 'Value', cell: ({ setting }) => setting.value },
      ]),
    ],
  );
}

/** @param {PodReport} pod @param {'cpu' | 'memory'} what */
function ofLimit({ usage, cpuLimitCores, memoryLimitBytes }, what) {
  const [value, limit, format] =
    what === 'cpu'
      ? [usage?.cpuCores.max, cpuLimitCores, formatCores]
      : [usage?.memoryBytes.max, memoryLimitBytes, formatBytes];
  const most = format(value ?? null);
  return limit === null ? most : `${most} of ${format(limit)}`;
}
