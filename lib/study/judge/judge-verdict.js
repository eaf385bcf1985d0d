/** The answer of a study in its first lines. */
import { formatRate } from '../../format.js';
import { OTHERS_AT_WORK } from './find-others.js';
import { nameLimit } from './limit/name-limit.js';
import { capitalize, describeStep, endSentence, joinWords } from './words.js';

/** @import { StudyReport, VariantReport } from '../study-report.d.ts' */

/** @typedef {Pick<StudyReport, 'study' | 'variants' | 'scaling' | 'comparisons' | 'capacity' | 'throughputLabel' | 'load' | 'findings'>} Facts */

const MOST_SENTENCES = 6;
/** Of a kind. */
const MOST_OF_A_KIND = 2;
/** Throughputs that are this near to the highest are as good. */
const AS_GOOD = 0.95;

/** @param {Facts} facts @returns {StudyReport['verdict']} */
export function judgeVerdict(facts) {
  const measured = facts.variants.filter(
    ({ limit, saturation }) => limit.id === 'generator' || saturation.throughputPerSec !== null,
  );
  const best = findBestVariant(measured, facts.scaling);
  if (!best) return judgeNothing(facts);
  const isAllLimited = measured.every(({ limit }) => limit.id === 'generator');
  const [limit = null, ...otherLimits] = describeLimits(facts, best);
  const [scaling = null, ...otherScalings] = describeScaling(facts, best);
  const factors = describeFactors(facts);
  const sentences = [
    describeDoubts(facts),
    describeErrors(facts),
    limit,
    scaling,
    ...factors.map(({ told }) => told),
    ...otherLimits,
    ...factors.map(({ cost }) => cost),
    ...otherScalings,
  ].filter(sentence => sentence !== null);
  return {
    level: rateStudy(facts, isAllLimited),
    headline: endSentence(isAllLimited ? describeGeneratorLimit(facts) : answer(facts, best)),
    sentences: sentences.map(endSentence).slice(0, MOST_SENTENCES),
  };
}

/** @param {Facts} facts @returns {StudyReport['verdict']} */
function judgeNothing({ study, variants }) {
  const tried = variants.find(({ points }) => points.length > 0);
  return {
    level: 'invalid',
    headline: tried ? tried.limit.text : 'Nothing was measured: the study has no valid cell.',
    sentences: study.reasons
      .map(reason => endSentence(capitalize(reason)))
      .slice(0, MOST_SENTENCES),
  };
}

/** @param {Facts} facts */
function describeGeneratorLimit({ throughputLabel, variants }) {
  const points = variants.flatMap(variant => variant.points);
  const most = Math.max(...points.map(({ throughputPerSec }) => throughputPerSec.value));
  const least = formatRate(most).replace(/\/s$/, '');
  return `The load generator was the limit, so no capacity follows: the target takes at least ${least} ${throughputLabel}`;
}

/** The capacity where one was asked for; else the most, and what stops it. @param {Facts} facts @param {VariantReport} best */
function answer({ capacity, variants, throughputLabel, load }, best) {
  if (capacity) return capitalize(capacity.text);
  const { saturation, label, limit } = best;
  const least = saturation.state === 'reached' ? '' : 'at least ';
  const most = formatRate(saturation.throughputPerSec?.value ?? null).replace(/\/s$/, '');
  const who = variants.length > 1 ? `most with ${label}: ` : '';
  const from =
    saturation.state === 'reached' && saturation.step !== null
      ? ` from ${describeStep(saturation.step, load.model)} on`
      : '';
  const name = nameLimit(limit);
  const why = name
    ? `; the limit is ${name}`
    : limit.id === 'none'
      ? ', and no end was seen'
      : '; what limits it is not known';
  return capitalize(`${who}${least}${most} ${throughputLabel}${from}${why}`);
}

/**
 * What stops the best variant, and others that something else stops.
 * @param {Facts} facts @param {VariantReport} best
 */
