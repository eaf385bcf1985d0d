import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStyles, renderDocument } from '../html-document.js';
import { inlineModules } from '../inline-modules.js';

/** @import { StudyReport } from '../../text/study-report.d.ts' */

const STYLES = [
  'tokens',
  'base',
  'controls',
  'frame',
  'summary',
  'panels',
  'compare',
  'study',
  'study-charts',
  'phone',
  'print',
];

/**
 * A study as one page with everything in it.
 * @param {StudyReport} report
 * @returns {string} HTML
 */
export function renderStudyHtml(report) {
  const entry = fileURLToPath(new URL('../page/study/main.js', import.meta.url));
  const uPlot = path.dirname(createRequire(import.meta.url).resolve('uplot'));
  return renderDocument({
    title: 'Study – loadflame',
    styles: [readFileSync(path.join(uPlot, 'uPlot.min.css'), 'utf8'), readStyles(STYLES)],
    scripts: [
      { text: readFileSync(path.join(uPlot, 'uPlot.iife.min.js'), 'utf8') },
      { text: inlineModules(entry), module: true },
    ],
    data: [{ id: 'study', value: report }],
  });
}
