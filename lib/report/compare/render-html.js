import { fileURLToPath } from 'node:url';
import { readStyles, renderDocument } from '../html-document.js';
import { inlineModules } from '../inline-modules.js';

/** @import { WordedComparison } from '../../text/worded-comparison.d.ts' */

const STYLES = [
  'tokens',
  'base',
  'controls',
  'frame',
  'summary',
  'flame',
  'panels',
  'compare',
  'phone',
  'print',
];

/**
 * A comparison as one page with everything in it.
 * @param {WordedComparison} comparison
 * @returns {string} HTML
 */
export function renderCompareHtml(comparison) {
  const entry = fileURLToPath(new URL('../page/compare/main.js', import.meta.url));
  return renderDocument({
    title: 'Comparison – loadflame',
    styles: [readStyles(STYLES)],
    scripts: [{ text: inlineModules(entry), module: true }],
    data: [{ id: 'comparison', value: comparison }],
  });
}
