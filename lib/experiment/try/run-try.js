/** A try from its first pair of runs to its decision, as one readable story: `runTry`. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { formatDuration, formatPercent } from '../../base/format.js';
import { mean } from '../../base/math/summary.js';
import { throwIfInterrupted } from '../../base/process/interruptible.js';
import { makeTempFolder } from '../../base/process/temp-folder.js';
import { openExperiment } from '../experiment-folder.js';
import { runExperiment } from '../run-experiment.js';
import { decide, looksOf, nextPair } from '../strategies/pairs.js';
import { readFigures, readSideRun } from './figures.js';
import { measurePair } from './measure-side.js';
import { describeAccount, describeNoise, findSpread, foretell, readAccounts } from './noise.js';
import { checkOutSides } from './sides.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Account } from './noise.js' */
/** @import { Decision, Forecast, Noise, TryLoad, TryReport, TrySide } from '../../run/facts/try.d.ts' */
/** @import { ReportedPair, SideRun } from './figures.js' */
/** @import { Measuring } from './measure-side.js' */
/** @import { SideName } from './sides.js' */
/** @import { ExperimentFolder, FolderOptions } from '../experiment-folder.js' */

/** Equal sides are measured so often: enough to know how much runs vary. */
const NOISE_PAIRS = 5;

/** Runs may take longer than expected. */
const SLACK = 1.1;

/** What a try measures; with `isNoise`, equal sides, to know how much runs vary. All its runs share one plan. @typedef {{sides: Record<SideName, TrySide>, script: {name: string, sha256: string}, load: TryLoad, target: string, isNoise: boolean}} TryPlan */

/**
 * @typedef {object} TryResult
 * @property {string} folder
 * @property {ReportedPair[]} pairs that count
 * @property {number} excluded
 * @property {Decision[]} decisions
 * @property {TryReport['end']} end
 * @property {Noise} noise
 * @property {number} elapsedMs of all attempts
 * @property {number} smallest relative difference that mattered to the decisions
 * @property {Account[]} accounts of earlier tries
 * @property {TryPlan['sides']} [sides] of a bisection: those of its last try
 */

/**
 * @typedef {object} TryOptions
 * @property {number} maxMs starts no pair that would end later
 * @property {number} smallest relative difference that matters
 * @property {(folder: string) => Promise<Report>} readReport of a run of an earlier attempt
 * @property {(decisions: Decision[]) => string} describe in a few words
 * @property {(forecast: Forecast, maxMs: number) => string} describeForecast empty: nothing to say
 * @property {(decisions: Decision[], figures: ReturnType<typeof readFigures>, accounts: Account[]) => boolean} [isEnough]
 *   ends it before each figure is decided; `accounts`: of earlier tries and this one
 * @property {() => number} [random] for the order of each pair
 */

/**
 * Measures pairs of runs until `nextPair` ends it or the time is over. It always stops its servers, and removes its
 * worktrees and incomplete runs.
 * @param {TryPlan} plan
 * @param {TryOptions & FolderOptions & Measuring} options
 * @returns {Promise<TryResult>} with the complete pairs, also after an interruption
 * @throws {LoadflameError} TRY_SIDE_FAILED, TRY_FAILURES, TRY_REMEDY_…, CONTINUE_…; TRY_TOO_SHORT, INTERRUPTED where no
 *   run was measured
 */
