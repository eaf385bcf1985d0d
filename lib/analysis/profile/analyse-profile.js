/** The profile half of a report: pure, from a Profile and what is known about CPU time and requests. */

import { createShareEstimator } from '../../base/math/bootstrap.js';
import { sum } from '../../base/math/summary.js';
import { classifyProfile } from '../hotpath/classify-profile.js';
import { fitAdvice } from '../hotpath/load-rules.js';
import { isThroughout, measureCauses, placeCause, uniteCauses } from './cause-shares.js';
import { analyseEndpoints } from './costs/analyse-endpoints.js';
import { measureRoutes } from './fit-to-routes.js';
import { buildHotPaths } from './hot-paths.js';
import { MUCH_IDLE } from './idle-cpu.js';
import { findOwners, sumPackages } from './packages.js';
import { countPaths, mergeFunctions } from './path-tables.js';
import { enterAtPlaces } from './places.js';
import { selectBase } from './profile-base.js';
import { costOf, measureCost } from './profile-costs.js';
import { mergeTree } from './table/merge-tree.js';
import { findWrappers } from './wrappers.js';

/** @typedef {import('../../run/facts/profile-report.d.ts').ProfileReport} ProfileReport */

/**
 * @typedef {object} ProfileInput
 * @property {import('../stacks/profile.d.ts').Profile} profile
 * @property {import('../../run/facts/rules.d.ts').Rules} rules
 * @property {import('../../base/math/estimate.d.ts').TimeRange[]} [windows] only segments whose middle lies in one of
 *   them count; none: all
 * @property {number | null} [masterPid] its samples are left out; null (a loose file): all count
 * @property {number | null} [workersMs] CPU time of the workers in the windows, from the operating system
 * @property {import('./threads.js').ThreadUse[]} [threads] the scheduler's figures for threads of the workers
 * @property {number | null} [requests] completed in the windows
 * @property {number} [idleMs] of the CPU time: used even without requests
 * @property {number} [sampledShare] of the windows; sampling may have been paused on purpose
 * @property {number} [failedLooks] failed samples in the windows, of any process
 * @property {number | null} [looks] all samples taken; null where not counted
 * @property {boolean} [isLocal] the API has connections only to its own machine
 * @property {number} [skew] largest factor by which sampling favours one function over another
 * @property {import('../read/load/build-grid.js').Grid | null} [grid] windows over time; null: a single one
 * @property {import('../load/load-rates.d.ts').CostLoad | null} [load]
 * @property {import('./costs/attribute.js').ViewRoute[]} [viewRoutes]
 */

/** @typedef {import('./recording.d.ts').ProfileAnalysis} ProfileAnalysis */

/** Responses of an endpoint in a worker: with fewer, the first one may have most of their cost. */
export const FEW_EACH = 20;

/** Samples ÷ CPU time. If threads wait for a core more than that, sample shares no longer show CPU shares. */
export const CROWDED = 2;

/** Share of the samples that are in long calls without the GIL. With fewer, they skew the others little. */
const LEAST_IN_DRIVERS = 0.2;

/**
 * The share of the CPU time that was not sampled: samples failed, or were due and not taken. Of samples beyond twice
 * the CPU time it is unknown whether they show where it went (beside busy processes a share of 49 % was reported
 * as 72 %, with 6.7 times the CPU time in samples).
 * @param {object} seen
 * @param {number} seen.failedShare
 * @param {number} seen.sampledShare of the samples that were due, by CPU time
 * @param {number | null} seen.runnable samples ÷ CPU time
 * @param {boolean} seen.isWhole `sampledShare` covers failed samples too
 */
export function countUnseen({ failedShare, sampledShare, runnable, isWhole }) {
  const seen = isWhole ? Math.min(1 - failedShare, sampledShare) : (1 - failedShare) * sampledShare;
  // In a modified folder, more samples may have failed than were taken.
  return 1 - Math.max(0, seen) * Math.min(1, CROWDED / (runnable ?? CROWDED));
}

