/** What load a study had, and which components were seen. */
import { labelComponent } from './component-labels.js';
import { describeStopRule } from './describe-stop-rule.js';

/** @import { StudyPlan } from '../study-records.d.ts' */
/** @import { StudyReport, VariantReport } from '../study-report.d.ts' */
/** @import { Cells } from './collect-cells.js' */

/** @param {StudyPlan} plan @param {Cells} cells @param {VariantReport[]} variants @returns {StudyReport['load']} */
export function describeLoad({ study }, cells, variants) {
  const { model, steps, untilSaturated, stop } = study.load;
  const longest = variants
    .map(({ points }) => points.map(({ step }) => step))
    .toSorted((a, b) => b.length - a.length)[0];
  const planned = Array.isArray(steps) ? steps : [];
  const isSeen = cells.all.some(({ figures }) => figures);
  return {
    model,
    unit: model === 'closed' ? 'users' : 'per second',
    steps: isSeen ? (longest ?? []) : planned,
    untilSaturated,
    stopRule: untilSaturated ? describeStopRule(stop) : null,
  };
}

/** @param {VariantReport[]} variants @returns {StudyReport['components']} the most CPU first */
export function listComponents(variants) {
  /** @type {Map<string, number>} */
  const most = new Map();
  const see = (/** @type {string} */ name, /** @type {number} */ cores) =>
    most.set(name, Math.max(most.get(name) ?? 0, cores));
  for (const { components, generatorCores } of variants.flatMap(({ points }) => points)) {
    for (const { name, cores } of components) see(name, cores);
    if (generatorCores !== null) see('generator', generatorCores);
  }
  return [...most]
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => ({ name, label: labelComponent(name) }));
}
