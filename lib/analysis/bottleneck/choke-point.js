/** The choke point of a pipeline: work piles up before it and not behind it. */
import { isMachineFull, THRESHOLDS } from './thresholds.js';

/** @import { GatheredFacts, StageFacts } from '../../run/facts/bottleneck.d.ts' */

/** Processes of the API, which may have the same name as a stage. */
const OF_GUNICORN = new Set(['workers', 'master']);

/**
 * Work piles up before the slowest stage. Later stages get only what it lets through, so the last growing backlog is the
 * bottleneck's. In a closed loop backlogs do not grow: there it is the highest backlog per server, if more jobs wait than
 * are in progress. That holds only in saturation, because a few jobs wait below it, too.
 * @param {StageFacts[]} stages in the order of the pipeline @param {boolean | null} isSaturated
 * @returns {StageFacts | null}
 */
export function findChokePoint(stages, isSaturated) {
  const growing = stages.findLast(({ isGrowing }) => isGrowing);
  if (growing || isSaturated !== true) return growing ?? null;
  const perServer = (/** @type {StageFacts} */ { meanBacklog, servers }) =>
    meanBacklog / Math.max(1, servers ?? 1);
  const standing = stages.filter(stage => perServer(stage) > 1);
  return standing.toSorted((a, b) => perServer(b) - perServer(a))[0] ?? null;
}

/**
 * On a saturated CPU a stage may be slow only because other programs take its CPU. Not if it uses a whole core, or
 * hardly any CPU.
 * @param {Pick<GatheredFacts, 'host' | 'parts'>} facts
 * @param {StageFacts} choke
 */
export function isSlowedByFullMachine({ host, parts }, { name: stage }) {
  if (!isMachineFull(host)) return false;
  const own = parts.find(
    ({ name }) => !OF_GUNICORN.has(name) && (name === stage || name.endsWith(`-${stage}`)),
  );
  if (!own) return true;
  const hasItsCore = own.processes < 1.5 && own.busiestCores >= THRESHOLDS.ownCore;
  return !hasItsCore && own.cores >= THRESHOLDS.hardlyAnyCores;
}
