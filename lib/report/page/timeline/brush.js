import { formatClock, formatDuration } from '../../../format.js';
import { h } from '../dom.js';

/** A shorter movement is a click, px. */
const CLICK = 4;

/**
 * Selects a range of windows over all tracks: by dragging, or with two sliders at its ends. A third
 * slider reads one window after the other.
 * @param {object} options
 * @param {() => number[]} options.readEdges of the windows, ms; a running run gets more of them
 * @param {(windows: {from: number, to: number} | null, done: boolean) => void} options.onPick
 * @param {(window: number | null) => string} options.onRead shows what was measured in a window, and
 *   returns it as text
 */
export function makeBrush({ readEdges, onPick, onRead }) {
  /** @param {number} edge */
  const msAt = edge => readEdges()[edge] ?? 0;
  const countAll = () => readEdges().length - 1;
  /** @param {number} edge */
  const part = edge => (msAt(edge) - msAt(0)) / (msAt(countAll()) - msAt(0));
  /** @param {number} edge */
  const wordsOf = edge =>
    `${formatDuration(msAt(edge) - msAt(0))} after the start, ${formatClock(msAt(edge))} UTC`;
  let windows = { from: 0, to: countAll() };
  let reading = -1;

  const left = h('div', { class: 'veil veil-left' });
  const right = h('div', { class: 'veil veil-right' });
  const cursor = slider('read', 'Read one moment');
  const from = slider('from', 'Start of the selection');
  const to = slider('to', 'End of the selection');
  const moment = h('span', { class: 'moment', 'aria-hidden': 'true' });
  const element = h('div', { class: 'brush' }, left, right, cursor, moment, from, to);

  /** @param {{from: number, to: number} | null} next */
  const show = next => {
    const count = countAll();
    windows = next ?? { from: 0, to: count };
    for (const handle of [cursor, from, to])
      handle.setAttribute('aria-valuemax', String(handle === cursor ? count - 1 : count));
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
    const edge = msAt(shown);
    const words = `${formatDuration(edge - msAt(0))} · ${formatClock(edge)} UTC`;
    element.classList.toggle('reading-one', window >= 0);
    place(cursor, at, shown, `${wordsOf(shown)}: ${text}`);
    moment.style.left = `${at * 100}%`;
    moment.classList.toggle('flipped', at > 0.8);
    moment.textContent = window < 0 ? '' : words;
  };
  /** @param {{from: number, to: number} | null} next @param {boolean} done */
  const pick = (next, done) => {
    const picked = next && (next.from > 0 || next.to < countAll()) ? next : null;
    show(picked);
    onPick(picked, done);
  };
  /** @param {PointerEvent} event */
  const windowUnder = event => {
    const box = element.getBoundingClientRect();
    const across = (event.clientX - box.left) / Math.max(1, box.width);
    const ms = msAt(0) + across * (msAt(countAll()) - msAt(0));
    const next = readEdges().findIndex((edge, index) => index > 0 && edge > ms);
    return next < 0 ? countAll() - 1 : next - 1;
  };
  /** Its start, px, and the windows that stay selected. @type {{x: number, from: number, to: number} | null} */
  let drag = null;
  const hasMoved = (/** @type {PointerEvent} */ event) =>
    drag !== null && Math.abs(event.clientX - drag.x) >= CLICK;
  element.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    const window = windowUnder(event);
    drag = { x: event.clientX, from: window, to: window + 1 };
    // a handle moves only its own end
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

  /** @param {number} value @param {number} low @param {number} high */
  const within = (value, low, high) => Math.min(high, Math.max(low, value));
  /** @param {Partial<typeof windows>} end */
  const move = end => pick({ ...windows, ...end }, true);
  /** @type {[HTMLElement, (step: number) => void][]} */
  const moves = [
    [cursor, step => read(within(Math.max(0, reading) + step, 0, countAll() - 1))],
    [from, step => move({ from: within(windows.from + step, 0, windows.to - 1) })],
    [to, step => move({ to: within(windows.to + step, windows.from + 1, countAll()) })],
  ];
  for (const [handle, moveBy] of moves) {
    handle.addEventListener('keydown', event => {
      const count = countAll();
      const page = Math.max(1, Math.round(count / 10));
      /** @type {Record<string, number>} */
      const steps = {
        ...{ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 },
        ...{ PageUp: page, PageDown: -page, Home: -count, End: count },
      };
      const step = steps[event.key];
      if (event.key === 'Escape') pick(null, true);
      if (step === undefined) return;
      event.preventDefault();
      moveBy(step);
    });
  }
  show(null);
  return {
    element,
    show,
    /** Updates the reading of the window under the pointer: it may have new data. */
    readAgain() {
      const window = Math.min(reading, countAll() - 1);
      reading = -1;
      read(window);
    },
  };
}

/** @param {string} name @param {string} label */
function slider(name, label) {
  return h('div', {
    class: `slider slider-${name}`,
    role: 'slider',
    tabindex: 0,
    'aria-label': label,
    'aria-orientation': 'horizontal',
    'aria-valuemin': 0,
    'aria-valuenow': 0,
  });
}

/** @param {HTMLElement} handle @param {number} fraction @param {number} value @param {string} text */
function place(handle, fraction, value, text) {
  handle.style.left = `${fraction * 100}%`;
  handle.setAttribute('aria-valuenow', String(value));
  handle.setAttribute('aria-valuetext', text);
}
