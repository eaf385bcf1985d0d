import { formatEstimateMs, formatShareInterval, roundShares } from '../../format.js';
import { splitPaths } from '../split-paths.js';
import { bulletList, h, lede, prose, section, swatch } from './dom.js';
import { renderCause, renderShares, renderSmallPaths } from './hot-paths.js';
import { figure, table } from './table.js';

/** @import { WordedTaskWorkers } from '../../text/worded-report.d.ts' */

const PATHS_TOLD = 4;

/** Task workers that were recorded beside the API: a group of its own, which no selection changes. @param {WordedTaskWorkers | null | undefined} workers */
export function renderTaskWorkers(workers) {
  if (!workers) return null;
  const { text, categories, hotPaths, causes } = workers;
  const percents = roundShares(categories.map(({ share }) => share.value));
  const costs = categories.some(({ cpuMsPerRequest }) => cpuMsPerRequest);
  const { large, small } = splitPaths(hotPaths, PATHS_TOLD);
  return section(
    'task-workers',
    text.title,
    lede(text.sentences.map(sentence => [prose(sentence), ' '])),
    categories.length > 0 && [
      renderShares(categories),
      table('CPU of task workers by category', categories, [
        {
          label: 'Category',
          cell: ({ label, color }) => h('span', { class: 'nowrap' }, swatch(color), label),
        },
        figure('Share', (_, index) => `${percents[index]?.toFixed(1)} %`, 'of their own samples'),
        figure('95 % interval', ({ share }) => formatShareInterval(share)),
        costs &&
          figure('CPU per request', ({ cpuMsPerRequest }) => formatEstimateMs(cpuMsPerRequest)),
      ]),
      large.length > 0 && [
        h('h3', {}, 'Hot paths of the tasks'),
        bulletList(large.map(path => prose(path.text))),
      ],
      small.length > 0 && renderSmallPaths(small, workers, costs),
      causes.map(cause => renderCause(cause, workers, 'their CPU')),
    ],
  );
}
