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
      times.map(({ name, times }) => ({ cells: [EXPLAINED[name] ?? name, ...cellsOf(times)] })),
    ),
    renderConnections(load),
  ];
}

/** @param {LatencySummary} times */
function cellsOf({ count, minMs, meanMs, p50Ms, p75Ms, p90Ms, p95Ms, p99Ms, maxMs }) {
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

/** @param {LoadReport} load */
export function renderEndpoints({ endpoints }) {
  const first = 'time to first byte';
  const total = 'from the wish to send to the last byte, connecting included';
  const hasTotal = endpoints.some(({ totalTime }) => totalTime);
  /** @type {{label: string, about: string, of: (endpoint: LoadReport['endpoints'][number]) => number | undefined}[]} */
  const times = [
    { label: 'p50', about: first, of: ({ timeToFirstByte }) => timeToFirstByte?.p50Ms },
    { label: 'p95', about: first, of: ({ timeToFirstByte }) => timeToFirstByte?.p95Ms },
    { label: 'p99', about: first, of: ({ timeToFirstByte }) => timeToFirstByte?.p99Ms },
    { label: 'max', about: first, of: ({ timeToFirstByte }) => timeToFirstByte?.maxMs },
  ];
  if (hasTotal) {
    times.push(
      { label: 'total p50', about: total, of: ({ totalTime }) => totalTime?.p50Ms },
      { label: 'total p99', about: total, of: ({ totalTime }) => totalTime?.p99Ms },
    );
  }
  return [
    h(
      'p',
      { class: 'lede' },
      `Times are times to first byte${hasTotal ? '; total is to the last byte, connecting included' : ''}. A click on a column’s name sorts.`,
    ),
    table(
      'Endpoints',
      [
        { label: 'Endpoint' },
        { label: 'Requests', number: true },
        { label: 'Failed', number: true },
        { label: 'Codes' },
        ...times.map(({ label, about }) => ({ label, about, number: true })),
      ],
      endpoints.map(endpoint => {
        const { name, requests, errors, codes } = endpoint;
        const values = times.map(({ of }) => of(endpoint) ?? null);
        return {
          cells: [
            h('span', { class: 'mono' }, name),
            formatCount(requests),
            errors > 0 ? h('strong', { class: 'bad' }, formatCount(errors)) : '0',
            codes.map(({ code, count }) => `${code} × ${formatCount(count)}`).join(', '),
            ...values.map(formatMs),
          ],
          keys: [name, requests, errors, codes[0]?.code ?? '', ...values.map(ms => ms ?? -1)],
        };
      }),
    ),
  ];
}
