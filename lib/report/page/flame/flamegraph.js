import {
  formatCount,
  formatEstimateMs,
  formatNumberOf,
  formatPercent,
  formatPlace,
} from '../../../format.js';
import { plainLine } from '../../../plain-text.js';
import { categorizeNodes } from '../../../sample-table/categorize.js';
import { countMatched, matchNodes } from '../../../sample-table/select.js';
import { h, lede, makeButton, safeColor, section, swatch } from '../dom.js';
import { MIXED_COLOR, makePainter } from './flame-paint.js';
import { makeFlamePicture } from './flame-picture.js';
import { makeFlameSearch } from './flame-search.js';
import { listChildren, makeCallTree, makeInvertedTree } from './flame-tree.js';

/** @import { SampleCounts, Samples, SampleTable } from '../../../sample-table/sample-table.d.ts' */
/** @import { FlameTree } from './flame-tree.js' */

/**
 * The flamegraph of a report, root at the top. It draws selections and reports what a reader picks in
 * it; what is selected is kept by others.
 * @param {object} options
 * @param {Samples} options.samples
 * @param {SampleCounts} options.whole the selection of everything
 * @param {(search: {text: string, without: boolean} | null) => void} options.onSearch
 * @param {(categories: number[] | null) => void} options.onCategories
 * @param {(inverted: boolean) => void} options.onInvert
 * @param {((counts: SampleCounts) => void) | null} [options.openSpeedscope] opens the selection there
 */
export function makeFlamegraph({
  samples,
  whole,
  onSearch,
  onCategories,
  onInvert,
  openSpeedscope = null,
}) {
  const { frames, categories } = samples.table;
  const children = listChildren(samples.tree.parent, whole.totals);
  // colours are of the whole run, so that a box keeps its own whatever is selected
  const groups = categorizeNodes(samples, whole);
  const painter = makePainter(
    frames,
    categories.map(({ color }) => safeColor(color)),
  );
  const picture = makeFlamePicture('Flamegraph');
  let counts = whole;
  let inverted = false;
  /** @type {number | null} */
  let cpuMsPerRequest = null;
  /** @type {Uint8Array | null} per frame */
  let marked = null;

  const about = lede();
  const summary = h('p', { class: 'sr-only' });
  const nothing = h('p', { class: 'empty', hidden: true }, 'No samples in this selection.');
  const search = makeFlameSearch({ onMark: text => mark(text), onSearch });
  const legend = makeFlameLegend(categories, onCategories);
  const invert = makeButton('Leaf first', () => onInvert(!inverted), {
    class: 'quiet',
    'aria-pressed': 'false',
  });

  /** @param {FlameTree} tree @param {number} node */
  const nameOf = (tree, node) => {
    const frame = frames[tree.frame(node)];
    return frame ? plainLine(frame.function) : `all: ${formatNumberOf(tree.total(node), 'sample')}`;
  };
  /** @param {FlameTree} tree @param {number} node */
  const describe = (tree, node) => {
    const total = tree.total(node);
    const share = total / Math.max(1, counts.total);
    const own = tree.own(node);
    const frame = frames[tree.frame(node)];
    const costMs = (cpuMsPerRequest ?? 0) * share;
    return {
      name: nameOf(tree, node),
      place: frame ? plainLine(formatPlace({ file: frame.file, line: tree.line(node) })) : '',
      facts: [
        `${formatNumberOf(total, 'sample')}, ${formatPercent(share)}`,
        cpuMsPerRequest === null
          ? ''
          : `${formatEstimateMs({ value: costMs, low: null, high: null })} CPU per request`,
        own === null ? '' : `${formatCount(own)} in the function itself`,
        categories[tree.group(node)]?.label ?? 'several categories',
      ].filter(fact => fact !== ''),
    };
  };
  const draw = () => {
    const tree = inverted
      ? makeInvertedTree(samples, counts)
      : makeCallTree(samples, children, groups, counts);
    picture.show({
      tree,
      paint: node => painter(tree.frame(node), tree.group(node)),
      name: node => nameOf(tree, node),
      faint: node => marked !== null && marked[tree.frame(node)] !== 1,
      describe: node => describe(tree, node),
    });
  };
  /** Marks what a text matches. @param {string} text */
  const mark = text => {
    const found = text === '' ? null : matchNodes(samples, text);
    marked = found && new Uint8Array(frames.length);
    for (const [node, isOwn] of found?.own.entries() ?? [])
      if (marked && isOwn && (counts.totals[node] ?? 0) > 0)
        marked[samples.tree.frame[node] ?? 0] = 1;
    search.say(found && marked ? describeFound(found.inside, marked, text) : '');
    picture.redraw();
  };
  /** @param {Uint8Array} inside @param {Uint8Array} own @param {string} text */
  const describeFound = (inside, own, text) => {
    if (counts.selection.search?.text === text) return describeNarrowed(counts);
    const share = countMatched(counts, inside) / Math.max(1, counts.total);
    const functions = own.reduce((sum, one) => sum + one, 0);
    return `${formatPercent(share)} of samples, ${formatNumberOf(functions, 'function')}`;
  };

  const element = section(
    'flamegraph',
    'Flamegraph',
    about,
    h(
      'div',
      { class: 'flame-tools' },
      search.element,
      invert,
      makeButton('Reset zoom', picture.reset),
      openSpeedscope && makeButton('Open in speedscope', () => openSpeedscope(counts)),
    ),
    legend.element,
    summary,
    nothing,
    picture.element,
  );
  const self = {
    element,
    /**
     * Draws a selection.
     * @param {SampleCounts} next
     * @param {{cpuMsPerRequest: number | null, inverted: boolean}} view CPU of a request of the selection
     */
    show(next, view) {
      counts = next;
      inverted = view.inverted;
      cpuMsPerRequest = view.cpuMsPerRequest;
      const share =
        counts.total === whole.total
          ? ''
          : ` (${formatPercent(counts.total / Math.max(1, whole.total))} of the run’s)`;
      const order = inverted
        ? 'Functions that samples end in are at the top, their callers below.'
        : 'Callers are above what they call.';
      about.textContent = `${formatCount(counts.total)} active samples of the workers${share}; waiting is excluded. The wider a box, the more CPU. ${order}`;
      invert.setAttribute('aria-pressed', String(inverted));
      nothing.hidden = counts.total > 0;
      picture.element.hidden = counts.total === 0;
      summary.textContent = describeHeaviest(samples, counts);
      legend.show(counts);
      draw();
      search.show(counts.selection.search ?? null);
      mark(search.text());
    },
    /** Marks a text and comes into view. @param {string} text */
    find(text) {
      search.fill(text);
      picture.reset();
      mark(text);
      element.scrollIntoView();
      search.focus();
    },
  };
  self.show(whole, { cpuMsPerRequest: null, inverted: false });
  return self;
}