function describeLimits({ variants }, best) {
  if (variants.length === 1) return [best.limit.text];
  // What is not known of one is another question than what is not known of the next.
  const kindOf = (/** @type {VariantReport} */ { id, limit }) =>
    limit.id === 'unknown' ? id : `${limit.id} ${limit.component}`;
  const others = variants.filter(
    variant => variant.limit.id !== 'generator' && kindOf(variant) !== kindOf(best),
  );
  const told = [...Map.groupBy(others, kindOf).values()].flatMap(([first, ...more]) => {
    if (!first) return [];
    const alike =
      more.length > 0
        ? ` (the same kind of limit: ${joinWords(more.map(({ label }) => label))})`
        : '';
    return `${capitalize(first.label)}${alike}: ${first.limit.text}`;
  });
  return [`${capitalize(best.label)}: ${best.limit.text}`, ...told.slice(0, MOST_OF_A_KIND)];
}

/** Without the limit that is told already. @param {Facts} facts @param {VariantReport} best */
function describeScaling({ scaling }, { limit }) {
  return scaling
    .filter(({ points }) => points.length > 1)
    .map(({ label, text }) => {
      const [gains = '', why] = text.split(/(?= With [\d,]+: )/);
      const told = why?.endsWith(limit.text) ? gains : text;
      return capitalize(label ? `${label}: ${told}` : told);
    });
}

/** What each factor but the number of workers changes: throughput, and what a core gives. @param {Facts} facts */
function describeFactors({ comparisons, scaling }) {
  const overs = new Set(scaling.map(({ over }) => over));
  const asked = comparisons.filter(({ factor }) => !overs.has(factor));
  const families = [...Map.groupBy(asked, ({ factor }) => factor).values()];
  return families.slice(0, MOST_OF_A_KIND).flatMap(own => {
    const called = own.filter(({ call }) => call !== 'none');
    const among = called.length > 0 ? called : own;
    const told = among.find(({ measure }) => measure === 'throughputPerSec') ?? among[0];
    const cost = own.find(
      ({ measure, before, after }) =>
        measure === 'perBusyCore' && before === told?.before && after === told?.after,
    );
    if (!told) return [];
    return {
      told: capitalize(told.text),
      cost: cost && cost !== told ? capitalize(cost.text) : null,
    };
  });
}

/** What was not valid or is not there. @param {Facts} facts */
function describeDoubts({ study, variants, findings }) {
  const limited = variants.filter(({ limit }) => limit.id === 'generator');
  const doubts = [
    ...(limited.length > 0
      ? [
          `the load generator was the limit${variants.length > 1 ? ` of ${joinWords(limited.map(({ label }) => label))}` : ''}`,
        ]
      : []),
    ...study.reasons,
    ...findings
      .filter(({ id }) => id === OTHERS_AT_WORK)
      // without the part that says who they may be
      .map(({ title }) => title.replace(/^O(.*?):.*$/, 'o$1')),
  ];
  return doubts.length > 0 ? `To be doubted: ${doubts.join('; ')}` : null;
}

/** @param {Facts} facts */
function describeErrors({ findings }) {
  return findings.find(({ id }) => id === 'request-errors')?.title ?? null;
}

/** @param {Facts} facts @param {boolean} isAllLimited @returns {StudyReport['verdict']['level']} */
function rateStudy({ capacity, variants, study, findings }, isAllLimited) {
  if (isAllLimited) return 'invalid';
  const isDoubtful =
    study.status === 'partial' ||
    variants.some(({ limit }) => limit.id === 'generator') ||
    findings.some(({ id, severity }) => severity === 'bad' || id === OTHERS_AT_WORK);
  if (capacity?.state === 'answered' && capacity.ratePerSec !== null) {
    const isEnough = capacity.variants.some(({ enough }) => enough);
    return isEnough ? (isDoubtful ? 'warn' : 'good') : 'bad';
  }
  if (isDoubtful) return 'warn';
  return variants.some(({ limit }) => limit.id !== 'unknown') ? 'good' : 'unknown';
}

/**
 * The one with the highest throughput; of those that are as good, the one with the fewest workers.
 * @param {VariantReport[]} variants @param {StudyReport['scaling']} scaling
 */
function findBestVariant(variants, scaling) {
  const rateOf = (/** @type {VariantReport} */ { saturation }) =>
    saturation.throughputPerSec?.value ?? 0;
  const most = Math.max(...variants.map(rateOf));
  const over = scaling[0]?.over ?? '';
  return variants
    .filter(variant => rateOf(variant) >= most * AS_GOOD)
    .sort(
      (a, b) =>
        (Number(a.factors[over]) || 0) - (Number(b.factors[over]) || 0) || rateOf(b) - rateOf(a),
    )[0];
}
