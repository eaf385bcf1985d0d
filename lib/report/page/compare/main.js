import { printSection, printTable } from '../../print/html.js';
import { h, makeChoice, mountPage } from '../dom.js';
import { makeDifferentialFlame } from '../flame/flame-diff.js';
import { drawChange, drawRuns } from './change-marks.js';
import { renderCompareHeader, renderCompareSummary } from './compare-summary.js';

/** @import { Section, Table } from '../../../text/document/document.d.ts' */
/** @import { WordedComparison } from '../../../text/worded-comparison.d.ts' */

/** @param {string} id */
const readData = id => JSON.parse(document.getElementById(id)?.textContent ?? '');
/** @type {WordedComparison} */
const comparison = readData('comparison');
/** @type {Section[]} */
const content = readData('content');
const { before, after, flame } = comparison;
const drawings = {
  runs: drawRuns,
  change: drawChange,
  choice: makeMeasureChoice,
  flamegraph: () =>
    flame && makeDifferentialFlame(flame, { before: before.label, after: after.label }),
};
document.title = `${before.label} and ${after.label} – loadflame`;
mountPage(
  [
    renderCompareSummary(comparison, content),
    ...content.filter(({ id }) => id !== 'caveats').map(own => printSection(own, drawings)),
  ],
  ids => renderCompareHeader(comparison, ids),
);

/** One measure of endpoints in detail. @param {{label: string, table: Table}[]} measures */
function makeMeasureChoice(measures) {
  const detail = h('div', { 'aria-live': 'polite' });
  const show = (/** @type {number} */ index) => {
    const own = measures[index];
    if (own) detail.replaceChildren(printTable(own.table, drawings));
  };
  show(0);
  return [
    h('h3', {}, 'One measure in detail'),
    makeChoice({
      label: 'Measure',
      className: 'choices',
      options: measures.map(({ label }, value) => ({ value, label })),
      picked: 0,
      onPick: show,
    }).element,
    detail,
  ];
}
