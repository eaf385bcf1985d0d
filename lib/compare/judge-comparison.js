/** The answer of a comparison in words. */
import { formatChange, formatChangeInterval, formatInUnit, formatNumberOf } from '../format.js';
import { MEASURES } from './measures.js';
import { findLeastRuns } from './statistics/runs-needed.js';

/** @import { Change, CompareReport, Measure } from './compare-report.d.ts' */

/** @typedef {Pick<CompareReport, 'before' | 'after' | 'basis' | 'alpha' | 'sameGroupsP' | 'changes' | 'categories'>} Facts */
/** @typedef {CompareReport['verdict']} Verdict */

const MOST_NAMED = 3;
/** What a headline names, the most telling first. */
const TELLING = ['throughputPerSec', 'cpuMsPerRequest', 'total.p95Ms', 'errorRate'];

/**
 * @param {Facts} facts
 * @returns {Verdict}
 */
export function judgeComparison(facts) {
  const [before, after] = [countUsed(facts.before), countUsed(facts.after)];
  if (before === 0 || after === 0) return judgeInvalid(facts);
  if (facts.changes.length === 0)
    return {
      level: 'unknown',
      headline: 'There is nothing to compare: no figure is known on both sides.',
      sentences: [],
    };
  if (facts.basis === 'within-run') return judgeTwoRuns(facts);
  if (facts.basis === 'few-runs') return judgeFewRuns(facts, before, after);
  const called = facts.changes.filter(isCalled);
  return called.length === 0
    ? judgeNoDifference(facts, before, after)
    : judgeDifference(facts, called);
}

/** @param {Change} change */
export function isCalled({ call }) {
  return call === 'better' || call === 'worse' || call === 'different';
}

/** @param {Facts} facts @param {Change[]} called @returns {Verdict} */
function judgeDifference({ changes, categories, before, after }, called) {
  const overall = called.filter(({ scope }) => scope === 'overall');
  const decisive = overall.length > 0 ? overall : called;
  const isBetter = decisive.some(({ call }) => call === 'better');
  const isWorse = decisive.some(({ call }) => call === 'worse');
  const level = isBetter && isWorse ? 'mixed' : isBetter ? 'better' : isWorse ? 'worse' : 'mixed';
  const words = {
    better: `${capitalize(after.label)} is better`,
    worse: `${capitalize(after.label)} is worse`,
    mixed: `${capitalize(after.label)} differs from ${before.label}`,
  };
  const named = decisive.toSorted((a, b) => tellingRank(a) - tellingRank(b)).slice(0, MOST_NAMED);
  const sentences = [
    describeScope(called, 'category', 'CPU per request by category', categories),
    describeScope(called, 'endpoint', 'Of the endpoints', categories),
    describeUnsure(changes),
  ].filter(sentence => sentence !== null);
  return {
    level,
    headline: `${words[level]}: ${named.map(change => describeChange(change, categories)).join(', ')}.`,
    sentences,
  };
}

/**
 * "CPU per request of authentication −83.1 % (−86.0 … −80.2 %)"
 * @param {Change} change @param {CompareReport['categories']} categories
 */
function describeChange(change, categories) {
  const { label, unit } = measureOf(change);
  const { scope, name, relative, shift } = change;
  const category = categories.find(({ id }) => id === name)?.label ?? name;
  const of = scope === 'overall' ? '' : ` of ${scope === 'category' ? category : name}`;
  const what = `${scope === 'overall' && /^p\d/.test(label) ? label : lowerFirst(label)}${of}`;
  if (relative) {
    const interval = relative.low === null ? '' : ` (${formatChangeInterval(relative)})`;
    return `${what} ${formatChange(relative.value)}${interval}`;
  }
  const value = shift?.value ?? 0;
  return `${what} ${value < 0 ? '−' : '+'}${formatInUnit(Math.abs(value), unit)}`;
}

/**
 * @param {Change[]} called @param {Change['scope']} scope @param {string} intro
 * @param {CompareReport['categories']} categories
 */
