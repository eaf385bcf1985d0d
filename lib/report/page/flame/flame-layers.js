/** The two pictures of the flamegraph: running and waiting. */
import { categorizeNodes, selectSamples } from '../../../analysis/sample-table/select.js';
import { h, makeButton, safeColor, swatch } from '../dom.js';
import { MIXED_COLOR, makePainter } from './flame-boxes.js';
import { listChildren } from './flame-tree.js';

/** @import { SampleCounts, Samples, SampleTable } from '../../../run/facts/sample-table.d.ts' */

/** @typedef {ReturnType<typeof makeLayer>} FlameLayer */

/**
 * The data of one picture.
 * @param {Samples} samples
 * @param {SampleCounts} whole
 * @param {ReturnType<typeof makeFlameLegend>} legend
 */
function makeLayer(samples, whole, legend) {
  const { frames, categories } = samples.table;
  // colours come from the whole run, so that a box keeps its colour in every selection
  const groups = categorizeNodes(samples, whole);
  const colors = categories.map(({ color }) => safeColor(color));
  return {
    samples,
    whole,
    frames,
    categories,
    legend,
    children: listChildren(samples.tree.parent, whole.totals),
    paint: makePainter(frames, colors),
    /** @param {SampleCounts} _counts @returns {Int16Array} */
    groupsOf: _counts => groups,
  };
}

/**
 * @param {Samples} samples
 * @param {SampleCounts} whole
 * @param {(categories: number[] | null) => void} onPick
 */
export function makeCpuLayer(samples, whole, onPick) {
  return makeLayer(samples, whole, makeFlameLegend('Categories', samples.table.categories, onPick));
}

/**
 * @param {Samples} own of a `WaitTable`
 * @param {Samples} ofCpu
 * @param {(kinds: number[] | null) => void} onPick
 * @returns {FlameLayer}
 */
export function makeWaitLayer(own, ofCpu, onPick) {
  const samples = shareFrames(own, ofCpu);
  const { categories } = samples.table;
  const other = categories.length - 1;
  const named = selectSamples(samples, { categories: [...categories.keys()].slice(0, other) });
  const layer = makeLayer(samples, named, makeFlameLegend('Kinds of wait', categories, onPick));
  return {
    ...layer,
    children: listChildren(samples.tree.parent, selectSamples(samples).totals),
    // samples without a name are not part of the whole and have no colour there
    groupsOf: counts =>
      counts.categories[other] ? categorizeNodes(samples, counts) : layer.groupsOf(counts),
  };
}

/**
 * Samples with the frames of others before their own, so that a function keeps its position.
 * @param {Samples} samples
 * @param {Samples} others
 * @returns {Samples}
 */
export function shareFrames({ table, tree, ...rest }, others) {
  const frames = [...others.table.frames];
  const keyOf = (/** @type {{function: string, file: string}} */ { function: name, file }) =>
    `${name}\0${file}`;
  const known = new Map(frames.map((frame, index) => [keyOf(frame), index]));
  const place = table.frames.map(frame => known.get(keyOf(frame)) ?? frames.push(frame) - 1);
  return {
    ...rest,
    table: { ...table, frames },
    tree: { ...tree, frame: tree.frame.map(frame => place[frame] ?? -1) },
  };
}

/**
 * The legend of a flamegraph. Pressed colours narrow the selection; none pressed selects all.
 * @param {string} label
 * @param {SampleTable['categories']} categories
 * @param {(categories: number[] | null) => void} onPick
 */
function makeFlameLegend(label, categories, onPick) {
  /** @type {Set<number>} */
  let picked = new Set();
  const amounts = categories.map(() => h('span', { class: 'muted' }));
  const buttons = categories.map(({ label: name, color }, index) => {
    const press = () => {
      const next = new Set(picked);
      if (!next.delete(index)) next.add(index);
      onPick(next.size > 0 ? [...next].sort((a, b) => a - b) : null);
    };
    return makeButton([swatch(color), name, amounts[index]], press, { class: 'quiet' });
  });
  const group = { class: 'flame-legend', role: 'group', 'aria-label': `${label}: click to filter` };
  const several = h('span', { class: 'mixed muted' }, swatch(MIXED_COLOR), 'several');
  return {
    element: h('div', group, buttons, several),
    /**
     * @param {number[] | null} next the selection
     * @param {(index: number) => string | null} tell the amount of one; null if it can't be selected
     */
    show(next, tell) {
      picked = new Set(next ?? []);
      for (const [index, button] of buttons.entries()) {
        const amount = tell(index);
        button.setAttribute('aria-pressed', String(picked.has(index)));
        button.hidden = amount === null;
        amounts[index]?.replaceChildren(amount ?? '');
      }
    },
  };
}
