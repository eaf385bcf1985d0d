/** Findings about what the code of the API costs. */
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatPlace,
  formatRoughShare,
} from '../base/format.js';
import { sum } from '../base/math/summary.js';
import { describePath, describePlaces, formatPart } from './hot-path.js';
import { GREEN_ADVICE, nameWait, sayHow } from './waits.js';
import { describeGain } from './what-if.js';
import { capitalize, describeCollections, formatFew, joinWords, MOST_NAMED } from './words.js';

/** @import { CauseShare } from '../run/facts/profile-report.d.ts' */
/** @import { FindingTable } from '../run/facts/findings.d.ts' */
/** @import { Catalogue, StatementWords } from './text.d.ts' */

/** Where a lower level brings little: none is the highest. */
const COMPRESS_ELSEWHERE = 'Compress once what does not change, or let the proxy in front do it.';

/** Categories whose work the application may repeat. */
const OF_APP = new Set(['business', 'template', 'schema', 'serialization']);
const GROWS =
  'The time of a loop grows with its elements: go through fewer, such as those of one page, or do less for each. ';
const COMPARE =
  'No known cause explains it. With the companion, `--same-work` shows whether its calls repeat arguments and results.';

/** @type {Catalogue<Pick<FindingTable, 'cause' | 'hot-path' | 'small-parts' | 'same-work' | 'observability' | 'garbage-collection' | 'incremental-collector' | 'event-loop-blocked'>, StatementWords>} */
export const CODE_FINDINGS = {
  cause: ({ cause, partOfTitle, whatIf, gzip }) => ({
    title: `${capitalize(describeWaste(cause))}${partOfTitle ? `, a part of "${partOfTitle}"` : ''}.`,
    detail: `${cause.explanation}${quoteLine(cause)}${cause.isSingle ? ' The companion counted them: no request sends the same one twice.' : ''}${gzip ? describeGzip(gzip) : ''}`,
    evidence: [...describePlaces(cause), ['seen in', cause.evidence.join(' → ')]],
    advice: gzip?.bestShare === 0 ? COMPRESS_ELSEWHERE : cause.advice,
    ...(whatIf ? { gain: describeGain(whatIf, cause) } : {}),
  }),
  'hot-path': ({ path, calls = [] }) => ({
    title: describePath(path),
    detail: `Entered at ${formatPlace(path.entry)}.`,
    evidence: calls.map(({ function: name, caller, perRequest, ms }) => [
      `calls of ${name} at ${formatPlace(caller)}`,
      `${formatCount(Math.round(perRequest))} per request${ms === null ? '' : `, ${formatFew(ms * 1000)} µs of CPU each`}`,
    ]),
    advice: OF_APP.has(path.category) ? `${path.loop ? GROWS : ''}${COMPARE}` : null,
  }),
  'small-parts': ({ endpoint, view, parts, partBytes }) => ({
    title: `${endpoint} sends a response in ${formatCount(Math.round(parts))} parts of ${formatBytes(partBytes)}, on average.`,
    detail: 'Each part passes through middleware and server, and is a system call of its own.',
    evidence: [['view', view && `${view.function} (${formatPlace(view)})`]],
    advice:
      'Pass on larger chunks, such as 64 kB. A response of requests that is iterated as it is gives 128 bytes at a time: use `iter_content(65536)`. Join short lines that a generator yields.',
  }),
  'same-work': ({ requests, lines }) => ({
    title: `${lines.slice(0, 1).map(nameSame).join('')} for the same work: ${lines.slice(0, 1).map(describeSame).join('')}.`,
    detail: `The companion compared calls in ${formatNumberOf(requests, 'request')} of the script after the load. Other requests may differ more.`,
    evidence: lines.map(own => [nameSame(own), describeSame(own)]),
    advice:
      'Keep its result, if it stays valid: `functools.cached_property` of an object, `functools.cache` of a function.',
  }),
  observability: ({ packages, share, cpuMsPerRequest }) => ({
    title: `Observing the API takes ${formatPercent(share)} of its CPU${cpuMsPerRequest === null ? '' : `, ${formatMs(cpuMsPerRequest)} per request`}: ${joinWords(packages.map(own => `${own.name} ${formatPercent(own.share.value)}`))}.`,
    detail:
      'This is the code of packages for traces, metrics, error reports and logs, with the threads that they start.',
    advice:
      'Sample fewer requests, export in batches, and switch off instrumentation that is not needed. `loadflame try` with `--fix observability-off` measures what you can save.',
  }),
  'garbage-collection': ({ collections: own, isFull, longestMs }) => ({
    title: `Garbage collection takes ${own.share === null ? 'CPU time' : `${formatRoughShare(own.share)} of the CPU of requests`}, the longest ${formatMs(longestMs)}${own.objects === null ? '' : `, over at least ${formatCount(own.objects)} live objects`}.`,
    detail: `All requests of a worker wait meanwhile.${isFull ? ' Most of it are full collections, which go through all live objects.' : ''}`,
    evidence: [
      ...own.endpoints.slice(0, MOST_NAMED).map(one => [one.name, describeCollections(one)]),
      ['outside of requests', own.outside.count > 0 && describeCollections(own.outside)],
    ],
    advice: isFull
      ? 'Call `gc.collect()`, then `gc.freeze()`, in each worker once the app and its caches are loaded: later collections leave these objects out. If objects are added later, let full collections be rarer: `gc.set_threshold(50_000, 20, 100)`. `loadflame try` measures it before you write it: `--fix gc-freeze`, `--fix gc-threshold:50000`.'
      : 'Let collections be rarer, and watch the memory: `gc.set_threshold(50_000, 20, 100)` in each worker. `loadflame try` with `--fix gc-threshold:50000` measures it before you write it. Then look for code that makes many objects which refer to each other.',
  }),
  'incremental-collector': ({ python }) => ({
    title: `Python ${python} has the incremental garbage collector, which 3.14.5 took back.`,
    detail: 'It can let garbage grow, and with it the memory.',
    advice: 'Update to Python 3.14.5 or newer, and measure again.',
  }),
  'event-loop-blocked': ({ steps, endpoints, waits, starved, isAround, isCall }) => ({
    title: starved
      ? `${steps ? `Steps of the event loop took up to ${formatMs(steps.longestMs)}` : 'The event loop stood still at times'}, but no blocking call is visible: it may have waited for a core.`
      : steps
        ? `${endpoints[0]?.name}${endpoints[1] ? ' and others' : ''} blocked the event loop for up to ${formatMs(steps.longestMs)}: in ${formatNumberOf(steps.count, 'request')} a step took more than 100 ms${endpoints[1] ? '' : describeVictims(steps)}.`
        : `The event loop waits ${sayHow(waits)} for ${waits ? formatRoughShare(waits.share) : ''} of its time.`,
    detail: `One thread serves all requests of a worker: while one of them computes, or waits ${sayHow(waits)}, all others wait.${steps && !steps.isComputing && !waits ? ' No sample shows a wait there: a saturated CPU, or threads that hold the GIL, also make steps long.' : ''}`,
    evidence: [
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
      ...endpoints.map(({ name, steps: own, view }) => [
        view ? `${name}, ${view.function} (${view.file})` : name,
        `${formatNumberOf(own.count, 'request')} of ${own.answers}, ${formatMs(own.longestMs)} at most${describeVictims(own)}`,
      ]),
      ...(waits?.where ?? []).map(place => [
        `${place.function} (${formatPlace(place)})`,
        `waits for ${nameWait(place.kind ?? 'other')}, ${formatPercent(place.share)} of the loop's time`,
      ]),
    ],
    advice: starved
      ? 'Repeat it with idle CPU: a step that waits for a core is no blocking call.'
      : isAround && !waits
        ? 'These views are plain `def` and run in threads. The framework’s work around them blocks the loop, such as checking and writing a large response. Return fewer rows, or a `Response` with finished JSON.'
        : steps?.isComputing && !waits
          ? 'Hand long computations to a thread or a process (`await asyncio.to_thread(…)`). An `async def` that awaits nothing can be a plain `def`: it then runs in a thread.'
          : waits?.isGreen
            ? GREEN_ADVICE
            : isCall
              ? 'Await an asynchronous client instead, or hand the call to a thread (`await asyncio.to_thread(…)`). An `async def` that awaits nothing can be a plain `def`: it then runs in a thread.'
              : 'Repeat it with idle CPU, to see whether the steps stay long. Then look for calls between two `await`s that wait, and hand them to a thread (`await asyncio.to_thread(…)`).',
  }),
};

