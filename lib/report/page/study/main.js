import { printSection } from '../../print/html.js';
import { h, mountPage, shareBar } from '../dom.js';
import { describeDispatch } from './backlog-chart.js';
import { describeLeft } from './drain-chart.js';
import { makeLoadChart } from './load-chart.js';
import { makeLoadCharts } from './load-charts.js';
import { makeResourceCharts } from './resource-charts.js';
import { describeScaling } from './scaling-charts.js';
import { renderStudyHeader, renderStudySummary } from './summary.js';
import { makeVariantPicks, renderVariantBars } from './variants.js';

/** @import { Section } from '../../../text/document/document.d.ts' */
/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { Shown } from './variants.js' */

/** @param {string} id */
const readData = id => JSON.parse(document.getElementById(id)?.textContent ?? '');
/** @type {StudyReport} */
const report = readData('study');
/** @type {Section[]} */
const content = readData('content');
const picks = makeVariantPicks(report);
/** @param {(shown: Shown[]) => Chart} describe */
const chart = describe =>
  h(
    'div',
    { class: 'charts' },
    makeLoadChart(() => describe(picks.list()), picks),
  );
const drawings = {
  'variant-picks': () => picks.element,
  'load-charts': () => makeLoadCharts(report, picks),
  'variant-bars': () => renderVariantBars(report),
  'scaling-chart': () => chart(() => describeScaling(report)),
  'resource-charts': () => makeResourceCharts(report, picks),
  'backlog-chart': () => chart(shown => describeDispatch(report, shown)),
  'drain-chart': () => chart(describeLeft),
  shares: (/** @type {{label: string, color: string, share: {value: number}}[]} */ categories) =>
    shareBar(
      categories.map(own => ({ ...own, share: own.share.value })),
      'stack',
      part => h('span', {}, part.label),
    ),
};
document.title = `${report.study.title} – loadflame`;
mountPage(
  [
    renderStudySummary(report, content),
    ...content.filter(({ id }) => id !== 'findings').map(own => printSection(own, drawings)),
  ],
  ids => renderStudyHeader(report, ids),
);

// two frames on, everything has been laid out and drawn once
await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
document.documentElement.dataset.ready = 'true';
