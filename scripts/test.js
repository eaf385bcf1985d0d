/**
 * `npm test`: the fast lane, every `*.test.js` under `test/`. Arguments are paths of tests, or flags for
 * Node's runner (they start with `--`). What is slow and only repeats is `npm run test:slow`.
 */
import { globSync } from 'node:fs';
import { planJobs } from './testing/plan-jobs.js';
import { printOutcome, printTotals } from './testing/print.js';
import { runJobs } from './testing/run-jobs.js';

/** More would starve each other where there are two cores, and time out. */
const AT_ONCE = 2;

const startedMs = performance.now();
const args = process.argv.slice(2);
const flags = args.filter(arg => arg.startsWith('--'));
const named = args.filter(arg => !arg.startsWith('--'));
const files = named.length > 0 ? named : globSync('test/**/*.test.js').sort();

const first = await runJobs(planJobs(files), {
  atOnce: AT_ONCE,
  flags,
  onEnd: outcome => printOutcome(outcome, { full: named.length > 0 }),
});
// What failed beside other tests, for want of CPU perhaps, has to pass when it runs alone.
const failed = first.filter(({ isGood }) => !isGood);
if (failed.length > 0) process.stdout.write('\nonce more, one at a time, what failed:\n');
const again = await runJobs(
  failed.map(({ job }) => job),
  {
    atOnce: 1,
    flags,
    env: { TEST_ALONE: '1' },
    onEnd: outcome => printOutcome(outcome, { full: false }),
  },
);
const outcomes = [...first.filter(({ isGood }) => isGood), ...again];
const notes = again
  .filter(({ isGood }) => isGood)
  .map(({ job }) => `passed only when it ran alone: ${job.name}`);
if (named.length === 0) notes.push('the slow lane: npm run test:slow -- --list');
process.exitCode = printTotals(outcomes, { startedMs, notes }) ? 0 : 1;
