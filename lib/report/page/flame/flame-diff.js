import { matchFrames } from '../../../analysis/sample-table/select.js';
import { plainLine } from '../../../base/files/plain-text.js';
import { formatMs, formatPercent } from '../../../base/format.js';
import { h, makeButton, makeChoice, safeColor } from '../dom.js';
import { paintOf } from './flame-boxes.js';
import { FlamePicture } from './flame-picture.js';
import { makeSearchField } from './flame-search.js';
import { listChildren, makeCallTree } from './flame-tree.js';

/** @import { DifferentialFlame } from '../../../run/facts/compare-report.d.ts' */
/** @import { Paint } from './flame-boxes.js' */

// blue and orange differ for every kind of colour vision; stronger for a larger relative change
const CHANGE_STEPS = [
  { above: 0, words: 'up to 10 %', cheaper: [156, 195, 230], dearer: [245, 181, 122] },
  { above: 0.1, words: '10–50 %', cheaper: [79, 148, 205], dearer: [224, 123, 31] },
  { above: 0.5, words: 'over 50 %', cheaper: [20, 87, 143], dearer: [163, 71, 0] },
];

/**
 * A flamegraph of the change per request between two sides: shows the widths of one side, coloured only
 * where the difference is larger than its noise.
 * @param {DifferentialFlame} diff
 * @param {{before: string, after: string}} labels names of the sides
 */
export function makeDifferentialFlame(diff, labels) {
  const { frames, before, after, unit } = diff;
  const tree = { parent: Int32Array.from(diff.parent), frame: diff.frame, line: [] };
  const wider = before.map((value, node) => Math.max(value, after[node] ?? 0));
  const children = listChildren(tree.parent, wider);
  const picture = new FlamePicture('Differential flamegraph');
  // cheaper or removed code has its width in "before", new code in "after"
  let widths = isCheaper(diff) ? before : after;
  /** @type {boolean[] | null} per frame */
  let marked = null;

  const nameOf = (/** @type {number} */ node) => {
    const frame = frames[diff.frame[node] ?? -1];
    return frame ? plainLine(frame.function) : `all: ${formatCost(widths[node] ?? 0, unit)}`;
  };
  const paint = makeChangePainter(diff);
  const draw = () =>
    picture.show({
      tree: makeCallTree({ tree }, children, diff.category, { totals: widths, self: [] }),
      paint,
      name: nameOf,
      faint: node => marked !== null && !marked[diff.frame[node] ?? -1],
      describe: node => ({ name: nameOf(node), ...describeChange(diff, labels, node) }),
    });
  const search = makeSearchField(text => {
    marked = text === '' ? null : matchFrames(frames, text);
    picture.redraw();
  });
  const sides = makeChoice({
    label: 'Whose widths are drawn',
    className: 'flame-sides',
    options: [
      { value: before, label: `Widths of ${labels.before}` },
      { value: after, label: `Widths of ${labels.after}` },
    ],
    picked: widths,
    onPick(values) {
      widths = values;
      draw();
    },
  });
  draw();
  const found = h('div', { class: 'flame-search' }, search);
  const reset = makeButton('Reset zoom', picture.reset);
  const tools = h('div', { class: 'flame-tools' }, found, sides.element, reset);
  return h('div', { class: 'flame-diff' }, tools, makeChangeScale(labels), picture.element);
}

/** @param {number} value @param {DifferentialFlame['unit']} unit */
const formatCost = (value, unit) =>
  unit === 'ms' ? `${formatMs(value)} CPU per request` : `${formatPercent(value)} of CPU`;

/**
 * @param {DifferentialFlame} diff
 * @param {{before: string, after: string}} labels
 * @param {number} node
 */
function describeChange({ frames, before, after, unit, ...diff }, labels, node) {
  const [was, is] = [before[node] ?? 0, after[node] ?? 0];
  const change =
    was > 0 ? `${is >= was ? '+' : '−'}${formatPercent(Math.abs(is / was - 1))}` : 'new';
  return {
    place: plainLine(frames[diff.frame[node] ?? -1]?.file ?? ''),
    facts: [
      `${labels.before} ${formatCost(was, unit)} → ${labels.after} ${formatCost(is, unit)}`,
      is === 0 && was > 0 ? 'gone' : change,
      diff.differs[node] ? 'larger than the noise' : 'within the noise',
      diff.categories[diff.category[node] ?? -1]?.label ?? 'several categories',
    ],
  };
}

/** Whether the nodes that differ cost less after than before; if none differs, whether the total does. @param {DifferentialFlame} diff */
function isCheaper({ before, after, differs }) {
  const changeOf = (/** @type {number} */ node) => (after[node] ?? 0) - (before[node] ?? 0);
  const change = differs.reduce((sum, own, node) => (own ? sum + changeOf(node) : sum), 0);
  return (change || changeOf(0)) < 0;
}

/** @param {DifferentialFlame} diff @returns {(node: number) => Paint} */
function makeChangePainter({ before, after, differs }) {
  const steps = CHANGE_STEPS.map(({ above, ...colors }) => {
    return { above, cheaper: paintOf(colors.cheaper, 0), dearer: paintOf(colors.dearer, 0) };
  });
  const light = paintOf([190, 190, 184], 0);
  const dark = paintOf([70, 76, 82], 0);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  return node => {
    const same = theme.matches ? dark : light;
    if (!differs[node]) return same;
    const [was, is] = [before[node] ?? 0, after[node] ?? 0];
    const change = Math.abs(is - was) / Math.max(was, Number.MIN_VALUE);
    const step = steps.findLast(({ above }) => change > above) ?? steps[0];
    return (is > was ? step?.dearer : step?.cheaper) ?? same;
  };
}

/** The legend. @param {{before: string, after: string}} labels */
function makeChangeScale({ after }) {
  const blocks = (/** @type {'cheaper' | 'dearer'} */ side) =>
    CHANGE_STEPS.map(step => {
      const block = h('span', { class: 'step', title: step.words });
      block.style.backgroundColor = safeColor(paintOf(step[side], 0).fill);
      return block;
    });
  const entry = (/** @type {HTMLElement[]} */ steps, /** @type {string} */ words) => [
    h('span', { class: 'steps', 'aria-hidden': 'true' }, steps),
    h('span', {}, words),
  ];
  return h(
    'div',
    { class: 'flame-scale' },
    entry(blocks('cheaper').reverse(), `blue: cheaper in ${after}`),
    entry(blocks('dearer'), `orange: costlier in ${after} (up to 10 %, 10–50 %, over 50 %)`),
    entry([h('span', { class: 'step step-same' })], 'grey: no difference larger than the noise'),
  );
}
