import { formatPercent } from '../../format.js';

/** Arrivals that found all virtual users at work: less load than the script says. @type {import('./index.js').FindingRule} */
export function findSkippedArrivals({ load }) {
  if (!load || load.users.skipped === 0) return [];
  const { created, skipped } = load.users;
  const share = skipped / (created + skipped);
  return [
    {
      id: 'skipped-arrivals',
      severity: share > 0.01 ? 'warn' : 'info',
      title: `${skipped} of ${created + skipped} arrivals were skipped (${formatPercent(share)}): the load was lower than the script says.`,
      detail:
        'They arrived while the allowed number of users was still at work, because the target was slow or the limit is low.',
      evidence: [{ label: 'users started', value: `${created}` }],
      advice: 'Raise MAX_VIRTUAL_USERS, or lower ARRIVAL_RATE.',
      link: 'load',
    },
  ];
}
