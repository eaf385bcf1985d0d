/** One sentence about a hot path, as a colleague would say it. */
import { formatRoughShare } from '../format.js';
import { describeFraction } from './fraction-words.js';

/**
 * @typedef {object} PathFacts
 * @property {string} label of the category
 * @property {boolean} plural the label is a plural
 * @property {import('./report.d.ts').Estimate} share of the path
 * @property {import('./report.d.ts').Estimate} categoryShare of the whole category
 * @property {string} entry `function (file)`
 * @property {string | null} caller `function (file)` of the application that most calls come from
 * @property {import('./report.d.ts').Estimate | null} perRequest D
 * @property {import('./report.d.ts').ProfileReport['cpu']['basis']} basis
 * @property {{share: number, phrase: string, fix: string, via: string}[]} causes the one to name first first; `share` of all
 */

// a path that is this much of its category speaks for it
const SPEAKS_FOR_CATEGORY = 0.6;
// a cause that is less of it than this is not worth a clause
const WORTH_A_CLAUSE = 0.1;

/** @param {PathFacts} facts @returns {string} */
export function describePath({
  label,
  plural,
  share,
  categoryShare,
  entry,
  caller,
  perRequest,
  basis,
  causes,
}) {
  const whole = share.value >= categoryShare.value * SPEAKS_FOR_CATEGORY;
  const told = whole ? categoryShare : share;
  const subject = whole ? label : `${label} in ${code(entry)}`;
  const verb = plural ? 'take' : 'takes';
  const head = `${subject} ${verb} ${formatRoughShare(told)} of ${ofWhat(told.value, perRequest, basis)}`;
  const clauses = causes
    .map(cause => ({ ...cause, part: Math.min(1, cause.share / told.value) }))
    .filter(({ part }) => part >= WORTH_A_CLAUSE);
  const [first, second] = clauses;
  const place = whole
    ? ` It is entered at ${code(entry)}${from(caller)}.`
    : caller
      ? ` It is called from ${code(caller)}.`
      : '';
  if (!first) return `${head}.${place}`;
  const also = second
    ? ` ${capital(describeFraction(second.part))} of it ${second.phrase}: ${second.fix}.`
    : '';
  return `${head}; ${describeFraction(first.part)} of it ${first.phrase} (${first.via}): ${first.fix}.${also}${place}`;
}

/** @param {string | null} caller */
const from = caller => (caller ? `, mostly from ${code(caller)}` : '');

/** @param {number} share @param {PathFacts['perRequest']} perRequest @param {PathFacts['basis']} basis */
function ofWhat(share, perRequest, basis) {
  if (!perRequest || basis === 'none') return 'the CPU samples';
  const atMost = basis === 'samples-upper-bound' ? 'at most ' : '';
  return `the CPU of every request (${atMost}${trim(perRequest.value * share)} of ${trim(perRequest.value)} ms)`;
}

/** @param {number} ms */
const trim = ms => (ms >= 99.5 ? ms.toFixed(0) : ms >= 0.095 ? ms.toFixed(1) : ms.toFixed(2));

/** `function (file)` with the function in back ticks. @param {string} text */
function code(text) {
  const open = text.lastIndexOf(' (');
  return open < 0 ? `\`${text}\`` : `\`${text.slice(0, open)}\`${text.slice(open)}`;
}

/** @param {string} text */
const capital = text => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
