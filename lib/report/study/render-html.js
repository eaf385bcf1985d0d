import { describeStudy } from '../../text/document/study.js';
import { readPageScript, readPageStyles, readUPlot, renderDocument } from '../html-document.js';
import { selectSections } from '../print/cells.js';

/** @import { StudyReport } from '../../text/study-report.d.ts' */

/**
 * A study as one self-contained page.
 * @param {StudyReport} report
 * @param {import('../html-document.js').Name} [name]
 * @returns {string} HTML
 */
export function renderStudyHtml(report, name) {
  const uPlot = readUPlot();
  return renderDocument({
    name,
    title: 'Study – loadflame',
    styles: [uPlot.style, readPageStyles(['panels', 'compare', 'study', 'study-charts'])],
    scripts: [uPlot.script, readPageScript('study/main.js')],
    data: { study: report, content: selectSections(describeStudy(report).sections, 'page') },
  });
}
