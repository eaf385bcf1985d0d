/** Sentences about a hot path. */
import { formatMs, formatPercent, formatPlace, formatRoughShare } from '../base/format.js';
import { sum } from '../base/math/summary.js';
import { ACTS } from './calls.js';
import { capitalize, formatFew } from './words.js';

/** @import { Entry } from './text.d.ts' */
/** @import { CategoryShare, CauseShare, HotPath } from '../run/facts/profile-report.d.ts' */

/** Smaller causes get no clause. */
const WORTH_A_CLAUSE = 0.1;
const LEAST_ELSEWHERE = 0.01;

/**
 * What it costs and why: "Auth in `validate_token` (api/auth.py) takes 72 % ± 2 of the CPU (21.9 of 30.4 ms
 * per request); half of it builds a TLS context …". All figures are of the path, not of its category.
 * @param {HotPath} path
 * @param {Set<string>} [advised] phrases of causes whose advice was given; those of this path are added
 */
export function summarizePath(path, advised = new Set()) {
  const { label, plural, share, entry, reasons, call, loop, isBackground } = path;
  const served = isBackground ? ', which serves no request,' : '';
  const head = `${label} in ${code(entry)}${served} ${plural ? 'take' : 'takes'} ${formatRoughShare(share)} of ${ofWhat(path)}`;
  const [first, second] = reasons
    .map(reason => ({ ...reason, part: Math.min(1, reason.share / share.value) }))
    .filter(({ part }) => part >= WORTH_A_CLAUSE);
  if (!first) {
    const over = loop?.over ? ` over \`${loop.over}\`` : '';
    const around =
      loop && `${formatPart(loop.part)} of it in the loop${over} at ${formatPlace(loop)}`;
    const at = call?.name ? `in \`${call.name}\`,` : 'at';
    const shown = call?.shown ? ` (\`${call.shown}\`)` : '';
    const within = call && `${formatPart(call.part)} of it ${at} ${formatPlace(call)}${shown}`;
    return `${[capitalize(head), around, within].filter(Boolean).join('; ')}.`;
  }
  const clause = (/** @type {typeof first} */ { part, phrase, fix }, way = '') => {
    const isAdvised = advised.has(phrase);
    advised.add(phrase);
    return `${formatPart(part)} of it ${phrase}${isAdvised ? '' : `${way}: ${fix}`}.`;
  };
  // `function (file)`
  const [, name = first.at, file = ''] = /^(.*) \(([^()]*)\)$/.exec(first.at) ?? [];
  const place = code({ function: name, file });
  const firstClause = clause(first, place === code(entry) ? '' : `, in ${place}`);
  return `${capitalize(head)}; ${firstClause}${second ? ` ${capitalize(clause(second))}` : ''}`;
}

const MOST_ENDPOINTS = 3;

/**
 * Requests that reach a cause, its places, and the share elsewhere. Empty for a part of another cause, which
 * has the same places.
 * @param {Pick<CauseShare, 'places' | 'partOf' | 'endpoints' | 'ofRequests' | 'acts'>} cause @returns {Entry[]}
 */
export function describePlaces(cause) {
  const { places = [], acts = [], partOf, endpoints = [], ofRequests = null } = cause;
  if (partOf) return [];
  const elsewhere = places.reduce((left, { share }) => left - share, 1);
  const of = (/** @type {number} */ share) => `${formatPercent(share)} of it`;
  return [
    // Without load these are the views of the places.
    ...(ofRequests === null ? [] : endpoints.slice(0, MOST_ENDPOINTS)).map(({ name, share }) => [
      `requests to ${name}`,
      of(share),
    ]),
    ...places.map(place => [
      `${place.function} (${formatPlace(place)})${place.touches?.length ? `, relation ${place.touches.map(name => `\`${name}\``).join(' or ')}` : ''}${place.view ? `, in ${place.view.function} (${formatPlace(place.view)})` : ''}`,
      of(place.share),
    ]),
    ['elsewhere', places.length > 0 && elsewhere >= LEAST_ELSEWHERE && of(elsewhere)],
    ...acts.map(({ kind, text, perRequest }) => [
      ACTS[kind][0],
      `${formatFew(perRequest)} per request, counted${text ? `: ${text}` : ''}`,
    ]),
  ];
}

/**
 * End of a sentence about CPU per request: the CPU that belongs to no request.
 * @param {{categories: CategoryShare[], hotPaths: Pick<HotPath, 'isBackground' | 'share'>[]}} profile @param {number} perRequestMs
 */
export function describeOutside({ categories, hotPaths }, perRequestMs) {
  const cost = categories.find(({ id }) => id === 'startup')?.cpuMsPerRequest;
  const beside = sum(hotPaths.map(own => Number(own.isBackground ?? 0) * own.share.value));
  const of = beside && `, ${formatMs(beside * perRequestMs)} of it in code that serves no request`;
  return `${cost ? `, ${formatMs(cost.value)} of it to load the application in new workers` : ''}${of || ''}`;
}

/** The same, and its most frequent caller. @param {HotPath} path @param {Set<string>} [advised] */
export function describePath(path, advised) {
  const { caller } = path;
  const at = caller && code({ ...caller, file: formatPlace(caller) });
  return `${summarizePath(path, advised)}${at ? ` It is called mostly from ${at}.` : ''}`;
}

/** An estimate without an interval: "about 45 %" @param {number} share */
export const formatPart = share => `about ${Math.round(Math.min(1, share) * 20) * 5} %`;

/** @param {HotPath} path */
function ofWhat({ share, ofRequest, isBackground }) {
  if (isBackground || !ofRequest) return ofRequest ? 'the CPU' : 'the CPU samples';
  const { cpuMs, isUpperBound } = ofRequest;
  return `the CPU (${isUpperBound ? 'at most ' : ''}${trim(cpuMs * share.value)} of ${trim(cpuMs)} ms per request)`;
}

/** @param {number} ms */
const trim = ms => (ms >= 99.5 ? ms.toFixed(0) : ms >= 0.095 ? ms.toFixed(1) : ms.toFixed(2));

/** `function (file)` with the function in back ticks. @param {{function: string, file: string}} place */
const code = ({ function: name, file }) =>
  // A call of C code has a frame that loadflame made, and no file.
  `\`${name}\` (${file.startsWith('<C code') ? 'C code' : file})`;
