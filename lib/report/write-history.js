/** A history as other tools read it, and as a picture. */
import { formatInUnit } from '../format.js';
import { MEASURE_LABELS } from '../text/measures.js';
import { escapeXml } from './render-junit.js';
import { writeField } from './study/render-csv.js';

/** @import { HistoryMeasure, HistoryReport, HistorySeries } from '../facts/history.d.ts' */

/** Of the picture, px. */
const WIDTH = 720;
const CHART = 130;
const TITLE = 24;
const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#555}circle{fill:#0067a8}line{stroke:#c00;stroke-dasharray:4 3}path{stroke:#bbb}svg{background:#fff}';

/**
 * CSV of the series with the newest run, as Apache Otava's importer of `type: csv` takes it: a time, attributes, a
 * column for each metric.
 * @param {HistoryReport} history
 */
export function exportOtava({ series: [newest] }) {
  const { entries = [], measures = [] } = newest ?? {};
  const lines = [
    ['time', 'commit', 'branch', 'run', ...measures.map(({ id }) => id)],
    ...entries.flatMap(({ isUsed, t, commit, branch, id }, at) => {
      const values = measures.map(own => own.values[at] ?? null);
      return isUsed ? [[new Date(t).toISOString(), commit, branch, id, ...values]] : [];
    }),
  ];
  return lines.map(cells => `${cells.map(writeField).join(',')}\n`).join('');
}

/**
 * The newest run of each series in Bencher Metric Format, for its adapter `json`. Its own `latency` is in nanoseconds,
 * so figures keep their names here: `total-p95-ms`.
 * @param {HistoryReport} history
 */
export function exportBencher({ series }) {
  const benchmarks = series.map(({ of, fingerprint, measures }) => [
    `${of.script?.name}${series.length > 1 ? ` (${fingerprint})` : ''}`,
    Object.fromEntries(
      measures.flatMap(({ id, values }) => {
        const slug = id.replace(/[.A-Z]/g, one => (one === '.' ? '-' : `-${one.toLowerCase()}`));
        const value = values.at(-1) ?? null;
        return value === null ? [] : [[slug, { value }]];
      }),
    ),
  ]);
  return `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n`;
}

/** @param {HistoryReport} history @returns {string} SVG, of all series */
export function renderHistorySvg({ series }) {
  const charts = series.flatMap(own => own.measures.map(measure => drawMeasure(measure, own)));
  const height = charts.length * CHART;
  const placed = charts.map(
    (chart, at) => `<g transform="translate(0 ${at * CHART})">${chart}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<style>${STYLE}</style>
${placed.join('\n')}
</svg>
`;
}

/** From 0, so that what looks large is large. @param {HistoryMeasure} measure @param {HistorySeries} series */
function drawMeasure({ id, unit, values }, { of, entries, changes }) {
  const most = Math.max(...values.map(value => value ?? 0));
  const x = (/** @type {number} */ at) => (((at + 0.5) / values.length) * WIDTH).toFixed(1);
  const lines = changes.map(
    ({ at }) => `<line x1="${x(at - 0.5)}" x2="${x(at - 0.5)}" y1="${TITLE}" y2="${CHART - 1}"/>`,
  );
  const dots = values.map((value, at) => {
    const y = CHART - 4 - ((value ?? 0) / (most || 1)) * (CHART - TITLE - 8);
    const name = escapeXml(`${entries[at]?.id}: ${formatInUnit(value, unit)}`);
    const dot = `<circle cx="${x(at)}" cy="${y.toFixed(1)}" r="3"><title>${name}</title></circle>`;
    return value === null ? '' : dot;
  });
  const title = `${MEASURE_LABELS[id]}, 0 to ${formatInUnit(most, unit)} · ${of.script?.name ?? ''}`;
  return `<text x="6" y="16">${escapeXml(title)}</text><path d="M0 ${CHART - 1}H${WIDTH}"/>${lines.join('')}${dots.join('')}`;
}
