import { formatMs, formatRate } from '../../../format.js';
import { findPlateau, formatEstimate, formatMost, nameOfCpu } from '../../study/study-words.js';
import { bar, h, section } from '../dom.js';
import { styleOfVariant } from './variant-picks.js';

/** @import { Estimate } from '../../../analysis/report.d.ts' */
/** @import { StudyReport, VariantReport } from '../../../study/study-report.d.ts' */

/** @typedef {{title: string, about: string, of: (variant: VariantReport) => Estimate | null, format: (value: number | null) => string, say?: (variant: VariantReport) => string}} Measure */

/** Variants beside each other, as bars with whiskers. @param {StudyReport} report */
export function renderVariantBars(report) {
  /** @type {Measure[]} */
  const measures = [
    {
      title: `Throughput at the plateau, ${report.throughputLabel}`,
      about: 'The higher, the better; “≥”: it was still rising.',
      of: ({ saturation }) => saturation.throughputPerSec,
      format: formatRate,
      say: formatMost,
    },
    {
      title: 'Throughput per busy core',
      about: `The higher, the better: per core that ${nameOfCpu(report)} used.`,
      of: variant => findPlateau(variant)?.perBusyCore ?? null,
      format: formatRate,
    },
    {
      title: `CPU of ${nameOfCpu(report)} per transaction`,
      about: 'The lower, the better.',
      of: variant => findPlateau(variant)?.cpuMsPerTransaction ?? null,
      format: formatMs,
    },
  ];
  const known = measures.filter(({ of }) => report.variants.some(variant => of(variant)));
  if (known.length === 0) return null;
  return section(
    'variants',
    'Variants beside each other',
    h(
      'div',
      { class: 'bars' },
      known.map(measure => renderBars(measure, report)),
    ),
  );
}

/** @param {Measure} measure @param {StudyReport} report */
function renderBars({ title, about, of, format, say }, { variants }) {
  const top = Math.max(
    ...variants.flatMap(variant => {
      const estimate = of(variant);
      return estimate ? [estimate.value, estimate.high ?? 0] : [];
    }),
  );
  return h(
    'div',
    { class: 'bars-of' },
    h('h3', {}, title),
    h('p', { class: 'lede small' }, about),
    h(
      'ul',
      { class: 'bar-list' },
      variants.map((variant, index) => {
        const estimate = of(variant);
        const { value = 0, low = null, high = null } = estimate ?? {};
        const text = say ? say(variant) : formatEstimate(estimate, format);
        return h(
          'li',
          {},
          h('span', { class: 'bar-label' }, variant.label),
          h('span', { class: 'bar-value' }, text),
          bar(
            value / top,
            `var(${styleOfVariant(index).color})`,
            low === null || high === null ? undefined : [low / top, high / top],
          ),
        );
      }),
    ),
  );
}
