import { CELL_COLUMNS } from '../../text/measures.js';

/** @import { StudyReport } from '../../text/study-report.d.ts' */

/** @typedef {StudyReport['cells'][number]} Cell */
/** @typedef {[head: string, of: (cell: Cell) => string | number | null]} Column */

/**
 * The cells of a study for a spreadsheet: one row each, RFC 4180. Text that a spreadsheet would read
 * as a formula gets a `'` before it (OWASP, CSV injection).
 * @param {StudyReport} report
 * @returns {string} lines that end in CR LF
 */
export function renderStudyCsv({ cells, variants, factors, components, load, throughputLabel }) {
  const names = components
    .map(({ name }) => name)
    .filter(name => cells.some(cell => useOf(cell, name)));
  const variantOf = (/** @type {Cell} */ cell) => variants.find(({ id }) => id === cell.variant);
  /** @type {Column[]} */
  const columns = [
    ['variant', cell => variantOf(cell)?.label ?? cell.variant],
    ...factors.map(({ name }) => column(name, cell => variantOf(cell)?.factors[name] ?? null)),
    ['load_model', () => load.model],
    [
      `step_${load.unit === 'per second' ? 'per_s' : load.unit.replace(' ', '_')}`,
      ({ step }) => step,
    ],
    ['repeat', ({ repeat }) => repeat],
    ['kind', ({ kind }) => kind],
    ['outcome', ({ outcome }) => outcome],
    [`throughput (${throughputLabel})`, cell => cell.throughputPerSec],
    ...(load.model === 'burst'
      ? [
          column('answered_per_s', cell => cell.dispatchPerSec),
          column('drain_s', cell => cell.drainSec),
        ]
      : []),
    ...CELL_COLUMNS.map(({ id, csv }) => column(csv, cell => cell[id])),
    ...names.map(name => column(`cores_${name}`, cell => useOf(cell, name)?.cores ?? null)),
    ...names.flatMap(name => [
      column(`processes_${name}`, cell => useOf(cell, name)?.processes.mean ?? null),
      column(`rss_bytes_${name}`, cell => useOf(cell, name)?.rssBytes ?? null),
      column(`pss_bytes_${name}`, cell => useOf(cell, name)?.pssBytes ?? null),
    ]),
    ['cores_host', ({ hostCores }) => hostCores],
    ['folder', ({ folder }) => folder],
    ['reason', ({ reason }) => reason],
  ];
  const heads = columns.map(([head]) => head);
  const rows = [heads, ...cells.map(cell => columns.map(([, of]) => of(cell)))];
  return rows.map(row => `${row.map(writeField).join(',')}\r\n`).join('');
}

/** @param {Cell} cell @param {string} name of a component */
const useOf = ({ components }, name) => components.find(one => one.name === name);

/** @param {string} head @param {(cell: Cell) => string | number | null} of @returns {Column} */
const column = (head, of) => [head, of];

/** @param {string | number | null} value null: an empty field */
function writeField(value) {
  if (value === null) return '';
  if (typeof value === 'number') return String(Number(value.toPrecision(6)));
  // A label that is a plain number cannot be a formula.
  const isFormula = /^[\s]*[=+\-@]|^[\t\r\n]/.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value);
  const text = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
