import { h } from './dom.js';

/** @import { Child } from './dom.js' */

/**
 * @typedef {object} Column
 * @property {string} label
 * @property {string} [about] what the column means, as its tooltip
 * @property {boolean} [number] right-aligned
 */

/**
 * A table that scrolls by itself where it is too wide. With `keys`, its headers sort it.
 * @param {string} caption
 * @param {Column[]} columns
 * @param {{cells: Child[], keys?: (number | string)[]}[]} rows
 */
export function table(caption, columns, rows) {
  const body = h(
    'tbody',
    {},
    rows.map(({ cells }) => tableRow(columns, cells)),
  );
  const headers = columns.map(({ label, about, number }) =>
    h('th', { scope: 'col', class: number ? 'number' : null, title: about ?? null }, label),
  );
  if (rows.length > 1 && rows[0]?.keys) makeSortable(headers, body, rows);
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, headers)), body),
  );
}

/** @param {Column[]} columns @param {Child[]} cells */
function tableRow(columns, cells) {
  return h(
    'tr',
    {},
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
 */
function makeSortable(headers, body, rows) {
  const entries = rows.map(({ keys = [] }, index) => ({ keys, row: body.rows[index] }));
  for (const [index, header] of headers.entries()) {
    const button = h('button', { type: 'button', class: 'sort' }, header.textContent);
    header.replaceChildren(button);
    button.addEventListener('click', () => {
      const down = header.getAttribute('aria-sort') !== 'descending';
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      entries.sort((a, b) => compareKeys(a.keys[index], b.keys[index]) * (down ? -1 : 1));
      body.replaceChildren(...entries.flatMap(({ row }) => row ?? []));
    });
  }
}

/** @param {number | string | undefined} a @param {number | string | undefined} b */
function compareKeys(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b));
}
