/** A try from its first pair of runs to its decision, as one readable story: `runTry`. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { formatDuration, formatPercent } from '../format.js';
import { throwIfInterrupted } from '../process/interruptible.js';
import { makeTempFolder } from '../process/temp-folder.js';
import { decide, isDecided, LOOKS, MOST_PAIRS, orderOf } from './decide.js';
import { chooseMeasures, readPair } from './figures.js';
import { measureSide } from './measure-side.js';
import { checkOutSides } from './sides.js';
import { openTryFolder } from './try-folder.js';

/** @import { Report } from '../facts/report.d.ts' */
/** @import { Decision, TryReport } from '../facts/try.d.ts' */
/** @import { Redactor } from '../files/redaction.js' */
/** @import { Measuring } from './measure-side.js' */
/** @import { SideName } from './sides.js' */
/** @import { TryFiles, TryFolder, TryPlan } from './try-folder.js' */

/** Invalid pairs in a row after which a try ends. */
const MOST_EXCLUDED = 3;
/** Expected time of a pair before the first one was measured. */
const FIRST_GUESS_MS = 30_000;

/** Two consecutive runs. @typedef {Record<SideName, {folder: string, report: Report}>} ReportedPair */

/**
 * @typedef {object} TryResult
 * @property {TryFiles} files
 * @property {ReportedPair[]} pairs that count
 * @property {number} excluded
 * @property {Decision[]} decisions
 * @property {TryReport['end']} end
 * @property {number} elapsedMs of all attempts
 */

/**
 * @typedef {object} TryOptions
 * @property {string} root folder that holds runs and tries
 * @property {string} name of the folder
 * @property {Pick<Redactor, 'redactValue'>} redactor of the plan in it
 * @property {string} [earlier] folder of a try to continue
 * @property {number} maxMs starts no pair that would end later
 * @property {number} smallest relative difference that matters
 * @property {(folder: string) => Promise<Report>} readReport of a run of an earlier attempt
 * @property {(decisions: Decision[]) => string} describe in a few words
 */

/**
 * Measures pairs of runs until each figure is decided or the time is over. It always stops its servers, and removes its
 * worktrees and incomplete runs.
 * @param {TryPlan} plan
 * @param {TryOptions & Measuring} options
 * @returns {Promise<TryResult>} with the complete pairs, also after an interruption
 * @throws {LoadflameError} TRY_SIDE_FAILED, TRY_FAILURES, TRY_SIDES, TRY_FOLDER, INTERRUPTED where no run was measured
 */
export async function runTry(plan, options) {
  const { signal, onNote } = options;
  const work = makeTempFolder();
  const checkedOut = await checkOutSides(plan.sides, work);
  try {
    throwIfInterrupted(signal);
    const sides = checkedOut.sides;
    const folder = await openTryFolder(plan, options);
    onNote(`folder: ${path.relative('', folder.files.folder)}`);
    try {
      removeCutRuns(folder);
      const result = await measurePairs({ ...plan, sides }, folder, { ...options, work });
      if (folder.runs.length === 0) throwIfInterrupted(signal);
      return { ...result, files: folder.files };
    } finally {
      removeCutRuns(folder);
      folder.end();
    }
  } finally {
    await checkedOut.remove();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * @param {TryPlan} plan @param {TryFolder} folder @param {TryOptions & Measuring & {work: string}} options
 * @returns {Promise<Omit<TryResult, 'files'>>}
 */
async function measurePairs({ load, sides }, folder, options) {
  const { signal, maxMs, smallest, describe, readReport, onProgress, onNote } = options;
  const startedMs = Date.now();
  const known = await pairUp(folder.runs, readReport);
  const pairs = known.filter(isUsable);
  let excluded = known.length - pairs.length;
  const judge = () => {
    const measures = chooseMeasures(load.model, pairs);
    return measures.map(measure => {
      const values = pairs.map(pair => readPair(pair, measure));
      return decide(measure, values, { measures: measures.length, smallest });
    });
  };
  /** @param {TryResult['end']} end */
  const finish = end => ({
    pairs,
    excluded,
    decisions: judge(),
    end,
    elapsedMs: folder.earlierMs + Date.now() - startedMs,
  });
  let [excludedInRow, longestMs] = [0, FIRST_GUESS_MS];
  try {
    for (let number = pairs.length; ; number = pairs.length) {
      if (isDecided(judge())) return finish('decided');
      if (excludedInRow >= MOST_EXCLUDED) return finish('invalid');
      const beganMs = Date.now();
      const leftMs = startedMs + maxMs - beganMs;
      if (leftMs < longestMs || number >= MOST_PAIRS) return finish('limit');
      /** @type {Partial<ReportedPair>} */
      const measured = {};
      for (const name of orderOf(number)) {
        throwIfInterrupted(signal);
        const side = sides[name];
        const left = startedMs + maxMs - Date.now();
        const run = await measureSide(side, {
          ...options,
          ...{ load, folder: folder.files.folder, root: folder.files.runs },
          onProgress: text =>
            onProgress(
              `pair ${number + 1} · at most ${formatDuration(left)} left · ${side.label}: ${text}`,
            ),
        });
        folder.add({ pair: number, side: name, folder: run.folder });
        refuseFailures(side.label, run);
        measured[name] = run;
      }
      const pair = /** @type {ReportedPair} */ (measured);
      longestMs = Math.max(number > 0 ? longestMs : 0, Date.now() - beganMs);
      if (isUsable(pair)) pairs.push(pair);
      else excluded++;
      excludedInRow = isUsable(pair) ? 0 : excludedInRow + 1;
      const outcome = isUsable(pair) ? describe(judge()) : 'left out, because a run is invalid';
      const next = LOOKS.find(look => look.pairs > pairs.length);
      const more = next ? ` (next test after pair ${next.pairs})` : '';
      onNote(`pair ${number + 1}: ${outcome}${more}`);
    }
  } catch (error) {
    if (signal.aborted) return finish('interrupted');
    throw error;
  }
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

/** @param {ReportedPair} pair */
function isUsable({ a, b }) {
  return [a, b].every(
    ({ report }) => report.reliability.level !== 'invalid' && !report.load?.failures.isTooMany,
  );
}

/** Failing requests are faster and cheaper, so they cannot be compared. @param {string} label @param {{folder: string, report: Report}} run */
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

/** Removes incomplete runs. @param {TryFolder} folder */
function removeCutRuns({ files, runs }) {
  const known = runs.map(run => path.basename(run.folder));
  for (const name of readdirSync(files.runs))
    if (!known.includes(name))
      rmSync(path.join(files.runs, name), { recursive: true, force: true });
}

/**
 * Groups consecutive runs into pairs, one run of each side.
 * @param {TryFolder['runs']} runs
 * @param {TryOptions['readReport']} read
 * @returns {Promise<ReportedPair[]>}
 */
async function pairUp(runs, read) {
  /** @type {ReportedPair[]} */
  const pairs = [];
  const reported = async (/** @type {string} */ folder) => ({ folder, report: await read(folder) });
  for (let at = 0; at + 1 < runs.length; at++) {
    const [first, second] = runs.slice(at, at + 2);
    if (!first || !second || first.pair !== second.pair || first.side === second.side) continue;
    const [a, b] = first.side === 'a' ? [first, second] : [second, first];
    pairs.push({ a: await reported(a.folder), b: await reported(b.folder) });
    at++;
  }
  return pairs;
}