/** @param {import('../run/facts/profile-report.d.ts').BlockedSteps} steps */
const describeVictims = ({ victims }) =>
  victims?.count
    ? `; ${formatNumberOf(victims.count, 'other request')} waited up to ${formatMs(victims.ms)} in all`
    : '';

/** @typedef {FindingTable['same-work']['lines'][number]} SameLine */
/** @param {SameLine} own */
const nameSame = own => `\`${own.function}\` takes ${formatPercent(own.share)} of the CPU`;
/** @param {SameLine} own */
const describeSame = ({ calls, kinds, same, unseen, caller }) =>
  `${same + unseen} of ${formatNumberOf(calls, 'call')} at ${formatPlace(caller)} had the arguments of an earlier one (${kinds} different)${unseen > 0 ? '; not all results can be compared' : ' and returned the same'}`;

/** What the line of most of it does. @param {CauseShare} cause */
const quoteLine = ({ partOf, places: [place] = [] }) =>
  place?.shown && !partOf
    ? ` At ${formatPlace(place)}: \`${place.shown}\`${place.over ? `, in the loop over \`${place.over}\`` : ''}.`
    : '';

/** Smallest share of all requests that counts as "every request". */
const NEARLY_ALL = 0.9;

/** A mean over endpoints that differ by more than this factor is what a request to none of them costs. */
const MOST_ALIKE = 1.5;

/** Lines of a function with a smaller part of a cause are not its place. */
const MOST_OF_CAUSE = 0.5;

/**
 * "TLS context per request, in `pay` (shop.py:12): 61 % ± 2 of the CPU, 21.9 ms of every request", "… to GET /orders (about 90 % of it)"
 * @param {CauseShare} cause
 */
export function describeWaste({ title, share, cpuMsPerRequest, mayBeOnce, ...at }) {
  const { endpoints = [], ofRequests = null, partOf, places = [] } = at;
  const [place] = places;
  const own = places.filter(one => one.function === place?.function && one.file === place.file);
  const isOne = place && !partOf && sum(own.map(one => one.share)) > MOST_OF_CAUSE;
  const lines = [...new Set(own.flatMap(({ line }) => line ?? []))].slice(0, MOST_NAMED);
  const others = place && place.share <= MOST_OF_CAUSE ? ['', ...lines.slice(1)].join(', ') : '';
  const where = isOne ? `, in \`${place.function}\` (${formatPlace(place)}${others})` : '';
  const costs = endpoints.flatMap(own => (own.ofRequests ? own.share / own.ofRequests : []));
  const isAlike = Math.max(...costs) <= Math.min(...costs) * MOST_ALIKE;
  const isOfAll = isAlike && (ofRequests ?? 1) >= NEARLY_ALL;
  const most = isOfAll ? null : endpoints.find(own => own.ofRequests);
  const part = endpoints.length > 1 ? ` (${formatPart(most?.share ?? 1)} of it)` : '';
  const whose = most ? ` to ${most.name}${part}` : '';
  const costMs = cpuMsPerRequest && cpuMsPerRequest.value * ((most && costs[0]) ?? 1);
  const cost = costMs === null ? '' : `, ${formatMs(costMs)} of every request${whose}`;
  return `${title}${where}: ${formatRoughShare(share)} of the CPU${cost}${mayBeOnce ? ', of few requests: later ones may not do so' : ''}`;
}

/** @param {NonNullable<FindingTable['cause']['gzip']>} gzip */
function describeGzip({ responses, bestShare, bytes, unpackedBytes }) {
  const best = bestShare > 0 ? `${formatPercent(bestShare)} of them at level 9` : 'none at level 9';
  return ` ${formatNumberOf(responses, 'response')} came as gzip, ${best}: in the mean, ${formatBytes(unpackedBytes)} became ${formatBytes(bytes)}.`;
}
