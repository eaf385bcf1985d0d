import { formatMs, formatPercent, formatRate, formatRoughShare } from '../../format.js';

/** Every known cause with evidence in the profile. @type {import('./index.js').FindingRule} */
export function findCauses({ profile, whatIf = [] }) {
  if (!profile) return [];
  return profile.causes.map(cause => ({
    id: `cause.${cause.id}`,
    severity: cause.partOf && cause.severity === 'bad' ? 'warn' : cause.severity,
    title: `${capitalize(cause.title)}: ${formatRoughShare(cause.share)} of the CPU${perRequest(cause)}${describeParent(profile, cause)}.`,
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
    gain: describeGain(cause, whatIf),
    link: 'hot-paths',
  }));
}

/** A waste inside another one is no second waste. @param {import('../report.d.ts').ProfileReport} profile @param {import('../report.d.ts').CauseShare} cause */
function describeParent({ causes }, { partOf }) {
  const parent = causes.find(({ id }) => id === partOf);
  return parent ? `, a part of "${parent.title}"` : '';
}

/** @param {string} text */
function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {import('../report.d.ts').CauseShare} cause */
function perRequest({ cpuMsPerRequest }) {
  return cpuMsPerRequest ? `, ${formatMs(cpuMsPerRequest.value)} of every request` : '';
}

/** @param {import('../report.d.ts').ProfileReport} profile @param {string} id */
function labelOf({ categories }, id) {
  return categories.find(category => category.id === id)?.label ?? id;
}

/**
 * @param {import('../report.d.ts').CauseShare} cause
 * @param {import('../report.d.ts').Report['whatIf']} whatIf
 */
function describeGain({ id, cpuMsPerRequest }, whatIf) {
  const foreseen = whatIf.find(({ causes }) => causes.length === 1 && causes[0] === id);
  if (!foreseen) return null;
  const { gain, capacityPerSec, capacityAfterPerSec, condition } = foreseen;
  if (gain && capacityPerSec && capacityAfterPerSec)
    return `up to ${formatPercent(gain.value)} more requests (${formatPercent(gain.low)} to ${formatPercent(gain.high)}): about ${formatRate(capacityAfterPerSec.value)} instead of ${formatRate(capacityPerSec.value)}, as ${condition}`;
  const saved = cpuMsPerRequest
    ? `up to ${formatMs(cpuMsPerRequest.value)} of CPU a request; `
    : '';
  return `${saved}${condition}`;
}
