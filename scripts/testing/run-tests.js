/** Calls of Node's test runner, and their totals. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../../lib/base/process/child.js';

/** @import { Counts, Results } from './reporter.js' */

const REPORTER = new URL('reporter.js', import.meta.url).href;
const SHARE = path.resolve(import.meta.dirname, 'share.js');
/**
 * What one process has compiled the next ones need not, nor the command itself: a fifth of the CPU before the first test,
 * an eighth of that of programs that tests start.
 */
const COMPILED = path.resolve(import.meta.dirname, '../../.compiled');
/** No test takes as long on a machine that does other work, too; one that hangs ends like this. */
const TIMEOUT_MS = 600_000;
/** What a process that is told to end has left, to end those that it started. */
const GRACE_MS = 10_000;
export const EXIT_INTERRUPTED = 130;

/** @type {Counts} */
const NO_COUNTS = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

/** Aborted by Ctrl+C, and by the end of a build that was called off. */
export function listenForStop() {
  const controller = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.once(name, () => controller.abort());
  return controller.signal;
}

/** @typedef {Results & {isGood: boolean, hasFailed: boolean, notes: string[]}} TestRun `hasFailed`: a test failed, perhaps before the signal */
/**
 * @typedef {{processes?: number, flags?: string[], env?: Record<string, string>, signal: AbortSignal, stdout?: 'inherit' | 'ignore'}} RunOptions
 *   `flags` of Node
 */

/**
 * Runs units of files, each in one process, in this order. The output is that of Node's runner.
 * @param {string[][]} units @param {RunOptions} options
 * @returns {Promise<TestRun>}
 */
