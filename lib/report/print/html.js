/** Blocks of a document as elements of a page. Their text becomes only text nodes and plain attributes. */
import {
  bar,
  bulletList,
  fold,
  h,
  lede,
  mono,
  muted,
  pairList,
  prose,
  relativeLink,
  section,
  severityTag,
  swatch,
} from '../page/dom.js';
import { renderTable } from '../page/table.js';
import { isBar, isDrawing, selectSections, spansOf, styleOf } from './cells.js';

/** @import { Unit } from '../../format.js' */
/** @import { Block, Cell, Item, Paragraph, Section, Span, Text } from '../../text/document/document.d.ts' */
/** @import { Child } from '../page/dom.js' */

/** @typedef {Record<string, (of: any) => Child>} Drawings drawn only by a page, by their names in cells */

/** @param {Section} of @param {Drawings} [drawings] */
export function printSection({ id, title, blocks }, drawings = {}) {
  return section(id ?? '', title, ...blocks.map(block => printBlock(block, drawings)));
}

/** The content of a section on a page. @param {Section | null} of @param {Drawings} drawings */
export function printOnPage(of, drawings) {
  return selectSections(of ? [of] : [], 'page').map(own => printSection(own, drawings));
}

/** @param {Block} block @param {Drawings} drawings @returns {Child} */
function printBlock(block, drawings) {
  switch (block.kind) {
    case 'section':
      return [h('h3', {}, block.title), block.blocks.map(own => printBlock(own, drawings))];
    case 'paragraph':
      return printParagraph(block);
    case 'list':
      return printList(block.items, drawings);
    case 'pairs':
      return pairList(block.pairs.map(printPair), 'pairs');
    case 'table':
      return renderTable(block, (cell, unit) => printCell(cell, unit, drawings));
    case 'drawing':
      return drawings[block.draw]?.(block.of);
  }
}

/** @param {Paragraph} paragraph */
function printParagraph({ text, tone }) {
  switch (tone) {
    case 'lede':
      return lede(printText(text));
    case 'empty':
      return h('div', { class: 'empty' }, h('p', {}, printText(text)));
    case 'advice':
      return h('p', { class: 'advice' }, h('strong', {}, 'What to do: '), printText(text));
    case 'verbatim':
      return h('pre', { tabindex: 0 }, printText(text));
    default:
      return h('p', {}, printText(text));
  }
}

/** @param {[label: string, value: Text]} pair @returns {[Child, Child]} */
const printPair = ([label, value]) => [label, printText(value)];

/** @param {Item[]} items @param {Drawings} drawings */
function printList(items, drawings) {
  const printed = items.map(item => printItem(item, drawings));
  return bulletList(printed, {
    class: `items${items.some(({ level }) => level) ? ' tagged' : ''}`,
  });
}

/** The content of a list item; a click shows its evidence. @param {Item} item @param {Drawings} [drawings] @returns {Child} */
export function printItem({ text, blocks = [], level, isOpen = false }, drawings = {}) {
  const tag = level && severityTag(/** @type {Parameters<typeof severityTag>[0]} */ (level));
  const head = [tag, h('span', { class: 'item-text' }, printText(text))];
  if (blocks.length === 0) return head;
  const body = blocks.map(block => printBlock(block, drawings));
  return fold(head, { class: 'item', open: isOpen }, h('div', { class: 'item-body' }, body));
}

/** @param {Cell} cell @param {Unit | undefined} unit @param {Drawings} drawings @returns {Child} */
function printCell(cell, unit, drawings) {
  if (isBar(cell)) return bar(cell.bar, cell.color, cell.interval);
  const draw = isDrawing(cell) && drawings[cell.draw];
  if (draw) return draw(cell.of);
  return spansOf(cell, unit).map(printSpan);
}

/** @param {Text} text */
function printText(text) {
  return spansOf(text).map(printSpan);
}

/** @param {Span} span @returns {Child} */
function printSpan(span) {
  const { text, as, level, href, color } = styleOf(span);
  if (as === 'tag') return h('span', { class: `tag tag-${level}` }, text);
  const own = as === 'code' ? mono(text) : as === 'muted' ? muted(prose(text)) : prose(text);
  const linked = href
    ? h('a', { href: href.startsWith('#') ? href : relativeLink(href) }, own)
    : own;
  const strong =
    level || as === 'strong' ? h('strong', { class: level && `call-${level}` }, linked) : linked;
  return color ? [swatch(color), strong] : strong;
}
