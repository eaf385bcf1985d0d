/**
 * `node scripts/run.js scripts/conformance.js [flags] [part of a name]`: runs the scripts of test/conformance under both
 * engines and says where they differ.
 * - `--recorded` takes the recorded reference instead of running Artillery, as `npm test` does.
 * - `--record` runs Artillery alone, with scripts that are new or have changed (`--all`: with all), and
 *   writes what it did to that reference.
 * - `--accept` writes what our engine does into differences.json, for scripts with a decision.
 */
import { parseArgs } from 'node:util';
import { compareOutcomes, findUnnamed } from '../test/conformance/compare-outcomes.js';
import {
  applyDifference,
  DECISIONS,
  findDifference,
  readDifferences,
  writeDifferences,
} from '../test/conformance/decisions.js';
import { listScripts } from '../test/conformance/list-scripts.js';
import { readReference, writeReference } from '../test/conformance/reference.js';
import { openLanes } from '../test/conformance/run-in-lanes.js';
import { runScript } from '../test/conformance/run-script.js';

const LANES = 2;
/** Artillery spends much of its time waiting for its own timers. */
const LANES_RECORDING = 4;

const { values: flags, positionals } = parseArgs({
  options: {
    accept: { type: 'boolean' },
    all: { type: 'boolean' },
    record: { type: 'boolean' },
    recorded: { type: 'boolean' },
  },
  allowPositionals: true,
});
const recorded = readReference();
const differences = readDifferences();
let failed = 0;

/** @typedef {import('../test/conformance/list-scripts.js').ConformanceScript} ConformanceScript */
/** @typedef {import('../test/conformance/server/start-servers.js').Servers} Servers */

/** @param {ConformanceScript} script @param {Servers} servers */
async function record(script, servers) {
  const outcome = await runScript(script, 'artillery', servers);
  recorded.scripts[script.name] = { hash: script.hash, outcome };
  writeReference(recorded, listScripts());
  console.log(`${script.name}: ${outcome.ended}`);
}

/** @param {ConformanceScript} script @param {Servers} servers */
async function compare(script, servers) {
  const reference = flags.recorded
    ? recorded.scripts[script.name]?.outcome
    : await runScript(script, 'artillery', servers);
  if (!reference) {
    failed += 1;
    return console.log(`✖ ${script.name} is not recorded: --record does it`);
  }
  const ours = await runScript(script, 'loadflame', servers);
  if (flags.accept && script.name in DECISIONS) {
    differences[script.name] = findDifference(reference, ours);
    writeDifferences(differences);
  }
  const expected = applyDifference(reference, differences[script.name]);
  const problems = [...compareOutcomes(expected, ours), ...findUnnamed(script, ours)];
  if (problems.length > 0) failed += 1;
  console.log([`${problems.length > 0 ? '✖' : '✔'} ${script.name}`, ...problems].join('\n    '));
}

const scripts = listScripts(positionals[0]).filter(
  ({ name, hash }) => !flags.record || flags.all || recorded.scripts[name]?.hash !== hash,
);
if (scripts.length === 0 && !flags.record) {
  console.error(`error: no conformance script has ${positionals[0]} in its name`);
  process.exit(2);
}
const lanes = await openLanes(flags.record ? LANES_RECORDING : LANES);
const work = flags.record ? record : compare;
await Promise.all(scripts.map(script => lanes.run(servers => work(script, servers))));
await lanes.close();
console.log(`${scripts.length} scripts, ${failed} differ`);
process.exitCode = failed > 0 ? 1 : 0;
