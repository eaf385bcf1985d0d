import { plainLine } from '../../../files/plain-text.js';
import { formatCount, formatNumberOf, formatPercent, formatPlace } from '../../../format.js';
import { countMatched, matchNodes } from '../../../sample-table/select.js';
import { h, lede, makeButton, makeChoice, remark, section } from '../dom.js';
import { makeCpuLayer, makeWaitLayer, shareFrames } from './flame-layers.js';
import { makeFlamePicture } from './flame-picture.js';
import { makeFlameSearch } from './flame-search.js';
import { makeCallTree } from './flame-tree.js';
import { sayCpu, sayWaiting } from './flame-words.js';

/** @import { SampleCounts, Samples } from '../../../facts/sample-table.d.ts' */
/** @import { Waiting } from '../compute/count-waiting.js' */
/** @import { FlameLayer } from './flame-layers.js' */
/** @import { FlameTree } from './flame-tree.js' */
/** @import { FlameWords } from './flame-words.js' */

/**
 * The flamegraph of a report, root at the top: of CPU, and of waiting if that was recorded. It draws
 * selections and reports what a reader selects in it. The caller keeps the selection.
 * @param {object} options
 * @param {Samples} options.samples
 * @param {SampleCounts} options.whole the selection of everything
 * @param {Samples | null} [options.waiting] a `WaitTable`'s
 * @param {(search: {text: string, without: boolean} | null) => void} options.onSearch
 * @param {(categories: number[] | null) => void} options.onCategories
 * @param {(kinds: number[] | null) => void} [options.onKinds] of wait
 * @param {(shown: 'cpu' | 'waiting') => void} [options.onFlame]
 * @param {((counts: SampleCounts) => void) | null} [options.openSpeedscope] opens the selection there
 */
