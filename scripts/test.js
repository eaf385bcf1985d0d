/**
 * `npm test`: the fast lane, every `*.test.js` under `test/`, by calls of Node's runner that run side by side:
 *
 *     node --test --experimental-test-isolation=none <a share of the files>, three more times than there are cores
 *     node --test --experimental-test-isolation=none <those that open pages: with one browser>
 *     node --test --experimental-test-isolation=none <those with hooks at the top level: they are hooks of all of these>
 *
 * A process takes up to a second of CPU before its first test, and shares what it has compiled. The first line says how
 * long that and the slow lane take. Arguments are tests, folders of tests, or flags of the runner (`--…`). What is slow
 * and only repeats is `npm run test:slow`.
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

/** Seconds that the tests of each file take in a run of all. `npm test -- --record` measures them. */
const RECORDED = 'scripts/testing/durations.json';

const startedMs = performance.now();
const isRecording = process.argv.includes('--record');
const args = process.argv.slice(2).filter(arg => arg !== '--record');
const flags = args.filter(arg => arg.startsWith('--'));
const named = args.filter(arg => !arg.startsWith('--'));
const files = (named.length > 0 ? named : ['test']).flatMap(findTests);
/** @type {Record<string, number>} */
const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
const secondsOf = (/** @type {string} */ file) => recorded[path.normalize(file)] ?? 3;
const contains = (/** @type {string} */ file, /** @type {RegExp} */ what) =>
  what.test(readFileSync(file, 'utf8'));
const withHooks = files.filter(file => contains(file, /^(?:before|after|declare)\w*\(/m));
const pages = files.filter(file => contains(file, /preparePages\(\)/));
// They wait for servers, and for time to pass, most of the time.
const cores = availableParallelism();
/** @type {string[][]} */
const shares = Array.from({ length: cores + 3 }, () => []);
const rest = files.filter(file => !withHooks.includes(file) && !pages.includes(file));
const sumUp = (/** @type {string[]} */ all) => all.reduce((sum, file) => sum + secondsOf(file), 0);
for (const file of rest.sort((a, b) => secondsOf(b) - secondsOf(a)))
  shares.sort((a, b) => sumUp(a) - sumUp(b))[0]?.push(file);

const calls = [...shares, pages, withHooks].filter(all => all.length > 0);
const sec = Math.ceil(Math.max(...calls.map(sumUp)));
const slowMin = minutesOf(PARTS.filter(part => !part.byHand));
console.log(
  `files: ${files.length}, about ${sec} s on ${cores} cores; the slow lane, npm run test:slow: ${slowMin} min`,
);

const signal = listenForStop();
// Node 22 has it by this name.
const oneProcess = ['--experimental-test-isolation=none', ...flags];
const first = await Promise.all(calls.map(all => runTests(all, { flags: oneProcess, signal })));
const added = addUp(first);
const result = await runOnceMore(added, { flags, signal });
if (isRecording) {
  Object.assign(recorded, added.seconds);
  const known = Object.entries(recorded).filter(
    ([file]) => file.endsWith('.test.js') && existsSync(file),
  );
  const tenths = known.sort().map(([file, one]) => [file, Math.ceil(one * 10) / 10]);
  const text = JSON.stringify(Object.fromEntries(tenths), null, 2);
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
