/** The pictures between which a reader switches: what runs, and what waits. */
import { categorizeNodes } from '../../../sample-table/categorize.js';
import { selectSamples } from '../../../sample-table/select.js';
import { safeColor } from '../dom.js';
import { makeFlameLegend } from './flame-legend.js';
import { makePainter } from './flame-paint.js';
import { listChildren } from './flame-tree.js';

/** @import { SampleCounts, Samples } from '../../../facts/sample-table.d.ts' */

/** @typedef {ReturnType<typeof makeLayer>} FlameLayer */

/**
 * What one picture is drawn from.
 * @param {Samples} samples
 * @param {SampleCounts} whole
 * @param {ReturnType<typeof makeFlameLegend>} legend
 */
function makeLayer(samples, whole, legend) {
  const { frames, categories } = samples.table;
  // colours are of the whole run, so that a box keeps its own whatever is selected
  const groups = categorizeNodes(samples, whole);
  return {
    samples,
    whole,
    frames,
    categories,
    legend,
    children: listChildren(samples.tree.parent, whole.totals),
    paint: makePainter(
      frames,
      categories.map(({ color }) => safeColor(color)),
    ),
    /** @param {SampleCounts} _counts @returns {Int16Array} */
    groupsOf: _counts => groups,
  };
}

/** @param {Samples} samples @param {SampleCounts} whole @param {(categories: number[] | null) => void} onPick */
export function makeCpuLayer(samples, whole, onPick) {
  return makeLayer(samples, whole, makeFlameLegend('Categories', samples.table.categories, onPick));
}

/** @param {Samples} own of a `WaitTable` @param {Samples} ofCpu @param {(kinds: number[] | null) => void} onPick @returns {FlameLayer} */
export function makeWaitLayer(own, ofCpu, onPick) {
  const samples = shareFrames(own, ofCpu);
  const { categories } = samples.table;
  const other = categories.length - 1;
  const named = selectSamples(samples, { categories: [...categories.keys()].slice(0, other) });
  const layer = makeLayer(samples, named, makeFlameLegend('Kinds of wait', categories, onPick));
  return {
    ...layer,
    children: listChildren(samples.tree.parent, selectSamples(samples).totals),
    // what has no name is not part of the whole, which would know no colours for it
    groupsOf: counts =>
      counts.categories[other] ? categorizeNodes(samples, counts) : layer.groupsOf(counts),
  };
}

/**
 * Samples with the frames of others before their own, so that a function is found again where it was.
 * @param {Samples} samples
 * @param {Samples} others
 * @returns {Samples}
 */
function shareFrames({ table, tree, ...rest }, others) {
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
