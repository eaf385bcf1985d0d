import { formatMs, formatPercent } from '../../../format.js';
import { plainLine } from '../../plain-text.js';
import { h, safeColor } from '../dom.js';
import { paintOf } from './flame-paint.js';
import { makeFlamePicture } from './flame-picture.js';
import { listChildren } from './flame-tree.js';

/** @import { DifferentialFlame } from '../../../compare/compare-report.d.ts' */
/** @import { FlameTree } from './flame-tree.js' */
/** @import { Paint } from './flame-paint.js' */

// blue and orange keep apart for every kind of colour vision; stronger for a larger relative change
const CHANGE_STEPS = [
  { above: 0, words: 'up to 10 %', cheaper: [156, 195, 230], dearer: [245, 181, 122] },
  { above: 0.1, words: '10–50 %', cheaper: [79, 148, 205], dearer: [224, 123, 31] },
  { above: 0.5, words: 'over 50 %', cheaper: [20, 87, 143], dearer: [163, 71, 0] },
];

/**
 * A flamegraph of what changed per request between two sides: widths of either, coloured only where
 * the difference is larger than its noise.
 * @param {DifferentialFlame} diff
 * @param {{before: string, after: string}} [labels] what the sides are called
 * @returns {{element: HTMLElement, find: (text: string) => void}}
 */
export function makeDifferentialFlame(diff, labels = { before: 'before', after: 'after' }) {
  const { frames, before, after, differs } = diff;
  const parent = Int32Array.from(diff.parent);
  const children = listChildren(
    parent,
    before.map((value, node) => Math.max(value, after[node] ?? 0)),
  );
  const picture = makeFlamePicture('Differential flamegraph');
  let widths = after;
  /** @type {Uint8Array | null} per frame */
  let marked = null;

  /** @type {FlameTree} */
  const tree = {
    total: node => widths[node] ?? 0,
    own: () => null,
    parent: node => parent[node] ?? -1,
    frame: node => diff.frame[node] ?? -1,
    line: () => 0,
    group: node => diff.category[node] ?? -1,
    children: node => children.list.subarray(children.start[node], children.start[node + 1]),
  };
  const format = (/** @type {number} */ value) =>
    diff.unit === 'ms' ? `${formatMs(value)} CPU per request` : `${formatPercent(value)} of CPU`;
  const nameOf = (/** @type {number} */ node) => {
    const frame = frames[diff.frame[node] ?? -1];
    return frame ? plainLine(frame.function) : `all: ${format(widths[node] ?? 0)}`;
  };
  /** @param {number} node */
  const describe = node => {
    const [was, is] = [before[node] ?? 0, after[node] ?? 0];
    const change =
      was > 0 ? `${is >= was ? '+' : '−'}${formatPercent(Math.abs(is / was - 1))}` : 'new';
    const frame = frames[diff.frame[node] ?? -1];
    return {
      name: nameOf(node),
      place: plainLine(frame?.file ?? ''),
      facts: [
        `${labels.before} ${format(was)} → ${labels.after} ${format(is)}`,
        is === 0 && was > 0 ? 'gone' : change,
        differs[node] ? 'larger than its noise' : 'no larger than its noise',
        diff.categories[diff.category[node] ?? -1]?.label ?? 'several categories',
      ],
    };
  };
  const paintNode = makeChangePainter(diff);
  const draw = () =>
    picture.show({
      tree,
      paint: paintNode,
      name: nameOf,
      faint: node => marked !== null && marked[diff.frame[node] ?? -1] !== 1,
      describe,
    });

  const buttons = [
    { label: `Widths of ${labels.after}`, values: after },
    { label: `Widths of ${labels.before}`, values: before },
  ].map(({ label, values }) => {
    const button = h(
      'button',
      { type: 'button', class: 'quiet', 'aria-pressed': String(values === widths) },
      label,
    );
    button.addEventListener('click', () => {
      widths = values;
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
      draw();
    });
    return button;
  });
  const input = h('input', {
    type: 'search',
    placeholder: 'Search function or file',
    'aria-label': 'Search function or file in the flamegraph',
    spellcheck: 'false',
  });
  const mark = () => {
    const wanted = input.value.trim().toLowerCase();
    marked =
      wanted === ''
        ? null
        : Uint8Array.from(frames, ({ function: name, file }) =>
            `${name} ${file}`.toLowerCase().includes(wanted) ? 1 : 0,
          );
    picture.redraw();
  };
  input.addEventListener('input', mark);
  const reset = h('button', { type: 'button' }, 'Reset zoom');
  reset.addEventListener('click', () => picture.reset());
  const element = h(
    'div',
    { class: 'flame-diff' },
    h(
      'div',
      { class: 'flame-tools' },
      h('div', { class: 'flame-search' }, input),
      h(
        'div',
        { role: 'group', 'aria-label': 'Whose widths are drawn', class: 'flame-sides' },
        buttons,
      ),
      reset,
    ),
    makeChangeScale(labels),
    picture.element,
  );
  draw();
  return {
    element,
    find(text) {
      input.value = text;
      mark();
      element.scrollIntoView();
    },
  };
}

/** @param {DifferentialFlame} diff @returns {(node: number) => Paint} */
function makeChangePainter({ before, after, differs }) {
  const steps = CHANGE_STEPS.map(({ above, cheaper, dearer }) => ({
    above,
    cheaper: paintOf(cheaper, 0),
    dearer: paintOf(dearer, 0),
  }));
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
  const grey = h('span', { class: 'step step-same' });
  return h(
    'div',
    { class: 'flame-scale' },
    h('span', { class: 'steps', 'aria-hidden': 'true' }, blocks('cheaper').reverse()),
    h('span', {}, `blue: cheaper in ${after}`),
    h('span', { class: 'steps', 'aria-hidden': 'true' }, blocks('dearer')),
    h('span', {}, `orange: dearer in ${after} (up to 10 %, 10–50 %, over 50 %)`),
    h('span', { class: 'steps', 'aria-hidden': 'true' }, grey),
    h('span', {}, 'grey: no difference larger than its noise'),
  );
}
