/** The answer of a study in its first lines. */
import { formatChange, formatChangeInterval, formatCount, formatRate } from '../../format.js';
import { formatMeasure } from './comparison-words.js';

/** @import { StudyReport, VariantComparison, VariantReport } from '../study-report.d.ts' */

/** @typedef {Pick<StudyReport, 'study' | 'variants' | 'scaling' | 'comparisons' | 'capacity' | 'throughputLabel' | 'load'>} Facts */

const MOST_SENTENCES = 6;
/** Factors whose effect is told. */
const MOST_FACTORS = 3;

/** @param {Facts} facts @returns {StudyReport['verdict']} */
export function judgeVerdict(facts) {
  const measured = facts.variants.filter(({ saturation }) => saturation.throughputPerSec !== null);
  const best = findMost(measured);
  if (!best) return judgeNothing(facts);
  const isAllLimited = measured.every(({ limit }) => limit.id === 'generator');
  const sentences = [
    isAllLimited ? null : facts.capacity && capitalize(facts.capacity.text),
    ...describeLimits(facts, best),
    ...describeScaling(facts),
    ...describeFactors(facts),
    describeDoubts(facts),
  ].filter(sentence => sentence !== null);
  const [headline = '', ...rest] = isAllLimited
    ? [describeGeneratorLimit(facts, best), ...sentences]
    : chooseHeadline(facts, best, sentences);
  return {
    level: rateStudy(facts, isAllLimited),
    headline: endSentence(headline),
    sentences: rest.map(endSentence).slice(0, MOST_SENTENCES),
  };
}

/** @param {Facts} facts @returns {StudyReport['verdict']} */
function judgeNothing({ study, variants }) {
  const [tried] = variants.filter(({ points }) => points.length > 0);
  return {
    level: 'invalid',
    headline: tried
      ? `Nothing was answered well: ${lowerFirst(tried.limit.text)}`
      : 'Nothing was measured: the study has no valid cell.',
    sentences: study.reasons
      .map(reason => endSentence(capitalize(reason)))
      .slice(0, MOST_SENTENCES),
  };
}

/** @param {Facts} facts @param {VariantReport} best */
function describeGeneratorLimit({ throughputLabel }, best) {
  const least = formatRate(best.saturation.throughputPerSec?.value ?? null);
  return `The load generator was the limit, so no capacity follows: the target takes at least ${least} (${throughputLabel})`;
}

/**
 * The capacity where one was asked for; else the highest throughput, and what stops it.
 * @param {Facts} facts @param {VariantReport} best @param {string[]} sentences
 */
function chooseHeadline(facts, best, sentences) {
  if (facts.capacity) return sentences;
  const { variants, throughputLabel } = facts;
  const least = best.saturation.state === 'reached' ? '' : 'at least ';
  const most = `${least}${formatRate(best.saturation.throughputPerSec?.value ?? null)}`;
  const who =
    variants.length > 1
      ? `${capitalize(best.label)} gives most: ${most}`
      : `${capitalize(least)}${formatRate(best.saturation.throughputPerSec?.value ?? null)} is the most`;
  return [`${who} (${throughputLabel})${describeEnd(facts, best)}`, ...sentences];
}

/** Where throughput levels off. @param {Facts} facts @param {VariantReport} best */
function describeEnd({ load }, { saturation }) {
  if (saturation.state === 'reached')
    return `, from ${formatCount(saturation.step)} ${load.unit} on`;
  return saturation.state === 'not-reached' ? '; no end was seen' : '';
}

/**
 * What stops the best variant, and which others something else stops.
 * @param {Facts} facts @param {VariantReport} best
 */
