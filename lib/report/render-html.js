import { describeRun } from '../text/document/run.js';
import { readPageScript, readPageStyles, readUPlot, renderDocument } from './html-document.js';
import { selectSections } from './print/cells.js';
import { readSpeedscopeViewer } from './speedscope-viewer.js';

/** @import { WordedReport } from '../text/worded-report.d.ts' */

const STYLES = ['timeline', 'filters', 'costs', 'flame', 'panels'];

/**
 * The report as one page with everything in it, uPlot and the viewer of speedscope among them.
 * @param {WordedReport} report
 * @param {import('./html-document.js').Name} [name]
 * @returns {string} HTML
 */
export function renderHtml(report, name) {
  const viewer = report.profile ? readSpeedscopeViewer() : null;
  const uPlot = readUPlot();
  return renderDocument({
    name,
    title: 'loadflame',
    styles: [uPlot.style, readPageStyles(STYLES)],
    scripts: [uPlot.script, readPageScript('main.js')],
    data: [
      { id: 'report', value: report },
      { id: 'content', value: selectSections(describeRun(report).sections, 'page') },
      ...(viewer ? [{ id: 'speedscope', value: viewer.packed }] : []),
    ],
    ...(viewer && { framed: { scripts: [viewer.script], styles: [viewer.style] }, wasm: true }),
  });
}
