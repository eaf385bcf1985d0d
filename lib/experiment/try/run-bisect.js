/** Finds the commit that made an API worse: tries of the good commit against commits after it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { formatDuration, formatNumberOf } from '../../base/format.js';
import { mean } from '../../base/math/summary.js';
import { throwIfInterrupted } from '../../base/process/interruptible.js';
import { measureOf } from '../../run/facts/measures.js';
import { IN_RUNS, openExperiment } from '../experiment-folder.js';
import { runExperiment } from '../run-experiment.js';
import { hasShift } from '../strategies/pairs.js';
import { findCommit, git } from './git.js';
import { findSpread } from './noise.js';
import { describePlan, runTry } from './run-try.js';

/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { Decision, TrySide } from '../../run/facts/try.d.ts' */
/** @import { RawRecord } from '../../run/ndjson.js' */
/** @import { ExperimentFolder } from '../experiment-folder.js' */
/** @import { Pair } from '../strategies/pairs.js' */
/** @import { Account } from './noise.js' */
/** @import { TryPlan, TryResult } from './run-try.js' */

const LONGEST_LABEL = 60;
const COMMIT = /^[0-9a-f]{40,64}$/;

/**
 * Each step tries the good commit against the middle one of those left. At the end, it tries the commit that it found
 * against its parent. This confirms the commit, and shows the endpoint and the function. A continued one keeps its steps,
 * and the pairs of an undecided one.
 * @param {TryPlan} plan its sides are the good commit and the bad one
 * @param {Parameters<typeof runTry>[1]} options `maxMs` of one step
 * @returns {Promise<TryResult>} of the last try; without pairs after an interruption
 * @throws {LoadflameError} BISECT_UNDECIDED, and as `runTry`
 */
export async function runBisect(plan, options) {
  const { signal, smallest, onNote, redactor, describe } = options;
  const { a: good, b: bad } = plan.sides;
  const range = { good, goodId: idOf(good), badId: idOf(bad) };
  const checked = { ...options, check: checkStep };
  const opened = await openExperiment('bisect', describePlan(plan), checked);
  const folder = path.relative('', opened.folder);
  onNote(`folder: ${folder}`);
  /** @type {TryResult[]} */
  const results = [];
  const choose = () => chooseStep(range, opened.runs, results.at(-1)?.sides);
  let { step, left } = await choose();
  const { end, failure, elapsedMs } = await runExperiment(opened, {
    signal,
    next: () => step,
    measure: async ({ a, b }) => {
      const sides = { a: await sideOf(range, a, redactor), b: await sideOf(range, b, redactor) };
      const commits = formatNumberOf(left.length, 'commit');
      const steps = foretellSteps(left.length, opened.runs);
      onNote(`${commits} left, ${steps}: trying ${sides.b.label}`);
      const [{ measure, size } = /** @type {RawRecord} */ ({})] = opened.runs;
      /** @type {typeof options} */
      const own = { ...options, root: opened.runsRoot, earlier: findOpen(opened, a, b) };
      own.onProgress = text => options.onProgress(`step ${opened.runs.length + 1} · ${text}`);
      // What earlier steps took says more.
      if (opened.runs.length > 0) own.describeForecast = () => '';
      const isMiddle = size && left.length > 1;
      // A commit that is worse than its parent is found, which needs certainty.
      const { commit: parent } = await findCommit(good.folder, `${b}^`);
      let decided = /** @type {Decision | null} */ (null);
      own.smallest = size ? size / 2 : smallest;
      own.isEnough = (decisions, ...known) => {
        decided = judge(decisions, measure);
        if (isMiddle && a !== parent)
          decided = judgeStep({ measure, size }, decisions, ...known) ?? decided;
        return decided !== null;
      };
      const result = await runTry({ ...plan, sides }, own);
      const tried = { folder: path.basename(result.folder), a, b };
      if (!decided || signal.aborted) keepOpen(opened, tried);
      throwIfInterrupted(signal);
      if (!decided || (!isMiddle && decided.call !== 'worse')) {
        const named = { commit: sides.b.label, against: sides.a.label, folder };
        const why = describe(result.decisions);
        const what = { why, commits, left: left.slice(0, 20).join(' ') };
        throw new LoadflameError('BISECT_UNDECIDED', { ...named, ...what });
      }
      const { call, relative } = decided;
      const found = { measure: decided.measure, size: Math.abs(relative.value) };
      opened.append({ kind: 'run', ...tried, call, ...found, ms: result.elapsedMs });
      results.push({ ...result, sides });
      ({ step, left } = await choose());
      onNote(`${sides.b.label}: ${call === 'worse' ? 'bad' : 'good'}`);
    },
  });
  if (end === 'failed') throw failure;
  onNote(`${formatNumberOf(opened.runs.length, 'step')} in ${formatDuration(elapsedMs)}`);
  const last = signal.aborted ? null : results.at(-1);
  if (last) return { ...last, folder: opened.folder };
  const noise = { withinMs: options.maxMs, figures: [] };
  const none = { pairs: [], excluded: 0, decisions: [], noise, accounts: [] };
  return { ...none, smallest, folder: opened.folder, elapsedMs, end: 'interrupted' };
}

