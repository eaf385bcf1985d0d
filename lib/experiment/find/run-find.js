/** Searches for the highest load that keeps the limits, from the first step to the result: `runFind`. */
import path from 'node:path';
import { analyseRun } from '../../analysis/analyse-run.js';
import { formatDuration } from '../../base/format.js';
import { most } from '../../base/math/summary.js';
import { measureOf } from '../../run/facts/measures.js';
import { findMistake } from '../../run/folder-shapes.js';
import { openExperiment } from '../experiment-folder.js';
import { measureRun } from '../measure-run.js';
import { runExperiment } from '../run-experiment.js';
import { findSides, judgeMargins, listLevels, nextStep } from '../strategies/search.js';
import { findHopeless, judgeStep } from './judge-step.js';

/** @import { FindReport, FindStep, StepProblem } from '../../run/facts/find.d.ts' */
/** @import { Threshold } from '../../run/facts/threshold.d.ts' */
/** @import { TryLoad } from '../../run/facts/try.d.ts' */
/** @import { RawRecord } from '../../run/ndjson.js' */
/** @import { FolderOptions } from '../experiment-folder.js' */
/** @import { RunOptions } from '../measure-run.js' */

/** The lowest load to try, as a share of the first one. */
const LOWEST = 1 / 50;
/** Time that a step takes in addition to its phases, until the first step is measured. */
const BESIDE_MS = 10_000;

/**
 * @typedef {object} Search
 * @property {Omit<RunOptions, 'root'>} session
 * @property {TryLoad} load of the first step; `durationSec` 0: chosen for the figures
 * @property {Threshold[]} limits
 * @property {Record<string, unknown>} plan everything that must be the same when it continues
 * @property {number} maxMs does not start steps that would end later
 * @property {string | null} rulesFile
 * @property {(step: FindStep) => string} describe describes a step in a few words
 */

/**
 * Measures steps until the highest load is confirmed or the time has run out.
 * @param {Search & FolderOptions} search
 * @returns {Promise<{report: FindReport, failure: unknown, folder: string}>} results so far, also if interrupted;
 *   `failure`: why a step could not be measured
 * @throws {LoadflameError} FIND_UNKNOWN, CONTINUE_…; if no step was measured: INTERRUPTED, and errors of a run
 */
export async function runFind(search) {
  const { load, limits, maxMs, session, describe } = search;
  const isWhole = load.model === 'closed';
  const fewestPerSec = (1000 * STEPS * countNeeded(limits)) / maxMs;
  const opened = await openExperiment('find', search.plan, search);
  const { folder, runsRoot: root } = opened;
  session.onNote(`folder: ${path.relative('', folder)}`);
  const steps = opened.runs.flatMap(readStep);
  const earlier = steps.length;
  let besideMs = BESIDE_MS;
  const { failure, ...ended } = await runExperiment(opened, {
    maxMs,
    signal: session.signal,
    next() {
      const last = steps.at(-1);
      const lowest = Math.max(load.level * LOWEST, fewestPerSec / countPerLevel(last));
      const range = { start: load.level, lowest: Math.min(load.level, lowest), isWhole };
      const next = nextStep(steps, isWhole ? { ...range, lowest: 1 } : range);
      if ('end' in next) return next;
      return { ...load, level: next.level, ...planTimes(next, { ...search, last }) };
    },
    estimateMs: planned => lengthOf(planned) + besideMs,
    async measure(planned, leftMs) {
      const beganMs = Date.now();
      const isFirst = steps.length === earlier;
      const left = `step ${steps.length + 1} · at most ${formatDuration(leftMs)} left · `;
      const step = await measureStep(planned, { ...search, root, isFirst }, left);
      besideMs = Math.max(isFirst ? 0 : besideMs, Date.now() - beganMs - lengthOf(planned));
      opened.append({ kind: 'run', ...step });
      steps.push(step);
      session.onNote(`step ${steps.length}: ${describe(step)}`);
    },
  });
  return { report: conclude(steps, { load, limits, ...ended }), failure, folder };
}

/** A step of an earlier attempt; none if it has another shape. @param {RawRecord} record @returns {FindStep[]} */
export function readStep({ t: _t, kind: _kind, ...step }) {
  return findMistake('step', step) === null ? [/** @type {any} */ (step)] : [];
}

/** @param {TryLoad} planned @returns {number} ms */
const lengthOf = ({ warmUpSec, durationSec }) => (warmUpSec + durationSec) * 1000;

