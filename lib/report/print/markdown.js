import { formatCount } from '../../base/format.js';
import { isBar, selectSections, spansOf, styleOf } from './cells.js';
import { codeSpan, escapeMarkdown } from './markdown-text.js';
import { SIGNS } from './signs.js';

/** @import { Block, Cell, Document, Extent, Item, Printers, Section, Table, Text } from '../../text/document/document.d.ts' */
/** @import { Unit } from '../../base/format.js' */

/**
 * A document for a pull request, a wiki or an issue.
 * @param {Document} document
 * @param {{extent?: Extent}} [options]
 * @returns {string} Markdown that ends in a line feed
 */
export function printMarkdown({ title, headline, sections, page }, { extent = 'full' } = {}) {
  const blocks = [
    ...(title ? [`## ${escapeMarkdown(title)}`] : []),
    ...(headline.doubt ? [`${SIGNS.warn[2]} ${escapeMarkdown(headline.doubt)}`] : []),
    `### ${SIGNS[headline.level][2]} ${escapeMarkdown(headline.text)}`,
    ...headline.sentences.map(sentence => escapeMarkdown(sentence)),
    ...selectSections(sections, extent).flatMap(section => printBlock(section, page)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** @type {Printers<[page: string], string[]>} paragraphs */
const PRINTERS = {
  section: printSection,
  paragraph: ({ text }) => [spansText(text)],
  list: ({ items, most }, page) => [printItems(items, most, page)],
  pairs: ({ pairs }) => [pairs.map(pair => `- ${pairText(pair)}`).join('\n')],
  table: printTable,
  drawing: () => [],
};

/** @param {Block} block @param {string} page @returns {string[]} paragraphs */
const printBlock = (block, page) => PRINTERS[block.kind](/** @type {never} */ (block), page);

/** @param {Section} section @param {string} page */
function printSection({ id, title, blocks }, page) {
  const head = escapeMarkdown(title);
  return [
    id === null ? `**${head}**` : `#### ${head}`,
    ...blocks.flatMap(block => printBlock(block, page)),
  ];
}

/**
 * @param {Item[]} items
 * @param {number | undefined} most
 * @param {string} page
 */
function printItems(items, most = items.length, page = '') {
  const lines = items.slice(0, most).flatMap(({ level, text, blocks = [] }) => {
    const texts = [text, ...blocks.flatMap(own => (own.kind === 'paragraph' ? [own.text] : []))];
    const facts = blocks.flatMap(own => (own.kind === 'pairs' ? own.pairs : []));
    return [
      `- ${level ? `${SIGNS[level][2]} ` : ''}${texts.map(own => spansText(own)).join(' ')}`,
      ...facts.map(pair => `  - ${pairText(pair)}`),
    ];
  });
  const left = items.length - most;
  return [...lines, ...(left > 0 ? [`- and ${formatCount(left)} more in ${page}`] : [])].join('\n');
}

/** @param {[label: string, value: Text]} pair */
const pairText = ([label, value]) => `${escapeMarkdown(label)}: ${spansText(value)}`;

/** @param {Table} table @param {string} page */
function printTable({ columns, rows, most = rows.length }, page) {
  const texts = rows
    .slice(0, most)
    .map(row => row.map((cell, at) => spansText(cell, { unit: columns[at]?.unit, isCell: true })));
  const drawn = columns.map((_, at) => rows.some(row => isBar(row[at] ?? null)));
  const line = (/** @type {string[]} */ row) =>
    `| ${row.filter((_, at) => !drawn[at]).join(' | ')} |`;
  const left = rows.length - most;
  return [
    [
      line(columns.map(({ label }) => escapeMarkdown(label, true))),
      line(columns.map(({ isNumber }) => (isNumber ? '---:' : '---'))),
      ...texts.map(line),
    ].join('\n'),
    ...(left > 0 ? [`and ${formatCount(left)} more in ${page}`] : []),
  ];
}

/** @param {Cell} cell @param {{unit?: Unit | undefined, isCell?: boolean}} [options] */
function spansText(cell, { unit, isCell = false } = {}) {
  return spansOf(cell, unit)
    .map(styleOf)
    .map(({ text, as }) => {
      const own = as === 'code' ? codeSpan(text, isCell) : escapeMarkdown(text, isCell);
      // Blanks between spans are not part of them.
      return `${/^\s/.test(text) ? ' ' : ''}${own}${/\s$/.test(text) ? ' ' : ''}`;
    })
    .join('');
}