/**
 * "about 5 steps, 6 min at the pace so far": both ends, halves of the commits between them, and the commit against its parent.
 * @param {number} left commits @param {RawRecord[]} runs earlier steps
 */
export function foretellSteps(left, runs) {
  const steps = Math.ceil(Math.log2(left)) + (runs.length === 0 && left > 1 ? 2 : 1);
  // The last step asks as much as the first one, and those between them ask less.
  const [first = 0, ...took] = runs.flatMap(({ ms }) => (ms > 0 ? ms : []));
  const leftMs = took.length > 0 && first + (steps - 1) * mean(took);
  const time = leftMs ? `, ${formatDuration(leftMs)} at the pace so far` : '';
  return `about ${formatNumberOf(steps, 'step')}${time}`;
}

/** @typedef {{good: TrySide, goodId: string, badId: string}} Range */

/** @param {TrySide | undefined} side */
const idOf = side => side?.reference?.commit ?? '';

/** @param {Range} range @param {...string} args @throws {LoadflameError} BISECT_NO_RANGE: git knows a commit no more */
async function ask({ good, goodId, badId }, ...args) {
  const { isDone, said } = await git(good.folder, args);
  if (isDone) return said;
  throw new LoadflameError('BISECT_NO_RANGE', { good: goodId, bad: badId });
}

/**
 * @param {Range} range
 * @param {string} commit
 * @param {Pick<Redactor, 'redactValue'>} redactor
 * @returns {Promise<TrySide>}
 */
async function sideOf(range, commit, redactor) {
  const said = redactor.redactValue(await ask(range, 'log', '-1', '--format=%h %s', commit));
  const reference = { name: commit, commit };
  return { ...range.good, label: said.slice(0, LONGEST_LABEL), reference };
}

/**
 * The commits to measure next, and those that may be the one.
 * @param {Range} range
 * @param {RawRecord[]} steps
 * @param {TryPlan['sides']} [last] measured in this attempt
 * @returns {Promise<{step: {a: string, b: string} | {end: 'decided'}, left: string[]}>}
 */
async function chooseStep(range, steps, last) {
  const { good, goodId, badId } = range;
  const worst = steps.findLast(({ call }) => call === 'worse')?.b ?? badId;
  const goods = steps.flatMap(({ call, b }) => (call === 'worse' ? [] : [b]));
  const between = [worst, '--not', goodId, ...goods];
  const left = (await ask(range, 'rev-list', '--abbrev-commit', ...between)).split('\n');
  if (steps.length === 0) return { left, step: { a: goodId, b: badId } };
  if (left.length > 1)
    return { left, step: { a: goodId, b: await ask(range, 'rev-list', '--bisect', ...between) } };
  const { commit: parent } = await findCommit(good.folder, `${worst}^`);
  const isShown = idOf(last?.a) === parent && idOf(last?.b) === worst;
  return { left, step: isShown ? { end: 'decided' } : { a: parent ?? goodId, b: worst } };
}

/**
 * At the beginning any figure that is worse counts, the CPU time first: it varies least. Later steps look for the same.
 * @param {Decision[]} decisions @param {string} [measure] of the first step
 */
function judge(decisions, measure) {
  const known = decisions.filter(own => (measure ? own.measure === measure : own.call === 'worse'));
  return known.findLast(({ call }) => call !== 'undecided') ?? null;
}

/**
 * Whether a commit has the change of both ends, or none. If this is wrong, the last step shows no change.
 * @param {{measure: string, size: number}} change of the first step
 * @param {Decision[]} decisions @param {Map<string, Pair[]>} figures @param {Account[]} accounts of earlier steps and this one
 * @returns {Decision | null}
 */
function judgeStep({ measure, size }, decisions, figures, accounts) {
  const own = decisions.find(decision => decision.measure === measure);
  if (!own) return null;
  const shift = Math.log1p(
    measureOf(own.measure).better === 'higher' ? -Math.min(size, 0.99) : size,
  );
  const spread = findSpread(own.measure, accounts, 'inPairs');
  const isBad = hasShift(figures.get(own.measure) ?? [], { shift, spread });
  return isBad === null ? null : { ...own, call: isBad ? 'worse' : 'none' };
}

/** @param {ExperimentFolder} opened @param {{folder: string, a: string, b: string}} step that is undecided */
function keepOpen(opened, step) {
  opened.append({ kind: 'open', ...step });
  opened.stays = true;
}

/**
 * @param {ExperimentFolder} opened
 * @param {string} a
 * @param {string} b
 * @returns {string | undefined} folder of the try of an undecided step of the same commits
 */
function findOpen({ records, runsRoot }, a, b) {
  const step = records.findLast(own => own.kind === 'open' && own.a === a && own.b === b);
  const folder = step && path.join(runsRoot, step.folder);
  return folder && existsSync(folder) ? folder : undefined;
}

/** A folder from elsewhere names nothing but commits and tries in it. @param {RawRecord} record */
function checkStep(record) {
  const { kind, folder, a, b, size } = record;
  if (kind !== 'run' && kind !== 'open') return record;
  const isStep = COMMIT.test(a) && COMMIT.test(b) && IN_RUNS.test(folder);
  return isStep && typeof folder === 'string' && (kind === 'open' || size > 0) ? record : null;
}
