/** Findings about what the code of the API costs. */
import {
  formatDuration,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatPlace,
  formatRoughShare,
} from '../format.js';
import { describePath, describePlaces } from './hot-path.js';
import { nameWait } from './waits.js';
import { describeGain } from './what-if.js';
import { capitalize, joinWords, listEvidence, listFirst, pair } from './words.js';

/** @import { CauseShare } from '../facts/profile-report.d.ts' */
/** @import { FindingTable } from '../facts/findings.d.ts' */
/** @import { Catalogue, StatementText } from './text.d.ts' */

/** @type {Catalogue<Pick<FindingTable, 'cause' | 'hot-path' | 'event-loop-blocked'>, StatementText>} */
export const CODE_FINDINGS = {
  cause: ({ cause, partOfTitle, whatIf }) => ({
    title: `${capitalize(describeWaste(cause))}${partOfTitle ? `, a part of "${partOfTitle}"` : ''}.`,
    detail: cause.explanation,
    evidence: [...describePlaces(cause), { label: 'seen in', value: cause.evidence.join(' → ') }],
    advice: cause.advice,
    ...(whatIf ? { gain: describeGain(whatIf, cause) } : {}),
  }),
  'hot-path': ({ path }) => ({
    title: describePath(path),
    detail: `Entered at ${formatPlace(path.entry)}.`,
    evidence: [],
    advice: null,
  }),
  'event-loop-blocked': ({ steps, endpoints, waits, starved }) => ({
    title: starved
      ? `${steps ? `Steps of the event loop took up to ${formatMs(steps.longestMs)}` : 'The event loop stood still at times'}, but no blocking call is visible: it may have waited for a core.`
      : steps
        ? `The event loop was blocked for up to ${formatMs(steps.longestMs)}: in ${formatNumberOf(steps.count, 'request')} a step took more than 100 ms.`
        : `The event loop waits without \`await\` for ${waits ? formatRoughShare(waits.share) : ''} of its time.`,
    detail: `One thread serves all requests of a worker: while one of them computes, or waits without \`await\`, all others wait.${steps && !steps.isComputing && !waits ? ' No sample shows a wait there: a saturated CPU, or threads that hold the GIL, also make steps long.' : ''}`,
    evidence: listEvidence([
      [
        'steps of more than 100 ms',
        steps &&
          `${formatMs(steps.ms / steps.count)} on average, ${formatPercent(steps.cpuMs / steps.ms)} of it CPU`,
      ],
      [
        'threads of the workers waited for a core',
        starved &&
          (starved.queuedMs === null
            ? 'not known, but the CPU was saturated'
            : `up to ${formatDuration(starved.queuedMs)} in all`),
      ],
      ...endpoints.map(({ name, steps: own, view }) =>
        pair(
          view ? `${name}, ${view.function} (${view.file})` : name,
          `${formatNumberOf(own.count, 'request')} of ${own.answers}, ${formatMs(own.longestMs)} at most`,
        ),
      ),
      ...(waits?.where ?? []).map(place =>
        pair(
          `${place.function} (${place.file})`,
          `waits for ${nameWait(place.kind ?? 'other')}, ${formatPercent(place.share)} of the loop's time`,
        ),
      ),
    ]),
    advice: starved
      ? 'Repeat it with idle CPU: a step that waits for a core is no blocking call.'
      : steps?.isComputing && !waits
        ? 'Hand long computations to a thread or a process (`await asyncio.to_thread(…)`), or make the endpoint a plain `def`: it then runs in a thread.'
        : 'Await an asynchronous client instead, hand the call to a thread (`await asyncio.to_thread(…)`), or make the endpoint a plain `def`: it then runs in a thread.',
  }),
};

/** Smallest share of all requests that counts as "every request". */
const NEARLY_ALL = 0.9;
const MOST_NAMED = 3;

/**
 * "TLS context per request: 61 % ± 2 of the CPU, 21.9 ms of every request", "… of every request to GET /orders"
 * @param {CauseShare} cause
 */
export function describeWaste({ title, share, cpuMsPerRequest, ...at }) {
  const { endpoints = [], ofRequests = null } = at;
  const isOfAll = ofRequests === null || ofRequests >= NEARLY_ALL;
  const names = endpoints.map(({ name }) => name);
  const few = joinWords(listFirst(names, MOST_NAMED));
  const whose = isOfAll ? 'every request' : `every request to ${few}`;
  const costMs = cpuMsPerRequest && cpuMsPerRequest.value / (isOfAll ? 1 : ofRequests);
  const cost = costMs === null ? '' : `, ${formatMs(costMs)} of ${whose}`;
  return `${title}: ${formatRoughShare(share)} of the CPU${cost}`;
}
