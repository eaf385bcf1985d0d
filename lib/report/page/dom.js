import { plainText } from '../plain-text.js';

/**
 * Making elements. Text from a report only ever becomes text nodes and plain attributes, so no frame
 * name, URL or response body can become markup.
 */

/** @typedef {Node | string | number | null | false | undefined | Child[]} Child what may stand in an element; lists are flattened */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] `null`, `false`
 *   and `undefined` leave an attribute out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  return fillElement(document.createElement(tag), attributes, children);
}

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  return fillElement(
    document.createElementNS('http://www.w3.org/2000/svg', tag),
    attributes,
    children,
  );
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function fillElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) fillElement(element, {}, child);
    else element.append(child instanceof Node ? child : plainText(String(child)));
  }
  return element;
}

/** A colour from a report, or grey where it is not one. @param {string | undefined} color */
export function safeColor(color) {
  return color && CSS.supports('color', color) ? color : '#8a8a8a';
}

/** A little square in a category's colour. @param {string | undefined} color */
export function swatch(color) {
  const square = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  square.style.backgroundColor = safeColor(color);
  return square;
}

/**
 * A sentence in which `text between backticks` is code, and numbers stay with their unit.
 * @param {string} text
 * @returns {Child[]}
 */
export function prose(text) {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 ? h('code', {}, part) : keepUnits(part)));
}

/** @param {string} text */
function keepUnits(text) {
  return text.replace(
    /(\d|%) (?=±)|(\d) (?=%|(?:ms|s|min|h|kB|MB|GB)\b)|(±) (?=\d)/g,
    '$1$2$3\u00a0',
  );
}

/**
 * A horizontal bar beside the number it stands for.
 * @param {number} fraction of the bar's whole width
 * @param {string} [color]
 * @param {[low: number, high: number]} [interval] drawn as a whisker
 */
export function bar(fraction, color, interval) {
  const fill = h('span', { class: 'bar-fill' });
  fill.style.width = percentWidth(fraction);
  if (color) fill.style.backgroundColor = safeColor(color);
  const whole = h('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
  if (interval) {
    const whisker = h('span', { class: 'whisker' });
    whisker.style.left = percentWidth(interval[0]);
    whisker.style.width = percentWidth(interval[1] - interval[0]);
    whole.append(whisker);
  }
  return whole;
}

/** @param {number} fraction */
function percentWidth(fraction) {
  return `${Math.min(100, Math.max(0, fraction * 100))}%`;
}

/** @param {string} id @param {string} title @param {...Child} children */
export function section(id, title, ...children) {
  const heading = h('h2', { id: `${id}-title` }, title);
  return h('section', { id, 'aria-labelledby': `${id}-title` }, heading, ...children);
}

/** What stands where there is nothing to show: why, and what to do. @param {string} why @param {...Child} next */
export function emptyState(why, ...next) {
  return h(
    'div',
    { class: 'empty' },
    h('p', { class: 'empty-why' }, why),
    next.length > 0 && h('p', {}, ...next),
  );
}

const SEVERITY_WORDS = { bad: 'Problem', warn: 'Warning', info: 'Note', good: 'Good', ok: 'OK' };

/** A severity as a sign and a word. @param {keyof typeof SEVERITY_WORDS} severity @param {string} [word] */
export function severityTag(severity, word = SEVERITY_WORDS[severity]) {
  return h('span', { class: `tag tag-${severity}` }, word);
}
