/** What a run of tests prints: a line a file, what failed and why, and in the end what Node's runner prints. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { addCounts, NO_COUNTS } from './run-jobs.js';

/** @import { Outcome } from './run-jobs.js' */

/** Where Node's runner says once more what failed; titles of what passed are before it. */
const FAILURES = '\n✖ failing tests:\n';
/** Characters, of a file. */
const MOST_OF_A_FAILURE = 5000;

/** @param {Outcome} outcome @param {{full: boolean}} options `full`: all titles, of tests that passed too */
export function printOutcome(outcome, { full }) {
  const { job, counts, isGood, isStopped, durationMs, output } = outcome;
  if (full) process.stdout.write(output);
  else if (!isGood) process.stdout.write(failuresOf(outcome));
  const mark = isGood ? '✔' : isStopped ? '…' : '✖';
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  const seconds = (durationMs / 1000).toFixed(1);
  process.stdout.write(`${mark} ${job.name} (${counts.tests} tests${skipped}, ${seconds} s)\n`);
}

/** @param {Outcome} outcome */
function failuresOf({ output }) {
  return output.slice(Math.max(0, output.lastIndexOf(FAILURES)));
}

/**
 * Prints once more what failed (a build server may keep the end only), what was skipped, and the totals as the
 * last lines, in the words of Node's own runner. With TEST_TOTALS, a file, the totals of runs that follow each
 * other are added up in it.
 * @param {Outcome[]} outcomes
 * @param {{startedMs: number, notes?: string[]}} options
 * @returns {boolean} did all pass?
 */
export function printTotals(outcomes, { startedMs, notes = [] }) {
  const failed = outcomes.filter(({ isGood, isStopped }) => !isGood && !isStopped);
  for (const outcome of failed)
    process.stdout.write(failuresOf(outcome).slice(0, MOST_OF_A_FAILURE));
  const lines = ['', ...failed.map(({ job }) => `✖ failed: ${job.name}`), ...listSkipped(outcomes)];
  lines.push(...notes);
  let counts = outcomes.reduce((sum, outcome) => addCounts(sum, outcome.counts), NO_COUNTS);
  let durationMs = performance.now() - startedMs;
  const file = process.env.TEST_TOTALS;
  if (file) {
    if (existsSync(file)) {
      const before = JSON.parse(readFileSync(file, 'utf8'));
      counts = addCounts(counts, before.counts);
      durationMs += before.durationMs;
      lines.push('together with the tests that ran before:');
    }
    writeFileSync(file, JSON.stringify({ counts, durationMs }));
  }
  for (const [name, count] of Object.entries(counts)) lines.push(`ℹ ${name} ${count}`);
  lines.push(`ℹ duration_ms ${durationMs.toFixed(0)}`);
  process.stdout.write(`${lines.join('\n')}\n`);
  return failed.length === 0;
}

/** A line for each reason, and how many tests it took. @param {Outcome[]} outcomes */
function listSkipped(outcomes) {
  const reasons = outcomes.flatMap(({ skipped }) => skipped);
  if (reasons.length === 0) return [];
  const counts = Object.entries(Object.groupBy(reasons, reason => reason));
  return [
    `skipped ${reasons.length} tests, for what this machine lacks:`,
    ...counts.map(([reason, all = []]) => `  ${String(all.length).padStart(4)}  ${reason}`),
  ];
}
