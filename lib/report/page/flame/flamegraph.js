import { countMatched, matchNodes } from '../../../analysis/sample-table/select.js';
import { plainLine } from '../../../base/files/plain-text.js';
import { formatCount, formatNumberOf, formatPercent, formatPlace } from '../../../base/format.js';
import { h, lede, makeButton, makeChoice, remark, section } from '../dom.js';
import { makeCpuLayer, makeWaitLayer, shareFrames } from './flame-layers.js';
import { FlamePicture } from './flame-picture.js';
import { makeFlameSearch } from './flame-search.js';
import { makeCallTree } from './flame-tree.js';
import { sayCpu, sayWaiting } from './flame-words.js';

/** @import { SampleCounts, Samples } from '../../../run/facts/sample-table.d.ts' */
/** @import { Waiting } from '../compute/count-waiting.js' */
/** @import { FlameLayer } from './flame-layers.js' */
/** @import { FlameTree } from './flame-tree.js' */
/** @import { FlameWords } from './flame-words.js' */

/**
 * What a reader does in a flamegraph.
 * @typedef {object} FlameListeners
 * @property {(search: {text: string, without: boolean} | null) => void} onSearch
 * @property {(categories: number[] | null) => void} onCategories
 * @property {(kinds: number[] | null) => void} [onKinds] of wait
 * @property {(shown: 'cpu' | 'waiting') => void} [onFlame]
 * @property {((counts: SampleCounts) => void) | null} [openSpeedscope] opens the selection there
 */

/**
 * `waiting`: a `WaitTable`'s
 * @typedef {{samples: Samples, whole: SampleCounts, waiting?: Samples | null}} FlameData
 */

/**
 * The flamegraph of a report, root at the top: of CPU, and of waiting if that was recorded. It draws
 * selections and reports what a reader selects in it. The caller keeps the selection.
 */
export class Flamegraph {
  #on;
  #picture = new FlamePicture('Flamegraph');
  #layers;
  #layer;
  #counts;
  #words;
  /** @type {Uint8Array | null} per frame */
  #marked = null;

  #about = lede();
  #notes = remark();
  #legendPlace = h('div', {});
  #choice;
  #choicePlace = h('div', {});
  #speedscope;
  #summary = h('p', { class: 'sr-only' });
  #nothing = h('p', { class: 'empty', hidden: true }, 'No samples in this selection.');
  #search;
  element;

