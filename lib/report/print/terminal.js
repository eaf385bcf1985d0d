import { listPresent } from '../../base/files/maps.js';
import { plainLine } from '../../base/files/plain-text.js';
import { formatCount } from '../../base/format.js';
import { isBar, selectSections, spansOf, styleOf, textOf } from './cells.js';
import { SIGNS } from './signs.js';
import {
  alignColumns,
  drawBar,
  joinBlocks,
  makePaint,
  padEnd,
  shortenText,
  textWidth,
  wrapText,
} from './terminal-text.js';

/** @import { Block, Cell, Document, Extent, Item, Level, List, Pairs, Paragraph, Printers, Section, Table } from '../../text/document/document.d.ts' */
/** @import { Unit } from '../../base/format.js' */
/** @import { Paint, Style } from './terminal-text.js' */

/** @typedef {{width: number, paint: Paint, page: string, depth: number}} Print `depth`: number of lists around a block */

const WIDEST_LABEL = 22;
const WIDEST_BAR = 32;
const SHORTEST_BAR = 6;
/** Share of a line that names keep, however many columns there are. */
const SHARE_OF_NAMES = 0.33;

/**
 * A document for a terminal or a pipe, the result first.
 * @param {Document} document
 * @param {{color?: boolean, width?: number, extent?: Extent}} [options]
 * @returns {string} lines of at most `width` columns, without a line feed at the end
 */
export function printTerminal(
  { title, headline, sections, page },
  { color = false, width = 80, extent = 'full' } = {},
) {
  const print = { width, paint: makePaint(color), page, depth: 0 };
  return joinBlocks([
    [
      ...(title ? dim(wrapText(title, width), print) : []),
      ...(headline.doubt ? wrapText(headline.doubt, width, sign('warn', print)) : []),
      ...bold(wrapText(headline.text, width, sign(headline.level, print)), print),
      ...headline.sentences.flatMap(sentence => wrapText(sentence, width, '  ')),
    ],
    ...selectSections(sections, extent).map(section => sectionLines(section, print)),
  ]);
}

/** A section alone. @param {Section | null} section @param {{color: boolean, width: number}} options */
export function printSection(section, { color, width }) {
  const print = { width, paint: makePaint(color), page: '', depth: 0 };
  return section ? sectionLines(section, print).join('\n') : '';
}

/** @param {Level} level @param {Print} print */
function sign(level, { paint }) {
  const [mark, style] = SIGNS[level];
  return `${paint(style, mark)} `;
}

/** @param {string[]} lines @param {Print} print */
const bold = (lines, { paint }) => lines.map(line => paint('bold', line));

/** @param {string[]} lines @param {Print} print */
const dim = (lines, { paint }) => lines.map(line => paint('dim', line));

/** @param {Section} section @param {Print} print @returns {string[]} */
function sectionLines({ title, blocks }, print) {
  return [
    ...bold(wrapText(title, print.width), print),
    ...blocks.flatMap((block, at) => [
      ...(block.kind === 'section' && at > 0 ? [''] : []),
      ...blockLines(block, print, '  '),
    ]),
  ];
}

/** @type {Printers<[print: Print, indent: string], string[]>} */
const LINES = {
  section: sectionLines,
  paragraph: paragraphLines,
  list: listLines,
  pairs: pairLines,
  table: tableLines,
  drawing: () => [],
};

/**
 * @param {Block} block
 * @param {Print} print
 * @param {string} indent
 * @returns {string[]}
 */
function blockLines(block, print, indent) {
  return LINES[block.kind](/** @type {never} */ (block), print, indent);
}

/**
 * @param {Paragraph} paragraph
 * @param {Print} print
 * @param {string} indent
 */
function paragraphLines({ text, tone }, print, indent) {
  const { width, paint } = print;
  if (tone === 'advice') return wrapText(textOf(text), width, `${indent}${paint('green', '→ ')}`);
  const lines = wrapText(textOf(text), width, indent);
  return tone === 'lede' ? dim(lines, print) : lines;
}

/**
 * @param {List} list
 * @param {Print} print
 * @param {string} indent
 */
function listLines({ items, most = items.length }, print, indent) {
  const left = items.length - most;
  return [
    ...items.slice(0, most).flatMap(item => itemLines(item, print, indent)),
    ...(left > 0 ? [`${indent}and ${formatCount(left)} more in ${print.page}`] : []),
  ];
}

