import { varyWaits } from './alternatives.js';
import { findChokePoint } from './choke-point.js';
import { areWorkersFull, findFullPart } from './full-cpu.js';
import { predictFix, predictPaths } from './predict-fix.js';
import {
  countWanting,
  findFullPool,
  findLongestWait,
  hasBackgroundLoad,
  isHeldAllTheTime,
  listKindsInside,
  listResources,
  measureSeen,
  shareOfCpu,
} from './resources.js';
import { RULES } from './rules.js';
import { findServedAtATime, findServedOfRun } from './served-at-a-time.js';
import { isMachineFull, THRESHOLDS } from './thresholds.js';

/** @import { Bottleneck, BottleneckFacts, BottleneckId, GatheredFacts } from '../../run/facts/bottleneck.d.ts' */

/** @type {BottleneckId[]} */
const NOT_NAMED = ['none', 'unknown'];

/**
 * Finds what limits the throughput, with its facts as evidence.
 * @param {GatheredFacts} gathered
 * @returns {Bottleneck}
 */
export function findBottleneck(gathered) {
  const { id, facts } = applyRules(gathered);
  const { of, doing } = gathered.waits?.holders ?? {};
  const names = {
    stage: facts.choke?.name,
    component: facts.fullPart?.name,
    quota: facts.quota?.roles[0],
    pool: facts.fullPool?.kind,
    database: nameWaitForDatabase(facts),
    connections: facts.served?.by === 'server' ? 'front' : null,
    lock: of === 'lock' && doing?.id === 'file' ? 'pipe' : null,
    wait: facts.longestWait?.kind === 'sleep' ? 'sleep' : null,
  };
  // What holders of the lock do is why they hold it, and no rival. Nor is the pool that is full because of it.
  const same = [id, of === id ? doing?.id : id, facts.outerPool ? 'pool' : id, ...NOT_NAMED];
  const others = varyWaits(gathered).map(varied => applyRules(varied).id);
  const resources = listResources(gathered);
  return {
    id,
    component: names[/** @type {keyof typeof names} */ (id)] ?? null,
    orElse: others.find(other => !same.includes(other)) ?? null,
    facts,
    resources,
    fix: predictFix(id, facts, resources),
    paths: predictPaths(id, facts),
  };
}

/** What most of the waiting for a database is for. @param {BottleneckFacts} facts */
function nameWaitForDatabase({ longestWait, waits }) {
  if (longestWait?.place?.as === 'message') return 'partner';
  const [most] = waits?.kinds.find(({ id }) => id === 'database')?.where ?? [];
  const isMost = most?.as === 'connect' && most.share >= THRESHOLDS.mostOfTime;
  return isMost ? 'database-connection-per-request' : null;
}

/** @param {GatheredFacts} measured */
function applyRules(measured) {
  const isSaturated = isHeldAllTheTime(measured) || measured.isSaturated;
  const gathered = { ...measured, isSaturated };
  const { host, study } = gathered;
  const served = study ? findServedAtATime(gathered, study) : findServedOfRun(gathered);
  const cpuShare = shareOfCpu(gathered, served?.by === 'server');
  const judged = {
    ...gathered,
    isMachineFull: isMachineFull(host),
    cpuShare,
    isCpuDoubt: isMachineFull(host) && (cpuShare ?? 1) >= THRESHOLDS.smallPart,
    isRising: study !== null && isSaturated === false,
    hasBackgroundLoad: hasBackgroundLoad(gathered),
    wantingThreads: countWanting(gathered),
  };
  /** @type {BottleneckFacts} */
  const facts = {
    ...judged,
    why: null,
    areWorkersFull: areWorkersFull(judged),
    choke: study && findChokePoint(study.stages, isSaturated),
    fullPart: findFullPart(judged),
    ...findFullPool(gathered),
    longestWait: findLongestWait(gathered),
    seenShare: measureSeen(gathered),
    kindsInside: listKindsInside(gathered.waits),
    served,
  };
  // The last rule always holds.
  const rule = /** @type {(typeof RULES)[number]} */ (RULES.find(({ holds }) => holds(facts)));
  return { id: rule.id, facts: { ...facts, why: rule.why ?? null } };
}
