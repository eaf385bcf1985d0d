/** A pipeline's choke point: work piles up before it, and nothing waits behind it. */
import { isMachineFull, THRESHOLDS } from './thresholds.js';

/** @import { GatheredFacts, StageFacts } from '../facts/bottleneck.d.ts' */

/** Processes of the API, which may be called as a stage is. */
const OF_GUNICORN = new Set(['workers', 'master']);

/**
 * Work piles up before the slowest stage, and what comes after it gets no more than it lets through: of
 * several piles that grow the last is the bottleneck's. Where the load waits for its own work (a closed
 * loop) the pile does not grow but stands, and the stages around the slowest have short ones of chance:
 * it is the highest for its number of servers, and more wait than are worked at. That says so only
 * where more load brings no more: a few wait at times below that, too.
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
 * On a saturated CPU a stage may be slow only because others take its CPU; not so where it uses all that
 * one thread can, or hardly any.
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
