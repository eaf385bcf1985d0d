import { entryOf } from '../../base/files/maps.js';
import { textOf } from '../print/cells.js';
import { h, makeButton } from './dom.js';

/** @import { Unit } from '../../base/format.js' */
/** @import { Cell, Table } from '../../text/document/document.d.ts' */
/** @import { Child } from './dom.js' */

/** @typedef {{column: number, down: boolean}} Sorting column −1: as given */

/** A phone shows each row as a card if a table has more columns of text. */
const MOST_PHONE_COLUMNS = 3;
/** How tables are sorted, by caption: a table keeps its order when it is redrawn. @type {Map<string, Sorting>} */
const sortings = new Map();

/**
 * A table that scrolls sideways if it is too wide. The first column names the row.
 * @param {Table} of
 * @param {(cell: Cell, unit: Unit | undefined) => Child} printCell
 */
export function renderTable({ caption, columns, rows, isSortable }, printCell) {
  const lines = rows.map(row => {
    const cells = columns.map(({ label, isNumber, unit }, at) => {
      const cell = printCell(row[at] ?? null, unit);
      if (at === 0) return h('th', { scope: 'row' }, cell);
      // on a card, its name is beside it
      return h('td', { class: isNumber && 'number', 'data-label': label || null }, cell);
    });
    return h('tr', {}, cells);
  });
  const body = h('tbody', {}, lines);
  const headers = columns.map(({ label, about, isNumber }) =>
    h('th', { scope: 'col', class: isNumber && 'number', title: about }, label),
  );
  if (isSortable && rows.length > 1) {
    const sorting = entryOf(sortings, caption, () => ({ column: -1, down: true }));
    makeSortable(headers, body, rows, sorting);
  }
  const isWide = columns.filter(({ label }) => label !== '').length > MOST_PHONE_COLUMNS;
  const content = [h('caption', {}, caption), h('thead', {}, h('tr', {}, headers)), body];
  const table = h('table', { class: isWide && 'cards' }, content);
  const region = { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption };
  return h('div', region, table);
}

/**
 * @param {HTMLTableCellElement[]} headers
 * @param {HTMLTableSectionElement} body
 * @param {Table['rows']} rows in the order of the body's rows
 * @param {Sorting} sorting
 */
function makeSortable(headers, body, rows, sorting) {
  const entries = rows.map((row, index) => ({ row, element: body.rows[index] }));
  const sort = () => {
    const { column, down } = sorting;
    if (!headers[column]) return;
    for (const header of headers) header.removeAttribute('aria-sort');
    headers[column].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const keyIn = (/** @type {Table['rows'][number]} */ row) => keyOf(row[column] ?? null);
    entries.sort((a, b) => compareKeys(keyIn(a.row), keyIn(b.row)) * (down ? -1 : 1));
    body.replaceChildren(...entries.flatMap(({ element }) => element ?? []));
  };
  for (const [index, header] of headers.entries()) {
    const label = header.textContent;
    if (!label) continue;
    const press = () => {
      sorting.down = sorting.column !== index || !sorting.down;
      sorting.column = index;
      sort();
    };
    header.replaceChildren(makeButton(label, press, { class: 'sort' }));
  }
  sort();
}

/** The sort key of a cell. @param {Cell} cell @returns {number | string | null} */
function keyOf(cell) {
  if (typeof cell === 'number' || cell === null) return cell;
  if (typeof cell === 'object' && 'value' in cell) return cell.value;
  return textOf(cell);
}

/** Unknown values sort lowest. @param {number | string | null} a @param {number | string | null} b */
function compareKeys(a, b) {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b);
  return Number(a ?? -1) - Number(b ?? -1);
}