  /** @param {FlameData & FlameListeners} options `whole`: the selection of everything */
  constructor({ samples, whole, waiting, ...on }) {
    const { onSearch, onFlame = () => {}, openSpeedscope } = on;
    this.#on = on;
    this.#layers = this.#makeLayers({ samples, whole, waiting });
    this.#layer = this.#layers.cpu;
    this.#counts = whole;
    this.#words = sayCpu(whole, whole, null);
    this.#legendPlace.append(this.#layer.legend.element);
    this.#choice = makeChoice({
      label: 'What the flamegraph shows',
      className: 'switch flame-switch',
      options: [
        { value: /** @type {const} */ ('cpu'), label: 'CPU' },
        { value: /** @type {const} */ ('waiting'), label: 'Waiting' },
      ],
      picked: 'cpu',
      onPick: onFlame,
    });
    if (this.#layers.waits) this.#choicePlace.append(this.#choice.element);
    this.#speedscope =
      openSpeedscope && makeButton('Open in speedscope', () => openSpeedscope(this.#counts));
    const reset = makeButton('Reset zoom', this.#picture.reset);
    this.#search = makeFlameSearch({ onMark: text => this.#mark(text), onSearch });
    this.element = section(
      'flamegraph',
      'Flamegraph',
      this.#choicePlace,
      this.#about,
      this.#notes,
      h('div', { class: 'flame-tools' }, this.#search.element, reset, this.#speedscope),
      this.#legendPlace,
      this.#summary,
      this.#nothing,
      this.#picture.element,
    );
    this.show(whole, null);
  }

  /** Takes the data of a newer report; the next selection is drawn from it. @param {FlameData} data */
  take(data) {
    // a path to a function consists of frame numbers
    const { samples: before } = this.#layers.waits ?? this.#layers.cpu;
    this.#layers = this.#makeLayers({ ...data, samples: shareFrames(data.samples, before) });
    if (this.#layers.waits) this.#choicePlace.replaceChildren(this.#choice.element);
  }

  /**
   * Draws the CPU of a selection.
   * @param {SampleCounts} next
   * @param {number | null} cpuMsPerRequest of the selection
   */
  show(next, cpuMsPerRequest) {
    const { cpu } = this.#layers;
    const { selection, categories, total } = next;
    cpu.legend.show(selection.categories ?? null, index => {
      const count = categories[index] ?? 0;
      const isNarrowed = selection.categories !== undefined;
      if (isNarrowed && !selection.categories?.includes(index)) return '';
      return count === 0 && !isNarrowed ? null : formatPercent(count / Math.max(1, total));
    });
    this.#show(cpu, next, sayCpu(next, cpu.whole, cpuMsPerRequest));
  }

  /** Draws the waiting of a selection. @param {Waiting} next */
  showWaiting(next) {
    const { waits } = this.#layers;
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
    this.#show(waits, next.counts, sayWaiting(next, waits.whole));
  }

  /** Marks a text and scrolls into view. @param {string} text */
  find(text) {
    this.#search.fill(text);
    this.#picture.reset();
    this.#mark(text);
    this.element.scrollIntoView();
    this.#search.focus();
  }

  /** @param {FlameData} data */
  #makeLayers({ samples, whole, waiting }) {
    const { onCategories, onKinds = () => {} } = this.#on;
    return {
      cpu: makeCpuLayer(samples, whole, onCategories),
      waits: waiting ? makeWaitLayer(waiting, samples, onKinds) : null,
    };
  }

  /**
   * @param {FlameLayer} layer
   * @param {SampleCounts} counts
   * @param {FlameWords} words
   */
  #show(layer, counts, words) {
    if (layer !== this.#layer) this.#legendPlace.replaceChildren(layer.legend.element);
    this.#layer = layer;
    this.#counts = counts;
    this.#words = words;
    const isCpu = layer === this.#layers.cpu;
    this.#choice.press(isCpu ? 'cpu' : 'waiting');
    if (this.#speedscope) this.#speedscope.hidden = !isCpu;
    this.#about.textContent = `${words.about} Callers are above what they call.`;
    this.#notes.textContent = words.notes;
    this.#notes.hidden = words.notes === '';
    this.#nothing.hidden = counts.total > 0;
    this.#picture.element.hidden = counts.total === 0;
    this.#summary.textContent = describeHeaviest(layer, counts, words.heaviest);
    this.#draw();
    this.#search.show(counts.selection.search ?? null);
    this.#mark(this.#search.text());
  }

  #draw() {
    const { samples, children } = this.#layer;
    const groups = this.#layer.groupsOf(this.#counts);
    const tree = makeCallTree(samples, children, groups, this.#counts);
    this.#picture.show({
      tree,
      paint: node => this.#layer.paint(tree.frame(node), tree.group(node)),
      name: node => this.#nameOf(tree, node),
      faint: node => this.#marked !== null && this.#marked[tree.frame(node)] !== 1,
      describe: node => this.#describe(tree, node),
    });
  }

  /** @param {FlameTree} tree @param {number} node */
  #nameOf(tree, node) {
    const frame = this.#layer.frames[tree.frame(node)];
    return frame ? plainLine(frame.function) : `all: ${this.#words.count(tree.total(node))}`;
  }

  /** @param {FlameTree} tree @param {number} node */
  #describe(tree, node) {
    const words = this.#words;
    const total = tree.total(node);
    const share = total / Math.max(1, this.#counts.total);
    const frame = this.#layer.frames[tree.frame(node)];
    return {
      name: this.#nameOf(tree, node),
      place: frame ? plainLine(formatPlace({ file: frame.file, line: tree.line(node) })) : '',
      facts: [
        `${words.count(total)}, ${formatPercent(share)}`,
        ...words.amounts(total),
        `${formatCount(tree.own(node))} in the function itself`,
        this.#layer.categories[tree.group(node)]?.label ?? words.several,
      ],
    };
  }

  /** Marks what a text matches. @param {string} text */
  #mark(text) {
    const { samples, frames } = this.#layer;
    const found = text === '' ? null : matchNodes(samples, text);
    const marked = found && new Uint8Array(frames.length);
    for (const [node, isOwn] of found?.own.entries() ?? [])
      if (marked && isOwn && (this.#counts.totals[node] ?? 0) > 0)
        marked[samples.tree.frame[node] ?? 0] = 1;
    this.#marked = marked;
    this.#search.say(
      found && marked ? describeFound(this.#counts, found.inside, marked, text) : '',
    );
    this.#picture.redraw();
  }
}

/**
 * @param {SampleCounts} counts
 * @param {Uint8Array} inside
 * @param {Uint8Array} marked
 * @param {string} text
 */
function describeFound(counts, inside, marked, text) {
  if (counts.selection.search?.text === text) return describeNarrowed(counts);
  const share = countMatched(counts, inside) / Math.max(1, counts.total);
  const functions = marked.reduce((sum, one) => sum + one, 0);
  return `${formatPercent(share)} of samples, ${formatNumberOf(functions, 'function')}`;
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
