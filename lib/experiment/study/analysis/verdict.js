/** The answer of a study in its first lines. */

/** @import { StudyFinding, StudyReport, VariantReport } from '../../../run/facts/study-report.d.ts' */

/** @typedef {Pick<StudyReport, 'variants' | 'scaling' | 'comparisons' | 'capacity' | 'throughputLabel' | 'cpuOf' | 'load' | 'findings' | 'cells' | 'study'>} Facts */
/** @typedef {StudyReport['verdict']['lines'][number]} Line */

const MOST_LINES = 5;
/** Factors that get a line. */
const MOST_FACTORS = 2;
/** Throughputs this close to the highest are as good. */
const AS_GOOD = 0.95;

/**
 * In the order of trust: what spoils the measurement, what users noticed, what the factors change, what it costs.
 * @type {((facts: Facts, best: VariantReport) => Line[])[]}
 */
const LINES = [listTrust, listScaling, listFactors];
/** Findings whose title also becomes a line. */
const TRUST = /** @type {const} */ ([
  'generator-limit',
  'cells-lost',
  'background-load',
  'request-errors',
  'dropped-arrivals',
]);

/**
 * @param {Facts} facts
 * @param {{name: string, count: number} | null} error the most frequent one of all cells
 * @returns {StudyReport['verdict']}
 */
export function judgeVerdict(facts, error) {
  const measured = facts.variants.filter(
    ({ bottleneck, saturation }) =>
      bottleneck.id === 'generator' || saturation.throughputPerSec !== null,
  );
  const best = findBestVariant(measured, facts.scaling);
  if (!best) {
    const isTried = facts.variants.some(({ points }) => points.length > 0);
    return {
      level: 'invalid',
      headline: { id: 'nothing-measured', facts: { isTried, error } },
      lines: listTrust(facts),
    };
  }
  const isAllLimited = measured.every(({ bottleneck }) => bottleneck.id === 'generator');
  return {
    level: rateStudy(facts, isAllLimited),
    headline: isAllLimited ? findGeneratorHeadline(facts) : answer(facts, best),
    lines: LINES.flatMap(list => list(facts, best)).slice(0, MOST_LINES),
  };
}

/** @param {Facts} facts @returns {StudyReport['verdict']['headline']} */
function findGeneratorHeadline({ throughputLabel, variants }) {
  const points = variants.flatMap(variant => variant.points);
  const mostPerSec = Math.max(...points.map(({ throughputPerSec }) => throughputPerSec.value));
  return { id: 'generator-limit', facts: { mostPerSec, throughputLabel } };
}

/** The capacity if the study asks for it; the victims of a spike; otherwise the maximum, and what stops it. @param {Facts} facts @param {VariantReport} best @returns {StudyReport['verdict']['headline']} */
function answer({ capacity, variants, throughputLabel, load: { model }, findings }, best) {
  if (capacity) return capacity.answer;
  const spike = findFinding(findings, 'spike');
  if (spike) return { id: 'spike', facts: spike.facts };
  const { saturation, label, bottleneck } = best;
  return {
    id: 'most',
    facts: {
      variant: variants.length > 1 ? label : null,
      perSec: saturation.throughputPerSec?.value ?? null,
      throughputLabel,
      isReached: saturation.state === 'reached',
      step: saturation.step,
      model,
      bottleneck: { id: bottleneck.id, component: bottleneck.component },
    },
  };
}

/** Unless the headline says it. @param {Facts} facts @returns {Line[]} */
function listTrust({ findings, variants }) {
  const limited = variants.filter(({ bottleneck }) => bottleneck.id === 'generator').length;
  const isPartly = limited > 0 && limited < variants.length;
  return TRUST.flatMap(id => {
    const found = findFinding(findings, id);
    if (!found || (id === 'generator-limit' && !isPartly)) return [];
    return [/** @type {Line} */ ({ id, facts: found.facts })];
  });
}

/** For the best variant's combination of the other factors, otherwise for the first one. @param {Facts} facts @param {VariantReport} best @returns {Line[]} */
function listScaling({ scaling }, best) {
  const known = scaling.filter(({ points }) => points.length > 1);
  const own =
    known.find(({ points }) => points.some(({ variant }) => variant === best.id)) ?? known[0];
  return own ? [{ id: 'scaling', facts: own }] : [];
}

/**
 * What each factor except the number of workers changes, significant differences first: the throughput of all factors,
 * then the same pairs' throughput per core where that is significant.
 * @param {Facts} facts
 * @returns {Line[]}
 */
function listFactors({ comparisons, scaling, throughputLabel, cpuOf, load: { model } }) {
  const overs = new Set(scaling.map(({ over }) => over));
  const asked = comparisons.filter(({ factor }) => !overs.has(factor));
  const families = [...Map.groupBy(asked, ({ factor }) => factor).values()];
  const chosen = families.slice(0, MOST_FACTORS).map(own => {
    const significant = own.filter(({ call }) => call !== 'none');
    const among = significant.length > 0 ? significant : own;
    const shown = among.find(({ measure }) => measure === 'throughputPerSec') ?? among[0];
    const cost = significant.find(
      ({ measure, before, after }) =>
        measure === 'perBusyCore' && before === shown?.before && after === shown?.after,
    );
    return { shown, cost: cost === shown ? undefined : cost };
  });
  return [...chosen.map(({ shown }) => shown), ...chosen.map(({ cost }) => cost)].flatMap(one => {
    if (!one) return [];
    const { factor, beforeLevel, afterLevel, same, measure, step, steps } = one;
    const { relative, call, runs } = one;
    const compared = { factor, beforeLevel, afterLevel, same, measure, step, steps };
    return {
      id: 'factor',
      facts: { ...compared, relative, call, runs, throughputLabel, cpuOf, model },
    };
  });
}

/**
 * @template {StudyFinding['id']} Id
 * @param {StudyFinding[]} findings @param {Id} wanted
 * @returns {Extract<StudyFinding, {id: Id}> | null}
 */
function findFinding(findings, wanted) {
  const found = findings.find(({ id }) => id === wanted) ?? null;
  return /** @type {Extract<StudyFinding, {id: Id}> | null} */ (found);
}

/** @param {Facts} facts @param {boolean} isAllLimited @returns {StudyReport['verdict']['level']} */
function rateStudy({ capacity, variants, study, findings }, isAllLimited) {
  if (isAllLimited) return 'invalid';
  const isDoubtful =
    study.status === 'partial' ||
    variants.some(({ bottleneck }) => bottleneck.id === 'generator') ||
    findings.some(({ id, severity }) => severity === 'bad' || id === 'background-load');
  if (capacity?.state === 'answered' && capacity.ratePerSec !== null) {
    const isEnough = capacity.variants.some(({ enough }) => enough);
    return isEnough ? (isDoubtful ? 'warn' : 'good') : 'bad';
  }
  if (isDoubtful) return 'warn';
  return variants.some(({ bottleneck }) => bottleneck.id !== 'unknown') ? 'good' : 'unknown';
}

/**
 * The variant with the highest throughput; among equally good ones, the one with the fewest workers.
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
