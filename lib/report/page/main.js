import { renderCpu } from './cpu.js';
import { h } from './dom.js';
import { renderErrors } from './errors.js';
import { renderFindings } from './findings.js';
import { renderFlamegraph } from './flamegraph.js';
import { renderHeader, renderNavigation, renderSummary } from './header.js';
import { renderLoad } from './load.js';
import { renderQuality, renderRun } from './quality.js';

/** @import { Report } from '../../analysis/report.d.ts' */

/** @type {Report} */
const report = JSON.parse(document.getElementById('report')?.textContent ?? '');
const flamegraph = renderFlamegraph(report);

document.title = `${report.run.id} – loadflame`;
const sections = [
  renderSummary(report),
  renderFindings(report),
  renderLoad(report),
  renderErrors(report),
  renderCpu(report, flamegraph.find),
  flamegraph.element,
  renderQuality(report),
  renderRun(report),
].filter(section => section !== null);
document.body.prepend(
  renderNavigation(sections.map(({ id }) => id)),
  h('main', {}, renderHeader(report), sections),
);

window.addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
// the sections did not exist yet when the browser looked for the address's fragment
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