/**
 * The categories of a flamegraph. Pressing some narrows the selection to them; none is all.
 * @param {SampleTable['categories']} categories
 * @param {(categories: number[] | null) => void} onCategories
 */
function makeFlameLegend(categories, onCategories) {
  /** @type {Set<number>} */
  let picked = new Set();
  const shares = categories.map(() => h('span', { class: 'muted' }));
  const buttons = categories.map(({ label, color }, index) =>
    makeButton(
      [swatch(color), label, shares[index]],
      () => {
        const next = new Set(picked);
        if (!next.delete(index)) next.add(index);
        onCategories(next.size > 0 ? [...next].sort((a, b) => a - b) : null);
      },
      { class: 'quiet', 'aria-pressed': 'false' },
    ),
  );
  return {
    element: h(
      'div',
      { class: 'flame-legend', role: 'group', 'aria-label': 'Categories: click to filter' },
      buttons,
      h('span', { class: 'mixed muted' }, swatch(MIXED_COLOR), 'several'),
    ),
    /** @param {SampleCounts} counts */
    show({ selection, categories: own, total }) {
      picked = new Set(selection.categories ?? []);
      const isNarrowed = selection.categories !== undefined;
      for (const [index, button] of buttons.entries()) {
        const count = own[index] ?? 0;
        const isShown = picked.has(index) || !isNarrowed;
        button.setAttribute('aria-pressed', String(picked.has(index)));
        button.hidden = !isNarrowed && count === 0;
        shares[index]?.replaceChildren(isShown ? formatPercent(count / Math.max(1, total)) : '');
      }
    },
  };
}

/**
 * The picture in a sentence, for those who can't see it: the functions with most CPU of their own.
 * @param {Samples} samples
 * @param {SampleCounts} counts
 */
function describeHeaviest({ table, tree }, { self, total }) {
  const byFrame = new Float64Array(table.frames.length);
  for (let node = 1; node < self.length; node++) {
    const frame = tree.frame[node] ?? 0;
    byFrame[frame] = (byFrame[frame] ?? 0) + (self[node] ?? 0);
  }
  const heaviest = Array.from(byFrame, (count, frame) => ({ count, frame }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 5)
    .map(({ count, frame }) => {
      const { function: name = '', file = '' } = table.frames[frame] ?? {};
      return `${plainLine(name)} (${plainLine(file)}) ${formatPercent(count / total)}`;
    });
  return heaviest.length > 0 ? `Most CPU in the function itself: ${heaviest.join('; ')}.` : '';
}

/** What a search left of a selection. @param {SampleCounts} counts */
function describeNarrowed({ selection, total, base }) {
  const isWithout = selection.search?.without === true;
  const share = (isWithout ? base - total : total) / Math.max(1, base);
  return `${formatPercent(share)} of ${formatNumberOf(base, 'sample')} ${isWithout ? 'left out' : 'kept'}`;
}
