/**
 * `npm test`: the fast lane, every `*.test.js` under `test/`, in five more processes than there are cores: tests wait for
 * servers, and for time to pass, most of the time. The first line says how long that and the slow lane take. Arguments
 * are tests, folders of tests, or flags of Node's runner (`--…`). What is slow and only repeats is `npm run test:slow`.
 */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
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
const secondsOf = (/** @type {string[]} */ unit) =>
  unit.reduce((sum, file) => sum + (recorded[file] ?? 3), 0);
const cores = availableParallelism();
const processes = Math.min(cores + 5, files.length);
// Those that open pages share a browser, and those of schemas what is made from all types in seconds.
const SHARED = /preparePages|report-schemas\.js/;
const grouped = Map.groupBy(files, file => SHARED.exec(readFileSync(file, 'utf8'))?.[0] ?? file);
/** The longest first: no process is left alone with it. */
const units = [...grouped.values()].sort((a, b) => secondsOf(b) - secondsOf(a));
const sec = Math.ceil(Math.max(secondsOf(units[0] ?? []), secondsOf(files) / processes));
const slowMin = minutesOf(PARTS.filter(part => !part.byHand));
console.log(
  `files: ${files.length}, about ${sec} s on ${cores} cores; the slow lane, npm run test:slow: ${slowMin} min`,
);

const signal = listenForStop();
const first = await runTests(units, { processes, flags, signal });
const result = await runOnceMore(first, { flags, signal });
if (isRecording) {
  Object.assign(recorded, first.seconds);
  const known = Object.entries(recorded).filter(([file]) => existsSync(file));
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
  const found = isFolder ? globSync(`${given}/**/*.test.js`).sort() : [given];
  return found.map(file => path.relative('', file));
}