function describeScope(called, scope, intro, categories) {
  const changes = called.filter(
    ({ scope: own, measure }) => own === scope && !measure.startsWith('timeToFirstByte.'),
  );
  if (changes.length === 0) return null;
  const biggest = changes
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .slice(0, MOST_NAMED)
    .map(change =>
      scope === 'category'
        ? describeChange(change, categories).replace(/^.*? of /, '')
        : describeChange(change, categories),
    );
  const more = changes.length - biggest.length;
  return `${intro}: ${biggest.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}

/** @param {Change} change the size of what changed, in its unit */
function sizeOf({ measure, shift, relative }) {
  return measure === 'cpuMsPerRequest'
    ? Math.abs(shift?.value ?? 0) * 1e6
    : Math.abs(relative?.value ?? 0);
}

/** @param {Change[]} changes */
function describeUnsure(changes) {
  const isTotalKnown = changes.some(({ measure }) => measure.startsWith('total.'));
  const unsure = changes.filter(
    ({ scope, call, measure, before, after }) =>
      scope === 'overall' &&
      call === 'none' &&
      !(isTotalKnown && measure.startsWith('timeToFirstByte.')) &&
      (measure !== 'errorRate' || before.center !== 0 || after.center !== 0),
  );
  if (unsure.length === 0) return null;
  const names = unsure.map(change => lowerFirst(measureOf(change).label));
  return `Nothing can be said about ${joinWords(names)}.`;
}

/** @param {Facts} facts @param {number} before @param {number} after @returns {Verdict} */
function judgeNoDifference({ changes, sameGroupsP, alpha }, before, after) {
  const small = changes.filter(({ p }) => p !== null && p <= alpha).length;
  const sentences = [];
  if (small > 0 && sameGroupsP !== null && sameGroupsP > alpha)
    sentences.push(
      `${formatNumberOf(small, 'figure')} of ${changes.length} would look different alone, but among so many that is what chance does: runs that are dealt to the sides at random differ as strikingly in ${Math.round(sameGroupsP * 100)} % of all ways to deal them.`,
    );
  const [seen] = changes
    .filter(({ scope, detectable }) => scope === 'overall' && detectable !== null)
    .toSorted((a, b) => tellingRank(a) - tellingRank(b));
  if (seen)
    sentences.push(
      `A change of ${lowerFirst(measureOf(seen).label)} by ${formatChange(seen.detectable).slice(1)} or more would have been found four times of five.`,
    );
  const wanted = changes.filter(({ scope, runsNeeded }) => scope === 'overall' && runsNeeded);
  const [first] = wanted.toSorted((a, b) => (a.runsNeeded ?? 0) - (b.runsNeeded ?? 0));
  if (first)
    sentences.push(
      `If the ${formatChange(first.relative?.value ?? null)} of ${lowerFirst(measureOf(first).label)} are real, about ${first.runsNeeded} runs a side would show it.`,
    );
  return {
    level: 'none',
    headline: `No difference can be shown between ${before} and ${formatNumberOf(after, 'run')}.`,
    sentences,
  };
}

/** @param {Facts} facts @param {number} before @param {number} after @returns {Verdict} */
function judgeFewRuns({ alpha }, before, after) {
  const least = findLeastRuns(alpha);
  return {
    level: 'unknown',
    headline: `${formatNumberOf(before, 'run')} against ${after} can not show a difference.`,
    sentences: [
      `At least ${least} runs a side are needed: with fewer, chance alone makes any difference in more than ${Math.round(alpha * 100)} of 100 comparisons.`,
      'Intervals assume that runs spread normally; they are hints, and no difference is called from them.',
    ],
  };
}

/** @param {Facts} facts @returns {Verdict} */
function judgeTwoRuns({ alpha, changes }) {
  const known = changes.filter(({ scope, relative }) => scope === 'overall' && relative);
  const named = known
    .toSorted((a, b) => tellingRank(a) - tellingRank(b))
    .slice(0, MOST_NAMED)
    .map(change => describeChange(change, []));
  return {
    level: 'unknown',
    headline: `One run a side, so no difference is called: ${named.join(', ') || 'no figure is known on both sides'}.`,
    sentences: [
      'Intervals are from within each run: they say how sure a run is of its own figures, and nothing of how much runs differ from each other.',
      `Make at least ${findLeastRuns(alpha)} runs a side, alternated, and name them all.`,
    ],
  };
}

/** @param {Facts} facts @returns {Verdict} */
function judgeInvalid({ before, after }) {
  const side = countUsed(before) === 0 ? before : after;
  const reason = side.runs.find(({ reasons }) => reasons.length > 0)?.reasons[0];
  return {
    level: 'invalid',
    headline: `Not valid: no run of “${side.label}” can be used.`,
    sentences: reason ? [reason] : [],
  };
}

/** @param {CompareReport['before']} side */
function countUsed({ runs }) {
  return runs.filter(({ isUsed }) => isUsed).length;
}

/** @param {Pick<Change, 'measure'>} change */
function measureOf({ measure }) {
  return /** @type {Measure} */ (MEASURES.find(({ id }) => id === measure));
}

/** @param {Change} change */
function tellingRank({ scope, measure }) {
  const rank = TELLING.indexOf(measure);
  return (rank < 0 ? TELLING.length : rank) + (scope === 'overall' ? 0 : 100);
}

/** @param {string[]} words */
function joinWords(words) {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** @param {string} text "CPU per request" stays */
function lowerFirst(text) {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** @param {string} text */
function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