function describeLimits({ variants }, best) {
  if (variants.length === 1) return [best.limit.text];
  const others = variants.filter(
    ({ limit }) => limit.id !== best.limit.id || limit.component !== best.limit.component,
  );
  const named = [...Map.groupBy(others, ({ limit }) => `${limit.id} ${limit.component}`).values()];
  const rest = named.map(([first, ...more]) =>
    first
      ? `${first.label}${more.length > 0 ? ` (and ${more.map(({ label }) => label).join('; ')})` : ''}: ${lowerFirst(first.limit.text)}`
      : '',
  );
  return [`What stops ${best.label}: ${lowerFirst(best.limit.text)}`, ...rest.slice(0, 1)];
}

/** @param {Facts} facts */
function describeScaling({ scaling }) {
  const told = scaling.filter(({ points }) => points.length > 1);
  return told.slice(0, 2).map(({ label, text }) => capitalize(label ? `${label}: ${text}` : text));
}

/** What each factor changes: the throughput, and the cost where that says more. @param {Facts} facts */
function describeFactors({ comparisons, scaling }) {
  const overs = new Set(scaling.map(({ over }) => over));
  const asked = comparisons.filter(({ factor }) => !overs.has(factor));
  return [...Map.groupBy(asked, ({ factor }) => factor).values()]
    .slice(0, MOST_FACTORS)
    .map(own => {
      const called = own.filter(({ call }) => call !== 'none');
      const pool = called.length > 0 ? called : own;
      const most = (/** @type {VariantComparison['measure']} */ measure) =>
        pool.find(comparison => comparison.measure === measure);
      const [first] = pool;
      const told = most('throughputPerSec') ?? first;
      const cost = most('perBusyCore');
      const extra =
        cost && told !== cost && cost.before === told?.before && cost.after === told?.after
          ? `; ${tellShort(cost)}`
          : '';
      return told ? capitalize(`${told.text}${extra}`) : '';
    });
}

/** @param {VariantComparison} comparison */
function tellShort({ label, beforeValue, afterValue, measure, relative }) {
  const change = relative
    ? `, ${formatChange(relative.value)}${relative.low === null ? '' : ` (${formatChangeInterval(relative)})`}`
    : '';
  return `${label} ${formatMeasure(beforeValue, measure)} → ${formatMeasure(afterValue, measure)}${change}`;
}

/** What was not valid. @param {Facts} facts */
function describeDoubts({ study, variants }) {
  const limited = variants.filter(({ limit }) => limit.id === 'generator');
  const doubts = [
    ...(limited.length > 0
      ? [`the generator was the limit of ${limited.map(({ label }) => label).join('; ')}`]
      : []),
    ...study.reasons,
  ];
  return doubts.length > 0 ? `Not valid or not there: ${doubts.join('; ')}` : null;
}

/** @param {Facts} facts @param {boolean} isAllLimited @returns {StudyReport['verdict']['level']} */
function rateStudy({ capacity, variants, study, scaling }, isAllLimited) {
  if (isAllLimited) return 'invalid';
  if (capacity?.state === 'answered' && capacity.ratePerSec !== null) {
    if (capacity.variants.some(({ enough }) => enough))
      return study.status === 'complete' ? 'good' : 'warn';
    return 'bad';
  }
  if (study.status === 'partial' || variants.some(({ limit }) => limit.id === 'generator'))
    return 'warn';
  const isTold = variants.some(({ limit }) => limit.id !== 'unknown') || scaling.length > 0;
  return isTold ? 'good' : 'unknown';
}

/** @param {VariantReport[]} variants */
function findMost(variants) {
  return variants.toSorted(
    (a, b) =>
      (b.saturation.throughputPerSec?.value ?? 0) - (a.saturation.throughputPerSec?.value ?? 0),
  )[0];
}

/** @param {string} text */
function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "The two cores" → "the two cores", but not "PostgreSQL" or "HAProxy" @param {string} text */
function lowerFirst(text) {
  return /^[A-Z][a-z]*\b(?=[ ,:])/.test(text) && !/^(Redis|Python)\b/.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}

/** @param {string} text */
function endSentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
