import { formatClock, formatDuration } from '../../../base/format.js';
import { h } from '../dom.js';

/** A shorter movement is a click, px. */
const CLICK = 4;

/** A range of windows. @typedef {{from: number, to: number}} Windows */

/**
 * @typedef {object} BrushOptions
 * @property {() => number[]} readEdges of the windows, ms; a running run gets more of them
 * @property {(windows: Windows | null, done: boolean) => void} onPick
 * @property {(window: number | null) => string} onRead shows what was measured in a window, and
 *   returns it as text
 */

/**
 * Selects a range of windows over all tracks: by dragging, or with two sliders at its ends. A third
 * slider reads one window after the other.
 */
export class Brush {
  #options;
  #windows;
  #reading = -1;
  /** Its start, px, and the windows that stay selected. @type {{x: number, from: number, to: number} | null} */
  #drag = null;

  #left = h('div', { class: 'veil veil-left' });
  #right = h('div', { class: 'veil veil-right' });
  #cursor = slider('read', 'Read one moment');
  #from = slider('from', 'Start of the selection');
  #to = slider('to', 'End of the selection');
  #moment = h('span', { class: 'moment', 'aria-hidden': 'true' });
  element = h('div', { class: 'brush' });

  /** @param {BrushOptions} options */
  constructor(options) {
    this.#options = options;
    this.element.append(this.#left, this.#right, this.#cursor, this.#moment, this.#from, this.#to);
    this.#windows = { from: 0, to: this.#count() };
    this.#followPointer();
    this.#cursor.addEventListener('blur', () => this.#read(-1));
    this.#cursor.addEventListener('focus', () => this.#read(Math.max(0, this.#reading)));
    this.#followKeys();
    this.show(null);
  }

  /** @param {Windows | null} next */
  show(next) {
    const count = this.#count();
    const { from, to } = next ?? { from: 0, to: count };
    this.#windows = { from, to };
    for (const handle of [this.#cursor, this.#from, this.#to])
      handle.setAttribute('aria-valuemax', String(handle === this.#cursor ? count - 1 : count));
    this.#left.style.width = `${this.#part(from) * 100}%`;
    this.#right.style.left = `${this.#part(to) * 100}%`;
    this.element.classList.toggle('narrowed', next !== null);
    place(this.#from, this.#part(from), from, this.#wordsOf(from));
    place(this.#to, this.#part(to), to, this.#wordsOf(to));
  }

  /** Updates the reading of the window under the pointer: it may have new data. */
  readAgain() {
    const window = Math.min(this.#reading, this.#count() - 1);
    this.#reading = -1;
    this.#read(window);
  }

  #count() {
    return this.#options.readEdges().length - 1;
  }

  /** @param {number} edge */
  #msAt(edge) {
    return this.#options.readEdges()[edge] ?? 0;
  }

  #lengthMs() {
    return this.#msAt(this.#count()) - this.#msAt(0);
  }

  /** Where an edge is, as a part of the whole. @param {number} edge */
  #part(edge) {
    return (this.#msAt(edge) - this.#msAt(0)) / this.#lengthMs();
  }

  /** @param {number} edge */
  #wordsOf(edge) {
    const ms = this.#msAt(edge);
    return `${formatDuration(ms - this.#msAt(0))} after the start, ${formatClock(ms)} UTC`;
  }

  /** @param {number} window −1: none */
  #read(window) {
    if (window === this.#reading) return;
    this.#reading = window;
    const text = this.#options.onRead(window < 0 ? null : window);
    const shown = Math.max(0, window);
    const at = (this.#part(shown) + this.#part(shown + 1)) / 2;
    const edge = this.#msAt(shown);
    const words = `${formatDuration(edge - this.#msAt(0))} · ${formatClock(edge)} UTC`;
    this.element.classList.toggle('reading-one', window >= 0);
    place(this.#cursor, at, shown, `${this.#wordsOf(shown)}: ${text}`);
    this.#moment.style.left = `${at * 100}%`;
    this.#moment.classList.toggle('flipped', at > 0.8);
    this.#moment.textContent = window < 0 ? '' : words;
  }

  /** @param {Windows | null} next @param {boolean} done */
  #pick(next, done) {
    const picked = next && (next.from > 0 || next.to < this.#count()) ? next : null;
    this.show(picked);
    this.#options.onPick(picked, done);
  }

  /** @param {PointerEvent} event */
  #windowUnder(event) {
    const box = this.element.getBoundingClientRect();
    const across = (event.clientX - box.left) / Math.max(1, box.width);
    const ms = this.#msAt(0) + across * this.#lengthMs();
    const next = this.#options.readEdges().findIndex((edge, index) => index > 0 && edge > ms);
    return next < 0 ? this.#count() - 1 : next - 1;
  }

  #followPointer() {
    const { element } = this;
    element.addEventListener('pointerdown', event => this.#grab(event));
    element.addEventListener('pointermove', event => {
      const window = this.#windowUnder(event);
      this.#read(window);
      if (this.#drag && this.#hasMoved(event)) {
        const { from, to } = this.#drag;
        this.#pick({ from: Math.min(from, window), to: Math.max(to, window + 1) }, false);
      }
    });
    element.addEventListener('pointerup', event => {
      const drag = this.#drag;
      const isHandle = drag !== null && drag.from === drag.to;
      if (this.#hasMoved(event)) this.#pick(this.#windows, true);
      else if (drag && !isHandle && element.classList.contains('narrowed')) this.#pick(null, true);
      this.#drag = null;
    });
    element.addEventListener('pointercancel', () => {
      this.#drag = null;
    });
    element.addEventListener('pointerleave', () => {
      if (!this.#drag) this.#read(-1);
    });
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    if (event.button !== 0) return;
    const window = this.#windowUnder(event);
    const drag = { x: event.clientX, from: window, to: window + 1 };
    // a handle moves only its own end
    if (event.target === this.#from) drag.from = drag.to = this.#windows.to;
    if (event.target === this.#to) drag.from = drag.to = this.#windows.from;
    this.#drag = drag;
    this.element.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #hasMoved(event) {
    return this.#drag !== null && Math.abs(event.clientX - this.#drag.x) >= CLICK;
  }

  #followKeys() {
    for (const handle of [this.#cursor, this.#from, this.#to])
      handle.addEventListener('keydown', event => {
        const step = stepOf(event.key, this.#count());
        if (event.key === 'Escape') this.#pick(null, true);
        if (step === undefined) return;
        event.preventDefault();
        this.#move(handle, step);
      });
  }

  /** @param {HTMLElement} handle @param {number} step windows */
  #move(handle, step) {
    const { from, to } = this.#windows;
    const count = this.#count();
    if (handle === this.#cursor)
      this.#read(within(Math.max(0, this.#reading) + step, 0, count - 1));
    else if (handle === this.#from) this.#pick({ from: within(from + step, 0, to - 1), to }, true);
    else this.#pick({ from, to: within(to + step, from + 1, count) }, true);
  }
}

/** How far a key moves a slider. @param {string} key @param {number} count of the windows */
function stepOf(key, count) {
  if (key === 'ArrowRight' || key === 'ArrowUp') return 1;
  if (key === 'ArrowLeft' || key === 'ArrowDown') return -1;
  const page = Math.max(1, Math.round(count / 10));
  return { PageUp: page, PageDown: -page, Home: -count, End: count }[key];
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
const within = (value, low, high) => Math.min(high, Math.max(low, value));

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

/**
 * @param {HTMLElement} handle
 * @param {number} fraction
 * @param {number} value
 * @param {string} text
 */
function place(handle, fraction, value, text) {
  handle.style.left = `${fraction * 100}%`;
  handle.setAttribute('aria-valuenow', String(value));
  handle.setAttribute('aria-valuetext', text);
}
