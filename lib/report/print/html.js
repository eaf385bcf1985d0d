/** Blocks of a document as elements of a page. Their text becomes only text nodes and plain attributes. */
import {
  bar,
  bulletList,
  copyLine,
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

/** @import { Unit } from '../../base/format.js' */
/** @import { Block, Cell, Item, List, Paragraph, Printers, Section, Small, Span, Table, Text } from '../../text/document/document.d.ts' */
/** @import { Child } from '../page/dom.js' */

/** @typedef {Record<string, (of: any) => Child>} Drawings drawn only by a page, by their names in cells */

/** @param {Section} of @param {Drawings} [drawings] */
export function printSection({ id, title, blocks, folded }, drawings = {}) {
  const print = (/** @type {Block} */ block) => printBlock(block, drawings);
  const { true: shown = [], false: rest = [] } = Object.groupBy(blocks, ({ kind }) =>
    String(!folded || kind === 'paragraph'),
  );
  const inner = folded && fold(folded, { class: 'part' }, rest.map(print));
  return section(id ?? '', title, shown.map(print), inner);
}

/** The content of a section on a page. @param {Section | null} of @param {Drawings} drawings */
export function printOnPage(of, drawings) {
  return selectSections(of ? [of] : [], 'page').map(own => printSection(own, drawings));
}

/** @type {Printers<[drawings: Drawings], Child>} */
const PRINTERS = {
  section: printPart,
  paragraph: ({ text, tone }) => PARAGRAPHS[tone ?? 'plain'](printText(text)),
  list: printList,
  pairs: ({ pairs }) => pairList(pairs.map(printPair), 'pairs'),
  table: printTable,
  drawing: ({ draw, of }, drawings) => drawings[draw]?.(of),
};

/** @param {Block} block @param {Drawings} drawings @returns {Child} */
function printBlock(block, drawings) {
  return PRINTERS[block.kind](/** @type {never} */ (block), drawings);
}

/** @param {Section} part @param {Drawings} drawings */
function printPart({ title, blocks, folded }, drawings) {
  const [heading, inner] = [h('h3', {}, title), blocks.map(own => printBlock(own, drawings))];
  return folded ? fold(heading, { class: 'part' }, inner) : [heading, inner];
}

/**
 * What is large, and the rest in a fold.
 * @template T
 * @param {T[]} all @param {Small | undefined} small
 * @param {(some: T[], title?: string) => Child} print
 */
function printFolded(all, small, print) {
  const { true: rest = [], false: large = [] } = Object.groupBy(all, (_, at) =>
    String(small?.at.includes(at) ?? false),
  );
  return [
    large.length > 0 && print(large),
    small && fold(small.title, { class: 'more' }, print(rest, small.title)),
  ];
}

/** @param {Table} table @param {Drawings} drawings */
function printTable({ small, ...own }, drawings) {
  const print = (/** @type {Cell} */ cell, /** @type {Unit | undefined} */ unit) =>
    printCell(cell, unit, drawings);
  return printFolded(own.rows, small, (rows, caption = own.caption) =>
    renderTable({ ...own, rows, caption }, print),
  );
}

/** @type {Record<NonNullable<Paragraph['tone']> | 'plain', (text: Child) => Child>} */
const PARAGRAPHS = {
  lede,
  empty: text => h('div', { class: 'empty' }, h('p', {}, text)),
  advice: text => h('p', { class: 'advice' }, h('strong', {}, 'What to do: '), text),
  verbatim: text => h('pre', { tabindex: 0 }, text),
  plain: text => h('p', {}, text),
};

/** @param {[label: string, value: Text]} pair @returns {[Child, Child]} */
const printPair = ([label, value]) => [label, printText(value)];

/** @param {List} list @param {Drawings} drawings */
function printList({ items, small }, drawings) {
  const printed = items.map(item => printItem(item, drawings));
  const look = { class: `items${items.some(({ level }) => level) ? ' tagged' : ''}` };
  return printFolded(printed, small, some => bulletList(some, look));
}

/** The content of a list item; a click shows its evidence. @param {Item} item @param {Drawings} [drawings] @returns {Child} */
export function printItem({ text, blocks = [], level, copy, isOpen = false }, drawings = {}) {
  const tag = level && severityTag(/** @type {Parameters<typeof severityTag>[0]} */ (level));
  const head = [tag, h('span', { class: 'item-text' }, printText(text))];
  if (blocks.length === 0) return head;
  const body = blocks.map(block => printBlock(block, drawings));
  const folded = fold(
    head,
    { class: 'item', open: isOpen },
    h('div', { class: 'item-body' }, body),
  );
  return copy ? [folded, copyLine(copy)] : folded;
}

/**
 * @param {Cell} cell
 * @param {Unit | undefined} unit
 * @param {Drawings} drawings
 * @returns {Child}
 */
function printCell(cell, unit, drawings) {
  if (isBar(cell)) return bar(cell.bar, cell.color, cell.interval);
  const draw = isDrawing(cell) && drawings[cell.draw];
  if (draw) return draw(cell.of);
  return spansOf(cell, unit).map(printSpan);
}

/** @param {Text} text */
const printText = text => spansOf(text).map(printSpan);

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
