/** Text from outside in Markdown: it stays text. */
import { plainLine } from './plain-text.js';

/**
 * One line without anything that Markdown or HTML would take for a sign of its own.
 * @param {string} text
 */
export function escapeMarkdown(text) {
  return plainLine(text)
    .replace(/[\\`*_{}[\]<>#|~@]/g, character => `&#${character.charCodeAt(0)};`)
    .replace(/:\/\//g, '&#58;//');
}

/**
 * A table; cells are escaped.
 * @param {string[]} head
 * @param {string[][]} rows
 * @returns {string[]} lines
 */
export function markdownTable(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, index) => (index === 0 ? ' --- |' : ' ---: |')).join('')}`,
    ...rows.map(line),
  ];
}
