/**
 * `node research/try-errors.js [--tries 2000] [files …]`: how often `loadflame try` calls equal sides different, and how
 * often it finds a change of 10 % in CPU per request. The values are those of real runs of one version, recorded one
 * behind the other on a machine with other work that came and went (`research/try/*.json`, or files that are named:
 * compare.json of a try of two equal sides). A simulated try takes stretches of neighbouring runs, so that what varies
 * from run to run, and what stays for a while, stays as it was.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { simulateTries } from './try/simulate-tries.js';

const { values, positionals } = parseArgs({
  options: { tries: { type: 'string', default: '2000' } },
  allowPositionals: true,
});
const files =
  positionals.length > 0 ? positionals : globSync(path.join(import.meta.dirname, 'try', '*.json'));
for (const file of files) {
  const read = JSON.parse(readFileSync(file, 'utf8'));
  const runs = read.tried ? orderRuns(read) : read;
  const tries = Number(values.tries);
  console.log(`${path.relative('', file)}: ${runs.length} runs`);
  for (const [name, factor] of /** @type {const} */ ([
    ['A against A', 1],
    ['10 % more CPU', 1.1],
    ['9 % less CPU', 1 / 1.1],
  ])) {
    const { wrong, found, decided, pairs } = simulateTries(runs, { tries, factor, seed: 1 });
    const rate = (/** @type {number} */ count) => `${((100 * count) / tries).toFixed(1)} %`;
    console.log(
      `  ${name.padEnd(14)} wrong ${rate(wrong)}, change found ${rate(found)}, all decided ${rate(decided)}, ${pairs.toFixed(1)} pairs`,
    );
  }
}

/** Runs in the order in which they were measured. @param {any} comparison */
function orderRuns({ before, after, changes }) {
  const valuesOf = (/** @type {string} */ measure, /** @type {'before' | 'after'} */ side) =>
    changes.find((/** @type {any} */ own) => own.scope === 'overall' && own.measure === measure)[
      side
    ].values;
  const sides = /** @type {const} */ ([
    ['before', before],
    ['after', after],
  ]);
  return sides
    .flatMap(([side, { runs }]) =>
      runs.map((/** @type {any} */ { startedAtMs }, /** @type {number} */ index) => ({
        startedAtMs,
        throughputPerSec: valuesOf('throughputPerSec', side)[index],
        cpuMsPerRequest: valuesOf('cpuMsPerRequest', side)[index],
      })),
    )
    .sort((a, b) => a.startedAtMs - b.startedAtMs)
    .map(({ startedAtMs: _, ...figures }) => figures);
}