export async function runTry(plan, options) {
  const { signal, onNote } = options;
  const work = makeTempFolder();
  const checkedOut = await checkOutSides(plan.sides, work);
  try {
    throwIfInterrupted(signal);
    const sides = checkedOut.sides;
    const opened = await openExperiment('try', describePlan(plan), options);
    onNote(`folder: ${path.relative('', opened.folder)}`);
    const accounts = await readAccounts(options.root, plan, opened.folder);
    return await measurePairs({ ...plan, sides }, opened, { ...options, accounts });
  } finally {
    await checkedOut.remove();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What must stay the same. A worktree has a new folder each time, so it is left out. @param {TryPlan} plan */
export function describePlan({ sides, ...rest }) {
  const describe = (/** @type {TrySide} */ side) => ({
    ...side,
    folder: side.reference ? null : side.folder,
  });
  return { sides: { a: describe(sides.a), b: describe(sides.b) }, ...rest };
}

/**
 * @param {TryPlan} plan @param {ExperimentFolder} opened @param {TryOptions & Measuring & {accounts: Account[]}} options
 * @returns {Promise<TryResult>}
 */
async function measurePairs({ load, sides, isNoise }, opened, options) {
  const { folder, runsRoot: root, runs, append } = opened;
  const { signal, maxMs, smallest, accounts, random, describe, isEnough, onNote } = options;
  const known = await pairUp(runs, root, options.readReport);
  const pairs = known.filter(isUsable);
  let excluded = known.length - pairs.length;
  const read = () => readFigures(load.model, pairs);
  const judge = () => decideAll(read(), accounts, smallest);
  const forecast = foretell(load, [...read().keys()], accounts);
  const foretold = pairs.length === 0 && options.describeForecast(forecast, maxMs);
  if (foretold) onNote(foretold);
  // Who resumes a try asks for the figures that are left.
  const isComplete = known.length > 0 || isEnough !== undefined;
  const wish = { wanted: isNoise ? NOISE_PAIRS : null, isComplete };
  let excludedInRow = 0;
  /** Of each pair. @type {number[]} */
  const spentMs = [];
  const account = () =>
    describeAccount(spentMs.length > 0 ? mean(spentMs) : forecast.pairMs, read());
  /** @type {Set<SideName>} */
  const checked = new Set();
  const { end, elapsedMs, failure } = await runExperiment(opened, {
    maxMs,
    signal,
    next: () => {
      const decisions = judge();
      if (isEnough?.(decisions, read(), [...accounts, account()])) return { end: 'decided' };
      const state = { pairs: pairs.length, excludedInRow, ...wish };
      return nextPair(decisions, state, random);
    },
    estimateMs: () => Math.max(...(spentMs.length > 0 ? spentMs : [forecast.pairMs])),
    measure: async ({ order }, leftMs) => {
      const number = pairs.length + excluded;
      const beganMs = Date.now();
      const pair = await measurePair(order, {
        ...{ ...options, load, sides, folder, root, checked },
        onRun(name, run) {
          append({ kind: 'run', pair: number, side: name, folder: path.basename(run.folder) });
          refuseFailures(sides[name].label, run);
        },
        onProgress(text) {
          const left = formatDuration(leftMs + beganMs - Date.now());
          options.onProgress(`pair ${number + 1} · at most ${left} left · ${text}`);
        },
      });
      spentMs.push(Date.now() - beganMs);
      if (isUsable(pair)) pairs.push(pair);
      else excluded++;
      excludedInRow = isUsable(pair) ? 0 : excludedInRow + 1;
      append(account());
      const outcome = isUsable(pair) ? describe(judge()) : 'left out, because a run is invalid';
      onNote(`pair ${number + 1}: ${outcome}${nameNextTest(load, pairs.length)}`);
    },
  });
  if (end === 'failed') throw failure;
  if (end === 'time' && pairs.length + excluded === 0) refuseTime(maxMs, forecast);
  const why = end === 'time' ? 'limit' : end;
  const [decisions, figures] = [judge(), read()];
  const all = [...accounts, account()];
  const noise = describeNoise([...figures.keys()], all, { withinMs: maxMs, smallest, ...load });
  const basis = { pairs, excluded, smallest, accounts };
  return { ...basis, folder, decisions, elapsedMs, end: why, noise };
}

/** @param {TryLoad} load @param {number} count of pairs so far */
function nameNextTest({ durationSec }, count) {
  const next = looksOf(durationSec).find(({ pairs }) => pairs > count);
  return next ? ` (next test after pair ${next.pairs})` : '';
}

/**
 * @template {'folder' | 'report'} Key
 * @param {ReportedPair[]} pairs
 * @param {Key} key
 * @returns {Record<'before' | 'after', ReportedPair['a'][Key][]>} of both sides
 */
export function listOf(pairs, key) {
  return { before: pairs.map(({ a }) => a[key]), after: pairs.map(({ b }) => b[key]) };
}

/**
 * @param {ReturnType<typeof readFigures>} figures
 * @param {Account[]} accounts of earlier tries
 * @param {number} smallest relative difference that matters
 */
export function decideAll(figures, accounts, smallest) {
  return [...figures].map(([measure, values]) => {
    const spread = findSpread(measure, accounts) ?? undefined;
    return decide(measure, values, { measures: figures.size, smallest, spread });
  });
}

/** @param {ReportedPair} pair */
function isUsable({ a, b }) {
  return [a, b].every(
    ({ report }) => report.reliability.level !== 'invalid' && !report.load?.failures.isTooMany,
  );
}

/** @param {number} maxMs @param {Forecast} forecast @returns {never} @throws {LoadflameError} TRY_TOO_SHORT */
function refuseTime(maxMs, { pairMs, leastMs }) {
  const [max, pair] = [maxMs, pairMs].map(formatDuration);
  const minutes = Math.ceil((SLACK * leastMs) / 60_000);
  throw new LoadflameError('TRY_TOO_SHORT', { max, pair, minutes });
}

/** Failing requests are faster and cheaper, so they cannot be compared. @param {string} label @param {SideRun} run */
function refuseFailures(label, { folder, report }) {
  const { isTooMany = false, share = 0, users, kinds = [] } = report.load?.failures ?? {};
  if (!isTooMany) return;
  throw new LoadflameError('TRY_FAILURES', {
    label,
    share: formatPercent(Math.max(share, users?.share ?? 0)),
    kinds: kinds.map(({ code, count }) => `${code} × ${count}`).join(', ') || 'users',
    folder: path.relative('', folder),
  });
}

/**
 * The runs of both sides of each pair; one that was interrupted has a second run of its first side.
 * @param {ExperimentFolder['runs']} runs
 * @param {string} root of the runs
 * @param {TryOptions['readReport']} read
 * @returns {Promise<ReportedPair[]>}
 */
async function pairUp(runs, root, read) {
  const reported = async (/** @type {ExperimentFolder['runs'][0]} */ { folder: name }) => {
    const folder = path.join(root, name);
    return readSideRun(folder, await read(folder));
  };
  /** @type {ReportedPair[]} */
  const pairs = [];
  for (const own of Map.groupBy(runs, ({ pair }) => pair).values()) {
    const [a, b] = ['a', 'b'].map(name => own.findLast(({ side }) => side === name));
    if (a && b) pairs.push({ a: await reported(a), b: await reported(b) });
  }
  return pairs;
}
