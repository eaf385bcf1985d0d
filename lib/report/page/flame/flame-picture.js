import { h } from '../dom.js';
import { layOutBoxes } from './flame-boxes.js';
import { drawBoxes } from './flame-draw.js';
import { listenToFlameKeys } from './flame-keys.js';
import { listenToFlamePointer } from './flame-pointer.js';
import { findByPath, framePathOf } from './flame-tree.js';

/** @import { FlameTree } from './flame-tree.js' */
/** @import { Paint } from './flame-paint.js' */
/** @import { BoxFacts } from './flame-tooltip.js' */

/**
 * What a picture shows.
 * @typedef {object} FlameSource
 * @property {FlameTree} tree
 * @property {(node: number) => Paint} paint
 * @property {(node: number) => string} name
 * @property {(node: number) => boolean} faint
 * @property {(node: number) => BoxFacts} describe
 */

const FLAME_KEYS_HINT =
  'Click zooms in. Keyboard: arrows move, Enter zooms, Backspace goes back, Home goes to the top, Esc shows all.';
/** Pixels that a canvas may be high on paper: browsers refuse larger ones. */
const MAX_PRINTED_HEIGHT = 8000;
/** Rows in which nothing is as wide as this are no use on paper. */
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
    'aria-label': `${label}. ${FLAME_KEYS_HINT}`,
    'aria-describedby': 'flame-details',
  });
  const spacer = h('div', { class: 'flame-spacer' }, canvas);
  const scroller = h('div', { class: 'flame-scroll' }, spacer);
  const details = h('p', { id: 'flame-details', class: 'flame-details', 'aria-live': 'polite' });
  /** @type {FlameSource | null} */
  let source = null;
  let layout = { ...emptyLayout() };
  // told by the observer: asking for it after a change would make the browser lay out the page at once
  let width = 0;
  let focus = 0;
  let selected = -1;
  /** @type {number[][]} frames on the way to what was zoomed to before */
  const history = [];
  let drawing = false;

  const drawNow = (printed = false) => {
    if (!source) return;
    const { paint, name, faint } = source;
    const last = layout.rows.findLastIndex(row =>
      row.some(box => box.width >= LEAST_PRINTED_PIXELS),
    );
    const height = printed
      ? Math.min((last + 1) * rowHeight, MAX_PRINTED_HEIGHT)
      : Math.min(scroller.clientHeight, layout.rows.length * rowHeight);
    drawBoxes(
      canvas,
      {
        width,
        height,
        scrollTop: printed ? 0 : scroller.scrollTop,
        rowHeight,
        ratio: printed ? 2 : window.devicePixelRatio || 1,
      },
      layout.rows,
      { paint, name, faint, selected, hovered: pointer.hovered() },
    );
  };
  const print = () => {
    drawNow(true);
    // paper has a width of its own
    Object.assign(canvas.style, { width: '100%', height: 'auto' });
    spacer.style.height = 'auto';
  };
  const draw = () => {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      drawNow();
    });
  };
  const arrange = () => {
    if (!source) return;
    layout = layOutBoxes(source.tree, focus, width);
    spacer.style.height = `${layout.rows.length * rowHeight}px`;
    pointer.forget();
    draw();
  };
  const tell = () => {
    if (!source || selected < 0) return details.replaceChildren(FLAME_KEYS_HINT);
    const { name, place, facts } = source.describe(selected);
    details.replaceChildren(
      h('span', { class: 'mono' }, name),
      ' ',
      h('span', { class: 'mono muted' }, place),
      ` ${facts.join(' · ')}`,
    );
  };
  /** @param {number} node */
  const select = node => {
    if (node < 0) return;
    selected = node;
    const y = (layout.byNode.get(node)?.row ?? 0) * rowHeight;
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    if (y + rowHeight > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = y + rowHeight - scroller.clientHeight;
    tell();
    draw();
  };
  /** @param {number} node */
  const zoom = node => {
    if (!source) return;
    if (node !== focus) history.push(framePathOf(source.tree, focus));
    focus = node;
    arrange();
    select(node);
  };
  const back = () => {
    if (!source) return;
    focus = findByPath(source.tree, history.pop() ?? []);
    arrange();
    select(focus);
  };
  const reset = () => {
    history.length = 0;
    focus = 0;
    selected = -1;
    tell();
    arrange();
  };
  listenToFlameKeys(canvas, {
    tree: () => source?.tree ?? null,
    layout: () => layout,
    focus: () => focus,
    selected: () => selected,
    select,
    zoom,
    back,
    reset,
  });

  const pointer = listenToFlamePointer(canvas, {
    scroller,
    rowHeight,
    rows: () => layout.rows,
    describe: node => source?.describe(node) ?? null,
    zoom,
    draw,
  });
  scroller.addEventListener('scroll', draw);
  new ResizeObserver(entries => {
    const next = Math.floor(entries.at(-1)?.contentRect.width ?? 0);
    if (next === width) return draw();
    width = next;
    arrange();
  }).observe(scroller);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  window.addEventListener('beforeprint', print);
  window.addEventListener('afterprint', arrange);
  tell();

  return {
    element: h('div', { class: 'flame' }, scroller, details, pointer.element),
    reset,
    redraw: draw,
    /**
     * Shows another tree, and stays at the same functions where it has them.
     * @param {FlameSource} next
     */
    show(next) {
      const focusPath = source ? framePathOf(source.tree, focus) : [];
      const selectedPath = source && selected >= 0 ? framePathOf(source.tree, selected) : null;
      source = next;
      focus = findByPath(next.tree, focusPath);
      selected = selectedPath ? findByPath(next.tree, selectedPath) : -1;
      tell();
      arrange();
    },
  };
}

/** @returns {ReturnType<typeof layOutBoxes>} */
function emptyLayout() {
  return { boxes: [], rows: [], byNode: new Map() };
}
