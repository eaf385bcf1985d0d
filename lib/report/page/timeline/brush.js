import { formatClock, formatDuration } from '../../../format.js';
import { h } from '../dom.js';

/** Less of a movement is a click, px. */
const CLICK = 4;

/**
 * Picks a stretch of windows over all tracks: by dragging, or with two sliders at its ends; a third
 * slider reads one window after the other.
 * @param {object} options
 * @param {number[]} options.edgesMs
 * @param {(windows: {from: number, to: number} | null, done: boolean) => void} options.onPick
 * @param {(window: number | null) => string} options.onRead shows what was measured in a window, and
 *   gives it as words
 */
export function makeBrush({ edgesMs, onPick, onRead }) {
  const count = edgesMs.length - 1;
  const startMs = edgesMs[0] ?? 0;
  const lengthMs = (edgesMs[count] ?? 0) - startMs;
  /** @param {number} edge */
  const part = edge => ((edgesMs[edge] ?? 0) - startMs) / lengthMs;
  /** @param {number} edge */
  const words = edge =>
    `${formatDuration((edgesMs[edge] ?? 0) - startMs)} after the start, ${formatClock(edgesMs[edge] ?? 0)} UTC`;
  let windows = { from: 0, to: count };
  let reading = -1;

  const left = h('div', { class: 'veil veil-left' });
  const right = h('div', { class: 'veil veil-right' });
  const cursor = slider('read', 'Read one moment', count - 1);
  const from = slider('from', 'Start of the selection', count);
  const to = slider('to', 'End of the selection', count);
  const moment = h('span', { class: 'moment', 'aria-hidden': 'true' });
  const element = h('div', { class: 'brush' }, left, right, cursor, moment, from, to);

  /** @param {{from: number, to: number} | null} next */
  const show = next => {
    windows = next ?? { from: 0, to: count };
    left.style.width = `${part(windows.from) * 100}%`;
    right.style.left = `${part(windows.to) * 100}%`;
    element.classList.toggle('narrowed', next !== null);
    place(from, part(windows.from), windows.from, words(windows.from));
    place(to, part(windows.to), windows.to, words(windows.to));
  };
  /** @param {number} window −1: none */
  const read = window => {
    if (window === reading) return;
    reading = window;
    const text = onRead(window < 0 ? null : window);
    element.classList.toggle('reading-one', window >= 0);
    const at = (part(Math.max(0, window)) + part(Math.max(0, window) + 1)) / 2;
    const spoken = `${words(Math.max(0, window))}: ${text}`;
    place(cursor, at, Math.max(0, window), spoken);
    moment.style.left = `${at * 100}%`;
    moment.classList.toggle('flipped', at > 0.8);
    moment.textContent =
      window < 0
        ? ''
        : `${formatDuration((edgesMs[window] ?? 0) - startMs)} · ${formatClock(edgesMs[window] ?? 0)} UTC`;
  };
  /** @param {number} a @param {number} b @param {boolean} done */
  const pick = (a, b, done) => {
    const next = { from: Math.min(a, b), to: Math.max(a, b) };
    const all = next.from === 0 && next.to === count;
    if (next.from === next.to) return;
    show(all ? null : next);
    onPick(all ? null : next, done);
  };

  /** @param {PointerEvent} event @returns {number} ms from the start */
  const timeAt = event => {
    const box = element.getBoundingClientRect();
    const at = (event.clientX - box.left) / Math.max(1, box.width);
    return Math.min(1, Math.max(0, at)) * lengthMs;
  };
  /** @param {number} ms */
  const windowAt = ms => {
    let window = 0;
    while (window < count - 1 && (edgesMs[window + 1] ?? 0) - startMs <= ms) window++;
    return window;
  };
  /** @type {{x: number, anchor: number, edge: number | null} | null} */
  let drag = null;
  element.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    const grip = event.target === from ? windows.to : event.target === to ? windows.from : null;
    drag = { x: event.clientX, anchor: timeAt(event), edge: grip };
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener('pointermove', event => {
    const ms = timeAt(event);
    read(windowAt(ms));
    if (!drag || Math.abs(event.clientX - drag.x) < CLICK) return;
    if (drag.edge !== null) {
      const window = windowAt(ms);
      pick(drag.edge, drag.edge > window ? window : window + 1, false);
      return;
    }
    const [a, b] = [windowAt(drag.anchor), windowAt(ms)];
    pick(Math.min(a, b), Math.max(a, b) + 1, false);
  });
  element.addEventListener('pointerup', event => {
    if (!drag) return;
    const moved = Math.abs(event.clientX - drag.x) >= CLICK;
    const gripped = drag.edge !== null;
    drag = null;
    if (moved) pick(windows.from, windows.to, true);
    else if (!gripped && element.classList.contains('narrowed')) {
      show(null);
      onPick(null, true);
    }
  });
  element.addEventListener('pointercancel', () => {
    drag = null;
  });
  element.addEventListener('pointerleave', () => {
    if (!drag) read(-1);
  });
  cursor.addEventListener('blur', () => read(-1));
  cursor.addEventListener('focus', () => read(Math.max(0, reading)));

  /** @type {[HTMLElement, () => number, (value: number) => void][]} */
  const bindings = [
    [cursor, () => Math.max(0, reading), value => read(Math.min(value, count - 1))],
    [from, () => windows.from, value => pick(Math.min(value, windows.to - 1), windows.to, true)],
    [to, () => windows.to, value => pick(windows.from, Math.max(value, windows.from + 1), true)],
  ];
  for (const [handle, get, set] of bindings) {
    handle.addEventListener('keydown', event => {
      const page = Math.max(1, Math.round(count / 10));
      /** @type {Record<string, number>} */
      const steps = {
        ArrowRight: 1,
        ArrowUp: 1,
        ArrowLeft: -1,
        ArrowDown: -1,
        PageUp: page,
        PageDown: -page,
        Home: -count,
        End: count,
      };
      const step = steps[event.key];
      if (event.key === 'Escape') {
        show(null);
        onPick(null, true);
      }
      if (step === undefined) return;
      event.preventDefault();
      set(Math.min(count, Math.max(0, get() + step)));
    });
  }
  show(null);
  return { element, show };
}

/** @param {string} name @param {string} label @param {number} most */
function slider(name, label, most) {
  return h('div', {
    class: `slider slider-${name}`,
    role: 'slider',
    tabindex: 0,
    'aria-label': label,
    'aria-orientation': 'horizontal',
    'aria-valuemin': 0,
    'aria-valuemax': most,
    'aria-valuenow': 0,
  });
}

/** @param {HTMLElement} handle @param {number} fraction @param {number} value @param {string} text */
function place(handle, fraction, value, text) {
  handle.style.left = `${fraction * 100}%`;
  handle.setAttribute('aria-valuenow', String(value));
  handle.setAttribute('aria-valuetext', text);
}
