import { formatMs, formatPercent, formatRate } from '../../../format.js';
import { formatEstimate, labelComponent, nameLimit } from '../../study/study-words.js';
import { bar, h, prose, section, severityTag } from '../dom.js';
import { table } from '../table.js';
import { variantKey } from './variant-picks.js';

/** @import { ServiceDemand, StudyReport, VariantReport } from '../../../study/study-report.d.ts' */

/** What ends the rise of each variant, and the bound that each component sets. @param {StudyReport} report */
export function renderLimits(report) {
  const { variants } = report;
  if (variants.length === 0) return null;
  return section(
    'limits',
    'What limits each variant',
    h(
      'ul',
      { class: 'limits' },
      variants.map((variant, index) =>
        h(
          'li',
          {},
          h('h3', {}, variantKey(index), variant.label),
          h(
            'p',
            {},
            severityTag(
              variant.limit.id === 'none' ? 'good' : 'info',
              nameLimit(variant.limit, report),
            ),
            prose(variant.limit.text),
          ),
          renderEvidence(variant, report),
        ),
      ),
    ),
  );
}

/** @param {VariantReport} variant @param {StudyReport} report */
function renderEvidence({ limit, demands, label }, report) {
  if (limit.evidence.length === 0 && demands.length === 0) return null;
  return h(
    'details',
    {},
    h('summary', {}, 'Evidence and bounds'),
    limit.evidence.length > 0 &&
      h(
        'dl',
        { class: 'run-facts limit-facts' },
        limit.evidence.map(({ label: of, value }) =>
          h('div', {}, h('dt', {}, of), h('dd', {}, value)),
        ),
      ),
    demands.length > 0 && renderDemands(demands, label, report),
  );
}

/** @param {ServiceDemand[]} demands @param {string} variant @param {StudyReport} report */
function renderDemands(demands, variant, report) {
  return table(
    `Service demand of ${variant}: what a transaction costs each component, and the most that this lets through (bottleneck law)`,
    [
      { label: 'Component' },
      { label: 'CPU per transaction', number: true, about: 'with half of its 95 % interval' },
      { label: 'Cores it can use', number: true },
      { label: 'In use at the plateau', number: true },
      { label: '' },
      { label: 'Bound', number: true, about: 'no throughput above this' },
    ],
    demands.map(({ component, demandMs, mostCores, boundPerSec, utilization }) => ({
      cells: [
        labelComponent(component, report),
        formatEstimate(demandMs, formatMs),
        String(mostCores),
        formatPercent(utilization),
        bar(utilization),
        formatRate(boundPerSec.value),
      ],
    })),
  );
}
