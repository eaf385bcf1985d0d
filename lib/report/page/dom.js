import { plainText } from '../../base/files/plain-text.js';
import { formatPercent } from '../../base/format.js';

/**
 * Making elements. Text from a report only ever becomes text nodes and plain attributes, so no frame
 * name, URL or response body can become markup.
 */

/** @typedef {Node | string | number | null | false | undefined | any[]} Child of an element; lists are flattened */

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
    else
      element.append(...(child instanceof Node ? [child] : breakPaths(plainText(String(child)))));
  }
  return element;
}

/** A path may break after each of its slashes, so that no word of it has to. @param {string} text */
const breakPaths = text =>
  text
    .split(/(?<=[A-Za-z_-]\/)(?=[\w:]{2})/)
    .flatMap((part, at) => (at === 0 ? part : [document.createElement('wbr'), part]));

/** A colour from a report, or grey if it is none. @param {string | undefined} color */
export const safeColor = color => (color && CSS.supports('color', color) ? color : '#8a8a8a');

/** A small square in a category's colour. @param {string | undefined} color */
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
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? code(part) : keepUnits(part)));
}

/** A short one stays whole: browsers break lines after hyphens. @param {string} text */
const code = text => h('code', { class: text.length < 24 && 'whole' }, text);

/** @param {string} text */
function keepUnits(text) {
  return text.replace(
    /(\d|%) (?=±)|(\d) (?=%|(?:ms|s|min|h|kB|MB|GB)\b)|(±) (?=\d)/g,
    '$1$2$3\u00a0',
  );
}

/** Code, names and numbers, unchanged. @param {Child} text */
export const mono = text => h('span', { class: 'mono' }, text);

/** @param {...Child} children */
export const muted = (...children) => h('span', { class: 'muted' }, children);

/** @param {...Child} children */
export const remark = (...children) => h('p', { class: 'muted' }, children);

/**
 * A fold: content that a click shows.
 * @param {Child} summary
 * @param {Parameters<typeof h>[1]} attributes
 * @param {...Child} children
 */
export function fold(summary, attributes, ...children) {
  return h('details', attributes, h('summary', {}, summary), children);
}

/** Introduces a panel or a table. @param {...Child} children */
export const lede = (...children) => h('p', { class: 'lede' }, children);

/** @param {Child[]} items @param {Record<string, string>} [attributes] */
export function bulletList(items, attributes) {
  return h('ul', attributes, ...items.map(item => h('li', {}, item)));
}

/**
 * The first few of a list; a click shows the others.
 * @param {Child[]} items
 * @param {number} few
 * @param {Record<string, string>} attributes
 */
export function shortList(items, few, attributes) {
  const [first, more] = [items.slice(0, few), items.slice(few)];
  return [
    first.length > 0 && bulletList(first, attributes),
    more.length > 0 && fold(`${more.length} more`, { class: 'more' }, bulletList(more, attributes)),
  ];
}

/** Names and values, without empty values. @param {[name: Child, value: Child][]} entries @param {string} className */
export function pairList(entries, className) {
  const known = entries.filter(([, value]) => value);
  const rows = known.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
  return rows.length > 0 && h('dl', { class: className }, rows);
}

/**
 * @param {Child} label
 * @param {() => void} onPress
 * @param {Parameters<typeof h>[1]} [attributes]
 */
export function makeButton(label, onPress, attributes = {}) {
  const button = h('button', { type: 'button', ...attributes }, label);
  button.addEventListener('click', onPress);
  return button;
}

/** A command, and a button that copies a text. @param {{text: string, shown: string}} copy */
export function copyLine({ text, shown }) {
  const button = makeButton('Copy', () => void copyText(text, button), { class: 'quiet copy' });
  return h('p', { class: 'command' }, mono(shown), ' ', button);
}

/** @param {string} text @param {HTMLElement} button says what came of it */
async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'This browser does not let a page copy';
  }
}

/**
 * Buttons, one of them pressed.
 * @template V
 * @param {object} choice
 * @param {string} choice.label of the group
 * @param {string} choice.className
 * @param {{value: V, label: string}[]} choice.options
 * @param {V} choice.picked at first
 * @param {(value: V) => void} choice.onPick
 * @returns {{element: HTMLElement, press: (value: V) => void}} `press` shows what was picked elsewhere
 */
export function makeChoice({ label, className, options, picked, onPick }) {
  const buttons = options.map(option => {
    const pick = () => {
      press(option.value);
      onPick(option.value);
    };
    return makeButton(option.label, pick, { class: 'quiet' });
  });
  const press = (/** @type {V} */ value) => {
    for (const [index, button] of buttons.entries())
      button.setAttribute('aria-pressed', String(options[index]?.value === value));
  };
  press(picked);
  const element = h('div', { class: className, role: 'group', 'aria-label': label }, buttons);
  return { element, press };
}

/**
 * A horizontal bar beside its number.
 * @param {number} fraction of the bar's whole width
 * @param {string} [color]
 * @param {number[]} [interval] drawn as a whisker: from, to
 */
