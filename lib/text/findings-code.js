/** Findings about what the code of the API costs. */
import {
  formatMs,
  formatNumberOf,
  formatPercent,
  formatPlace,
  formatRoughShare,
} from '../format.js';
import { describePath, describePlaces } from './hot-path.js';
import { nameWait } from './waits.js';
import { describeGain } from './what-if.js';
import { capitalize } from './words.js';

/** @import { CauseShare } from '../analysis/report.d.ts' */
/** @import { FindingTable } from '../analysis/findings/findings.d.ts' */
/** @import { Catalogue, StatementText } from './text.d.ts' */

/** @type {Catalogue<Pick<FindingTable, 'cause' | 'hot-path' | 'event-loop-blocked' | 'dev-tools'>, StatementText>} */
export const CODE_FINDINGS = {
  cause: ({ cause, categoryLabel, partOfTitle, whatIf }) => ({
    title: `${capitalize(describeWaste(cause))}${partOfTitle ? `, a part of "${partOfTitle}"` : ''}.`,
    detail: cause.explanation,
    evidence: [
      { label: 'share of all CPU samples', value: formatRoughShare(cause.share) },
      { label: `share of ${categoryLabel}`, value: formatPercent(cause.shareOfCategory) },
      ...describePlaces(cause),
      { label: 'seen in', value: cause.evidence.join(' → ') },
    ],
    advice: cause.advice,
    ...(whatIf ? { gain: describeGain(whatIf, cause) } : {}),
  }),
  'hot-path': ({ path }) => ({
    title: describePath(path),
    detail: `Entered at ${formatPlace(path.entry)}.`,
    evidence: path.heaviest.slice(0, 3).map(frame => ({
      label: `${frame.function} (${frame.file})`,
      value: `${formatPercent(frame.self)} itself, ${formatPercent(frame.total)} in all`,
    })),
    advice: null,
  }),
  'event-loop-blocked': ({ steps, endpoints, waits }) => ({
    title: steps
      ? `The event loop was blocked for up to ${formatMs(steps.longestMs)}: in ${formatNumberOf(steps.count, 'request')} a step took more than 100 ms.`
      : `The event loop waits in calls that are no await: ${waits ? formatRoughShare(waits.share) : ''} of its time.`,
    detail: `One thread serves all requests of a worker: while one of them computes, or waits without \`await\`, none of the others goes on.${steps && !steps.isComputing && !waits ? ' Nothing was seen waiting there: a full machine, or threads that hold the GIL, make steps long, too.' : ''}`,
    evidence: [
      ...(steps
        ? [
            {
              label: 'steps of more than 100 ms',
              value: `${formatMs(steps.ms / steps.count)} on average, ${formatPercent(steps.cpuMs / steps.ms)} of it CPU`,
            },
          ]
        : []),
      ...endpoints.map(({ name, steps: own, view }) => ({
        label: view ? `${name}, ${view.function} (${view.file})` : name,
        value: `${formatNumberOf(own.count, 'request')} of ${own.answers}, ${formatMs(own.longestMs)} at most`,
      })),
      ...(waits?.where ?? []).map(place => ({
        label: `${place.function} (${place.file})`,
        value: `waits for ${nameWait(place.kind ?? 'other')}, ${formatPercent(place.share)} of the loop's time`,
      })),
    ],
    advice:
      steps?.isComputing && !waits
        ? 'Hand long computations to a thread or a process (`await asyncio.to_thread(…)`), or make the endpoint a plain `def`: it then runs in a thread.'
        : 'Await an asynchronous client instead, hand the call to a thread (`await asyncio.to_thread(…)`), or make the endpoint a plain `def`: it then runs in a thread.',
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
