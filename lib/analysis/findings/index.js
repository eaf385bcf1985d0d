/** The findings of a report, worst first. Each rule is a pure function in a file of its own. */
import { findCapacityFinding } from './capacity.js';
import { findCauses } from './causes.js';
import { findThrottledTarget } from './cpu-throttled.js';
import { findDevTools } from './dev-tools.js';
import { findErrorBursts } from './error-bursts.js';
import { findFlaggedPaths } from './flagged-paths.js';
import { findFullMachine } from './full-machine.js';
import { findGeneratorLimit } from './generator-limit.js';
import { findImbalance } from './imbalance.js';
import { findInvalidLoad } from './invalid-load.js';
import { findLimitFinding } from './limit.js';
import { findLostConnections } from './lost-connections.js';
import { findMemoryGrowth } from './memory-growth.js';
import { findRequestErrors } from './request-errors.js';
import { findRisingLatency } from './rising-latency.js';
import { findSkippedArrivals } from './skipped-arrivals.js';
import { findTokenTrouble } from './token-trouble.js';
import { findUnansweredEvents } from './unanswered-events.js';
import { findWorkerRestarts } from './worker-restarts.js';

/** @typedef {import('../report.d.ts').Report} Report */
/** @typedef {import('../report.d.ts').Finding} Finding */

/**
 * What a rule gets to see: the report as far as it is built.
 * @typedef {Pick<Report, 'run' | 'load' | 'profile'> &
 *   Partial<Pick<Report, 'limit' | 'whatIf' | 'timeline' | 'costs' | 'balance' | 'validity' | 'logs'>> &
 *   {throttling?: import('../throttling.js').Throttling}} Facts
 */

/**
 * What a rule says; without `gain` nothing can be said of it.
 * @typedef {Omit<Finding, 'gain'> & {gain?: string | null}} FindingDraft
 */

/** @typedef {(facts: Facts) => FindingDraft[]} FindingRule */

/**
 * Of the same severity the first come first: what spoils the measurement, what users felt, what limits,
 * what it costs, and what is only worth knowing.
 * @type {FindingRule[]}
 */
const RULES = [
  findInvalidLoad,
  findTokenTrouble,
  findRequestErrors,
  findErrorBursts,
  findGeneratorLimit,
  findFullMachine,
  findThrottledTarget,
  findImbalance,
  findLimitFinding,
  findCauses,
  findCapacityFinding,
  findFlaggedPaths,
  findDevTools,
  findRisingLatency,
  findMemoryGrowth,
  findWorkerRestarts,
  findUnansweredEvents,
  findLostConnections,
  findSkippedArrivals,
];

const ORDER = { bad: 0, warn: 1, info: 2, good: 3 };

/** @param {Facts} facts @returns {Finding[]} */
export function collectFindings(facts) {
  return RULES.flatMap(rule => rule(facts))
    .map(finding => ({ gain: null, ...finding }))
    .sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}
