/** Findings about what the code of the API costs. */
import { formatMs, formatPercent, formatRoughShare } from '../format.js';
import { describePath } from './hot-path.js';
import { describeGain } from './what-if.js';
import { capitalize } from './words.js';

/** @import { CauseShare } from '../analysis/report.d.ts' */
/** @import { FindingTable } from '../analysis/findings/findings.d.ts' */
/** @import { Catalogue, StatementText } from './text.d.ts' */

/** @type {Catalogue<Pick<FindingTable, 'cause' | 'hot-path' | 'dev-tools'>, StatementText>} */
export const CODE_FINDINGS = {
  cause: ({ cause, categoryLabel, partOfTitle, whatIf }) => ({
    title: `${capitalize(describeWaste(cause))}${partOfTitle ? `, a part of "${partOfTitle}"` : ''}.`,
    detail: cause.explanation,
    evidence: [
      { label: 'share of all CPU samples', value: formatRoughShare(cause.share) },
      { label: `share of ${categoryLabel}`, value: formatPercent(cause.shareOfCategory) },
      { label: 'seen in', value: cause.evidence.join(' → ') },
    ],
    advice: cause.advice,
    ...(whatIf ? { gain: describeGain(whatIf, cause) } : {}),
  }),
  'hot-path': ({ path }) => ({
    title: describePath(path),
    detail: `Entered at ${path.entry.function} (${path.entry.file}).`,
    evidence: path.heaviest.slice(0, 3).map(frame => ({
      label: `${frame.function} (${frame.file})`,
      value: `${formatPercent(frame.self)} itself, ${formatPercent(frame.total)} in all`,
    })),
    advice: null,
  }),
  'dev-tools': ({ share, paths }) => ({
    title: `Development tools take ${formatRoughShare(share)} of the CPU: this is no production set-up.`,
    detail: 'Debuggers, reloaders and tracers change what is measured, not only what it costs.',
    evidence: paths.map(({ entry, share: own }) => ({
      label: `${entry.function} (${entry.file})`,
      value: formatRoughShare(own),
    })),
    advice: 'Start the API as in production, without them, and measure again.',
  }),
};

/** "a TLS context is built for every request: 61 % ± 2 of the CPU, 21.9 ms of every request" @param {CauseShare} cause */
export function describeWaste({ title, share, cpuMsPerRequest }) {
  const cost = cpuMsPerRequest ? `, ${formatMs(cpuMsPerRequest.value)} of every request` : '';
  return `${title}: ${formatRoughShare(share)} of the CPU${cost}`;
}
