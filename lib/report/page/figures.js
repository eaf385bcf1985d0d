import {
  formatCores,
  formatCount,
  formatDuration,
  formatMs,
  formatMsInterval,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../../format.js';
import { addWindows, secondsOf } from './compute/sums.js';
import { svg } from './dom.js';
import { renderFigureList } from './overview.js';

/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */
/** @import { Figure } from './overview.js' */

/** The four numbers that a reader looks for first, each with its trend. @param {Report} report */
export function renderFigures(report) {
  return renderFigureList([...loadFigures(report), cpuFigure(report)].filter(figure => !!figure));
}

/** @param {Report} report @returns {(Figure | null | undefined)[]} */
function loadFigures({ load, timeline }) {
  if (!load) return [];
  const { http, window, failures } = load;
  const seconds = secondsOf(timeline?.edgesMs ?? []);
  /** @param {(number | null)[] | undefined} values */
  const rate = values => values?.map((value, index) => (value ?? 0) / (seconds[index] || 1));
  const times = http.totalTime ?? http.timeToFirstByte;
  const requests = formatNumberOf(http.requests, 'request');
  return [
    {
      label: 'Throughput',
      value: formatRate(http.throughputPerSec),
      notes: [`${requests} in ${formatDuration(window.endMs - window.startMs)}`],
      trend: sparkline(rate(timeline?.load?.requests), '--s-requests'),
    },
    times && {
      label: `Latency p95, to the ${http.totalTime ? 'last' : 'first'} byte`,
      value: formatMs(times.p95Ms),
      notes: [
        `median ${formatMs(times.p50Ms)}, p99 ${formatMs(times.p99Ms)}, n\u00a0=\u00a0${formatCount(times.count)}`,
      ],
      trend: sparkline(timeline?.load?.p95Ms, '--s-p95'),
    },
    {
      label: 'Failed',
      value: formatPercent(failures.share),
      notes: [failures.text],
      trend: sparkline(rate(timeline?.load?.errors), '--s-errors'),
    },
  ];
}

/** @param {Report} report @returns {Figure | null | undefined} */
function cpuFigure({ cpu, timeline }) {
  if (!cpu?.perRequest) return null;
  const { perRequest, basis } = cpu;
  const isBound = basis === 'samples-upper-bound';
  const workers = formatNumberOf(Math.round(cpu.processes ?? 0), 'worker');
  const notes = [
    perRequest.low !== null && `95 %: ${formatMsInterval(perRequest)}`,
    cpu.cores !== null && cpu.cores > 0 && `${workers}, ${formatCores(cpu.cores)} cores`,
  ];
  const cpuMs = addWindows(
    (timeline?.workers ?? []).map(worker => worker.cpuMs),
    (timeline?.edgesMs.length ?? 1) - 1,
  );
  const perWindow = cpuMs.map((ms, window) => {
    const requests = timeline?.load?.requests[window] ?? 0;
    return ms === null || requests === 0 ? null : ms / requests;
  });
  return {
    label: 'Worker CPU per request',
    value: `${isBound ? '≤ ' : ''}${formatMs(perRequest.value)}`,
    notes: [isBound ? 'upper bound, from samples' : notes.filter(Boolean).join('; ')],
    trend: sparkline(perWindow, '--s-p99'),
  };
}

const SPARK_WIDTH = 132;
const SPARK_HEIGHT = 30;

/**
 * The trend of a figure, without axes: the number beside it says how much.
 * @param {(number | null)[] | undefined} values over time
 * @param {string} color custom property
 */
function sparkline(values = [], color) {
  const known = values.filter(value => value !== null);
  if (known.length < 2) return null;
  const top = Math.max(...known) || 1;
  const step = SPARK_WIDTH / (values.length - 1);
  const points = values.map((value, index) => {
    if (value === null) return '';
    const start = (values[index - 1] ?? null) === null ? 'M' : 'L';
    const y = SPARK_HEIGHT - 2 - (value / top) * (SPARK_HEIGHT - 4);
    return `${start}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
  });
  const line = points.join('');
  const picture = svg(
    'svg',
    {
      class: 'spark',
      viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
      focusable: 'false',
    },
    svg('path', {
      class: 'spark-area',
      d: `${line}L${SPARK_WIDTH} ${SPARK_HEIGHT}L0 ${SPARK_HEIGHT}Z`,
    }),
    svg('path', { class: 'spark-line', d: line }),
  );
  picture.style.color = `var(${color})`;
  return picture;
}
