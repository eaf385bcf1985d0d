/** Searches for the highest load that keeps the limits, from the first step to the result: `runFind`. */
import path from 'node:path';
import { analyse } from '../analysis/analyse-run.js';
import { readFolder } from '../analysis/read/read-folder.js';
import { LoadflameError } from '../errors.js';
import { measureOf } from '../facts/measures.js';
import { formatDuration } from '../format.js';
import { most } from '../math/summary.js';
import { throwIfInterrupted } from '../process/interruptible.js';
import { runSession } from '../session.js';
import { findMeasurementWindow } from '../study/measure/measurement-window.js';
import { planPhase } from '../try/choose-load.js';
import { findSides, judgeMargins, listLevels, nextStep } from './decide.js';
import { findHopeless, judgeStep } from './judge-step.js';

/** @import { FindEnd, FindReport, FindStep, StepProblem } from '../facts/find.d.ts' */
/** @import { Threshold } from '../facts/threshold.d.ts' */
/** @import { TryLoad } from '../facts/try.d.ts' */
/** @import { SessionOptions } from '../session.js' */

/** The lowest load to try, as a share of the first one. */
const LOWEST = 1 / 50;
/** Time that a step takes in addition to its phases, until the first step is measured. */
const BESIDE_MS = 10_000;

/** A step, and the duration of its users' sessions. @typedef {{step: FindStep, sessionMs: number}} Measured */

/**
 * @typedef {object} Search
 * @property {Omit<SessionOptions, 'load'> & {load: NonNullable<SessionOptions['load']>}} session
 * @property {TryLoad} load of the first step; `durationSec` 0: chosen for the figures
 * @property {Threshold[]} limits
 * @property {number} maxMs does not start steps that would end later
 * @property {string | null} rulesFile
 * @property {(step: FindStep) => string} describe describes a step in a few words
 */

/**
 * Measures steps until the highest load is confirmed or the time has run out.
 * @param {Search} search
 * @returns {Promise<{report: FindReport, failure: unknown}>} results so far, also if interrupted; `failure`: why a
 *   step could not be measured
 * @throws {LoadflameError} FIND_UNKNOWN; if no step was measured: INTERRUPTED, and errors of a run
 */
export async function runFind(search) {
  const { load, limits, maxMs, session, describe } = search;
  const start = load.level;
  const isWhole = load.model === 'closed';
  const fewestPerSec = (1000 * STEPS * countNeeded(limits)) / maxMs;
  const startedMs = Date.now();
  /** @type {FindStep[]} */
  const steps = [];
  /** @param {FindEnd} end @param {unknown} [failure] */
  const finish = (end, failure = null) => {
    const report = conclude(steps, { load, limits, end, elapsedMs: Date.now() - startedMs });
    return { report, failure };
  };
  let besideMs = BESIDE_MS;
  /** @type {Measured | undefined} */
  let last;
  for (;;) {
    const lowest = Math.max(start * LOWEST, fewestPerSec / countPerLevel(last));
    const next = nextStep(steps, { start, lowest: isWhole ? 1 : Math.min(start, lowest), isWhole });
    if ('end' in next) return finish(next.end);
    const planned = { ...load, level: next.level, ...planTimes(next, { ...search, last }) };
    const plannedMs = (planned.warmUpSec + planned.durationSec) * 1000;
    const beganMs = Date.now();
    const leftMs = startedMs + maxMs - beganMs;
    if (leftMs < plannedMs + besideMs) return finish('time');
    const left = `step ${steps.length + 1} · at most ${formatDuration(leftMs)} left · `;
    try {
      last = await measureStep(planned, { ...search, last }, left);
    } catch (failure) {
      if (steps.length === 0) throw failure;
      return session.signal.aborted ? finish('interrupted') : finish('failed', failure);
    }
    besideMs = Math.max(steps.length > 0 ? besideMs : 0, Date.now() - beganMs - plannedMs);
    steps.push(last.step);
    session.onNote(`step ${steps.length}: ${describe(last.step)}`);
  }
}

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

/** Requests per second at a load of 1. @param {Measured | undefined} last */
function countPerLevel(last) {
  return last ? Math.max(last.step.requestsPerSec, Number.MIN_VALUE) / last.step.level : 1;
}

/**
 * Long enough for every figure, if the time permits.
 * @param {{level: number, isCoarse: boolean}} next
 * @param {Pick<Search, 'load' | 'limits' | 'maxMs'> & {last: Measured | undefined}} search
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
 * @param {TryLoad} load @param {Search & {last: Measured | undefined}} search
 * @param {string} left text before its progress
 * @returns {Promise<Measured>}
 * @throws {LoadflameError} FIND_UNKNOWN, STUDY_LOAD_CRASHED, INTERRUPTED, and errors of a run
 */
async function measureStep(load, { session, limits, rulesFile, last }, left) {
  const asked = { limits, level: load.level, isOpen: load.model === 'open' };
  const { options } = session.load;
  const phases = [planPhase(load, 'warm-up'), planPhase(load, 'measured')];
  const overrides = { ...options.overrides, config: { ...options.overrides?.config, phases } };
  const stop = new AbortController();
  /** @type {StepProblem | null} */
  let stopped = null;
  const { files, loadEnd } = await runSession({
    ...session,
    signal: AbortSignal.any([session.signal, stop.signal]),
    load: {
      ...session.load,
      options: { ...options, overrides, wholeSecondAfterMs: load.warmUpSec * 1000 },
    },
    isTargetReady: last !== undefined,
    onProgress: text => session.onProgress(left + text),
    onLoadProgress: progress => {
      stopped ??= findHopeless(progress, asked);
      if (stopped) stop.abort();
    },
  });
  throwIfInterrupted(session.signal);
  if (loadEnd?.reason === 'crashed')
    throw new LoadflameError('STUDY_LOAD_CRASHED', { reason: loadEnd.logTail || 'no output' });
  const read = await readFolder(files.folder, { keepsSeconds: true });
  const part = findMeasurementWindow(read.records, 'measured');
  const { report } = await analyse(read, { rulesFile, ...(part && { part }) });
  const judged = await judgeStep(report, { ...asked, stopped });
  const { window } = part ?? report.load ?? {};
  return {
    sessionMs: report.load?.users.sessionMs?.p95Ms ?? 0,
    step: {
      level: load.level,
      seconds: window ? (window.endMs - window.startMs) / 1000 : 0,
      isStopped: stopped !== null,
      ...judged,
      verdict: judgeMargins(judged.margin ? [judged.margin] : []),
      requestsPerSec: report.load?.http.meanRatePerSec ?? 0,
      bottleneck: report.bottleneck,
      folder: path.basename(files.folder),
    },
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
