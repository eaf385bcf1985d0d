import { sayBottleneck } from './bottleneck.js';
import { labelComponent } from './components.js';
import { describeSaturation } from './saturation.js';
import { say, withText, wordStatement } from './say.js';
import { describeScaling, nameMeasure } from './study-comparison.js';
import { STUDY_FINDINGS } from './study-findings.js';
import { describeStopRule, describeUsl, describeWhy, STOPS } from './study-variant.js';
import {
  describeVariantCapacity,
  STUDY_HEADLINES,
  STUDY_LINES,
  STUDY_REASONS,
} from './study-verdict.js';

/** @import * as Facts from '../run/facts/study-report.d.ts' */
/** @import { CapacityAnswer, StudyReport, VariantReport } from './study-report.d.ts' */
/** @import { Catalogue, Worded } from './text.d.ts' */
/** @import { Statement } from '../run/facts/statement.d.ts' */

/**
 * The report of a study with its English beside the facts.
 * @param {Facts.StudyReport} report
 * @returns {StudyReport}
 */
export function wordStudyReport(report) {
  const { study, verdict, load, throughputLabel, cpuOf, capacity } = report;
  const labels = { throughputLabel, cpuOf, model: load.model };
  return {
    ...report,
    study: { ...study, reasons: study.reasons.map(reason => word(STUDY_REASONS, reason)) },
    verdict: {
      level: verdict.level,
      headline: word(STUDY_HEADLINES, verdict.headline),
      lines: verdict.lines.map(wordLine),
    },
    load: { ...load, stopRule: load.stopRule && withText(load.stopRule, describeStopRule) },
    components: report.components.map(({ name }) => ({ name, label: labelComponent(name) })),
    variants: report.variants.map(wordVariant),
    scaling: report.scaling.map(scaling => withText(scaling, describeScaling)),
    comparisons: report.comparisons.map(comparison => ({
      ...comparison,
      label: nameMeasure({ ...comparison, ...labels }),
    })),
    capacity: capacity && wordCapacity(capacity, throughputLabel),
    findings: report.findings.map(finding => ({
      ...finding,
      text: wordStatement(say(STUDY_FINDINGS, finding)),
    })),
  };
}

/** Problems of a study are findings, too. @param {Facts.StudyReport['verdict']['lines'][number]} line @returns {StudyReport['verdict']['lines'][number]} */
function wordLine(line) {
  if (line.id in STUDY_FINDINGS) return { ...line, text: word(STUDY_FINDINGS, line).text.title };
  return word(STUDY_LINES, line);
}

/** @param {Facts.VariantReport} variant @returns {VariantReport} */
function wordVariant(variant) {
  const { saturation, usl, bottleneck, why, stop } = variant;
  return {
    ...variant,
    bottleneck: { ...bottleneck, text: sayBottleneck(bottleneck) },
    saturation: withText(saturation, describeSaturation),
    usl: withText(usl, describeUsl),
    why: why && { ...why, sentences: describeWhy(why) },
    stop: stop && word(STOPS, stop),
  };
}

/** @param {Facts.CapacityAnswer} capacity @param {string} throughputLabel @returns {CapacityAnswer} */
function wordCapacity(capacity, throughputLabel) {
  const { variants, headroom, answer } = capacity;
  return {
    ...capacity,
    variants: variants.map(variant =>
      withText(variant, one => describeVariantCapacity(one, { headroom, throughputLabel })),
    ),
    answer: word(STUDY_HEADLINES, answer),
  };
}

/**
 * A statement with the text of its id.
 * @template Table, Text
 * @template {Statement<any>} S
 * @param {Catalogue<Table, Text>} catalogue @param {S} statement
 * @returns {Worded<S, Text>}
 */
function word(catalogue, statement) {
  return { ...statement, text: say(catalogue, /** @type {any} */ (statement)) };
}
