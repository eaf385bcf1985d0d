import { formatMs, formatPercent, formatRoughShare } from '../../format.js';

/** Every known cause with evidence in the profile. @type {import('./index.js').FindingRule} */
export function findCauses({ profile }) {
  if (!profile) return [];
  return profile.causes.map(cause => ({
    id: `cause.${cause.id}`,
    severity: cause.severity,
    title: `${cause.title}: ${formatRoughShare(cause.share)} of the CPU${perRequest(cause)}.`,
    detail: cause.explanation,
    evidence: [
      { label: 'share of all CPU samples', value: formatRoughShare(cause.share) },
      {
        label: `share of ${labelOf(profile, cause.category)}`,
        value: formatPercent(cause.shareOfCategory),
      },
      { label: 'seen in', value: cause.evidence.join(' → ') },
    ],
    advice: cause.advice,
    link: 'hot-paths',
  }));
}

/** @param {import('../report.d.ts').CauseShare} cause */
function perRequest({ cpuMsPerRequest }) {
  return cpuMsPerRequest ? `, ${formatMs(cpuMsPerRequest.value)} of every request` : '';
}

/** @param {import('../report.d.ts').ProfileReport} profile @param {string} id */
function labelOf({ categories }, id) {
  return categories.find(category => category.id === id)?.label ?? id;
}
