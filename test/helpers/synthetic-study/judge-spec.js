import { judgeStudy } from '../../../lib/study/judge/judge-study.js';
import { makeStudy } from './index.js';

/**
 * The report of a synthetic study.
 * @param {import('./study-spec.d.ts').StudySpec} spec
 */
export function judgeSpec(spec) {
  const { plan, journal, reports } = makeStudy(spec);
  return judgeStudy(plan, journal, { readReport: folder => reports.get(folder) ?? null, nowMs: 0 });
}

/**
 * The limit of the only variant of a study of one.
 * @param {Omit<import('./study-spec.d.ts').StudySpec, 'truth'>} spec
 * @param {import('./study-spec.d.ts').Truth} truth
 */
export function limitOf(spec, truth) {
  const report = judgeSpec({ factors: {}, ...spec, truth: () => truth });
  const [variant] = report.variants;
  if (!variant) throw new Error('no variant');
  return variant.limit;
}
