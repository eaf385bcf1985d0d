/** A hot path, as a colleague would say it. */
import { formatMs, formatPercent, formatPlace, formatRoughShare } from '../format.js';
import { capitalize } from './words.js';

/** @import { Evidence } from './text.d.ts' */
/** @import { CategoryShare, CauseShare, HotPath } from '../facts/profile-report.d.ts' */

/** A cause that is less of it than this is not worth a clause. */
const WORTH_A_CLAUSE = 0.1;
const LEAST_ELSEWHERE = 0.01;

/**
 * What it costs and why: "Auth in `validate_token` (api/auth.py) takes 72 % ± 2 of the CPU (21.9 of 30.4 ms
 * per request); half of it builds a TLS context …". All figures are of the path, not of its category.
 * @param {HotPath} path
 * @param {Set<string>} [told] phrases of causes that were told with what to do; those of this path are added
 */
export function summarizePath(path, told = new Set()) {
  const { label, plural, share, entry, ofRequest, reasons } = path;
  const head = `${label} in ${code(entry)} ${plural ? 'take' : 'takes'} ${formatRoughShare(share)} of ${ofWhat(share.value, ofRequest)}`;
  const [first, second] = reasons
    .map(reason => ({ ...reason, part: Math.min(1, reason.share / share.value) }))
    .filter(({ part }) => part >= WORTH_A_CLAUSE);
  if (!first) return `${capitalize(head)}.`;
  const clause = (/** @type {typeof first} */ { part, phrase, fix }, way = '') => {
    const isTold = told.has(phrase);
    told.add(phrase);
    return `${describeFraction(part)} of it ${phrase}${isTold ? '' : `${way}: ${fix}`}.`;
  };
  const tellFirst = clause(first, ` (${describeWay(first.via)})`);
  return `${capitalize(head)}; ${tellFirst}${second ? ` ${capitalize(clause(second))}` : ''}`;
}

/** @param {import('../facts/profile-report.d.ts').CausePlace} place */
const nameRelations = ({ touches = [] }) =>
  touches.length > 0 ? `, relation ${touches.map(name => `\`${name}\``).join(' or ')}` : '';

const MOST_ENDPOINTS = 3;

/**
 * Whose requests come to a cause, where it lies, and how much of it elsewhere; a part of another one lies where
 * that does.
 * @param {Pick<CauseShare, 'places' | 'partOf' | 'endpoints' | 'ofRequests'>} cause @returns {Evidence[]}
 */
export function describePlaces({ places = [], partOf, endpoints = [], ofRequests = null }) {
  if (partOf) return [];
  const elsewhere = places.reduce((left, { share }) => left - share, 1);
  return [
    // Without load these are the views of the places.
    ...(ofRequests === null ? [] : endpoints.slice(0, MOST_ENDPOINTS)).map(({ name, share }) => ({
      label: `requests to ${name}`,
      value: `${formatPercent(share)} of it`,
    })),
    ...places.map(place => ({
      label: `${place.function} (${formatPlace(place)})${nameRelations(place)}${place.view ? `, in ${place.view.function} (${place.view.file})` : ''}`,
      value: `${formatPercent(place.share)} of it`,
    })),
    ...(places.length > 0 && elsewhere >= LEAST_ELSEWHERE
      ? [{ label: 'elsewhere', value: `${formatPercent(elsewhere)} of it` }]
      : []),
  ];
}

/** Of a sentence on CPU per request: what is no request's. @param {CategoryShare[]} categories */
export function describeStartUp(categories) {
  const cost = categories.find(({ id }) => id === 'startup')?.cpuMsPerRequest;
  return cost ? `, ${formatMs(cost.value)} of it to load the application in new workers` : '';
}

/** The same, what calls it, and how much of it may be C code. @param {HotPath} path @param {Set<string>} [told] */
export function describePath(path, told) {
  const { share, caller, unnamed } = path;
  const place = caller ? ` It is called mostly from ${code(caller)}.` : '';
  const inside = unnamed
    ? ` ${capitalize(describeFraction(unnamed.share / share.value))} of this path is in lines that call ${listCalls(unnamed.calls)}: the share of C code in them has no frame.`
    : '';
  return `${summarizePath(path, told)}${place}${inside}`;
}

/** @param {string[]} calls */
const listCalls = calls => calls.map(call => `\`${call}\``).join(', ');

/** `flask_oidc → httplib2 \`_build_ssl_context\``. @param {HotPath['reasons'][number]['via']} via */
function describeWay({ from, module, function: name }) {
  const place = isCCode(module) ? '' : module;
  return `${from ? `${from} → ` : ''}${place} \`${name}\``.trim();
}

/** @param {number} share @param {HotPath['ofRequest']} ofRequest */
function ofWhat(share, ofRequest) {
  if (!ofRequest) return 'the CPU samples';
  const { cpuMs, isUpperBound } = ofRequest;
  return `the CPU (${isUpperBound ? 'at most ' : ''}${trim(cpuMs * share)} of ${trim(cpuMs)} ms per request)`;
}

/** @param {number} ms */
const trim = ms => (ms >= 99.5 ? ms.toFixed(0) : ms >= 0.095 ? ms.toFixed(1) : ms.toFixed(2));

/** `function (file)` with the function in back ticks. @param {{function: string, file: string}} place */
function code({ function: name, file }) {
  return `\`${name}\` (${isCCode(file) ? 'C code' : file})`;
}

/** A call of C code has a frame that loadflame made, and no file. @param {string} file */
const isCCode = file => file.startsWith('<C code');

/** Fractions as people say them, smallest first. @type {[number, string][]} */
const FRACTIONS = [
  [1 / 10, 'a tenth'],
  [1 / 5, 'a fifth'],
  [1 / 4, 'a quarter'],
  [1 / 3, 'a third'],
  [1 / 2, 'half'],
  [2 / 3, 'two thirds'],
  [3 / 4, 'three quarters'],
  [9 / 10, 'nine tenths'],
  [1, 'all'],
];
/** A share this near to a fraction is called by it; this far below it, "nearly". */
const NEAR = 0.015;
const NEARLY = 0.06;

/** "nearly half", "more than a third" @param {number} share 0…1 @returns {string} */
export function describeFraction(share) {
  const near = FRACTIONS.find(([value]) => Math.abs(share - value) <= NEAR + 1e-9);
  if (near) return near[1];
  const above = FRACTIONS.find(([value]) => value > share);
  if (above && above[0] > 0.1 && above[0] - share <= NEARLY + 1e-9) return `nearly ${above[1]}`;
  const below = FRACTIONS.findLast(([value]) => value < share);
  return below ? `more than ${below[1]}` : 'a small part';
}
