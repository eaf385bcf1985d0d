/** Puts generated text between its markers in a page that is otherwise written by hand. */
import { readFileSync, writeFileSync } from 'node:fs';

/** @param {string} file @param {string} name @param {string} text @throws {Error} when the markers are not there */
export function writeSection(file, name, text) {
  writeFileSync(file, replaceSection(readFileSync(file, 'utf8'), name, text));
}

/** @param {string} page @param {string} name @param {string} text */
export function replaceSection(page, name, text) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the page has no markers ${start} … ${end}`);
  return `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`;
}
