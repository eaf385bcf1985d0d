import { formatCount, formatMs } from '../../format.js';
import { listTimes } from '../load-words.js';
import { h } from './dom.js';
import { table } from './table.js';

/** @import { LatencySummary, LoadReport } from '../../analysis/report.d.ts' */

const LATENCY_COLUMNS = ['n', 'min', 'mean', 'p50', 'p75', 'p90', 'p95', 'p99', 'max'].map(
  label => ({ label, number: true }),
);

/** @type {Record<string, string>} what a name leaves open */
const EXPLAINED = {
  'time to first byte': 'HTTP, time to first byte',
  total: 'HTTP, total (to the last byte)',
  'total from the intended start': 'HTTP, total from the intended start',
  'socket.io push': 'socket.io, push (between two clocks)',
  'socket.io wait for a push': 'socket.io, wait for a push (no latency of the server)',
  'session of a user': 'whole session of a user',
};

/** All times of a load test, and what new connections took. @param {LoadReport} load */
export function renderTimes(load) {
  const times = listTimes(load);
  if (times.length === 0) return h('p', { class: 'muted' }, 'No times were recorded.');
  return [
    table(
      'Times',
      [{ label: '' }, ...LATENCY_COLUMNS],
      times.map(({ name, times }) => ({
        cells: [EXPLAINED[name] ?? name, ...latencyCells(times)],
      })),
    ),
    renderConnections(load),
  ];
}

/** @param {LatencySummary} times */
function latencyCells({ count, minMs, meanMs, p50Ms, p75Ms, p90Ms, p95Ms, p99Ms, maxMs }) {
  return [
    formatCount(count),
    ...[minMs, meanMs, p50Ms, p75Ms, p90Ms, p95Ms, p99Ms, maxMs].map(formatMs),
  ];
}

/** @param {LoadReport} load */
function renderConnections({ http: { connections } }) {
  const { dns, tcp, tls } = connections;
  /** @type {[string, LatencySummary | null][]} */
  const parts = [
    ['name look-up', dns],
    ['TCP', tcp],
    ['TLS', tls],
  ];
  const known = parts.flatMap(([name, times]) =>
    times
      ? [
          `${name} ${formatMs(times.p50Ms)}, p99 ${formatMs(times.p99Ms)} (n\u00a0=\u00a0${formatCount(times.count)})`,
        ]
      : [],
  );
  if (known.length === 0) return null;
  return h('p', { class: 'muted' }, `New connections, median: ${known.join('; ')}.`);
}
