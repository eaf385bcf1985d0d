import { formatPercent, formatRate } from '../../format.js';
import { findCapacity } from '../limit/what-if.js';

/** Requests per second at full CPU, now and without the causes: only where CPU is what limits. @type {import('./index.js').FindingRule} */
export function findCapacityFinding({ run, load, profile, timeline, limit, whatIf = [] }) {
  if (!load || !profile || (limit?.id !== 'workers' && limit?.id !== 'gil')) return [];
  const now = findCapacity({ run, profile, timeline: timeline ?? null });
  if (!now) return [];
  const after = whatIf.flatMap(item =>
    item.capacityAfterPerSec && item.gain ? [{ ...item, after: item.capacityAfterPerSec }] : [],
  );
  const [most] = after;
  return [
    {
      id: 'capacity',
      severity: 'info',
      title: `At full CPU these workers serve about ${describe(now)}${most ? `, without ${most.title} about ${formatRate(most.after.value)}` : ''}.`,
      detail:
        'A core for each worker ÷ CPU time per request, with the mix of requests of this run; after a fix by Amdahl’s law, as an upper bound.',
      evidence: [
        { label: 'answered in this run', value: formatRate(load.http.meanRatePerSec) },
        ...after.map(({ title, after: perSec, gain }) => ({
          label: `without ${title}`,
          value: `${describe(perSec)}, + ${formatPercent(gain?.value ?? null)}`,
        })),
      ],
      advice: null,
      link: 'limit',
    },
  ];
}

/** "118/s (110/s to 126/s)" @param {import('../report.d.ts').Estimate} estimate */
function describe({ value, low, high }) {
  const range = low === null || high === null ? '' : ` (${formatRate(low)} to ${formatRate(high)})`;
  return `${formatRate(value)}${range}`;
}
