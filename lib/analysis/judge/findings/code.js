/** What the API's code costs: known causes, heavy paths, and tools that do not belong there. */
import { isMachineFull } from '../../../bottleneck/thresholds.js';
import { sum } from '../../../math/summary.js';
import { finding } from '../statements.js';

/** @import { BlockedSteps, CauseShare } from '../../../facts/profile-report.d.ts' */
/** @import { Estimate } from '../../../facts/estimate.d.ts' */
/** @import { FindingRule } from '../statements.js' */

/** Every known cause with evidence in the profile. @type {FindingRule} */
export function findCauses({ profile, whatIf = [] }) {
  if (!profile) return [];
  const { causes } = profile;
  return causes.map(cause => {
    const severity = weigh(cause);
    const { id } = cause;
    return finding(
      'cause',
      severity,
      {
        cause,
        partOfTitle: causes.find(one => one.id === cause.partOf)?.title ?? null,
        whatIf: whatIf.find(({ causes: [first, second] }) => first === id && !second) ?? null,
      },
      id,
    );
  });
}

/**
 * A waste inside another waste does not count twice. One that may be next to nothing is only a remark.
 * @param {CauseShare} cause
 */
function weigh({ severity, partOf, share }) {
  if (!isSure(share)) return 'info';
  return partOf && severity === 'bad' ? 'warn' : severity;
}

/** An interval as wide as its value only shows that the value is above zero. @param {Estimate} share */
export function isSure({ value, low }) {
  return low === null || low >= value / 2;
}

/** Hot paths that deserve attention and have no known cause; known causes have their own finding. @type {FindingRule} */
export function findFlaggedPaths({ profile }) {
  const paths = profile?.hotPaths.filter(({ flagged, causes }) => flagged && causes.length === 0);
  return (paths ?? []).map(path =>
    finding('hot-path', 'info', { path }, `${path.category}.${path.entry.function}`),
  );
}

/** Share of an event loop's time that everything else on the loop loses. */
const MUCH_BLOCKED = 0.05;
const LEAST_BLOCKED = 0.01;
const MOST_ENDPOINTS = 3;

/** Least share of the waiting time of long steps that is not for a core, and so may be a blocking call. */
const LEAST_IN_CALLS = 0.5;

/**
 * Coroutine steps that computed for long or waited without `await`. The time in which threads of the workers waited
 * for a core is no blocking call. Where it is not known, nothing but named waits is one on a saturated machine.
 * @type {FindingRule}
 */
export function findBlockedLoop({ load, cpu, profile, costs, run }) {
  const waits = profile?.loopWaits ?? null;
  const blocked = (load?.endpoints ?? []).flatMap(({ name, blocked: steps }) =>
    steps ? [{ name, steps }] : [],
  );
  blocked.sort((a, b) => b.steps.ms - a.steps.ms);
  const [first, ...others] = blocked.map(({ steps }) => steps);
  const all = first ? others.reduce(addSteps, first) : null;
  if (!all && (waits?.share.value ?? 0) < LEAST_BLOCKED) return [];
  const [cores, cpus] = [cpu?.hostCores ?? null, run.host?.cpus ?? null];
  const isFull = cores !== null && cpus !== null && isMachineFull({ cores, cpus });
  const loopMs =
    sum((load?.windows ?? []).map(({ startMs, endMs }) => endMs - startMs)) *
    Math.max(1, cpu?.workers.length ?? 1);
  const queued = (cpu?.workers ?? []).flatMap(({ queuedMs }) => queuedMs ?? []);
  const queuedMs = queued.length > 0 ? sum(queued) : null;
  const isComputing = all !== null && all.cpuMs >= all.ms / 2;
  const isSeen =
    waits?.where.some(({ kind }) => kind !== null || queuedMs !== null || !isFull) ?? false;
  const waitedMs = all ? all.ms - all.cpuMs : 0;
  const inCallsMs = waitedMs - (queuedMs ?? (isFull ? waitedMs : 0));
  const isStarved = !isComputing && !isSeen && inCallsMs <= waitedMs * LEAST_IN_CALLS;
  const stepsShare = ((all?.cpuMs ?? 0) + Math.max(0, inCallsMs)) / loopMs;
  const mostShare = Math.max(waits?.share.value ?? 0, stepsShare);
  const severity = mostShare >= MUCH_BLOCKED && !isStarved ? 'warn' : 'info';
  const viewOf = (/** @type {string} */ name) =>
    costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === name)?.views[0] ?? null;
  return [
    finding('event-loop-blocked', severity, {
      steps: all && { ...all, isComputing },
      starved: isStarved ? { queuedMs } : null,
      endpoints: blocked.slice(0, MOST_ENDPOINTS).map(one => ({ ...one, view: viewOf(one.name) })),
      waits,
    }),
  ];
}

/** @param {BlockedSteps} a @param {BlockedSteps} b @returns {BlockedSteps} */
function addSteps(a, b) {
  return {
    count: a.count + b.count,
    answers: a.answers + b.answers,
    longestMs: Math.max(a.longestMs, b.longestMs),
    ms: a.ms + b.ms,
    cpuMs: a.cpuMs + b.cpuMs,
  };
}
