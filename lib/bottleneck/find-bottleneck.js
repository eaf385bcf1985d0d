import { findChokePoint } from './choke-point.js';
import { predictFix, predictPaths } from './predict-fix.js';
import { listResources } from './resources.js';
import { areWorkersFull, findFullPart, RULES } from './rules.js';
import { findServedAtATime, findServedOfRun } from './served-at-a-time.js';
import { isMachineFull, THRESHOLDS } from './thresholds.js';

/** @import { Bottleneck, BottleneckFacts, GatheredFacts } from '../facts/bottleneck.d.ts' */

/**
 * What keeps the throughput from being higher. The facts by which it was found are its evidence.
 * @param {GatheredFacts} gathered
 * @returns {Bottleneck}
 */
export function findBottleneck(gathered) {
  const { host, parts, generatorCores, restCores, study, isSaturated } = gathered;
  const judged = {
    ...gathered,
    isMachineFull: isMachineFull(host),
    isRising: study !== null && isSaturated === false,
  };
  /** @type {BottleneckFacts} */
  const facts = {
    ...judged,
    why: null,
    areWorkersFull: areWorkersFull(judged),
    hasBackgroundLoad:
      parts.length > 0 && generatorCores !== null && (restCores ?? 0) >= THRESHOLDS.backgroundCores,
    choke: study && findChokePoint(study.stages, isSaturated),
    fullPart: findFullPart(judged),
    served: study ? findServedAtATime(gathered, study) : findServedOfRun(gathered),
  };
  const rule = RULES.find(({ holds }) => holds(facts));
  if (!rule) throw new Error('the last rule always holds');
  const { id, why = null } = rule;
  const names = {
    stage: facts.choke?.name,
    component: facts.fullPart?.name,
    quota: facts.quota?.roles[0],
  };
  const component = names[/** @type {keyof typeof names} */ (id)] ?? null;
  const found = { ...facts, why };
  const resources = listResources(gathered);
  const fix = predictFix(id, found);
  return { id, component, facts: found, resources, fix, paths: predictPaths(id, found) };
}
