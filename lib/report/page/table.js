import { h, makeButton } from './dom.js';

/** @import { Child } from './dom.js' */

/**
 * @template R
 * @typedef {object} Column
 * @property {string} label
 * @property {(row: R, index: number) => Child} cell
 * @property {(row: R) => number | string | null | undefined} [key] what its header sorts by
 * @property {string} [about] what the column means, as its tooltip
 * @property {boolean} [number] right-aligned
 */

/** @typedef {{column: number, down: boolean}} Sorting column −1: as given */

/** With more columns of text than these, a phone shows each row as a card. */
const MOST_PHONE_COLUMNS = 3;

/**
 * A table that scrolls by itself where it is too wide. The first column names the row.
 * @template R
 * @param {string} caption
 * @param {R[]} rows
 * @param {(Column<R> | false | null | undefined)[]} columns
 * @param {{sorting?: Sorting}} [options] with `sorting`, headers sort; it keeps the order where a table is drawn anew
 */
export function table(caption, rows, columns, { sorting } = {}) {
  const shown = columns.filter(
    column => column !== false && column !== null && column !== undefined,
  );
  const body = h(
    'tbody',
    {},
    rows.map((row, index) =>
      h(
        'tr',
        {},
        shown.map((column, place) => tableCell(column, row, index, place === 0)),
      ),
    ),
  );
  const headers = shown.map(({ label, about, number }) =>
    h('th', { scope: 'col', class: number && 'number', title: about }, label),
  );
  if (sorting && rows.length > 1) makeSortable(shown, headers, body, rows, sorting);
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    h(
      'table',
      { class: shown.filter(({ label }) => label !== '').length > MOST_PHONE_COLUMNS && 'cards' },
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, headers)),
      body,
    ),
  );
}

/** @template R @param {Column<R>} column @param {R} row @param {number} index @param {boolean} isName */
function tableCell({ label, number, cell }, row, index, isName) {
  if (isName) return h('th', { scope: 'row' }, cell(row, index));
  // its name stands beside it on a card
  return h('td', { class: number && 'number', 'data-label': label || null }, cell(row, index));
}

/**
 * @template R
 * @param {Column<R>[]} columns
 * @param {HTMLTableCellElement[]} headers
 * @param {HTMLTableSectionElement} body
 * @param {R[]} rows in the order of the body's rows
 * @param {Sorting} sorting
 */
function makeSortable(columns, headers, body, rows, sorting) {
  const entries = rows.map((row, index) => ({ row, element: body.rows[index] }));
  const sort = () => {
    const { column, down } = sorting;
    const key = columns[column]?.key;
    if (!key) return;
    for (const header of headers) header.removeAttribute('aria-sort');
    headers[column]?.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    entries.sort((a, b) => compareKeys(key(a.row), key(b.row)) * (down ? -1 : 1));
    body.replaceChildren(...entries.flatMap(({ element }) => element ?? []));
  };
  for (const [index, { label, key }] of columns.entries()) {
    if (!key || label === '') continue;
    const press = () => {
      sorting.down = sorting.column !== index || !sorting.down;
      sorting.column = index;
      sort();
    };
    headers[index]?.replaceChildren(makeButton(label, press, { class: 'sort' }));
  }
  sort();
}

/** What is not known is the least. @param {number | string | null | undefined} a @param {number | string | null | undefined} b */
function compareKeys(a, b) {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b);
  return Number(a ?? -1) - Number(b ?? -1);
}
