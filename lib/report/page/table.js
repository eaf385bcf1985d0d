import { h } from './dom.js';

/** @import { Child } from './dom.js' */

/**
 * @typedef {object} Column
 * @property {string} label
 * @property {string} [about] what the column means, as its tooltip
 * @property {boolean} [number] right-aligned
 * @typedef {{column: number, down: boolean}} Sorting column −1: as given
 */

/**
 * A table that scrolls by itself where it is too wide. With `keys`, its headers sort it.
 * @param {string} caption
 * @param {Column[]} columns
 * @param {{cells: Child[], keys?: (number | string)[], class?: string | null}[]} rows
 * @param {Sorting} [sorting] keeps the order where a table is drawn anew
 */
export function table(caption, columns, rows, sorting = { column: -1, down: true }) {
  const body = h(
    'tbody',
    {},
    rows.map(row => tableRow(columns, row)),
  );
  const headers = columns.map(({ label, about, number }) =>
    h('th', { scope: 'col', class: number ? 'number' : null, title: about ?? null }, label),
  );
  if (rows.length > 1 && rows[0]?.keys) makeSortable(headers, body, rows, sorting);
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, headers)), body),
  );
}

/** @param {Column[]} columns @param {{cells: Child[], class?: string | null}} row */
function tableRow(columns, { cells, class: className }) {
  return h(
    'tr',
    { class: className },
    cells.map((cell, index) => {
      if (index === 0) return h('th', { scope: 'row' }, cell);
      return h('td', { class: columns[index]?.number ? 'number' : null }, cell);
    }),
  );
}

/**
 * @param {HTMLTableCellElement[]} headers
 * @param {HTMLTableSectionElement} body
 * @param {{keys?: (number | string)[]}[]} rows in the order of the body's rows
 * @param {Sorting} sorting
 */
function makeSortable(headers, body, rows, sorting) {
  const entries = rows.map(({ keys = [] }, index) => ({ keys, row: body.rows[index] }));
  const sort = () => {
    const { column, down } = sorting;
    for (const header of headers) header.removeAttribute('aria-sort');
    headers[column]?.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    entries.sort((a, b) => compareKeys(a.keys[column], b.keys[column]) * (down ? -1 : 1));
    body.replaceChildren(...entries.flatMap(({ row }) => row ?? []));
  };
  for (const [index, header] of headers.entries()) {
    if (header.textContent === '') continue;
    const button = h('button', { type: 'button', class: 'sort' }, header.textContent);
    header.replaceChildren(button);
    button.addEventListener('click', () => {
      sorting.down = sorting.column !== index || !sorting.down;
      sorting.column = index;
      sort();
    });
  }
  if (sorting.column >= 0) sort();
}

/** @param {number | string | undefined} a @param {number | string | undefined} b */
function compareKeys(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b));
}
