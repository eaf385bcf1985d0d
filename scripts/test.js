/**
 * `npm test`: the fast lane, every `*.test.js` under `test/`. Arguments are tests, or folders of tests, or
 * flags for Node's runner (they start with `--`). What is slow and only repeats is `npm run test:slow`.
 */
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { planJobs } from './testing/plan-jobs.js';
import { printOutcome, printTotals } from './testing/print.js';
import { EXIT_INTERRUPTED, listenForStop, runJobs } from './testing/run-jobs.js';

/**
 * Tests wait for servers, and for time to pass: the files that have a process of their own take two fifths of a
 * core each, so that one for each core would leave two cores idle most of the time.
 */
const AT_ONCE = availableParallelism() + 2;

const startedMs = performance.now();
const args = process.argv.slice(2);
const flags = args.filter(arg => arg.startsWith('--'));
const named = args.filter(arg => !arg.startsWith('--'));
const files = (named.length > 0 ? named : ['test']).flatMap(findTests);

const signal = listenForStop();
const first = await runJobs(planJobs(files), {
  atOnce: AT_ONCE,
  flags,
  signal,
  onEnd: outcome => printOutcome(outcome, { full: named.length > 0 }),
});
// What failed beside other tests, for want of CPU perhaps, has to pass when it runs alone.
const failed = first.filter(({ isGood, isStopped }) => !isGood && !isStopped);
if (failed.length > 0) process.stdout.write('\nonce more, one at a time, what failed:\n');
const again = await runJobs(
  failed.map(({ job }) => job),
  {
    atOnce: 1,
    flags,
    signal,
    env: { TEST_ALONE: '1' },
    onEnd: outcome => printOutcome(outcome, { full: false }),
  },
);
const outcomes = [...first.filter(({ isGood }) => isGood), ...(signal.aborted ? failed : again)];
const notes = again
  .filter(({ isGood }) => isGood)
  .map(({ job }) => `passed only when it ran alone: ${job.name}`);
if (named.length === 0) notes.push('the slow lane: npm run test:slow -- --list');
if (signal.aborted) notes.push('stopped before its end');
const isGood = printTotals(outcomes, { startedMs, notes });
process.exitCode = signal.aborted ? EXIT_INTERRUPTED : isGood ? 0 : 1;

/** @param {string} given */
function findTests(given) {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? globSync(`${given}/**/*.test.js`).sort() : [given];
}