/**
 * @param {Item} item
 * @param {Print} print
 * @param {string} indent
 */
function itemLines({ level, text, blocks = [] }, print, indent) {
  const { width, depth } = print;
  const mark = level ? `${indent.slice(2)}${sign(level, print)}` : `${indent}- `;
  const inner = { ...print, depth: depth + 1 };
  return [
    ...wrapText(textOf(text), width, mark),
    ...blocks.flatMap(block => blockLines(block, inner, ' '.repeat(textWidth(mark) + 2))),
  ];
}

/**
 * In a list they are the evidence of an item.
 * @param {Pairs} pairs
 * @param {Print} print
 * @param {string} indent
 */
function pairLines({ pairs }, print, indent) {
  if (print.depth > 0)
    return pairs.flatMap(([label, value]) =>
      dim(wrapText(`${label}: ${textOf(value)}`, print.width, indent), print),
    );
  const labels = pairs.map(([label]) => plainLine(label));
  const column = Math.min(WIDEST_LABEL, Math.max(...labels.map(textWidth))) + 2;
  return pairs.flatMap(([, value], index) => {
    const label = labels[index] ?? '';
    const isLong = textWidth(label) > column - 2;
    const lines = wrapText(
      textOf(value),
      print.width,
      indent + padEnd(isLong ? '' : label, column),
    );
    return isLong ? [...wrapText(label, print.width, indent), ...lines] : lines;
  });
}

/**
 * Leaves out columns from the right if there is no room, and says so.
 * @param {Table} table @param {Print} print @param {string} indent
 */
function tableLines({ columns, rows, most = rows.length }, print, indent) {
  const { width, paint, page } = print;
  const cells = rows.slice(0, most);
  const texts = cells.map(row => row.map((cell, at) => cellText(cell, columns[at]?.unit, print)));
  const isDrawn = columns.map((_, at) => cells.some(row => isBar(row[at] ?? null)));
  const labels = columns.map(({ label }) => shortenText(plainLine(label), WIDEST_LABEL));
  const widths = labels.map((label, at) =>
    isDrawn[at]
      ? SHORTEST_BAR
      : Math.max(textWidth(label), ...texts.map(row => textWidth(row[at] ?? ''))),
  );
  const sumOf = (/** @type {number} */ count) =>
    widths.slice(0, count).reduce((sum, own) => sum + own + 2, indent.length - 2);
  const spare = Math.max(0, (widths[0] ?? 0) - Math.round(width * SHARE_OF_NAMES));
  const kept = [...columns.keys()].filter(at => at === 0 || sumOf(at + 1) - spare <= width);
  const room = SHORTEST_BAR + width - sumOf(kept.length);
  const longest = Math.max(SHORTEST_BAR, Math.min(WIDEST_BAR, room));
  const head = kept.map(at => labels[at] ?? '');
  const hasHead = head.some(label => label !== '');
  const body = texts.map((row, line) =>
    kept.map(at => {
      const cell = cells[line]?.[at] ?? null;
      if (!isBar(cell)) return row[at] ?? '';
      return padEnd(paint('cyan', drawBar(cell.bar, longest)), longest);
    }),
  );
  const lines = alignColumns(hasHead ? [head, ...body] : body, width, {
    indent,
    isLeft: kept.map(at => !columns[at]?.isNumber),
  });
  const dropped = labels.slice(kept.length).filter(label => label !== '');
  const notes = listPresent(
    rows.length > cells.length && `and ${formatCount(rows.length - cells.length)} more in ${page}`,
    dropped.length > 0 && `also in ${page}: ${dropped.join(', ')}`,
  );
  return [
    ...lines.map((line, at) => (hasHead && at === 0 ? paint('dim', line) : line)),
    ...notes.flatMap(note => dim(wrapText(note, width, indent), print)),
  ];
}

/** @type {Partial<Record<Level, Style>>} */
const CALLS = { better: 'green', worse: 'red', different: 'yellow' };

/**
 * @param {Cell} cell
 * @param {Unit | undefined} unit
 * @param {Print} print
 */
function cellText(cell, unit, { paint }) {
  const text = plainLine(textOf(cell, unit));
  const levels = spansOf(cell, unit).map(span => styleOf(span).level);
  const style = levels.map(level => level && CALLS[level]).find(Boolean);
  return style ? paint(style, text) : text;
}
