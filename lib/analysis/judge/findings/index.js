/** The findings of a report. Each rule is a pure function of the measurements; its words are in lib/text. */
import { findBottleneckFinding, findCapacity, findImbalance } from './bottleneck.js';
import { CALL_RULES } from './calls.js';
import { findChangedReplicas, findPodRestarts, findUnreadyPods } from './cluster.js';
import {
  findBlockedLoop,
  findCauses,
  findCollections,
  findFlaggedPaths,
  findObservability,
} from './code.js';
import {
  findDroppedArrivals,
  findEmptyVariables,
  findErrorBursts,
  findFailedChecks,
  findFailedUsers,
  findIdleScenarios,
  findInvalidLoad,
  findLostConnections,
  findOutages,
  findRequestErrors,
  findTokenTrouble,
  findUnansweredEmits,
} from './errors.js';
import {
  findChildProcesses,
  findFullMachine,
  findFullTaskWorkers,
  findGeneratorLimit,
  findThrottledTarget,
} from './machine.js';
import { findSameCalls } from './same-work.js';
import { findMemoryGrowth, findSpikeVictims, findStalls, findWorkerRestarts } from './trends.js';

/** @import { Facts, FindingRule } from '../statements.js' */
/** @import { Finding } from '../../../run/facts/findings.d.ts' */

/** @type {FindingRule[]} */
const RULES = [
  findInvalidLoad,
  findTokenTrouble,
  findUnansweredEmits,
  findFailedUsers,
  findRequestErrors,
  findOutages,
  findErrorBursts,
  findPodRestarts,
  findUnreadyPods,
  findChangedReplicas,
  findStalls,
  findSpikeVictims,
  findGeneratorLimit,
  findFullMachine,
  findThrottledTarget,
  findChildProcesses,
  findFullTaskWorkers,
  findImbalance,
  findBottleneckFinding,
  findBlockedLoop,
  ...CALL_RULES,
  findCauses,
  findObservability,
  findSameCalls,
  findCollections,
  findCapacity,
  findFlaggedPaths,
  findMemoryGrowth,
  findWorkerRestarts,
  findLostConnections,
  findDroppedArrivals,
  findIdleScenarios,
  findEmptyVariables,
  findFailedChecks,
];

/** @param {Facts} facts @returns {Finding[]} unordered: the verdict ranks them */
export function collectFindings(facts) {
  return RULES.flatMap(rule => rule(facts));
}
