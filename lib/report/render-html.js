import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStyles, renderDocument } from './html-document.js';
import { inlineModules } from './inline-modules.js';
import { readSpeedscopeViewer } from './speedscope-viewer.js';

/** @import { WordedReport } from '../text/worded-report.d.ts' */

const STYLES = [
  'tokens',
  'base',
  'controls',
  'frame',
  'summary',
  'timeline',
  'filters',
  'costs',
  'flame',
  'panels',
  'phone',
  'print',
];

/**
 * The report as one page with everything in it, uPlot and the viewer of speedscope among them.
 * @param {WordedReport} report
 * @returns {string} HTML
 */
export function renderHtml(report) {
  const viewer = report.profile ? readSpeedscopeViewer() : null;
  const uPlot = path.dirname(createRequire(import.meta.url).resolve('uplot'));
  return renderDocument({
    title: 'loadflame',
    styles: [readFileSync(path.join(uPlot, 'uPlot.min.css'), 'utf8'), readStyles(STYLES)],
    scripts: [
      { text: readFileSync(path.join(uPlot, 'uPlot.iife.min.js'), 'utf8') },
      {
        text: inlineModules(fileURLToPath(new URL('page/main.js', import.meta.url))),
        module: true,
      },
    ],
    data: [
      { id: 'report', value: report },
      ...(viewer ? [{ id: 'speedscope', value: viewer.packed }] : []),
    ],
    ...(viewer && { framed: { scripts: [viewer.script], styles: [viewer.style] }, wasm: true }),
  });
}
