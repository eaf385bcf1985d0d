/**
 * `npm test`: the fast lane, every `*.test.js` under `test/`, by two calls of Node's runner that run side by side:
 *
 *     node --test --experimental-test-isolation=none <tests that start nothing>
 *     node --test --test-concurrency=3 <all others, a process for each file>
 *
 * Arguments are tests, folders of tests, or flags of the runner (`--…`). What is slow and only repeats is
 * `npm run test:slow`.
 */
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import {
  addCounts,
  EXIT_INTERRUPTED,
  listenForStop,
  printTotals,
  runTests,
} from './testing/run-tests.js';

/** Tests that start programs or servers, by the beginning of their path. The longest ones begin first. */
const WITH_PROGRAMS = [
  'test/conformance/',
  'test/cli/',
  'test/study/run/',
  'test/record/',
  'test/demo/',
  'test/auth/',
  'test/bench/',
  'test/companion/',
  'test/limits/',
  'test/scripts/',
  'test/studies/',
  'test/study/lists/',
  'test/study/services/',
  'test/target/',
];
/** Node 22 has it by this name. */
const ONE_PROCESS = '--experimental-test-isolation=none';

const startedMs = performance.now();
const args = process.argv.slice(2);
const flags = args.filter(arg => arg.startsWith('--'));
const named = args.filter(arg => !arg.startsWith('--'));
const files = (named.length > 0 ? named : ['test']).flatMap(findTests);
const rank = (/** @type {string} */ file) =>
  WITH_PROGRAMS.findIndex(start => file.startsWith(start));
const pure = files.filter(file => rank(file) < 0);
const others = files.filter(file => rank(file) >= 0).toSorted((a, b) => rank(a) - rank(b));

const signal = listenForStop();
const calls = [
  { files: pure, flags: [ONE_PROCESS] },
  // They wait for servers, and for time to pass, most of the time.
  { files: others, flags: [`--test-concurrency=${availableParallelism() + 1}`] },
];
const first = await Promise.all(
  calls
    .filter(call => call.files.length > 0)
    .map(call => runTests(call.files, { flags: [...call.flags, ...flags], signal })),
);
const counts = addCounts(first.map(result => result.counts));
const skipped = first.flatMap(result => result.skipped);
const notes = named.length > 0 ? [] : ['the slow lane: npm run test:slow -- --list'];
let failed = first.flatMap(result => result.failed);
let isGood = first.every(result => result.isGood);
if (failed.length > 0 && !signal.aborted) {
  // For want of CPU perhaps, beside other tests.
  process.stdout.write('\nonce more, one file at a time, what failed:\n');
  const again = await runTests(failed, {
    flags: ['--test-concurrency=1', ...flags],
    env: { TEST_ALONE: '1' },
    signal,
  });
  notes.push(
    ...failed
      .filter(file => !again.failed.includes(file))
      .map(file => `passed only when it ran alone: ${file}`),
  );
  const left = again.counts.fail + again.counts.cancelled;
  counts.pass += counts.fail + counts.cancelled - left;
  Object.assign(counts, { fail: again.counts.fail, cancelled: again.counts.cancelled });
  failed = again.failed;
  isGood = again.isGood;
}
if (signal.aborted) notes.push('stopped before its end');
printTotals({ counts, failed, skipped }, { startedMs, notes });
process.exitCode = signal.aborted ? EXIT_INTERRUPTED : isGood ? 0 : 1;

/** @param {string} given */
function findTests(given) {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? globSync(`${given}/**/*.test.js`).sort() : [given];
}
