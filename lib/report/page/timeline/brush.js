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
  const wordsOf = edge =>
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
    place(from, part(windows.from), windows.from, wordsOf(windows.from));
    place(to, part(windows.to), windows.to, wordsOf(windows.to));
  };
  /** @param {number} window −1: none */
  const read = window => {
    if (window === reading) return;
    reading = window;
    const text = onRead(window < 0 ? null : window);
    const shown = Math.max(0, window);
    const at = (part(shown) + part(shown + 1)) / 2;
    const edge = edgesMs[shown] ?? 0;
    const words = `${formatDuration(edge - startMs)} · ${formatClock(edge)} UTC`;
    element.classList.toggle('reading-one', window >= 0);
    place(cursor, at, shown, `${wordsOf(shown)}: ${text}`);
    moment.style.left = `${at * 100}%`;
    moment.classList.toggle('flipped', at > 0.8);
    moment.textContent = window < 0 ? '' : words;
  };
  /** @param {{from: number, to: number} | null} next @param {boolean} done */
  const pick = (next, done) => {
    const picked = next && (next.from > 0 || next.to < count) ? next : null;
    show(picked);
    onPick(picked, done);
  };
  /** @param {PointerEvent} event */
  const windowUnder = event => {
    const box = element.getBoundingClientRect();
    const ms = startMs + ((event.clientX - box.left) / Math.max(1, box.width)) * lengthMs;
    const next = edgesMs.findIndex((edge, index) => index > 0 && edge > ms);
    return next < 0 ? count - 1 : next - 1;
  };
  /** where it began, px, and what stays selected @type {{x: number, from: number, to: number} | null} */
  let drag = null;
  const hasMoved = (/** @type {PointerEvent} */ event) =>
    drag !== null && Math.abs(event.clientX - drag.x) >= CLICK;
  element.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    const window = windowUnder(event);
    drag = { x: event.clientX, from: window, to: window + 1 };
    // a handle moves its own end: the other one stays
    if (event.target === from) drag.from = drag.to = windows.to;
    if (event.target === to) drag.from = drag.to = windows.from;
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener('pointermove', event => {
    const window = windowUnder(event);
    read(window);
    if (drag && hasMoved(event))
      pick({ from: Math.min(drag.from, window), to: Math.max(drag.to, window + 1) }, false);
  });
  element.addEventListener('pointerup', event => {
    const isHandle = drag !== null && drag.from === drag.to;
    if (hasMoved(event)) pick(windows, true);
    else if (drag && !isHandle && element.classList.contains('narrowed')) pick(null, true);
    drag = null;
  });
  element.addEventListener('pointercancel', () => {
    drag = null;
  });
  element.addEventListener('pointerleave', () => {
    if (!drag) read(-1);
  });
  cursor.addEventListener('blur', () => read(-1));
  cursor.addEventListener('focus', () => read(Math.max(0, reading)));

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
  const within = (
    /** @type {number} */ value,
    /** @type {number} */ low,
    /** @type {number} */ high,
  ) => Math.min(high, Math.max(low, value));
  /** @type {[HTMLElement, (step: number) => void][]} */
  const moves = [
    [cursor, step => read(within(Math.max(0, reading) + step, 0, count - 1))],
    [
      from,
      step => pick({ ...windows, from: within(windows.from + step, 0, windows.to - 1) }, true),
    ],
    [
      to,
      step => pick({ ...windows, to: within(windows.to + step, windows.from + 1, count) }, true),
    ],
  ];
  for (const [handle, move] of moves) {
    handle.addEventListener('keydown', event => {
      const step = steps[event.key];
      if (event.key === 'Escape') pick(null, true);
      if (step === undefined) return;
      event.preventDefault();
      move(step);
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