export function makeFlamegraph({ samples, whole, waiting = null, ...on }) {
  const { onSearch, onCategories, onKinds = () => {}, onFlame = () => {}, openSpeedscope } = on;
  /** @param {{samples: Samples, whole: SampleCounts, waiting?: Samples | null}} data */
  const makeLayers = data => ({
    cpu: makeCpuLayer(data.samples, data.whole, onCategories),
    waits: data.waiting ? makeWaitLayer(data.waiting, data.samples, onKinds) : null,
  });
  const picture = makeFlamePicture('Flamegraph');
  let layers = makeLayers({ samples, whole, waiting });
  let layer = layers.cpu;
  let counts = whole;
  let words = sayCpu(whole, whole, null);
  /** @type {Uint8Array | null} per frame */
  let marked = null;

  const about = lede();
  const notes = remark();
  const legendPlace = h('div', {}, layer.legend.element);
  const choice = makeChoice({
    label: 'What the flamegraph shows',
    className: 'switch flame-switch',
    options: [
      { value: /** @type {const} */ ('cpu'), label: 'CPU' },
      { value: /** @type {const} */ ('waiting'), label: 'Waiting' },
    ],
    picked: 'cpu',
    onPick: onFlame,
  });
  const choicePlace = h('div', {}, layers.waits && choice.element);
  const speedscope =
    openSpeedscope && makeButton('Open in speedscope', () => openSpeedscope(counts));
  const summary = h('p', { class: 'sr-only' });
  const nothing = h('p', { class: 'empty', hidden: true }, 'No samples in this selection.');
  const reset = makeButton('Reset zoom', picture.reset);
  const search = makeFlameSearch({ onMark: text => mark(text), onSearch });

  /** @param {FlameTree} tree @param {number} node */
  const nameOf = (tree, node) => {
    const frame = layer.frames[tree.frame(node)];
    return frame ? plainLine(frame.function) : `all: ${words.count(tree.total(node))}`;
  };
  /** @param {FlameTree} tree @param {number} node */
  const describe = (tree, node) => {
    const total = tree.total(node);
    const share = total / Math.max(1, counts.total);
    const frame = layer.frames[tree.frame(node)];
    return {
      name: nameOf(tree, node),
      place: frame ? plainLine(formatPlace({ file: frame.file, line: tree.line(node) })) : '',
      facts: [
        `${words.count(total)}, ${formatPercent(share)}`,
        ...words.amounts(total),
        `${formatCount(tree.own(node))} in the function itself`,
        layer.categories[tree.group(node)]?.label ?? words.several,
      ],
    };
  };
  const draw = () => {
    const tree = makeCallTree(layer.samples, layer.children, layer.groupsOf(counts), counts);
    picture.show({
      tree,
      paint: node => layer.paint(tree.frame(node), tree.group(node)),
      name: node => nameOf(tree, node),
      faint: node => marked !== null && marked[tree.frame(node)] !== 1,
      describe: node => describe(tree, node),
    });
  };
  /** Marks what a text matches. @param {string} text */
  const mark = text => {
    const found = text === '' ? null : matchNodes(layer.samples, text);
    marked = found && new Uint8Array(layer.frames.length);
    for (const [node, isOwn] of found?.own.entries() ?? [])
      if (marked && isOwn && (counts.totals[node] ?? 0) > 0)
        marked[layer.samples.tree.frame[node] ?? 0] = 1;
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

  /**
   * Draws a selection.
   * @param {FlameLayer} of
   * @param {SampleCounts} next
   * @param {FlameWords} said its texts
   */
  const show = (of, next, said) => {
    const isOther = of !== layer;
    [layer, counts, words] = [of, next, said];
    if (isOther) legendPlace.replaceChildren(layer.legend.element);
    choice.press(layer === layers.cpu ? 'cpu' : 'waiting');
    if (speedscope) speedscope.hidden = layer !== layers.cpu;
    about.textContent = `${words.about} Callers are above what they call.`;
    notes.textContent = words.notes;
    notes.hidden = words.notes === '';
    nothing.hidden = counts.total > 0;
    picture.element.hidden = counts.total === 0;
    summary.textContent = describeHeaviest(layer, counts, words.heaviest);
    draw();
    search.show(counts.selection.search ?? null);
    mark(search.text());
  };
  const element = section(
    'flamegraph',
    'Flamegraph',
    choicePlace,
    about,
    notes,
    h('div', { class: 'flame-tools' }, search.element, reset, speedscope),
    legendPlace,
    summary,
    nothing,
    picture.element,
  );
  const self = {
    element,
    /** Takes the data of a newer report; the next selection is drawn from it. @param {Parameters<typeof makeLayers>[0]} data */
    take(data) {
      // a path to a function consists of frame numbers
      const { samples: before } = layers.waits ?? layers.cpu;
      layers = makeLayers({ ...data, samples: shareFrames(data.samples, before) });
      if (layers.waits) choicePlace.replaceChildren(choice.element);
    },
    /**
     * Draws the CPU of a selection.
     * @param {SampleCounts} next
     * @param {number | null} cpuMsPerRequest of the selection
     */
    show(next, cpuMsPerRequest) {
      const { cpu } = layers;
      const { selection, categories, total } = next;
      cpu.legend.show(selection.categories ?? null, index => {
        const count = categories[index] ?? 0;
        const isNarrowed = selection.categories !== undefined;
        if (isNarrowed && !selection.categories?.includes(index)) return '';
        return count === 0 && !isNarrowed ? null : formatPercent(count / Math.max(1, total));
      });
      show(cpu, next, sayCpu(next, cpu.whole, cpuMsPerRequest));
    },
    /** Draws the waiting of a selection. @param {Waiting} next */
    showWaiting(next) {
      const { waits } = layers;
      if (!waits) return;
      const { picked, unnamed } = next;
      const { categories, total } = next.counts;
      waits.legend.show(picked, index => {
        const count = categories[index] ?? 0;
        if (picked?.includes(index)) return formatPercent(count / Math.max(1, total));
        if (index === categories.length - 1)
          return unnamed > 0 ? formatNumberOf(unnamed, 'sample') : null;
        return picked ? '' : count === 0 ? null : formatPercent(count / Math.max(1, total));
      });
      show(waits, next.counts, sayWaiting(next, waits.whole));
    },
    /** Marks a text and scrolls into view. @param {string} text */
    find(text) {
      search.fill(text);
      picture.reset();
      mark(text);
      element.scrollIntoView();
      search.focus();
    },
  };
  self.show(whole, null);
  return self;
}

/**
 * The picture as a sentence for screen readers: the functions with the most self weight.
 * @param {FlameLayer} layer
 * @param {SampleCounts} counts
 * @param {string} heaviest
 */
function describeHeaviest({ frames, samples: { tree } }, { self, total }, heaviest) {
  const byFrame = new Float64Array(frames.length);
  for (let node = 1; node < self.length; node++) {
    const frame = tree.frame[node] ?? 0;
    byFrame[frame] = (byFrame[frame] ?? 0) + (self[node] ?? 0);
  }
  const named = Array.from(byFrame, (count, frame) => ({ count, frame }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 5)
    .map(({ count, frame }) => {
      const { function: name = '', file = '' } = frames[frame] ?? {};
      return `${plainLine(name)} (${plainLine(file)}) ${formatPercent(count / total)}`;
    });
  return named.length > 0 ? `${heaviest}: ${named.join('; ')}.` : '';
}

/** What a search left of a selection. @param {SampleCounts} counts */
function describeNarrowed({ selection, total, base }) {
  const isWithout = selection.search?.without === true;
  const share = (isWithout ? base - total : total) / Math.max(1, base);
  return `${formatPercent(share)} of ${formatNumberOf(base, 'sample')} ${isWithout ? 'left out' : 'kept'}`;
}
