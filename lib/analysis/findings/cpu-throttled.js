import { formatCores, formatMs, formatPercent } from '../../format.js';

/** Share of the quota's periods. */
const OFTEN = 0.01;
const BAD = 0.25;

/** The API's CPU quota ran out: requests waited though the machine had CPU. @type {import('./index.js').FindingRule} */
export function findThrottledTarget({ load, throttling }) {
  const found = throttling?.target;
  if (!load || !found || found.share <= OFTEN) return [];
  const quota = formatCores(found.quotaCores);
  return [
    {
      id: 'cpu-throttled',
      severity: found.share >= BAD ? 'bad' : 'warn',
      title: `The API ran into its CPU quota of ${quota} cores in ${formatPercent(found.share)} of the time.`,
      detail:
        'The kernel stopped it until the next period (100 ms as a rule), in the middle of requests: latency rises in steps of tens of milliseconds while CPU looks idle.',
      evidence: [
        { label: 'periods with the quota used up', value: formatPercent(found.share) },
        { label: 'held back in all', value: formatMs(found.throttledMs) },
      ],
      advice:
        'Raise the CPU limit of the container, or give it fewer workers; then lower the CPU per request.',
      link: 'quality',
    },
  ];
}
