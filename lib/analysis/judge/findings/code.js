/** What the API's code costs: known causes, heavy paths, and tools that do not belong there. */

import { sum } from '../../../base/math/summary.js';
import { findCostOf } from '../../../run/facts/of-endpoint.js';
import { addServer } from '../../../run/server-sums.js';
import { isMachineFull } from '../../bottleneck/thresholds.js';
import { areSmallParts } from '../../load/load-parts.js';
import { totalLengthMs } from '../../read/load/load-totals.js';
import { finding, isMostly, isSure } from '../statements.js';
import { countCalls } from './same-work.js';

/** @import { BlockedSteps, CauseShare } from '../../../run/facts/profile-report.d.ts' */
/** @import { FindingTable } from '../../../run/facts/findings.d.ts' */
/** @import { FindingRule } from '../statements.js' */

/** Least share of the CPU of a cause that is worth a change, however sure the share is: its line is known. */
const WORTH_A_FIX = 0.05;
/** Times per request, as some end before. */
const NEARLY_EACH = 0.9;

/** The worst first. */
const SEVERITIES = /** @type {const} */ (['bad', 'warn', 'info']);

/** Every known cause with evidence in the profile. @type {FindingRule} */
export function findCauses({ profile, load, whatIf = [] }) {
  const { causes = [] } = profile ?? {};
  return causes.map(cause => {
    // What a small cause leads to makes it serious.
    const all = [cause, ...causes.filter(({ partOf }) => partOf === cause.id)].map(weigh);
    const severity = SEVERITIES.find(one => all.includes(one)) ?? 'info';
    const partOfTitle = causes.find(one => one.id === cause.partOf)?.title ?? null;
    const own = whatIf.find(({ causes: [first, second] }) => first === cause.id && !second) ?? null;
    const gzip = cause.id === 'compression' && { gzip: sumGzip(load?.endpoints ?? []) };
    const isMuch = cause.share.value >= WORTH_A_FIX && !cause.isExpected;
    const facts = { cause, partOfTitle, whatIf: own, isMuch, ...gzip };
    return finding('cause', severity, facts, cause.id);
  });
}

/**
 * @param {NonNullable<Parameters<FindingRule>[0]['load']>['endpoints']} endpoints
 * @returns {FindingTable['cause']['gzip']}
 */
function sumGzip(endpoints) {
  const sumOf = (/** @type {string} */ id) =>
    sum(endpoints.map(({ means, codes }) => (means?.[id] ?? 0) * sum(codes.map(own => own.count))));
  const [responses, best] = [sumOf('gzips'), sumOf('bestGzips')].map(Math.round);
  if (!responses) return null;
  const [bytes, unpackedBytes] = [sumOf('gzipBytes'), sumOf('unpackedBytes')];
  const of = (/** @type {number | undefined} */ total) => (total ?? 0) / responses;
  return { responses, bestShare: of(best), bytes: of(bytes), unpackedBytes: of(unpackedBytes) };
}

/**
 * A waste inside another waste does not count twice. One that may be next to nothing is only a remark, unless the
 * companion counted what it does in each request.
 * @param {CauseShare} cause
 */
function weigh({ severity, partOf, share, acts = [] }) {
  const isCounted = share.value >= WORTH_A_FIX && acts.some(own => own.perRequest >= NEARLY_EACH);
  if (!isSure(share) && !isCounted) return 'info';
  return partOf && severity === 'bad' ? 'warn' : severity;
}

/**
 * Hot paths without a known cause that deserve attention, or take much of the CPU; known causes have their own finding.
 * @type {FindingRule}
 */
export function findFlaggedPaths({ profile }) {
  return (profile?.hotPaths ?? [])
    .filter(({ causes, flagged, share }) => causes.length === 0 && (flagged || isMostly(share)))
    .map(path => {
      const facts = { path, calls: countCalls(profile, path) };
      return finding('hot-path', 'info', facts, `${path.category}.${path.entry.function}`);
    });
}

/** Least share of the CPU that goes to observing the API. */
const MUCH_OBSERVED = 0.1;

/** What tracing, metrics and error reports cost. @type {FindingRule} */
export function findObservability({ profile }) {
  const packages = (profile?.packages ?? []).filter(({ kind }) => kind === 'observability');
  const share = sum(packages.map(own => own.share.value));
  if (share < MUCH_OBSERVED) return [];
  const costs = packages.flatMap(({ cpuMsPerRequest }) => cpuMsPerRequest?.value ?? []);
  const cpuMsPerRequest = costs.length > 0 ? sum(costs) : null;
  const severity = packages.some(own => isSure(own.share)) ? 'warn' : 'info';
  return [finding('observability', severity, { packages, share, cpuMsPerRequest })];
}

/** Least share of the CPU of requests that goes to garbage collections, and the least pause. */
const MUCH_COLLECTED = 0.03;
const LONG_PAUSE_MS = 50;
/** That of these versions was taken back for its use of memory: docs.python.org, What's New in Python 3.15. */
const INCREMENTAL = /^3\.14\.[0-4]$/;

/** Garbage collections that requests pay for, or wait for. @type {FindingRule} */
export function findCollections({ load, profile }) {
  const { collections } = load ?? {};
  if (!collections) return [];
  const called = profile?.causes.find(({ id }) => id === 'explicit-garbage-collection')?.share;
  const { share, generations, python } = collections;
  const longestMs = Math.max(...generations.map(own => own.longestMs));
  const isFull = (generations[2]?.cpuMs ?? 0) >= sum(generations.map(own => own.cpuMs)) / 2;
  const facts = { collections, isFull, longestMs };
  const isLong = longestMs > LONG_PAUSE_MS;
  // That cause names the line, and its advice is another one.
  const isCalled = called && called.value >= (share?.value ?? 0) / 2;
  const isMuch = isLong || ((share?.low ?? 1) > 0 && (share?.value ?? 0) > MUCH_COLLECTED);
  const severity = isLong || (share?.low ?? 0) > MUCH_COLLECTED ? 'warn' : 'info';
  return [
    ...(isMuch && !isCalled ? [finding('garbage-collection', severity, facts)] : []),
    ...(INCREMENTAL.test(python) ? [finding('incremental-collector', 'info', { python })] : []),
  ];
}

