/** Whether more comes in than gets done, at the stage that holds the others up. */
import { formatRate } from '../../format.js';
import { findChoke } from './limit/stage-rule.js';

/** @import { Backlog } from '../study-report.d.ts' */
/** @import { StudyLimitFacts } from './limit/limit-facts.d.ts' */
/** @import { MeasuredVariant } from './judge-variant.js' */

/**
 * @param {StudyLimitFacts} facts @param {MeasuredVariant} variant
 * @returns {Backlog | null} null where no stage is known
 */
export function measureBacklog(facts, { points }) {
  const point = points.find(({ step }) => step === facts.stageStep);
  const known = facts.stages.filter(({ growthPerSec }) => growthPerSec !== null);
  const choke = findChoke(facts);
  const stage =
    choke ??
    known.toSorted((a, b) => (b.growthPerSec?.value ?? 0) - (a.growthPerSec?.value ?? 0))[0];
  if (!point || !stage?.growthPerSec) return null;
  const { growthPerSec } = stage;
  const [dispatchPerSec, completionPerSec] = [point.dispatchPerSec, point.throughputPerSec.value];
  const grows = (growthPerSec.low ?? 0) > 0;
  return {
    stage: stage.name,
    slopePerSec: growthPerSec,
    dispatchPerSec,
    completionPerSec,
    text: `at step ${point.step} ${formatRate(dispatchPerSec)} came in and ${formatRate(completionPerSec)} were completed: ${grows ? `what waits before ${stage.name} grows by ${formatRate(growthPerSec.value)}` : 'no growth of what waits is seen'}`,
  };
}
