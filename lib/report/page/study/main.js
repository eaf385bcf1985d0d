import { mountPage } from '../dom.js';
import { renderBacklog } from './backlog-chart.js';
import { renderBottlenecks, renderWhy } from './bottlenecks.js';
import { renderDrains } from './drain-chart.js';
import { renderLoadCharts } from './load-charts.js';
import { renderResources } from './resource-charts.js';
import { renderScaling } from './scaling-charts.js';
import { renderCapacity, renderStudyHeader, renderStudySummary } from './summary.js';
import {
  renderCells,
  renderComparisons,
  renderFairness,
  renderMeasuring,
  renderSpikes,
} from './tables.js';
import { makeVariantPicks, renderVariantBars } from './variants.js';

/** @import { StudyReport } from '../../../text/study-report.d.ts' */

/** @type {StudyReport} */
const report = JSON.parse(document.getElementById('study')?.textContent ?? '');
const picks = makeVariantPicks(report);
document.title = `${report.study.title} – loadflame`;
mountPage(
  [
    renderStudySummary(report),
    renderCapacity(report),
    renderLoadCharts(report, picks),
    renderSpikes(report),
    renderVariantBars(report),
    renderScaling(report),
    renderBottlenecks(report),
    renderResources(report, picks),
    renderFairness(report, picks),
    renderBacklog(report, picks),
    renderDrains(report, picks),
    renderWhy(report),
    renderComparisons(report),
    renderCells(report),
    renderMeasuring(report),
  ],
  ids => renderStudyHeader(report, ids),
);

// two frames on, everything has been laid out and drawn once
await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
document.documentElement.dataset.ready = 'true';
