import { describeBasis } from '../../compare/basis-words.js';
import { h, section } from '../dom.js';
import { makeDifferentialFlame } from '../flame/flame-diff.js';
import {
  renderCategoryChanges,
  renderEndpointChanges,
  renderOverallChanges,
} from './change-sections.js';
import { renderDifferences, renderSides, renderThresholds } from './compare-sides.js';
import { renderCompareHeader, renderCompareSummary } from './compare-summary.js';

/** @import { CompareReport } from '../../../compare/compare-report.d.ts' */

/** @type {CompareReport} */
const comparison = JSON.parse(document.getElementById('comparison')?.textContent ?? '');
const { before, after } = comparison;
document.title = `${before.label} and ${after.label} – loadflame`;

const parts = [
  renderCompareSummary(comparison),
  renderThresholds(comparison),
  renderOverallChanges(comparison),
  renderCategoryChanges(comparison),
  renderEndpointChanges(comparison),
  renderFlame(comparison),
  renderSides(comparison),
  renderDifferences(comparison),
].filter(part => part !== null);
document.body.prepend(
  renderCompareHeader(
    comparison,
    parts.map(({ id }) => id),
  ),
  h('main', {}, parts, h('p', { class: 'lede small' }, describeBasis(comparison))),
);

/** @param {CompareReport} comparison */
function renderFlame({ flame }) {
  if (!flame) return null;
  const unit = flame.unit === 'ms' ? 'CPU time per request' : 'share of the CPU samples';
  return section(
    'flamegraph',
    'Where it changed',
    h(
      'p',
      { class: 'lede' },
      `Every box is ${unit} of one side. Coloured is only what changed by more than its noise: orange costs more after, blue less.${comparison.basis === 'within-run' ? ' With one run a side that noise is of the samples, and 10 % that runs are taken to differ by: what differs more from run to run looks like a change.' : ''}`,
    ),
    makeDifferentialFlame(flame, { before: before.label, after: after.label }).element,
  );
}
