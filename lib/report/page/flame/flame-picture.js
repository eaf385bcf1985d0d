import { redrawOnColors } from '../chart-kit.js';
import { h, mono } from '../dom.js';
import { boxAt, drawBoxes, layOutBoxes } from './flame-boxes.js';
import { findByPath, framePathOf } from './flame-tree.js';

/** @import { Paint } from './flame-boxes.js' */
/** @import { FlameTree } from './flame-tree.js' */

/** The note about a box. @typedef {{name: string, place: string, facts: string[]}} BoxFacts */

/**
 * The content of a picture.
 * @typedef {object} FlameSource
 * @property {FlameTree} tree
 * @property {(node: number) => Paint} paint
 * @property {(node: number) => string} name
 * @property {(node: number) => boolean} faint
 * @property {(node: number) => BoxFacts} describe
 */

const FLAME_HINT =
  'Click to zoom in. Keyboard: arrows move, Enter zooms, Backspace goes back, Home goes to the root, Esc resets.';
/** Largest height of a printed canvas, pixels: browsers refuse larger ones. */
const MAX_PRINTED_HEIGHT = 8000;
/** Rows without a box this wide are not printed. */
const LEAST_PRINTED_PIXELS = 4;

/** The canvas of a flamegraph and how a reader moves in it. */
export class FlamePicture {
  // a finger needs more room than a pointer
  #rowHeight = matchMedia('(pointer: coarse)').matches ? 26 : 19;
  #spacer = h('div', { class: 'flame-spacer' });
  #scroller = h('div', { class: 'flame-scroll' }, this.#spacer);
  #details = h('p', { id: 'flame-details', class: 'flame-details', 'aria-live': 'polite' });
  #tooltip = h('div', { class: 'tooltip', hidden: true, role: 'presentation' });
  element = h('div', { class: 'flame' }, this.#scroller, this.#details, this.#tooltip);
  #canvas;
  /** @type {FlameSource | null} */
  #source = null;
  /** @type {ReturnType<typeof layOutBoxes>} */
  #layout = { rows: [], byNode: new Map() };
  // set by the observer: reading it after a change would force the browser to lay out the page
  #width = 0;
  #focus = 0;
  #selected = -1;
  #hovered = -1;
  /** @type {number[][]} frames on the way to the box that was zoomed before */
  #history = [];
  #isDrawing = false;

  /** @param {string} label */
  constructor(label) {
    this.#canvas = h('canvas', {
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'flamegraph',
      'aria-label': `${label}. ${FLAME_HINT}`,
      'aria-describedby': 'flame-details',
    });
    this.#spacer.append(this.#canvas);
    this.#followReader();
    this.#followPage();
    this.#describe();
  }

  /**
   * Shows another tree, and stays at the same functions if it has them.
   * @param {FlameSource} next
   */
  show(next) {
    const before = this.#source?.tree;
    const focusPath = before ? framePathOf(before, this.#focus) : [];
    const selectedPath = before && this.#selected >= 0 ? framePathOf(before, this.#selected) : null;
    this.#source = next;
    this.#focus = findByPath(next.tree, focusPath);
    this.#selected = selectedPath ? findByPath(next.tree, selectedPath) : -1;
    this.#describe();
    this.#arrange();
  }

  reset = () => {
    this.#history.length = 0;
    this.#focus = 0;
    this.#selected = -1;
    this.#describe();
    this.#arrange();
  };

  redraw = () => {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow();
    });
  };

  #drawNow(isPrinted = false) {
    if (!this.#source) return;
    const { rows } = this.#layout;
    const last = rows.findLastIndex(row => row.some(box => box.width >= LEAST_PRINTED_PIXELS));
    const height = isPrinted
      ? Math.min((last + 1) * this.#rowHeight, MAX_PRINTED_HEIGHT)
      : Math.min(this.#scroller.clientHeight, rows.length * this.#rowHeight);
    const scrollTop = isPrinted ? 0 : this.#scroller.scrollTop;
    const ratio = isPrinted ? 2 : window.devicePixelRatio || 1;
    const size = { width: this.#width, height, scrollTop, rowHeight: this.#rowHeight, ratio };
    const shown = { ...this.#source, selected: this.#selected, hovered: this.#hovered };
    drawBoxes(this.#canvas, size, rows, shown);
  }

  #print() {
    this.#drawNow(true);
    // a printed page has its own width
    Object.assign(this.#canvas.style, { width: '100%', height: 'auto' });
    this.#spacer.style.height = 'auto';
  }

  #arrange() {
    if (!this.#source) return;
    this.#layout = layOutBoxes(this.#source.tree, this.#focus, this.#width);
    this.#spacer.style.height = `${this.#layout.rows.length * this.#rowHeight}px`;
    this.#hovered = -1;
    this.#tooltip.hidden = true;
    this.redraw();
  }

  #describe() {
    if (!this.#source || this.#selected < 0) return this.#details.replaceChildren(FLAME_HINT);
    const { name, place, facts } = this.#source.describe(this.#selected);
    const where = h('span', { class: 'mono muted' }, place);
    this.#details.replaceChildren(mono(name), ' ', where, ` ${facts.join(' · ')}`);
  }

  /** @param {number} node */
  #select(node) {
    this.#selected = node;
    const scroller = this.#scroller;
    const y = (this.#layout.byNode.get(node)?.row ?? 0) * this.#rowHeight;
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    if (y + this.#rowHeight > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = y + this.#rowHeight - scroller.clientHeight;
    this.#describe();
    this.redraw();
  }

  /** @param {number} node */
  #focusOn(node) {
    this.#focus = node;
    this.#arrange();
    this.#select(node);
  }

  /** @param {number} node */
  #zoom(node) {
    if (this.#source && node !== this.#focus)
      this.#history.push(framePathOf(this.#source.tree, this.#focus));
    this.#focusOn(node);
  }

  /** Keys and pointer. */
  #followReader() {
    const canvas = this.#canvas;
    canvas.addEventListener('keydown', event => this.#press(event));
    canvas.addEventListener('pointermove', event => this.#hover(event));
    canvas.addEventListener('pointerleave', event => this.#hover(event));
    canvas.addEventListener('click', event => {
      const node = this.#nodeUnder(event);
      if (node >= 0) this.#zoom(node);
    });
  }

  /** Size, colours and print. */
  #followPage() {
    this.#scroller.addEventListener('scroll', this.redraw);
    new ResizeObserver(entries => {
      const next = Math.floor(entries.at(-1)?.contentRect.width ?? 0);
      if (next === this.#width) return this.redraw();
      this.#width = next;
      this.#arrange();
    }).observe(this.#scroller);
    redrawOnColors(this.redraw);
    window.addEventListener('beforeprint', () => this.#print());
    window.addEventListener('afterprint', () => this.#arrange());
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (!this.#source || event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = this.#source;
    /** @type {Record<string, () => void>} */
    const keys = {
      Enter: () => this.#zoom(Math.max(0, this.#selected)),
      Backspace: () => this.#focusOn(findByPath(tree, this.#history.pop() ?? [])),
      Escape: this.reset,
    };
    // nothing selected: start at the box that fills the width
    const isFirst = this.#selected < 0 && event.key === 'ArrowDown';
    const next = isFirst ? this.#focus : nextBox(event.key, tree, this.#layout, this.#selected);
    if (next === undefined && !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]?.();
    if ((next ?? -1) >= 0) this.#select(next ?? 0);
  }

  /** @param {MouseEvent} event */
  #nodeUnder(event) {
    const { top, left } = this.#scroller.getBoundingClientRect();
    const row = Math.floor((event.clientY - top + this.#scroller.scrollTop) / this.#rowHeight);
    return boxAt(this.#layout.rows, row, event.clientX - left)?.node ?? -1;
  }

  /** @param {PointerEvent} event */
  #hover(event) {
    // a finger that moves scrolls
    const isPointer = event.type === 'pointermove' && event.pointerType !== 'touch';
    const node = isPointer ? this.#nodeUnder(event) : -1;
    this.#tooltip.hidden = node < 0 || !this.#source;
    if (node >= 0 && this.#source) placeTooltip(this.#tooltip, this.#source.describe(node), event);
    if (node === this.#hovered) return;
    this.#hovered = node;
    this.redraw();
  }
}

/**
 * The visible box that a key leads to.
 * @param {string} key
 * @param {FlameTree} tree
 * @param {ReturnType<typeof layOutBoxes>} layout
 * @param {number} node
 * @returns {number | undefined} −1 if there is none; undefined for other keys
 */
function nextBox(key, tree, { rows, byNode }, node) {
  if (key === 'Home') return 0;
  if (key === 'ArrowUp') return node < 0 ? -1 : tree.parent(node);
  if (key === 'ArrowDown')
    return Array.from(tree.children(node)).find(child => byNode.has(child)) ?? -1;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
  const row = rows[byNode.get(node)?.row ?? -1] ?? [];
  const at = row.findIndex(box => box.node === node) + (key === 'ArrowLeft' ? -1 : 1);
  return row[at]?.node ?? -1;
}

/**
 * A note beside the pointer.
 * @param {HTMLElement} tooltip
 * @param {BoxFacts} facts
 * @param {{clientX: number, clientY: number}} pointer
 */
function placeTooltip(tooltip, { name, place, facts }, { clientX, clientY }) {
  const lines = facts.map(fact => h('div', {}, fact));
  const title = h('div', { class: 'mono' }, name);
  tooltip.replaceChildren(title, h('div', { class: 'mono muted' }, place), ...lines);
  const most = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
  const isBelow = clientY + 18 + tooltip.offsetHeight < window.innerHeight;
  tooltip.style.left = `${Math.max(8, Math.min(clientX + 14, most))}px`;
  tooltip.style.top = `${isBelow ? clientY + 18 : clientY - tooltip.offsetHeight - 10}px`;
}
