import { formatCount, formatNumberOf, formatPercent, formatPlace } from '../../format.js';
import { h } from './dom.js';
import { countRows, drawFlame, nodeName, ROW_HEIGHT } from './flame-canvas.js';
import { colorCategories, paintNodes } from './flame-colors.js';
import { layOutFlame, nodeAt, searchFlame } from './flame-layout.js';

/** @import { ProfileReport } from '../../analysis/report.d.ts' */
/** @import { FlameView } from './flame-canvas.js' */

const FLAME_HINT =
  'Click zooms in. Keyboard: arrows move, Enter zooms, Backspace goes back, Esc shows all.';

/**
 * The picture of a flamegraph and what a reader can do with it.
 * @param {ProfileReport} profile
 */
export function makeFlameView({ flame, categories }) {
  const layout = layOutFlame(flame);
  const groups = colorCategories(flame);
  const paints = paintNodes(flame, groups, categories);
  /** @type {FlameView} */
  const view = { focus: 0, selected: -1, hovered: -1, matches: null, hidden: new Set() };
  /** @type {number[]} */
  const history = [];
  const canvas = h('canvas', {
    tabindex: 0,
    role: 'application',
    'aria-roledescription': 'flamegraph',
    'aria-label': `Flamegraph. ${FLAME_HINT}`,
    'aria-describedby': 'flame-details',
  });
  const spacer = h('div', { class: 'flame-spacer' }, canvas);
  const scroller = h('div', { class: 'flame-scroll' }, spacer);
  const details = h(
    'p',
    { id: 'flame-details', class: 'flame-details', 'aria-live': 'polite' },
    FLAME_HINT,
  );
  const tooltip = h('div', { class: 'tooltip', hidden: true, role: 'presentation' });
  let drawing = false;

  const drawNow = (whole = false) => {
    const height = whole
      ? spacer.offsetHeight
      : Math.min(scroller.clientHeight, spacer.offsetHeight);
    drawFlame(
      canvas,
      { width: scroller.clientWidth, height, scrollTop: whole ? 0 : scroller.scrollTop },
      flame,
      layout,
      paints,
      groups,
      view,
    );
  };
  const draw = () => {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      drawNow();
    });
  };
  const resize = () => {
    spacer.style.height = `${countRows(flame, layout, view.focus, scroller.clientWidth) * ROW_HEIGHT}px`;
    draw();
  };

  /** @param {number} node */
  const describe = node => {
    const frame = flame.frames[flame.frame[node] ?? -1];
    const total = flame.total[node] ?? 0;
    const samples = `${formatNumberOf(total, 'sample')}, ${formatPercent(total / (flame.total[0] || 1))}`;
    const own = `${formatCount(flame.self[node] ?? 0)} in the function itself`;
    const label = categories[groups[node] ?? -1]?.label ?? 'mixed';
    const place = frame ? formatPlace({ file: frame.file, line: flame.line[node] ?? 0 }) : '';
    return {
      name: nodeName(flame, node),
      place,
      facts: [samples, own, label].filter(Boolean).join(' · '),
    };
  };
  /** @param {number} node */
  const showDetails = node => {
    if (node < 0) return details.replaceChildren(FLAME_HINT);
    const { name, place, facts } = describe(node);
    details.replaceChildren(
      h('span', { class: 'mono' }, name),
      ' ',
      h('span', { class: 'mono muted' }, place),
      ' ',
      facts,
    );
  };
  /** @param {number} node */
  const select = node => {
    if (node < 0) return;
    view.selected = node;
    const y = (layout.depth[node] ?? 0) * ROW_HEIGHT;
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    if (y + ROW_HEIGHT > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = y + ROW_HEIGHT - scroller.clientHeight;
    showDetails(node);
    draw();
  };
  /** @param {number} node @param {boolean} [back] */
  const zoom = (node, back = false) => {
    if (!back && node !== view.focus) history.push(view.focus);
    view.focus = node;
    resize();
    select(node);
  };
  const reset = () => {
    history.length = 0;
    view.focus = 0;
    view.selected = -1;
    showDetails(-1);
    resize();
  };

  /** @param {number} step */
  const sibling = step => {
    const siblings = layout.children[flame.parent[view.selected] ?? -1] ?? [];
    return siblings[siblings.indexOf(view.selected) + step] ?? -1;
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowDown: () =>
      select(view.selected < 0 ? view.focus : (layout.children[view.selected]?.[0] ?? -1)),
    ArrowUp: () => select(flame.parent[view.selected] ?? -1),
    ArrowLeft: () => select(sibling(-1)),
    ArrowRight: () => select(sibling(1)),
    Enter: () => zoom(Math.max(0, view.selected)),
    Backspace: () => zoom(history.pop() ?? 0, true),
    Escape: reset,
  };
  canvas.addEventListener('keydown', event => {
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  /** @param {MouseEvent} event */
  const under = event => {
    const place = scroller.getBoundingClientRect();
    const row = Math.floor((event.clientY - place.top + scroller.scrollTop) / ROW_HEIGHT);
    const part = (event.clientX - place.left) / Math.max(1, scroller.clientWidth);
    return nodeAt(
      flame,
      layout,
      view.focus,
      row,
      (layout.start[view.focus] ?? 0) + part * (flame.total[view.focus] ?? 0),
    );
  };
  /** @param {PointerEvent} event */
  const hover = event => {
    const node = event.type === 'pointermove' && event.pointerType !== 'touch' ? under(event) : -1;
    tooltip.hidden = node < 0;
    if (node >= 0) {
      const { name, place, facts } = describe(node);
      if (node !== view.hovered)
        tooltip.replaceChildren(
          h('div', { class: 'mono' }, name),
          h('div', { class: 'mono muted' }, place),
          h('div', {}, facts),
        );
      const left = Math.min(
        event.clientX + 14,
        document.documentElement.clientWidth - tooltip.offsetWidth - 8,
      );
      const below = event.clientY + 18 + tooltip.offsetHeight < window.innerHeight;
      tooltip.style.left = `${Math.max(8, left)}px`;
      tooltip.style.top = `${below ? event.clientY + 18 : event.clientY - tooltip.offsetHeight - 10}px`;
    }
    if (node === view.hovered) return;
    view.hovered = node;
    draw();
  };
  canvas.addEventListener('pointermove', hover);
  canvas.addEventListener('pointerleave', hover);
  canvas.addEventListener('click', event => {
    const node = under(event);
    if (node >= 0) zoom(node);
  });
  scroller.addEventListener('scroll', draw);
  new ResizeObserver(resize).observe(scroller);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  window.addEventListener('beforeprint', () => drawNow(true));
  window.addEventListener('afterprint', draw);

  return {
    element: h('div', { class: 'flame' }, scroller, details, tooltip),
    reset,
    /** @param {string} text */
    search(text) {
      const result = text ? searchFlame(flame, text) : null;
      view.matches = result?.matches ?? null;
      draw();
      return result;
    },
    /** @param {number} category @returns {boolean} whether it is shown now */
    toggle(category) {
      const shown = view.hidden.delete(category);
      if (!shown) view.hidden.add(category);
      draw();
      return shown;
    },
  };
}
