/** @import { StudyReport } from '../../text/study-report.d.ts' */

/**
 * The cells of a study for a spreadsheet: one row each, RFC 4180. A text that a spreadsheet would take
 * for a formula gets a `'` before it (OWASP, CSV injection).
 * @param {StudyReport} report
 * @returns {string} lines that end in CR LF
 */
export function renderStudyCsv({ cells, variants, factors, components, load, throughputLabel }) {
  const names = components
    .map(({ name }) => name)
    .filter(name => cells.some(({ cores }) => name in cores));
  const head = [
    'variant',
    ...factors.map(({ name }) => name),
    'load_model',
    load.unit === 'users' ? 'step_users' : 'step_per_s',
    'repeat',
    'kind',
    'outcome',
    `throughput (${throughputLabel})`,
    'p50_ms',
    'p95_ms',
    'p99_ms',
    'error_rate',
    ...names.map(name => `cores_${name}`),
    'cores_host',
    'folder',
    'reason',
  ];
  const rows = cells.map(cell => {
    const variant = variants.find(({ id }) => id === cell.variant);
    return [
      variant?.label ?? cell.variant,
      ...factors.map(({ name }) => variant?.factors[name] ?? null),
      load.model,
      cell.step,
      cell.repeat,
      cell.kind,
      cell.outcome,
      cell.throughputPerSec,
      cell.p50Ms,
      cell.p95Ms,
      cell.p99Ms,
      cell.errorRate,
      ...names.map(name => cell.cores[name] ?? null),
      cell.hostCores,
      cell.folder,
      cell.reason,
    ];
  });
  return [head, ...rows].map(row => `${row.map(writeField).join(',')}\r\n`).join('');
}

/** @param {string | number | null} value null: an empty field */
function writeField(value) {
  if (value === null) return '';
  if (typeof value === 'number') return String(Number(value.toPrecision(6)));
  // A label that is a plain number can not be a formula.
  const isFormula = /^[\s]*[=+\-@]|^[\t\r\n]/.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value);
  const text = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
