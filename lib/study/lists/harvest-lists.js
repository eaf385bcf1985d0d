/** Targets that are discovered instead of typed: a list in a page, an API's answer or a file → CSV. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { pickItems } from './pick-items.js';
import { readListSource } from './read-list-source.js';
import { findForeignItem } from './stay-home.js';

/** @import { List } from '../study-file.d.ts' */

/**
 * @typedef {object} PayloadEntry of Artillery's `config.payload`
 * @property {string} path absolute
 * @property {string[]} fields
 * @property {'random' | 'sequence'} order
 * @property {false} cast `007` stays what it is
 */

/**
 * @param {List[]} lists templates are filled
 * @param {object} options
 * @param {string} options.url of the target
 * @param {number[]} [options.ports] the study's own on this machine: items may lead there, too
 * @param {string} options.folder takes one CSV file per list
 * @param {string} options.studyDir lists of files lie below it
 * @param {AbortSignal} options.signal
 * @returns {Promise<{payload: PayloadEntry[]}>}
 * @throws {LoadflameError} STUDY_LIST_UNREADABLE, STUDY_LIST_EMPTY, STUDY_LIST_FOREIGN, INTERRUPTED
 */
export async function harvestLists(lists, { url, ports = [], folder, studyDir, signal }) {
  if (lists.length > 0) mkdirSync(folder, { recursive: true });
  /** @type {PayloadEntry[]} */
  const payload = [];
  for (const { name, from, match, order } of lists) {
    const source = await readListSource({ name, from }, { url, studyDir, signal });
    const items = pickItems({ name, from, match }, source);
    if (items.length === 0) throw new LoadflameError('STUDY_LIST_EMPTY', { name, match, from });
    const home = { url, ports };
    const foreign = findForeignItem(items, home);
    if (foreign !== null) {
      const allowed = [new URL(url).host, ...ports.map(port => `127.0.0.1:${port}`)].join(', ');
      throw new LoadflameError('STUDY_LIST_FOREIGN', { name, item: shorten(foreign), allowed });
    }
    const file = path.resolve(folder, `${name}.csv`);
    writeFileSync(file, items.map(item => `"${item.replaceAll('"', '""')}"\n`).join(''));
    payload.push({ path: file, fields: [name], order, cast: false });
  }
  return { payload };
}

/** @param {string} item */
function shorten(item) {
  return item.length > 120 ? `${item.slice(0, 119)}…` : item;
}
