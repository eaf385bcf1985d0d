import { formatBytes, formatCount, formatMs, formatPercent } from '../../format.js';
import { h } from './dom.js';
import { table } from './table.js';

/** @import { LoadReport } from '../../analysis/report.d.ts' */

/** How the load generator itself did. @param {LoadReport} load */
export function renderGenerator({ generator }) {
  if (!generator) return null;
  const { cores, lag, rssBytesMax } = generator;
  const facts = [
    cores !== null && `${cores.toFixed(2)} cores together`,
    rssBytesMax !== null && `${formatBytes(rssBytesMax)} of memory at most`,
    lag
      ? `users started late by ${formatMs(lag.p50Ms)} (median), ${formatMs(lag.p99Ms)} (p99), ${formatMs(lag.maxMs)} (max)`
      : 'no schedule to be late for (closed loop)',
  ];
  return [
    h('h3', {}, 'Load generator'),
    h('p', { class: 'lede' }, `${facts.filter(Boolean).join('; ')}.`),
    table(
      'Workers of the load generator',
      [
        { label: 'Worker' },
        { label: 'Busy (mean)', about: 'event-loop utilisation', number: true },
        { label: 'Busy (most)', about: 'in the busiest second', number: true },
        { label: 'Cores used', number: true },
        {
          label: 'Loop late (p99)',
          about: 'event-loop delay, p99 of the worst second',
          number: true,
        },
        { label: 'Longest GC', number: true },
        { label: 'Sockets (most)', number: true },
        { label: 'Users started', number: true },
      ],
      generator.workers.map(worker => ({
        cells: [
          formatCount(worker.worker),
          formatPercent(worker.utilization),
          formatPercent(worker.utilizationMax),
          worker.cores === null ? '–' : worker.cores.toFixed(2),
          formatMs(worker.delayP99Ms),
          formatMs(worker.gcMaxMs),
          formatCount(worker.socketsMax),
          formatCount(worker.arrivals),
        ],
      })),
    ),
  ];
}
