/**
 * Whatever is wrong with a folder or a file, there is a report or an error with a name. `FUZZ_SEED` takes others than the usual mutations, `FUZZ_ONLY=17` the one with this index, `FUZZ_COUNT` as many.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createRandom } from '../helpers/synthetic-run/random.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { makeBases } from './bases.js';
import { mutate } from './mutate.js';
import { createRunner } from './run-reports.js';

const SEED = Number(process.env.FUZZ_SEED ?? 13);
const COUNT = Number(process.env.FUZZ_COUNT ?? 500);
const ONLY = process.env.FUZZ_ONLY?.split(',').map(Number);
/** Not a word of ours, nor of what is mutated. */
const NO_NUMBER = /\b(?:NaN|undefined|-?Infinity)\b|\[object /;
const STACK = /^\s+at .*:\d+:\d+\)?$|This is a bug in loadflame/m;
const PRINTED = ['report.json', 'study.json', 'study.md', 'study.csv'];

test(`${COUNT} mutations of runs, studies and profiles: each is a report or an error with a name (seed ${SEED})`, async t => {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'bases'));
  const bases = await makeBases(path.join(folder, 'bases'));
  const runner = createRunner(folder);
  t.after(() => runner.end());
  /** @type {string[]} */
  const wrong = [];
  for (const index of ONLY ?? Array.from({ length: COUNT }, (_, n) => n)) {
    const random = createRandom(SEED * 1_000_003 + index);
    const base = bases[index % bases.length];
    if (!base) continue;
    const scratch = path.join(folder, 'scratch');
    const given = path.join(scratch, path.basename(base.path));
    cpSync(base.path, given, { recursive: true });
    // A second one is often what comes of the first: a folder that was half received.
    const done = [mutate(given, random)];
    if (random.below(4) === 0 && existsSync(given)) done.push(mutate(given, random));
    const ended = await runner.run([...base.args(given), '--profiles', path.join(scratch, 'out')]);
    const problem = judge(ended, given);
    if (ONLY || problem || process.env.FUZZ_TRACE)
      console.log(
        `${index}: ${done.join(', ')}: exit ${ended.exit}, ${ended.cpuSec.toFixed(1)} s, ${Math.round(ended.peakBytes / 1e6)} MB`,
      );
    if (problem) console.log(problem);
    if (ONLY) console.log(ended.stdout, ended.stderr);
    if (problem) wrong.push(`${index} (${done.join(', ')}): ${problem}`);
    rmSync(scratch, { recursive: true, force: true });
  }
  assert.deepEqual(wrong, []);
});

/**
 * @param {import('./run-reports.js').Ended} ended
 * @param {string} given
 */
function judge({ exit, stdout, stderr, outOfBounds }, given) {
  if (outOfBounds) return `${outOfBounds} ${stderr.slice(0, 600)}`;
  if (STACK.test(stderr)) return stderr.slice(0, 600);
  if (exit !== 0 && !/^code: {2}[A-Z_]+$/m.test(stderr))
    return `exit ${exit} and no code: ${stderr}`;
  const texts = [stdout, stderr];
  for (const name of PRINTED) {
    const file = path.join(given, name);
    if (existsSync(file)) texts.push(readFileSync(file, 'utf8'));
  }
  for (const text of texts) {
    const at = NO_NUMBER.exec(text)?.index;
    if (at !== undefined) return `…${text.slice(Math.max(0, at - 150), at + 60)}…`;
  }
  return null;
}
