import {
  formatCount,
  formatEstimateMs,
  formatNumberOf,
  formatPercent,
  formatPlace,
} from '../../../format.js';
import { categorizeNodes } from '../../../sample-table/categorize.js';
import { countMatched, matchNodes } from '../../../sample-table/select.js';
import { plainLine } from '../../plain-text.js';
import { h, safeColor, section } from '../dom.js';
import { makeInvertedTree } from './flame-inverted.js';
import { makeFlameLegend } from './flame-legend.js';
import { makePainter } from './flame-paint.js';
import { makeFlamePicture } from './flame-picture.js';
import { makeFlameSearch } from './flame-search.js';
import { describeHeaviest, describeNarrowed } from './flame-text.js';
import { listChildren, makeCallTree } from './flame-tree.js';

/** @import { SampleCounts, Samples } from '../../../sample-table/sample-table.d.ts' */
/** @import { FlameTree } from './flame-tree.js' */

/**
 * The flamegraph of a report, root at the top. It draws selections and tells what a reader picks in it;
 * what is selected is kept by others.
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

  const lede = h('p', { class: 'lede' });
  const summary = h('p', { class: 'sr-only' });
  const nothing = h('p', { class: 'empty', hidden: true }, 'No samples in this selection.');
  const search = makeFlameSearch({ onMark: text => mark(text), onSearch });
  const legend = makeFlameLegend(categories, onCategories);
  const invert = h(
    'button',
    { type: 'button', class: 'quiet', 'aria-pressed': 'false' },
    'Leaf first',
  );
  invert.addEventListener('click', () => onInvert(!inverted));
  const reset = h('button', { type: 'button' }, 'Reset zoom');
  reset.addEventListener('click', () => picture.reset());
  const speedscope = openSpeedscope && h('button', { type: 'button' }, 'Open in speedscope');
  speedscope?.addEventListener('click', () => openSpeedscope?.(counts));

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
    return {
      name: nameOf(tree, node),
      place: frame ? plainLine(formatPlace({ file: frame.file, line: tree.line(node) })) : '',
      facts: [
        `${formatNumberOf(total, 'sample')}, ${formatPercent(share)}`,
        cpuMsPerRequest === null
          ? ''
          : `${formatEstimateMs({ value: cpuMsPerRequest * share, low: null, high: null })} CPU per request`,
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
    marked = text === '' ? null : new Uint8Array(frames.length);
    if (marked) {
      const found = matchNodes(samples, text);
      for (let node = 1; node < found.own.length; node++)
        if (found.own[node] && (counts.totals[node] ?? 0) > 0)
          marked[samples.tree.frame[node] ?? 0] = 1;
      const functions = marked.reduce((sum, own) => sum + own, 0);
      search.tell(
        counts.selection.search?.text === text
          ? describeNarrowed(counts)
          : `${formatPercent(countMatched(counts, found.inside) / Math.max(1, counts.total))} of samples, ${formatNumberOf(functions, 'function')}`,
      );
    } else search.tell('');
    picture.redraw();
  };

  const element = section(
    'flamegraph',
    'Flamegraph',
    lede,
    h('div', { class: 'flame-tools' }, search.element, invert, reset, speedscope),
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
      lede.textContent = `${formatCount(counts.total)} active samples of the workers, waiting taken out${
        counts.total === whole.total
          ? ''
          : ` (${formatPercent(counts.total / Math.max(1, whole.total))} of the run's)`
      }. The wider a box, the more CPU; ${
        inverted
          ? 'functions that samples end in stand at the top, under each who called it.'
          : 'what it calls hangs under it.'
      }`;
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