export function bar(fraction, color, interval) {
  const fill = h('span', { class: 'bar-fill' });
  fill.style.width = percentWidth(fraction);
  if (color) fill.style.backgroundColor = safeColor(color);
  const whole = h('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
  if (interval) {
    const [from = 0, to = 0] = interval;
    const whisker = h('span', { class: 'whisker' });
    whisker.style.left = percentWidth(from);
    whisker.style.width = percentWidth(to - from);
    whole.append(whisker);
  }
  return whole;
}

/** @param {number} fraction */
const percentWidth = fraction => `${Math.min(100, Math.max(0, fraction * 100))}%`;

/**
 * @param {string} id
 * @param {string} title
 * @param {...Child} children
 */
export function section(id, title, ...children) {
  const heading = h('h2', { id: `${id}-title` }, title);
  return h('section', { id, 'aria-labelledby': `${id}-title` }, heading, ...children);
}

/** Data that the page carries. @param {string} id */
export const readData = id => JSON.parse(document.getElementById(id)?.textContent ?? '');

/** After two frames, everything has been laid out and drawn once. */
export async function markReady() {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  document.documentElement.dataset.ready = 'true';
}

/** One bar of all categories. @param {{label: string, color: string, share: {value: number}}[]} categories */
export function renderShares(categories) {
  const parts = categories.map(({ share, ...own }) => ({ ...own, share: share.value }));
  const name = (/** @type {{label: string, share: number}} */ { label, share }) =>
    share > 0.07 && h('span', { class: share <= 0.25 && 'small' }, label);
  return shareBar(parts, 'stack', name);
}

/**
 * Assembles a page; everything is open when it is printed.
 * @param {(HTMLElement | null | undefined)[]} parts
 * @param {(ids: string[]) => HTMLElement} renderTop the bar, for the ids of the page's sections
 * @returns {HTMLElement} the content below the bar
 */
export function mountPage(parts, renderTop) {
  const main = h('main', {}, parts);
  const ids = [...main.querySelectorAll('section')].map(({ id }) => id);
  document.body.prepend(renderTop(ids), main);
  window.addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('details:not([open])')) {
      fold.setAttribute('open', '');
      window.addEventListener('afterprint', () => fold.removeAttribute('open'), { once: true });
    }
  });
  return main;
}

/** Folds by their summary without its severity, up to its figures: both change while a run goes on. @param {Element} element */
function nameFolds(element) {
  const nameOf = (/** @type {Element} */ fold) =>
    fold.querySelector('summary')?.textContent?.replace(/^[A-Z][a-z]+(?=[A-Z])|\d.*$/gs, '') ?? '';
  const same = Map.groupBy(element.querySelectorAll('details'), nameOf);
  return new Map([...same].flatMap(([name, all]) => all.map((one, at) => [`${name}${at}`, one])));
}

/**
 * Replaces an element with a newer one. Equal elements stay, and so do open folds, sideways scroll positions and the
 * keyboard focus.
 * @template {Element} E
 * @param {E} old
 * @param {E} next
 * @returns {E} the element that is now in the page
 */
export function renew(old, next) {
  const known = nameFolds(old);
  for (const [name, fold] of nameFolds(next)) fold.open = known.get(name)?.open ?? fold.open;
  if (old.isEqualNode(next)) return old;
  const { activeElement } = document;
  const focused = old.contains(activeElement) ? activeElement?.textContent : null;
  const labelOf = (/** @type {Element} */ area) => area.getAttribute('aria-label');
  const areas = [...old.querySelectorAll('.table-scroll')];
  const scrolled = new Map(areas.map(area => [labelOf(area), area.scrollLeft]));
  // the browser remembers the size of a section that is out of sight
  const isSection = old.id !== '' && old.id === next.id;
  if (isSection) old.replaceChildren(...next.childNodes);
  else old.replaceWith(next);
  const placed = isSection ? old : next;
  for (const area of placed.querySelectorAll('.table-scroll')) {
    const left = scrolled.get(labelOf(area));
    if (left) area.scrollLeft = left;
  }
  for (const button of focused ? placed.querySelectorAll('button') : [])
    if (button.textContent === focused) button.focus({ preventScroll: true });
  return placed;
}

/** The same for all children of an element, matched by id or else by position. @param {Element} place @param {Element[]} next */
export function renewChildren(place, next) {
  const keyOf = (/** @type {Element} */ element, /** @type {number} */ at) => element.id || at;
  const known = new Map([...place.children].map((element, at) => [keyOf(element, at), element]));
  const isSame = next.length === known.size && next.map(keyOf).every(key => known.has(key));
  const renewed = next.map((element, at) => {
    const old = known.get(keyOf(element, at));
    return old ? renew(old, element) : element;
  });
  if (!isSame) place.replaceChildren(...renewed);
}

/** A link that cannot leave the page's folder, whatever its path is. @param {string} path */
export function relativeLink(path) {
  const parts = path.split('/').filter(part => part !== '..');
  return `./${parts.map(encodeURIComponent).join('/')}`;
}

/** Replaces missing content. @param {string} why it is missing, and what to do */
export const emptyState = why => h('div', { class: 'empty' }, h('p', {}, prose(why)));

/**
 * Shares in one bar; the table or list below gives them as text.
 * @param {{label: string, color: string, share: number}[]} parts
 * @param {string} className
 * @param {(part: {label: string, share: number}) => Child} [inner]
 */
export function shareBar(parts, className, inner) {
  const spans = parts.map(({ label, color, share }) => {
    const title = `${label} ${formatPercent(share)}`;
    const part = h('span', { title }, inner?.({ label, share }));
    part.style.flexGrow = String(Math.max(0.001, share));
    part.style.backgroundColor = safeColor(color);
    return part;
  });
  return h('div', { class: className, 'aria-hidden': 'true' }, spans);
}

const SEVERITY_WORDS = { bad: 'Problem', warn: 'Warning', info: 'Note', good: 'Good', ok: 'OK' };

/** A severity as a sign and a word. @param {keyof typeof SEVERITY_WORDS} severity */
export function severityTag(severity) {
  return h('span', { class: `tag tag-${severity}` }, SEVERITY_WORDS[severity]);
}
