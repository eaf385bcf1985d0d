import { describeRun } from '../text/document/run.js';
import { readPageScript, readPageStyles, readUPlot, renderDocument } from './html-document.js';
import { selectSections } from './print/cells.js';
import { readSpeedscopeViewer } from './speedscope-viewer.js';

/** @import { WordedReport } from '../text/worded-report.d.ts' */
/** @import { DocumentParts } from './html-document.js' */

const STYLES = ['timeline', 'filters', 'costs', 'slowest', 'flame', 'panels'];

/**
 * The report as one self-contained page, with uPlot and the speedscope viewer.
 * @param {WordedReport} report
 * @param {import('./html-document.js').Name} [name]
 * @returns {string} HTML
 */
export function renderHtml(report, name) {
  return renderRunPage({
    name,
    script: 'main.js',
    hasProfile: report.profile !== null,
    data: { report, content: selectSections(describeRun(report).sections, 'page') },
  });
}

/**
 * The same page without a report: it gets reports from the server that it comes from.
 * @param {{hasProfile: boolean, name?: import('./html-document.js').Name}} options
 * @returns {string} HTML
 */
export function renderLiveHtml(options) {
  return renderRunPage({ ...options, script: 'live-main.js', data: {}, isLive: true });
}

/**
 * @param {Pick<DocumentParts, 'data' | 'isLive' | 'name'> & {script: string, hasProfile: boolean}} options
 */
function renderRunPage({ script, hasProfile, data, ...options }) {
  const viewer = hasProfile ? readSpeedscopeViewer() : null;
  const uPlot = readUPlot();
  return renderDocument({
    ...options,
    title: 'loadflame',
    styles: [uPlot.style, readPageStyles([...STYLES, ...(options.isLive ? ['live'] : [])])],
    scripts: [uPlot.script, readPageScript(script)],
    data: { ...data, ...(viewer && { speedscope: viewer.packed }) },
    ...(viewer && { framed: { scripts: [viewer.script], styles: [viewer.style] }, wasm: true }),
  });
}
