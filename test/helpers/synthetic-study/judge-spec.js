import { judgeStudy } from '../../../lib/experiment/study/analysis/judge-study.js';
import { wordStudyReport } from '../../../lib/text/study.js';
import { makeStudy } from './index.js';

/** @import { StudySpec, Truth } from './study-spec.d.ts' */

/**
 * The report of a synthetic study, with its text.
 * @param {StudySpec} spec
 */
export function judgeSpec(spec) {
  const { plan, journal, reports } = makeStudy(spec);
  const readReport = (/** @type {string} */ folder) => reports.get(folder) ?? null;
  return wordStudyReport(judgeStudy(plan, journal, { readReport, nowMs: 0 }));
}

/**
 * The bottleneck of the only variant of a study of one.
 * @param {Omit<StudySpec, 'truth'>} spec
 * @param {Truth} truth
 */
export function bottleneckOf(spec, truth) {
  const report = judgeSpec({ factors: {}, ...spec, truth: () => truth });
  const [variant] = report.variants;
  if (!variant) throw new Error('no variant');
  return variant.bottleneck;
}
