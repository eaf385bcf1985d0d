import { describeComparison } from '../../text/document/comparison.js';
import { readPageScript, readPageStyles, renderDocument } from '../html-document.js';
import { selectSections } from '../print/cells.js';

/** @import { WordedComparison } from '../../text/worded-comparison.d.ts' */

/**
 * A comparison as one self-contained page.
 * @param {WordedComparison} comparison
 * @param {import('../html-document.js').Name} [name]
 * @returns {string} HTML
 */
export function renderCompareHtml(comparison, name) {
  return renderDocument({
    name,
    title: 'Comparison – loadflame',
    styles: [readPageStyles(['flame', 'panels', 'compare'])],
    scripts: [readPageScript('compare/main.js')],
    data: { comparison, content: selectSections(describeComparison(comparison).sections, 'page') },
  });
}