/** @param {ProfileInput} input @returns {ProfileAnalysis} */
export function analyseProfile(input) {
  const { profile, grid = null, load = null, viewRoutes = [] } = input;
  const { rules, classified, base, known, samples, estimator, estimate } = classifySamples(input);
  const { ofFrame: functionOf, functions } = mergeFunctions(profile);
  const { cpu, perRequest, cpuMs, idleShare } = costSamples(base, known);
  const tree = mergeTree(profile, base, functionOf);
  const classes = enterAtPlaces(profile, classified, base, tree);
  const counted = countPaths(profile, classes, base, functionOf);
  const shares = { base, estimator, perRequest };
  const { categories, designEffect } = sumCategories(counted.paths, classes.categories, shares);
  const context = { functionOf, functions, estimate, perRequest, firsts: countFirsts(input, base) };
  const { causes: measured, seen } = measureCauses(profile, classes, base, context);
  const owners = findOwners(profile, classes, rules.observing);
  const wrappers = sumPackages(findWrappers(profile, classified, base.weights), base, context);
  const { table, costs, causesAt } = analyseEndpoints({
    profile,
    classes: classified,
    base,
    tree,
    functions,
    counted,
    categories,
    owners,
    causes: measured.map(({ id }) => id),
    designEffect,
    estimator,
    cpuMs,
    idleShare,
    grid,
    load,
    viewRoutes,
  });
  const causes = measured
    .map(cause => placeCause(cause, causesAt.get(cause.id) ?? [], rules, load))
    .filter(cause => !isOfLargeParts(cause, rules, load));
  return {
    samples,
    cpu,
    categories,
    packages: sumPackages(owners, base, context),
    wrappers: wrappers.filter(own => own.name),
    hotPaths: buildHotPaths(counted.paths, {
      ...context,
      countFunctions: counted.countFunctions,
      ...{ base, total: base.total },
      categories: classes.categories,
      causes,
      rules,
      basis: cpu.basis,
    }),
    causes,
    sought: listSought(input.rules, seen),
    causesTogether: uniteCauses(causes, classes, base, estimate),
    table,
    designEffect,
    costs,
    base,
    classes,
  };
}

/**
 * If the parts of responses were counted, and are large or few, larger ones gain nothing.
 * @param {ProfileReport['causes'][number]} cause @param {ProfileInput['rules']} rules @param {ProfileInput['load']} load
 */
const isOfLargeParts = ({ id, endpoints = [] }, { causes }, load) =>
  causes.some(one => one.id === id && one.ofSmallParts) &&
  endpoints.length > 0 &&
  endpoints.every(at => load?.endpoints.find(own => own.name === at.name)?.inSmallParts === false);

/** Requests that are the first ones to an endpoint in a worker, where they are many. @param {ProfileInput} input @param {import('./profile-base.js').ProfileBase} base */
function countFirsts({ load, requests }, { byPid }) {
  const firsts = Math.max(1, load?.endpoints.length ?? 0) * byPid.size;
  return (requests ?? Infinity) < FEW_EACH * firsts ? firsts : 0;
}

/**
 * @param {import('../../run/facts/rules.d.ts').Rules} rules
 * @param {ReadonlyMap<string, number>} seen share by cause
 * @returns {ProfileReport['sought']}
 */
function listSought({ causes, counted }, seen) {
  return [...causes, ...counted].map(({ id, title: own }, index) => {
    const title = own.replace('{name}', 'an object');
    return { id, title, isCounted: index >= causes.length, seen: seen.get(id) ?? 0 };
  });
}

/**
 * Which samples count, what they are, and how sure their shares are.
 * @param {ProfileInput} input
 */
