/**
 * Lines of text for a terminal: wrapping, columns and colour. Text from outside goes through `plainLine`, so that it
 * cannot control the terminal: wrapped text here, all other text in the caller.
 */
import { styleText } from 'node:util';
import { plainLine } from '../../base/files/plain-text.js';

/** @typedef {'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'} Style */
/** @typedef {(style: Style, text: string) => string} Paint */

/** @param {boolean} color false: text stays unchanged @returns {Paint} */
export function makePaint(color) {
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}

// East Asian wide characters and emoji take two columns
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
const PAINTED = /\u001b\[\d+m/g;

/** Number of columns of a text, without its colours. @param {string} text */
export function textWidth(text) {
  let width = 0;
  for (const character of text.replace(PAINTED, '')) {
    if (/\p{Mn}|\u200b|\u200d|\ufe0f/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/**
 * Breaks a sentence at spaces, and cuts words that are too long for a line. A number stays with its unit.
 * @param {string} text
 * @param {number} width of a line with its indent
 * @param {string} [first] indent of the first line, such as "- "
 * @param {string} [rest] indent of the others
 * @returns {string[]} lines
 */
export function wrapText(text, width, first = '', rest = ' '.repeat(textWidth(first))) {
  const room = Math.max(20, width - textWidth(first));
  const words = plainLine(text)
    .replace(/(\d) (?=%|±|(?:ms|s|min|h|kB|MB|GB)\b)|(±) (?=\d)/g, '$1$2\u00a0')
    .split(/[ \n\t]+/)
    .flatMap(word => cutWord(word, room));
  /** @type {string[]} */
  const lines = [];
  let line = '';
  let left = room;
  for (const word of words) {
    left -= textWidth(word) + 1;
    if (line && left < -1) {
      lines.push(line);
      line = '';
      left = room - textWidth(word) - 1;
    }
    line += line ? ` ${word}` : word;
  }
  lines.push(line);
  return lines.map((content, index) => (index ? rest : first) + content.replaceAll('\u00a0', ' '));
}

/** @param {string} word @param {number} room */
function cutWord(word, room) {
  /** @type {string[]} */
  const parts = [];
  let part = '';
  let width = 0;
  for (const character of word) {
    const added = textWidth(character);
    if (width + added > room) {
      parts.push(part);
      part = '';
      width = 0;
    }
    part += character;
    width += added;
  }
  return [...parts, part];
}

/** @param {string} text @param {number} width */
export function padEnd(text, width) {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** @param {string} text @param {number} width */
export function padStart(text, width) {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** @param {string} text @param {number} width */
export function shortenText(text, width) {
  if (textWidth(text) <= width) return text;
  let short = '';
  for (const character of text) {
    if (textWidth(short + character) > width - 1) break;
    short += character;
  }
  return `${short}…`;
}

/**
 * Aligns columns: the first to the left, cut if it is too long, the others to the right. If two names would be equal
 * after the cut, each gets a line of its own.
 * @param {string[][]} rows
 * @param {number} width of a whole line
 * @param {{indent?: string, isLeft?: boolean[]}} [options] `isLeft`: of each column; the first one always is
 */
export function alignColumns(rows, width, { indent = '  ', isLeft = [] } = {}) {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map(row => textWidth(row[column] ?? ''))),
  );
  const others = widths.slice(1).reduce((sum, value) => sum + value + 2, 0);
  const first = Math.max(8, Math.min(widths[0] ?? 0, width - indent.length - others));
  const heads = Map.groupBy(new Set(rows.map(([head = '']) => head)), head =>
    shortenText(head, first),
  );
  return rows.flatMap(([head = '', ...cells]) => {
    const right = cells.map((cell, index) =>
      (isLeft[index + 1] ? padEnd : padStart)(cell, widths[index + 1] ?? 0),
    );
    const short = shortenText(head, first);
    const isAlike = (heads.get(short)?.length ?? 0) > 1;
    const line = `${indent}${[padEnd(isAlike ? '' : short, first), ...right].join('  ')}`.trimEnd();
    return isAlike ? [...wrapText(head, width, indent), line] : [line];
  });
}

/**
 * Joins blocks of lines with an empty line between them. Leaves out empty blocks.
 * @param {string[][]} blocks
 * @returns {string} without a line feed at the end
 */
export function joinBlocks(blocks) {
  const texts = blocks.map(lines => lines.join('\n'));
  return texts.filter(text => text !== '').join('\n\n');
}

/**
 * A bar of block characters.
 * @param {number} fraction of the whole width
 * @param {number} width in columns
 */
export function drawBar(fraction, width) {
  const eighths = Math.round(Math.min(1, Math.max(0, fraction)) * width * 8);
  return (
    '█'.repeat(Math.floor(eighths / 8)) +
    (['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8] ?? '')
  );
}