export async function runTests(units, { processes = 1, ...options }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-tests-'));
  try {
    writeFileSync(path.join(folder, 'units.json'), JSON.stringify(units));
    const runs = await Promise.all(
      Array.from({ length: processes }, (_, nth) => runShare(folder, nth, options)),
    );
    const isOver = (/** @type {number} */ unit) =>
      runs.some((run, nth) => !run.isLost && existsSync(path.join(folder, `${unit}/${nth}`)));
    const run = addUp(runs);
    run.failed.push(...units.filter((_, unit) => !isOver(unit)).flat());
    return run;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * One process of tests (share.js).
 * @param {string} folder @param {number} nth @param {RunOptions} options
 * @returns {Promise<TestRun & {isLost?: boolean}>}
 */
async function runShare(folder, nth, { flags = [], env = {}, signal, stdout }) {
  const file = path.join(folder, `results-${nth}.json`);
  const reporters = Object.entries({ spec: 'stdout', [REPORTER]: file }).flatMap(
    ([reporter, to]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${to}`],
  );
  const args = [`--test-timeout=${TIMEOUT_MS}`, ...reporters, ...flags, SHARE, folder, `${nth}`];
  const exitCode = await runNode(args, signal, { ...env, NODE_COMPILE_CACHE: COMPILED }, stdout);
  const lines = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const known = JSON.parse(lines.trimEnd().split('\n').at(-1) || 'null');
  // Without results it ended before its tests did, or the others were first everywhere.
  const hasTaken = readdirSync(folder).some(unit => existsSync(path.join(folder, unit, `${nth}`)));
  const isLost = known === null && (exitCode !== 0 || hasTaken);
  const counts = isLost ? { ...NO_COUNTS, tests: 1, fail: 1 } : NO_COUNTS;
  const results = known ?? { counts, failed: [], skipped: [], seconds: {} };
  const hasFailed = known ? known.failed.length > 0 : lines !== '';
  return { ...results, isGood: exitCode === 0 && !isLost, hasFailed, notes: [], isLost };
}

/**
 * Runs files that failed once more, one at a time: for want of CPU perhaps, beside other tests, or by chance.
 * @param {TestRun} first @param {{flags?: string[], signal: AbortSignal}} options
 * @returns {Promise<TestRun>} of both; its notes name what passed now
 */
export async function runOnceMore(first, { flags = [], signal }) {
  const { counts, failed } = first;
  if (failed.length === 0 || signal.aborted) return first;
  process.stdout.write('\nonce more, one file at a time, what failed:\n');
  const options = { flags, env: { TEST_ALONE: '1' }, signal };
  const again = addUp(await Array.fromAsync(failed, file => runTests([[file]], options)));
  if (signal.aborted && !again.hasFailed) return first;
  const { fail, cancelled } = again.counts;
  const pass = counts.pass + counts.fail + counts.cancelled - fail - cancelled;
  const notes = failed
    .filter(file => !again.failed.includes(file))
    .map(file => `passed only in its second run: ${path.relative('', file)}`);
  return { ...first, ...again, notes, counts: { ...counts, pass, fail, cancelled } };
}

/**
 * Runs Node with its output passed through, until it ends or the signal stops it.
 * @param {string[]} args @param {AbortSignal} signal @param {Record<string, string>} [env]
 * @param {RunOptions['stdout']} [stdout] 'ignore': what it prints there is no result of the tests that call this
 * @returns {Promise<number | null>} exit code
 */
export async function runNode(args, signal, env = {}, stdout = 'inherit') {
  const child = startChild(process.execPath, args, { env, stdout, stderr: 'inherit' });
  const stop = () => child.stop({ graceMs: GRACE_MS });
  signal.addEventListener('abort', stop);
  const { exitCode } = await child.ended;
  signal.removeEventListener('abort', stop);
  return exitCode;
}

/** @param {TestRun[]} all @returns {TestRun} */
export function addUp(all) {
  return {
    counts: addCounts(all.map(({ counts }) => counts)),
    failed: all.flatMap(({ failed }) => failed),
    skipped: all.flatMap(({ skipped }) => skipped),
    notes: all.flatMap(({ notes }) => notes),
    seconds: Object.assign({}, ...all.map(({ seconds }) => seconds)),
    isGood: all.every(({ isGood }) => isGood),
    hasFailed: all.some(({ hasFailed }) => hasFailed),
  };
}

/** @param {Counts[]} all @returns {Counts} */
function addCounts(all) {
  const names = /** @type {(keyof Counts)[]} */ (Object.keys(NO_COUNTS));
  const sums = names.map(name => [name, all.reduce((sum, counts) => sum + counts[name], 0)]);
  return /** @type {Counts} */ (Object.fromEntries(sums));
}

/**
 * Prints what was skipped and why, notes, and as the last lines the totals, in the words of Node's own runner. With
 * TEST_TOTALS, a file, totals and notes of runs that follow each other are added up in it.
 * @param {TestRun} run @param {number} startedMs
 */
export function printTotals({ counts, failed, skipped, notes }, startedMs) {
  const reasons = Object.entries(Object.groupBy(skipped, reason => reason));
  const file = process.env.TEST_TOTALS ?? '';
  const isNext = existsSync(file);
  const none = { counts: NO_COUNTS, durationMs: 0, notes: [] };
  const before = isNext ? JSON.parse(readFileSync(file, 'utf8')) : none;
  const sums = {
    counts: addCounts([before.counts, counts]),
    durationMs: before.durationMs + performance.now() - startedMs,
    notes: [...before.notes, ...notes],
  };
  if (file) writeFileSync(file, JSON.stringify(sums));
  const lines = [
    '',
    ...failed.map(name => `✖ failed: ${path.relative('', name)}`),
    ...reasons.map(([reason, all = []]) => `skipped ${String(all.length).padStart(4)}  ${reason}`),
    ...sums.notes,
    ...(isNext ? ['together with the tests that ran before:'] : []),
  ];
  for (const [name, count] of Object.entries(sums.counts)) lines.push(`ℹ ${name} ${count}`);
  process.stdout.write(`${[...lines, `ℹ duration_ms ${sums.durationMs.toFixed(0)}`].join('\n')}\n`);
}