function classifySamples(input) {
  const { profile, windows = [], masterPid = null, load = null, isLocal = false } = input;
  const { failedLooks = 0, looks = null, workersMs = null, sampledShare = 1 } = input;
  const { requests = null, idleMs = 0, threads = [] } = input;
  const known = { rateHz: profile.rateHz, workersMs, requests, sampledShare, idleMs };
  const rules = fitAdvice(input.rules, profile, isLocal);
  const classified = classifyProfile(profile, rules);
  const routesMs = measureRoutes(load, sampledShare);
  const base = selectBase(profile, classified, {
    windows,
    masterPid,
    cpuMs: workersMs === null ? null : workersMs * sampledShare,
    sampledShare,
    failedLooks,
    queuedMs: threads.length > 0 ? sum(threads.map(own => own.queuedMs)) * sampledShare : null,
    routesMs,
    threadsMs: new Map(threads.map(own => [`${own.pid} ${own.tid}`, own.runMs * sampledShare])),
  });
  const failedShare = failedLooks / Math.max(1, looks ?? failedLooks + base.samples.inWindow);
  const runnable = measureCost({ ...known, active: base.total }).samplesToCpu;
  const unseenShare = countUnseen({ failedShare, sampledShare, runnable, isWhole: looks !== null });
  const isLong = (/** @type {number} */ node) => classified.gaps[profile.nodes.frame[node] ?? -1];
  const inDrivers = base.weights.reduce((all, own, node) => all + (isLong(node) ? own : 0), 0);
  // What is left of samples in drivers may still have waited there, unless the CPU of calls was measured.
  const isMeasured = [...routesMs.values()].some(([, calls]) => calls !== null);
  const isSure = isMeasured || inDrivers <= base.total * LEAST_IN_DRIVERS;
  const left = isSure ? 1 : 1 + base.samples.waitingForCore / base.total;
  const blur = { unseenShare, skew: Math.max(input.skew ?? 1, left) };
  const estimator = createShareEstimator(base.blockTotals, { blur, timed: base.timed });
  const estimate = (/** @type {Float64Array} */ counts) => {
    const { value, low, high } = estimator(counts);
    return { value, low, high };
  };
  const samples = { ...base.samples, failedShare, ...blur };
  return { rules, classified, base, known, samples, estimator, estimate };
}

/**
 * What a request costs. Samples of idle CPU can't be assigned: with many of them no path has a cost.
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {{rateHz: number | null, workersMs: number | null, requests: number | null, sampledShare: number, idleMs: number}} known
 */
function costSamples(base, known) {
  const { workersMs, idleMs } = known;
  const { perRequest, basis, samplesToCpu, sampledMs } = measureCost({
    ...known,
    active: base.total + base.samples.waitingForCore,
  });
  const isMuchIdle = workersMs !== null && idleMs > MUCH_IDLE * workersMs;
  return {
    cpu: { perRequest, basis, samplesToCpu },
    perRequest: isMuchIdle ? null : perRequest,
    cpuMs: workersMs ?? sampledMs,
    idleShare: workersMs ? Math.min(1, idleMs / workersMs) : 0,
  };
}

/**
 * @param {import('./path-tables.js').PathCounts[]} paths
 * @param {readonly import('../../run/facts/rules.d.ts').Category[]} all
 * @param {{base: import('./profile-base.js').ProfileBase, estimator: ReturnType<typeof createShareEstimator>, perRequest: import('../../base/math/estimate.d.ts').Estimate | null}} context
 * @returns {Pick<ProfileReport, 'categories' | 'designEffect'>} categories: largest first; one design effect for
 *   shares of any selection: that of the categories, weighted by their size
 */
function sumCategories(paths, all, { base, estimator, perRequest }) {
  let [effects, weight] = [0, 0];
  const categories = [...Map.groupBy(paths, ({ category }) => category)]
    .map(([index, members]) => {
      const byBlock = sumBlocks(members);
      const { designEffect, ...share } = estimator(byBlock);
      const variance = share.value * (1 - share.value);
      effects += designEffect * variance;
      weight += variance;
      const { id = 'unknown', label = '', color = '' } = all[index] ?? {};
      const samples = sum(members.map(path => path.samples));
      if (id === 'import' && !isThroughout(byBlock, base))
        return { id, label, color, samples, share, cpuMsPerRequest: null, mayBeOnce: true };
      return { id, label, color, samples, share, cpuMsPerRequest: costOf(perRequest, share) };
    })
    .sort((a, b) => b.samples - a.samples);
  return { categories, designEffect: weight > 0 ? effects / weight : 1 };
}

/** @param {import('./path-tables.js').PathCounts[]} paths */
function sumBlocks(paths) {
  const sumAt = (/** @type {number} */ block) => sum(paths.map(own => own.byBlock[block] ?? 0));
  return Float64Array.from(paths[0]?.byBlock ?? [], (_, block) => sumAt(block));
}
