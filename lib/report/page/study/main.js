import { h } from '../dom.js';
import { renderBacklog } from './backlog-chart.js';
import { renderCapacity } from './capacity-table.js';
import { renderCells, renderMeasuring } from './cell-table.js';
import { renderComparisons } from './comparison-table.js';
import { renderFairness } from './fairness-table.js';
import { renderLimits } from './limit-list.js';
import { renderOverLoad } from './over-load.js';
import { renderResources } from './resource-charts.js';
import { renderScaling } from './scaling-charts.js';
import { renderStudyHeader } from './study-header.js';
import { renderStudySummary } from './study-summary.js';
import { renderVariantBars } from './variant-bars.js';
import { makeVariantPicks } from './variant-picks.js';
import { renderWhy } from './why-profiles.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */

/** @type {StudyReport} */
const report = JSON.parse(document.getElementById('study')?.textContent ?? '');
const picks = makeVariantPicks(report);
document.title = `${report.study.title} – loadflame`;

const parts = [
  renderStudySummary(report),
  renderCapacity(report),
  renderOverLoad(report, picks),
  renderVariantBars(report),
  renderScaling(report),
  renderLimits(report),
  renderResources(report, picks),
  renderFairness(report),
  renderBacklog(report, picks),
  renderWhy(report),
  renderComparisons(report),
  renderCells(report),
  renderMeasuring(report),
].filter(part => part !== null);
document.body.prepend(
  renderStudyHeader(
    report,
    parts.map(({ id }) => id),
  ),
  h('main', {}, parts),
);
window.addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});

// two frames on, everything has been laid out and drawn once
await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
document.documentElement.dataset.ready = 'true';
