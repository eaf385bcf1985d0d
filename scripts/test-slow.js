/**
 * `npm run test:slow [-- part …]`: the slow lane, all of it or the parts that are named; `cluster` names all of
 * `cluster-…`. `--list` prints the parts; `--within 40` leaves out what would not fit into so many minutes;
 * `--turn 3` runs what .ci/run runs in its turns 3, 8, 13 … A file that fails runs once more, as in `npm test`: many of
 * these tests measure, and each is wrong by chance now and then. The first and the last lines say what ran, what did not,
 * and what passed only in its second run.
 */
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  addUp,
  EXIT_INTERRUPTED,
  listenForStop,
  printTotals,
  runNode,
  runOnceMore,
  runTests,
} from './testing/run-tests.js';
import { PARTS, partsOf, TURNS } from './testing/slow-parts.js';

/**
 * @import { Part } from './testing/slow-parts.js'
 * @import { TestRun } from './testing/run-tests.js'
 */

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean' }, within: { type: 'string' }, turn: { type: 'string' } },
  allowPositionals: true,
});

if (values.list) {
  for (const { name, about, minutes, needs, byHand } of PARTS) {
    const more = [needs && `needs ${needs}`, byHand && 'runs only where it is named'];
    const rest = [about, ...more.filter(Boolean)].join('; ');
    console.log(`${name.padEnd(16)} ${String(minutes).padStart(2)} min  ${rest}`);
  }
} else {
  const isNamed = (/** @type {string} */ part, /** @type {string} */ name) =>
    part === name || part.startsWith(`${name}-`);
  const unknown = positionals.filter(name => !PARTS.some(part => isNamed(part.name, name)));
  const withinMin = Number(values.within ?? Number.POSITIVE_INFINITY);
  const turn = Number(values.turn ?? 0);
  const problem =
    unknown.length > 0
      ? `no part ${unknown.join(', ')}; there are ${listNames(PARTS)}`
      : !(withinMin > 0)
        ? `--within ${values.within} is no number of minutes, such as 40`
        : !(Number.isSafeInteger(turn) && turn >= 0) &&
          `--turn ${values.turn} is no whole number, such as 3`;
  if (problem) {
    console.error(`error: ${problem}`);
    process.exitCode = 2;
  } else {
    const named = PARTS.filter(({ name, byHand }) =>
      positionals.length > 0 ? positionals.some(given => isNamed(name, given)) : !byHand,
    );
    const parts = values.turn === undefined ? named : partsOf(turn);
    if (values.turn) console.log(`turn ${turn % TURNS} of 0 to ${TURNS - 1} (--turn ${turn})`);
    process.exitCode = await runParts(parts, withinMin * 60_000);
  }
}

/**
 * @param {Part[]} parts
 * @param {number} withinMs
 * @returns {Promise<number>} exit code
 */
async function runParts(parts, withinMs) {
  const startedMs = performance.now();
  const others = `not in this run: ${listNames(PARTS.filter(part => !parts.includes(part)))}`;
  // Who names parts knows that.
  const known = positionals.length > 0 ? [] : [others];
  console.log([`runs: ${listNames(parts)}`, ...known].join('\n'));
  /** @type {TestRun[]} */
  const results = [];
  /** @type {string[]} */
  const notes = [];
  /** @type {Part[]} */
  const whole = [];
  const stopped = listenForStop();
  /** Scripts that have prepared parts → why these parts can't run, or ''. @type {Map<string, string>} */
  const prepared = new Map();
  const leftMs = () => withinMs - (performance.now() - startedMs);
  /** @param {number} ms */
  const stopAfter = ms =>
    Number.isFinite(ms) ? AbortSignal.any([stopped, AbortSignal.timeout(Math.ceil(ms))]) : stopped;
  const fits = (/** @type {Part} */ { name, minutes }) => {
    if (minutes * 60_000 <= leftMs()) return true;
    notes.push(`not run: ${name} takes ${minutes} min, and ${toMinutes(leftMs())} were left`);
    return false;
  };
  /** Leaves time for the shortest part. @param {string} script @returns {Promise<string>} why its parts can't run, or '' */
  const prepare = async script => {
    console.log(`\n── ${script}`);
    const minutes = parts.filter(part => part.before === script).map(part => part.minutes);
    const limitMs = leftMs() - Math.min(...minutes) * 60_000;
    const signal = stopAfter(limitMs);
    const exitCode = await runNode([script], signal);
    if (stopped.aborted) return 'stopped';
    if (signal.aborted) return `${script} takes longer than the ${toMinutes(limitMs)} that it had`;
    return exitCode === 0 ? '' : `${script} failed, with its error above`;
  };
  for (const part of parts) {
    const { name, about, before, files } = part;
    if (stopped.aborted) break;
    if (!fits(part)) continue;
    if (before) {
      if (!prepared.has(before)) prepared.set(before, await prepare(before));
      const obstacle = prepared.get(before);
      if (obstacle) {
        notes.push(`not run: ${name}: ${obstacle}`);
        continue;
      }
      if (!fits(part)) continue;
    }
    console.log(`\n── ${name}: ${about}`);
    const signal = stopAfter(leftMs());
    for (const file of globSync(files).sort()) {
      if (signal.aborted) break;
      const first = await runTests([[file]], { env: { TEST_ALONE: '1' }, signal });
      const result = await runOnceMore(first, { signal });
      if (!signal.aborted || result.hasFailed) results.push(result);
    }
    if (stopped.aborted) notes.push(`stopped in ${name}`);
    else if (signal.aborted) notes.push(`not run to its end for lack of time: ${name}`);
    else whole.push(part);
  }
  const total = addUp(results);
  total.notes.push(`ran: ${listNames(whole)}`, ...known, ...notes);
  printTotals(total, startedMs);
  if (stopped.aborted) return EXIT_INTERRUPTED;
  return total.isGood ? 0 : 1;
}

/** @param {number} ms */
function toMinutes(ms) {
  return `${Math.max(0, Math.floor(ms / 60_000))} min`;
}

/** @param {Part[]} parts */
function listNames(parts) {
  return parts.map(part => part.name).join(', ') || 'none';
}
