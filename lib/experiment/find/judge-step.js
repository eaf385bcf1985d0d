/** Judges a step against its limits: from the Report of its measured part, and while it runs. */
import { LoadflameError } from '../../base/errors.js';
import { least, mean, most } from '../../base/math/summary.js';
import { measureOf } from '../../run/facts/measures.js';
import { checkThresholds } from '../thresholds/check-thresholds.js';

/** @import { FindStep, StepProblem, StepTable } from '../../run/facts/find.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Threshold, ThresholdResult } from '../../run/facts/threshold.d.ts' */
/** @import { LoadProgress } from '../../load/messages.js' */

/** @typedef {{limits: Threshold[], level: number, isOpen: boolean}} Asked */

/**
 * @param {Report} report of the measured part
 * @param {Asked & {stopped: StepProblem | null}} asked `stopped`: why it ended early
 * @returns {Promise<Pick<FindStep, 'checks' | 'problem' | 'margin'>>}
 * @throws {LoadflameError} FIND_UNKNOWN
 */
export async function judgeStep(report, { stopped, limits, isOpen }) {
  const checks = await checkThresholds(limits, { reports: [report], comparison: null });
  const problem = stopped ?? findProblem(report, { limits, isOpen });
  // Long requests may still be building up if a step settled too briefly: another run decides.
  const low = problem?.id === 'queue' && !stopped ? -1 : 1;
  const margin = problem ? { value: 1, low, high: 1 } : findWorst(limits, checks, report);
  const { id, facts } = report.bottleneck ?? {};
  const isBeside = id === 'generator' || facts?.why === 'background-load';
  if (problem?.id === 'generator' || (margin.value > 0 && isBeside)) {
    const { sign = null } = problem?.id === 'generator' ? problem.facts : {};
    return { checks, problem: { id: 'generator', facts: { sign } }, margin: null };
  }
  return { checks, problem, margin };
}

/**
 * @param {Threshold[]} limits
 * @param {ThresholdResult[]} checks
 * @param {Report} report
 */
function findWorst(limits, checks, report) {
  const margins = limits.map((limit, at) => findMargin(checks[at], limit, report));
  const worst = (/** @type {0 | 1 | 2} */ at) => most(margins.map(one => one[at]));
  return { value: worst(0), low: worst(1), high: worst(2) };
}

/** @param {Report} report @param {Pick<Asked, 'limits' | 'isOpen'>} asked @returns {StepProblem | null} */
function findProblem({ load }, { limits, isOpen }) {
  if (!load) return null;
  const { failures, users, seconds, http } = load;
  const sign = load.generator?.signs.find(({ isLimit }) => isLimit);
  if (sign) return { id: 'generator', facts: { sign } };
  const isLimited = limits.some(({ metric }) => metric === 'errors' || metric === 'users.failed');
  if (failures.isTooMany && !isLimited)
    return { id: 'failures', facts: { share: Math.max(failures.share, failures.users.share) } };
  const share = users.skipped / Math.max(1, users.created + users.skipped);
  if (share > failures.allowed) return { id: 'dropped', facts: { share } };
  const inFlight = seconds.flatMap(({ inFlightAtEnd }) => inFlightAtEnd ?? []);
  const facts = isOpen && findGrowth(inFlight, http.requests / seconds.length);
  return facts ? { id: 'queue', facts } : null;
}

/** Share of the arrivals; and standard deviations of a Poisson count, as its random variation. */
const [GROWTH, BY_CHANCE] = [0.05, 2];
const LEAST_SECONDS = 6;

/**
 * Whether a queue grows. At first, the latencies of an open load are good even if the target cannot serve it.
 * @param {number[]} inFlight requests, at the end of each second
 * @param {number} requestsPerSec
 * @returns {StepTable['queue'] | null} null: no growth, or not known
 */
export function findGrowth(inFlight, requestsPerSec) {
  if (inFlight.length < LEAST_SECONDS) return null;
  const third = Math.floor(inFlight.length / 3);
  const growth = mean(inFlight.slice(-third)) - mean(inFlight.slice(0, third));
  const sent = requestsPerSec * (inFlight.length - third);
  return growth > Math.max(GROWTH * sent, BY_CHANCE * Math.sqrt(sent)) ? { growth } : null;
}

/** Prevents a division by zero for a limit of 0. */
const SMALLEST = 1e-9;

/**
 * @param {ThresholdResult | undefined} check @param {Threshold} limit @param {Report} report
 * @returns {[value: number, low: number, high: number]} shares of the limit, above 0 if it is exceeded
 * @throws {LoadflameError} FIND_UNKNOWN
 */
function findMargin(check, { expression, operator, limit, unit, metric }, report) {
  if (!check?.value) throw new LoadflameError('FIND_UNKNOWN', { expression });
  const { value, low, high } = check.value;
  const isUpper = operator.startsWith('<');
  // Proving an error rate below one in a thousand takes longer than a step.
  if (unit === 'share' && isUpper && value === 0) return [-1, -1, -1];
  const scale = Math.max(SMALLEST, Math.abs(limit)) * (isUpper ? 1 : -1);
  const own = (value - limit) / scale;
  const { count, least: needed = 0 } = measureOf(metric, 'threshold');
  const isFew = count !== undefined && count(report, { endpoint: null, category: null }) < needed;
  const ends = [low ?? value, high ?? value].map(end => (end - limit) / scale);
  // With few responses the value could be on either side of the limit.
  const all = [own, ...ends, ...(isFew ? [-1, 1] : [])];
  return [own, least(all), most(all)];
}

/** Connections are opened in the first seconds. Progress reports are a few seconds old. */
const [NOT_JUDGED_MS, BEHIND_MS] = [4000, 2000];
/** Requests take this many times the limit, by Little's law. */
const HOPELESS = 4;
const FEW = 20;

/**
 * Whether the outcome of a step is already clear while it runs.
 * @param {LoadProgress} progress
 * @param {Asked} asked
 * @returns {StepProblem | null}
 */
export function findHopeless(progress, { limits, level, isOpen }) {
  const { elapsedMs, requests, requestsPerSec, inFlight: growth, errors, started } = progress;
  if (elapsedMs < NOT_JUDGED_MS) return null;
  const due = (level * (elapsedMs - BEHIND_MS)) / 1000;
  if (isOpen && started < due / 2 - FEW) return { id: 'generator', facts: { sign: null } };
  const share = errors / Math.max(1, requests);
  const allowed = limits.find(({ metric }) => metric === 'errors')?.limit ?? 0;
  if (errors > FEW && share > Math.max(0.5, allowed)) return { id: 'failures', facts: { share } };
  const times = limits.flatMap(({ metric, operator, limit }) =>
    /^(?:http|intended)\./.test(metric) && operator.startsWith('<') ? limit : [],
  );
  const isQueue = growth > Math.max(FEW, (HOPELESS * least(times) * requestsPerSec) / 1000);
  return isQueue ? { id: 'queue', facts: { growth } } : null;
}