/** The view that serves most of an endpoint's requests. @param {string} name @param {Parameters<FindingRule>[0]['costs']} costs */
const viewOf = (name, costs) => findCostOf({ costs }, name)?.views[0] ?? null;

/** @param {Pick<Parameters<FindingRule>[0], 'cpu' | 'run'>} facts */
const wasFull = ({ cpu, run }) =>
  isMachineFull({ cores: cpu?.hostCores ?? 0, cpus: run.host?.cpus ?? Infinity });

/** On a full machine each part may wait for a core, which makes a body take so many times as long. */
const SLOWER = 3;

/** Responses whose parts could be sent together. @type {FindingRule} */
export function findSmallParts({ load, costs, ...machine }) {
  return (load?.endpoints ?? []).flatMap(({ name, means }) => {
    const { parts = 0, responseBytes = 0, bodyMs = 0 } = means ?? {};
    const own = { parts, responseBytes, bodyMs: bodyMs / (wasFull(machine) ? SLOWER : 1) };
    if (!areSmallParts(own)) return [];
    const view = viewOf(name, costs);
    const facts = { endpoint: name, view, parts, partBytes: responseBytes / parts };
    return finding('small-parts', 'warn', facts, name);
  });
}

/** Share of an event loop's time that everything else on the loop loses. */
const [MUCH_BLOCKED, LEAST_BLOCKED, MOST_ENDPOINTS] = [0.05, 0.01, 3];

/**
 * Least share of the waiting time of long steps that is not for a core, and so may be a blocking call; and CPU of a step
 * that blocks the loop without any waiting, as the companion's least length.
 */
const [LEAST_IN_CALLS, LONG_STEP_MS] = [0.5, 100];
/** To check and write a smaller response does not take that long. */
const LARGE_BYTES = 20_000;

/**
 * Coroutine steps that computed for long or waited without `await`. The time in which threads of the workers waited
 * for a core is no blocking call. Where it is not known, nothing but named waits is one on a saturated machine. There,
 * steps still block that compute for long enough by themselves.
 * @type {FindingRule}
 */
export function findBlockedLoop({ load, cpu, profile, costs, run }) {
  const waits = profile?.loopWaits ?? null;
  const blocked = (load?.endpoints ?? []).flatMap(({ name, blocked: steps }) =>
    steps ? [{ name, steps }] : [],
  );
  blocked.sort((a, b) => b.steps.ms - a.steps.ms);
  const every = addSteps(blocked);
  if (!every && (waits?.share.value ?? 0) < LEAST_BLOCKED) return [];
  const isFull = wasFull({ cpu, run });
  const loopMs = totalLengthMs(load?.windows ?? []) * Math.max(1, cpu?.workers.length ?? 1);
  const queued = (cpu?.workers ?? []).flatMap(({ queuedMs }) => queuedMs ?? []);
  const queuedMs = queued.length > 0 ? Math.min(loopMs, sum(queued)) : null;
  const isMostlyCpu = every !== null && every.cpuMs >= every.ms / 2;
  const isSeen =
    waits?.where.some(({ kind }) => kind !== null || queuedMs !== null || !isFull) ?? false;
  const waitedMs = every ? every.ms - every.cpuMs : 0;
  const inCallsMs = waitedMs - (queuedMs ?? (isFull ? waitedMs : 0));
  const hasWaited = !isMostlyCpu && !isSeen && inCallsMs <= waitedMs * LEAST_IN_CALLS;
  const computing = blocked.filter(({ steps }) => steps.cpuMs >= steps.count * LONG_STEP_MS);
  const isStarved = hasWaited && computing.length === 0;
  const named = hasWaited && !isStarved ? computing : blocked;
  const all = addSteps(named);
  const isComputing = isMostlyCpu || named === computing;
  const stepsShare = ((all?.cpuMs ?? 0) + Math.max(0, inCallsMs)) / loopMs;
  const mostShare = Math.max(waits?.share.value ?? 0, stepsShare);
  const severity = mostShare >= MUCH_BLOCKED && !isStarved ? 'warn' : 'info';
  const isSmall = (/** @type {string | undefined} */ name) =>
    (load?.endpoints.find(own => own.name === name)?.means?.responseBytes ??
      (name ? LARGE_BYTES : 0)) < LARGE_BYTES;
  const views = named
    .slice(0, MOST_ENDPOINTS)
    .map(one => ({ ...one, view: viewOf(one.name, costs) }));
  return [
    finding('event-loop-blocked', severity, {
      steps: all && { ...all, isComputing },
      starved: isStarved ? { queuedMs } : null,
      endpoints: views,
      isAround: views.every(({ view }) => view?.inThread) && !isSmall(views[0]?.name),
      isCall: waits?.where.some(({ kind }) => kind !== null) ?? false,
      waits,
    }),
  ];
}

/** @param {{steps: BlockedSteps}[]} blocked @returns {BlockedSteps | null} */
const addSteps = blocked =>
  blocked.length === 0
    ? null
    : blocked.reduce((all, { steps }) => addServer(all, steps), /** @type {any} */ ({}));
