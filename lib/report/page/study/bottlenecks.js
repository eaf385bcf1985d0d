/** The bottleneck of each variant, and where its CPU time goes there. */
import { formatMs, formatPercent, formatRate, formatShare } from '../../../format.js';
import { formatEstimate, formatStep, labelComponent } from '../../study/study-words.js';
import {
  bar,
  bulletList,
  evidenceList,
  fold,
  h,
  lede,
  prose,
  section,
  severityTag,
  shareBar,
  swatch,
} from '../dom.js';
import { amount, figure, table } from '../table.js';
import { reportLink } from './tables.js';
import { variantKey } from './variants.js';

/** @import { ServiceDemand, StudyReport, VariantReport } from '../../../text/study-report.d.ts' */

/** What ends the rise of each variant, and the bound that each component sets. @param {StudyReport} report */
export function renderBottlenecks(report) {
  const { variants } = report;
  if (variants.length === 0) return null;
  return section(
    'bottlenecks',
    'The bottleneck of each variant',
    bulletList(
      variants.map(({ label, bottleneck: { id, text }, demands }, index) => [
        h('h3', {}, variantKey(index), label),
        h('p', {}, severityTag(id === 'none' ? 'good' : 'info', text.name), prose(text.title)),
        (text.evidence.length > 0 || demands.length > 0) &&
          fold(
            'Evidence and bounds',
            {},
            evidenceList(text.evidence, 'run-facts bottleneck-facts'),
            demands.length > 0 && renderDemands(demands, label, report),
          ),
      ]),
      { class: 'bottlenecks' },
    ),
  );
}

/** @param {ServiceDemand[]} demands @param {string} variant @param {StudyReport} report */
function renderDemands(demands, variant, report) {
  return table(
    `Service demand of ${variant}: what a transaction costs each component, and the highest throughput that this allows (bottleneck law)`,
    demands,
    [
      { label: 'Component', cell: ({ component }) => labelComponent(component, report) },
      figure(
        'CPU per transaction',
        ({ demandMs }) => formatEstimate(demandMs, formatMs),
        'with half of its 95 % interval',
      ),
      figure('Cores it can use', ({ mostCores }) => String(mostCores)),
      amount('Utilization at the plateau', ({ utilization }) => utilization, formatPercent),
      { label: '', cell: ({ utilization }) => bar(utilization) },
      amount(
        'Bound',
        ({ boundPerSec }) => boundPerSec.value,
        formatRate,
        'no throughput above this',
      ),
    ],
  );
}

/** Where CPU time goes at the plateau. @param {StudyReport} report */
export function renderWhy(report) {
  if (report.variants.every(({ why }) => !why)) return null;
  return section(
    'why',
    'Why: what the profile shows at the plateau',
    lede(
      'Shares of the workers’ CPU, from one more cell with py-spy; that cell is not part of the figures above.',
    ),
    report.variants.map((variant, index) => renderProfile(variant, index, report)),
  );
}

/** @param {VariantReport} variant @param {number} index @param {StudyReport} report */
function renderProfile({ why, label }, index, report) {
  if (!why) return null;
  return h(
    'div',
    { class: 'why' },
    h(
      'h3',
      {},
      variantKey(index),
      label,
      h(
        'a',
        { class: 'why-link', href: reportLink(why.folder) },
        `report at ${formatStep(why.step, report)}`,
      ),
    ),
    shareBar(
      why.categories.map(own => ({ label: own.label, color: own.color, share: own.share.value })),
      'stack',
      part => h('span', {}, part.label),
    ),
    bulletList(
      why.categories.map(category => [
        swatch(category.color),
        `${category.label} `,
        h('strong', {}, formatShare(category.share)),
        category.cpuMs !== null && `, ${formatMs(category.cpuMs)} per transaction`,
      ]),
      { class: 'layer-legend' },
    ),
    bulletList(why.sentences.map(prose), { class: 'told' }),
  );
}