/** Time for queues to settle, and for users with pauses to spread over their scenario. */
const [SHORTEST_SETTLE_SEC, LONGEST_SETTLE_SEC] = [5, 30];
/** A bootstrap over fewer one-second blocks is too imprecise. A coarse step finds only the order of magnitude. */
const [SHORTEST_SEC, COARSE_SEC] = [20, 12];
/**
 * A step gets OBSERVATIONS times the responses that a figure needs in a comparison (20 for a p95). The total time
 * suffices for about STEPS long steps.
 */
const [OBSERVATIONS, USUAL_LEAST, STEPS] = [10, 20, 16];

/** Responses needed by the most demanding figure. @param {Threshold[]} limits */
function countNeeded(limits) {
  return most(limits.map(({ metric }) => measureOf(metric, 'threshold').least ?? USUAL_LEAST));
}

/** Requests per second at a load of 1. @param {FindStep | undefined} last */
function countPerLevel(last) {
  return last ? Math.max(last.requestsPerSec, Number.MIN_VALUE) / last.level : 1;
}

/**
 * Long enough for every figure, if the time permits.
 * @param {{level: number, isCoarse: boolean}} next
 * @param {Pick<Search, 'load' | 'limits' | 'maxMs'> & {last: FindStep | undefined}} search
 */
function planTimes({ level, isCoarse }, { load, limits, maxMs, last }) {
  const perSec = level * countPerLevel(last);
  const shortest = isCoarse ? COARSE_SEC : SHORTEST_SEC;
  const wanted = Math.min((OBSERVATIONS * countNeeded(limits)) / perSec, maxMs / 1000 / STEPS);
  const settle = Math.max(SHORTEST_SETTLE_SEC, Math.ceil((last?.sessionMs ?? 0) / 1000));
  return {
    warmUpSec: Math.min(LONGEST_SETTLE_SEC, settle),
    durationSec: load.durationSec || Math.ceil(Math.max(shortest, wanted)),
  };
}

/**
 * One run at one load: settles first, and stops early if the outcome is clear.
 * @param {TryLoad} load @param {Search & {root: string, isFirst: boolean}} search `isFirst`: the target is still to be checked
 * @param {string} left text before its progress
 * @returns {Promise<FindStep>}
 * @throws {LoadflameError} FIND_UNKNOWN, LOAD_CRASHED, INTERRUPTED, and errors of a run
 */
async function measureStep(load, { session, limits, rulesFile, root, isFirst }, left) {
  const asked = { limits, level: load.level, isOpen: load.model === 'open' };
  const stop = new AbortController();
  /** @type {StepProblem | null} */
  let stopped = null;
  const { folder } = await measureRun(
    {
      ...session,
      root,
      isTargetReady: !isFirst,
      onProgress: text => session.onProgress(left + text),
      onLoadProgress: progress => {
        stopped ??= findHopeless(progress, asked);
        if (stopped) stop.abort();
      },
    },
    load,
    stop.signal,
  );
  const { report } = await analyseRun(folder, { rulesFile });
  const judged = await judgeStep(report, { ...asked, stopped });
  const { window } = report.load ?? {};
  return {
    level: load.level,
    seconds: window ? (window.endMs - window.startMs) / 1000 : 0,
    isStopped: stopped !== null,
    ...judged,
    verdict: judgeMargins(judged.margin ? [judged.margin] : []),
    requestsPerSec: report.load?.http.meanRatePerSec ?? 0,
    sessionMs: report.load?.users.sessionMs?.p95Ms ?? 0,
    bottleneck: report.bottleneck,
    folder: path.basename(folder),
  };
}

/** @param {FindStep[]} steps @param {Pick<FindReport, 'load' | 'end' | 'elapsedMs'> & {limits: Threshold[]}} search @returns {FindReport} */
function conclude(steps, { limits, ...search }) {
  const levels = listLevels(steps);
  const { below, above } = findSides(levels);
  return {
    schema: 'loadflame-find/1',
    createdAtMs: Date.now(),
    limits: limits.map(({ expression }) => expression),
    ...{ ...search, steps, below, above },
    keeps:
      levels.findLast(own => own.verdict === 'keeps' && own.level <= (below?.level ?? 0))?.level ??
      null,
    fails: levels.find(({ verdict }) => verdict === 'fails')?.level ?? null,
  };
}
