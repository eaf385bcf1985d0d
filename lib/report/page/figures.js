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
import { renderFigureList } from './overview.js';

/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */
/** @import { Figure } from './overview.js' */

/** The four numbers that a reader looks for first. @param {Report} report */
export function renderFigures(report) {
  return renderFigureList([...loadFigures(report), cpuFigure(report)].filter(figure => !!figure));
}

/** @param {Report} report @returns {(Figure | null | undefined)[]} */
function loadFigures({ load }) {
  if (!load) return [];
  const { http, window, failures } = load;
  const times = http.totalTime ?? http.timeToFirstByte;
  const requests = formatNumberOf(http.requests, 'request');
  return [
    {
      label: 'Throughput',
      value: formatRate(http.throughputPerSec),
      notes: [`${requests} in ${formatDuration(window.endMs - window.startMs)}`],
    },
    times && {
      label: `Latency p95, to the ${http.totalTime ? 'last' : 'first'} byte`,
      value: formatMs(times.p95Ms),
      notes: [
        `median ${formatMs(times.p50Ms)}, p99 ${formatMs(times.p99Ms)}, n\u00a0=\u00a0${formatCount(times.count)}`,
      ],
    },
    { label: 'Failed', value: formatPercent(failures.share), notes: [failures.text] },
  ];
}

/** @param {Report} report @returns {Figure | null} */
function cpuFigure({ cpu }) {
  if (!cpu?.perRequest) return null;
  const { perRequest, basis } = cpu;
  const isBound = basis === 'samples-upper-bound';
  const workers = formatNumberOf(Math.round(cpu.processes ?? 0), 'worker');
  const notes = [
    perRequest.low !== null && `95 %: ${formatMsInterval(perRequest)}`,
    cpu.cores !== null && cpu.cores > 0 && `${workers}, ${formatCores(cpu.cores)} cores`,
  ];
  return {
    label: 'Worker CPU per request',
    value: `${isBound ? '≤ ' : ''}${formatMs(perRequest.value)}`,
    notes: [isBound ? 'upper bound, from samples' : notes.filter(Boolean).join('; ')],
  };
}
