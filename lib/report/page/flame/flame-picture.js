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

/**
 * The canvas of a flamegraph and how a reader moves in it.
 * @param {string} label
 */
export function makeFlamePicture(label) {
  // a finger needs more room than a pointer
  const rowHeight = matchMedia('(pointer: coarse)').matches ? 26 : 19;
  const canvas = h('canvas', {
    tabindex: 0,
    role: 'application',
    'aria-roledescription': 'flamegraph',
    'aria-label': `${label}. ${FLAME_HINT}`,
    'aria-describedby': 'flame-details',
  });
  const spacer = h('div', { class: 'flame-spacer' }, canvas);
  const scroller = h('div', { class: 'flame-scroll' }, spacer);
  const details = h('p', { id: 'flame-details', class: 'flame-details', 'aria-live': 'polite' });
  const tooltip = h('div', { class: 'tooltip', hidden: true, role: 'presentation' });
  /** @type {FlameSource | null} */
  let source = null;
  /** @type {ReturnType<typeof layOutBoxes>} */
  let layout = { rows: [], byNode: new Map() };
  // set by the observer: reading it after a change would force the browser to lay out the page
  let width = 0;
  let focus = 0;
  let selected = -1;
  let hovered = -1;
  /** @type {number[][]} frames on the way to the box that was zoomed before */
  const history = [];
  let drawing = false;

  const drawNow = (isPrinted = false) => {
    if (!source) return;
    const last = layout.rows.findLastIndex(row =>
      row.some(box => box.width >= LEAST_PRINTED_PIXELS),
    );
    const height = isPrinted
      ? Math.min((last + 1) * rowHeight, MAX_PRINTED_HEIGHT)
      : Math.min(scroller.clientHeight, layout.rows.length * rowHeight);
    const scrollTop = isPrinted ? 0 : scroller.scrollTop;
    const ratio = isPrinted ? 2 : window.devicePixelRatio || 1;
    const size = { width, height, scrollTop, rowHeight, ratio };
    drawBoxes(canvas, size, layout.rows, { ...source, selected, hovered });
  };
  const draw = () => {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      drawNow();
    });
  };
  const print = () => {
    drawNow(true);
    // a printed page has its own width
    Object.assign(canvas.style, { width: '100%', height: 'auto' });
    spacer.style.height = 'auto';
  };
  const arrange = () => {
    if (!source) return;
    layout = layOutBoxes(source.tree, focus, width);
    spacer.style.height = `${layout.rows.length * rowHeight}px`;
    hovered = -1;
    tooltip.hidden = true;
    draw();
  };
  const describe = () => {
    if (!source || selected < 0) return details.replaceChildren(FLAME_HINT);
    const { name, place, facts } = source.describe(selected);
    const where = h('span', { class: 'mono muted' }, place);
    details.replaceChildren(mono(name), ' ', where, ` ${facts.join(' · ')}`);
  };
  /** @param {number} node */
  const select = node => {
    selected = node;
    const y = (layout.byNode.get(node)?.row ?? 0) * rowHeight;
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    if (y + rowHeight > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = y + rowHeight - scroller.clientHeight;
    describe();
    draw();
  };
  /** @param {number} node */
  const focusOn = node => {
    focus = node;
    arrange();
    select(node);
  };
  /** @param {number} node */
  const zoom = node => {
    if (source && node !== focus) history.push(framePathOf(source.tree, focus));
    focusOn(node);
  };
  const reset = () => {
    history.length = 0;
    focus = 0;
    selected = -1;
    describe();
    arrange();
  };

  canvas.addEventListener('keydown', event => {
    if (!source || event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = source;
    /** @type {Record<string, () => void>} */
    const keys = {
      Enter: () => zoom(Math.max(0, selected)),
      Backspace: () => focusOn(findByPath(tree, history.pop() ?? [])),
      Escape: reset,
    };
    // nothing selected: start at the box that fills the width
    const isFirst = selected < 0 && event.key === 'ArrowDown';
    const next = isFirst ? focus : nextBox(event.key, tree, layout, selected);
    if (next === undefined && !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]?.();
    if ((next ?? -1) >= 0) select(next ?? 0);
  });
  /** @param {MouseEvent} event */
  const nodeUnder = event => {
    const place = scroller.getBoundingClientRect();
    const row = Math.floor((event.clientY - place.top + scroller.scrollTop) / rowHeight);
    return boxAt(layout.rows, row, event.clientX - place.left)?.node ?? -1;
  };
  /** @param {PointerEvent} event */
  const hover = event => {
    // a finger that moves scrolls
    const isPointer = event.type === 'pointermove' && event.pointerType !== 'touch';
    const node = isPointer ? nodeUnder(event) : -1;
    tooltip.hidden = node < 0 || !source;
    if (node >= 0 && source) placeTooltip(tooltip, source.describe(node), event);
    if (node === hovered) return;
    hovered = node;
    draw();
  };
  canvas.addEventListener('pointermove', hover);
  canvas.addEventListener('pointerleave', hover);
  canvas.addEventListener('click', event => {
    const node = nodeUnder(event);
    if (node >= 0) zoom(node);
  });
  scroller.addEventListener('scroll', draw);
  new ResizeObserver(entries => {
    const next = Math.floor(entries.at(-1)?.contentRect.width ?? 0);
    if (next === width) return draw();
    width = next;
    arrange();
  }).observe(scroller);
  redrawOnColors(draw);
  window.addEventListener('beforeprint', print);
  window.addEventListener('afterprint', arrange);
  describe();

  return {
    element: h('div', { class: 'flame' }, scroller, details, tooltip),
    reset,
    redraw: draw,
    /**
     * Shows another tree, and stays at the same functions if it has them.
     * @param {FlameSource} next
     */
    show(next) {
      const focusPath = source ? framePathOf(source.tree, focus) : [];
      const selectedPath = source && selected >= 0 ? framePathOf(source.tree, selected) : null;
      source = next;
      focus = findByPath(next.tree, focusPath);
      selected = selectedPath ? findByPath(next.tree, selectedPath) : -1;
      describe();
      arrange();
    },
  };
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

/** A note beside the pointer. @param {HTMLElement} tooltip @param {BoxFacts} facts @param {{clientX: number, clientY: number}} pointer */
function placeTooltip(tooltip, { name, place, facts }, { clientX, clientY }) {
  const lines = facts.map(fact => h('div', {}, fact));
  const title = h('div', { class: 'mono' }, name);
  tooltip.replaceChildren(title, h('div', { class: 'mono muted' }, place), ...lines);
  const most = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
  const isBelow = clientY + 18 + tooltip.offsetHeight < window.innerHeight;
  tooltip.style.left = `${Math.max(8, Math.min(clientX + 14, most))}px`;
  tooltip.style.top = `${isBelow ? clientY + 18 : clientY - tooltip.offsetHeight - 10}px`;
}
