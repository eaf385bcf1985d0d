/**
 * `npm test`: the fast lane, every `*.test.js` under `test/`, by three calls of Node's runner that run side by side:
 *
 *     node --test --experimental-test-isolation=none <files that take less than three seconds>
 *     node --test --experimental-test-isolation=none <longer ones that open pages: with one browser>
 *     node --test --test-concurrency=4 <all others, a process for each file>
 *
 * Its first line says how long that and the slow lane take. Arguments are tests, folders of tests, or flags of the runner (`--…`). What is slow and only repeats is
 * `npm run test:slow`.
 */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  addUp,
  EXIT_INTERRUPTED,
  listenForStop,
  printTotals,
  runOnceMore,
  runTests,
} from './testing/run-tests.js';
import { minutesOf, PARTS } from './testing/slow-parts.js';

/** Seconds of each file, alone in a process. `npm test -- --record [folder …]` measures them. */
const RECORDED = 'scripts/testing/durations.json';
/** That a process of its own takes before its tests. */
const START_SEC = 0.3;
/** Shorter ones share a process. New ones have their own. */
const SHORT_SEC = 3;

const startedMs = performance.now();
const isRecording = process.argv.includes('--record');
const args = process.argv.slice(2).filter(arg => arg !== '--record');
const flags = args.filter(arg => arg.startsWith('--'));
const named = args.filter(arg => !arg.startsWith('--'));
const files = (named.length > 0 ? named : ['test']).flatMap(findTests);
/** @type {Record<string, number>} */
const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
const secondsOf = (/** @type {string} */ file) => recorded[path.normalize(file)] ?? SHORT_SEC;
const contains = (/** @type {string} */ file, /** @type {RegExp} */ what) =>
  what.test(readFileSync(file, 'utf8'));
// A hook at the top level of a file is one of all tests of its process.
const canShare = files.filter(
  file => !isRecording && !contains(file, /^(?:before|after)(?:Each)?\(/m),
);
const short = canShare.filter(file => secondsOf(file) < SHORT_SEC);
const pages = canShare.filter(file => !short.includes(file) && contains(file, /preparePages\(\)/));
const long = files.filter(file => ![...short, ...pages].includes(file));
// They wait for servers, and for time to pass, most of the time.
const cores = availableParallelism();
const atOnce = cores + 2;

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, one) => total + one, 0);
const sharedSec = [short, pages].map(list => sum(list.map(file => secondsOf(file) - START_SEC)));
const longSec = long.map(secondsOf);
const mostSec = Math.max(...sharedSec, sum(longSec) / atOnce, ...longSec);
const slowMin = minutesOf(PARTS.filter(part => !part.byHand));
console.log(
  `files: ${files.length}, about ${Math.ceil(mostSec)} s on ${cores} cores; the slow lane, npm run test:slow: ${slowMin} min`,
);

const signal = listenForStop();
const calls = [
  // Node 22 has it by this name.
  ...[short, pages].map(list => ({ files: list, flags: ['--experimental-test-isolation=none'] })),
  { files: long, flags: [`--test-concurrency=${atOnce}`] },
];
const first = await Promise.all(
  calls
    .filter(call => call.files.length > 0)
    .map(call => runTests(call.files, { flags: [...call.flags, ...flags], signal })),
);
const added = addUp(first);
const result = await runOnceMore(added, { flags, signal });
if (isRecording) {
  Object.assign(recorded, added.seconds);
  const known = Object.entries(recorded).filter(([file]) => existsSync(file));
  const text = JSON.stringify(Object.fromEntries(known.sort()), null, 2);
  writeFileSync(RECORDED, `${text}\n`);
}
if (signal.aborted) result.notes.push('stopped before its end');
printTotals(result, startedMs);
process.exitCode = signal.aborted ? EXIT_INTERRUPTED : result.isGood ? 0 : 1;

/** @param {string} given */
function findTests(given) {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? globSync(`${given}/**/*.test.js`).sort() : [given];
}
