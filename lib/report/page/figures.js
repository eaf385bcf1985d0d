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
import { addWindows } from './compute/sums.js';
import { h } from './dom.js';
import { sparkline } from './sparkline.js';

/** @import { Report } from '../../analysis/report.d.ts' */

/** @typedef {{label: string, value: string, note: string, trend?: (number | null)[], color?: string}} Figure */

/** The four numbers that a reader looks for first, each with its trend. @param {Report} report */
export function renderFigures(report) {
  const figures = [...loadFigures(report), ...cpuFigures(report)].slice(0, 4);
  if (figures.length === 0) return null;
  return h('dl', { class: 'figures' }, figures.map(renderFigure));
}

/** @param {Figure} figure */
function renderFigure({ label, value, note, trend, color = '--s-requests' }) {
  return h(
    'div',
    {},
    h('dt', {}, label),
    h('dd', {}, h('span', { class: 'value' }, value), h('span', { class: 'note' }, note)),
    trend && h('dd', { class: 'trend' }, sparkline(trend, color)),
  );
}

/** @param {Report} report @returns {Figure[]} */
function loadFigures({ load, timeline }) {
  if (!load) return [];
  const { http, window } = load;
  const seconds = lengthsOf(timeline?.edgesMs ?? []);
  /** @param {(number | null)[] | undefined} values */
  const rate = values => values?.map((value, index) => (value ?? 0) / (seconds[index] || 1));
  const times = http.totalTime ?? http.timeToFirstByte;
  /** @type {Figure[]} */
  const figures = [
    {
      label: 'Throughput',
      value: formatRate(http.throughputPerSec),
      note: `${formatNumberOf(http.requests, 'request')} in ${formatDuration(window.endMs - window.startMs)}`,
      trend: rate(timeline?.load?.requests),
      color: '--s-requests',
    },
  ];
  if (times) {
    const what = http.totalTime ? 'to the last byte' : 'to the first byte';
    figures.push({
      label: `Latency p95, ${what}`,
      value: formatMs(times.p95Ms),
      note: `median ${formatMs(times.p50Ms)}, p99 ${formatMs(times.p99Ms)}, n\u00a0=\u00a0${formatCount(times.count)}`,
      trend: timeline?.load?.p95Ms,
      color: '--s-p95',
    });
  }
  figures.push({
    label: 'Failed',
    value: formatPercent(http.errorRate),
    note: `of ${formatNumberOf(http.requests, 'request')}`,
    trend: rate(timeline?.load?.errors),
    color: '--s-errors',
  });
  return figures;
}

/** @param {Report} report @returns {Figure[]} */
function cpuFigures({ load, profile, timeline }) {
  if (!profile) return [];
  const { perRequest, basis } = profile.cpu;
  const { active, waiting } = profile.samples;
  const cpuMs = addWindows(
    (timeline?.workers ?? []).map(worker => worker.cpuMs),
    lengthsOf(timeline?.edgesMs ?? []).length,
  );
  /** @type {Figure[]} */
  const figures = [];
  if (perRequest) {
    const bound = basis === 'samples-upper-bound';
    const used = profile.workers
      .map(({ cores }) => cores ?? 0)
      .reduce((sum, cores) => sum + cores, 0);
    figures.push({
      label: 'Worker CPU per request',
      value: `${bound ? '≤ ' : ''}${formatMs(perRequest.value)}`,
      note: bound
        ? 'upper bound, from samples'
        : [
            perRequest.low !== null && `95 %: ${formatMsInterval(perRequest)}`,
            used > 0 &&
              `${formatNumberOf(profile.workers.length, 'worker')}, ${formatCores(used)} cores`,
          ]
            .filter(Boolean)
            .join('; '),
      trend: cpuMs.map((ms, window) => {
        const requests = timeline?.load?.requests[window] ?? 0;
        return ms === null || requests === 0 ? null : ms / requests;
      }),
      color: '--s-p99',
    });
  }
  if (!load || !perRequest) {
    figures.push({
      label: 'Active samples',
      value: formatCount(active),
      note: `${formatCount(waiting)} waiting taken out`,
    });
    const [first] = profile.categories;
    if (first)
      figures.push({
        label: `Share of ${first.label}`,
        value: formatPercent(first.share.value),
        note: 'of active samples, the largest category',
      });
  }
  return figures;
}

/** @param {number[]} edgesMs @returns {number[]} s */
function lengthsOf(edgesMs) {
  return edgesMs.slice(1).map((edge, window) => (edge - (edgesMs[window] ?? 0)) / 1000);
}
