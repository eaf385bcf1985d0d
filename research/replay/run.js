/**
 * `node scripts/run.js research/replay/run.js [id …]`: does a report name what maintainers fixed? Prints what was named,
 * and what the first two findings say. `--apart`: the other half, without texts; `--json FILE`: results, too; `--keep FOLDER`:
 * keep the runs there, or, where it has them, judge them again without measuring.
 *
 * The truth is measured without profiler and companion, on both variants alternately.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { mean, quantile } from '../../lib/base/math/summary.js';
import { choose } from '../choose.js';
import { runClosedLoop } from '../closed-loop.js';
import { readCpuMs } from '../read-cpu.js';
import { judgeAgain, readReport, testScript } from '../run-tool.js';
import { listCases, listMarks, listRequests, readCase, withApps } from './serve.js';

/** @import { Case } from './case.d.ts' */
/** @typedef {{cpuMs: number, perSec: number, p99Ms: number}} Measured `cpuMs`: per request */
/** @typedef {{before: Measured, after: Measured}} Truth */
/** @typedef {{value: number, low: number | null, high: number | null}} Estimate */

const WARM_UP_MS = 1000;
const SLICE_MS = 1000;
const SLICES = 3;
const USERS = 4;
const SECONDS = { before: 12, after: 6 };
const PARTS = /** @type {const} */ (['cause', 'line', 'range', 'silent']);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    apart: { type: 'boolean', default: false },
    json: { type: 'string' },
    keep: { type: 'string' },
  },
});
const half = values.apart ? 'apart' : 'known';
/** @type {Awaited<ReturnType<typeof replay>>[]} */
const results = [];
for (const id of choose(listCases(half), positionals)) {
  const result = await replay(id);
  results.push(result);
  print(result);
  const told = values.apart ? results.map(({ id, score }) => ({ id, score })) : results;
  if (values.json) writeFileSync(values.json, JSON.stringify(told, null, 2));
}
const count = (/** @type {(result: typeof results[number]) => boolean} */ test) =>
  results.filter(test).length;
const totals = PARTS.map(part => `${part} ${count(({ score }) => score[part])}`).join(', ');
console.log(
  `\nof ${results.length}: ${totals}; cause ${count(one => one.isBesideMachine)} beside findings about the machine`,
);

/** @param {string} id */
async function replay(id) {
  const folder = path.join(import.meta.dirname, half, id);
  const one = readCase(folder);
  const kept = path.join(values.keep ?? mkdtempSync(path.join(tmpdir(), 'replay-runs-')), id);
  const truthFile = path.join(kept, 'truth.json');
  const readAgain = existsSync(truthFile) ? judgeAgain : readReport;
  if (readAgain === readReport) {
    mkdirSync(kept, { recursive: true });
    const truth = await measureTruth(folder, one);
    for (const name of /** @type {const} */ (['before', 'after']))
      await record(folder, one, name, kept);
    writeFileSync(truthFile, JSON.stringify(truth));
  }
  const before = await readAgain(path.join(kept, 'before'));
  const after = await readAgain(path.join(kept, 'after'));
  const truth = JSON.parse(readFileSync(truthFile, 'utf8'));
  if (!values.keep) rmSync(path.dirname(kept), { recursive: true });
  return { id, source: one.source, truth, ...judge(one, listMarks(folder), truth, before, after) };
}

/**
 * @param {Case} one @param {string[]} marks @param {Truth} truth
 * @param {any} before its report @param {any} after
 */
function judge(one, marks, truth, before, after) {
  const isNamed = (/** @type {any} */ finding) =>
    one.names.some(name => new RegExp(name, 'i').test(tellFinding(finding)));
  const first = before.findings.slice(0, 2);
  const named = first.find(isNamed);
  const gain =
    one.figure === 'throughput'
      ? truth.after.perSec / truth.before.perSec - 1
      : truth.before.cpuMs / truth.after.cpuMs - 1;
  /** @type {Estimate | null} */
  const predicted =
    named?.facts.whatIf?.gain ?? named?.facts.gain ?? named?.facts.fix?.gain ?? null;
  return {
    gain,
    predicted,
    score: {
      cause: named !== undefined,
      line: named !== undefined && marks.some(mark => hasPlace(JSON.stringify(named.text), mark)),
      range: !predicted || (gain >= (predicted.low ?? -1) && gain <= (predicted.high ?? Infinity)),
      silent: !after.findings.some(isNamed),
    },
    first: first.map(tellFinding),
    rank: before.findings.findIndex(isNamed) + 1,
    isBesideMachine: before.findings.filter(isOfApp).slice(0, 2).some(isNamed),
    naming: before.findings.filter(isNamed).map(tellFinding),
    left: after.findings.filter(isNamed).map(tellFinding),
  };
}

/** @param {any} finding */
function isOfApp({ id, of }) {
  return id !== 'full-machine' && of !== 'unknown';
}

/** @param {any} finding */
function tellFinding({ id, text }) {
  return `${id}: ${text.title} ${text.detail ?? ''}`.replace(/\s+/g, ' ').trim();
}

/** @param {string} text @param {string} place `app.py:12`, which is no part of `app.py:123` */
function hasPlace(text, place) {
  return text
    .split(place)
    .slice(1)
    .some(rest => !/^\d/.test(rest));
}

/** @param {string} folder @param {Case} one @param {'before' | 'after'} name @param {string} kept */
async function record(folder, one, name, kept) {
  const variant = { isFixed: name === 'after', companion: true };
  await withApps(folder, [variant], async ([side]) => {
    const flow = listRequests(one).map(({ method, url, headers, json }) => ({
      [method.toLowerCase()]: { url, headers, ...(json === null ? {} : { json }) },
    }));
    const phases = [{ duration: SECONDS[name], users: one.users ?? USERS }];
    const script = { config: { target: side?.url, phases }, scenarios: [{ flow }] };
    await drive(side?.url ?? '', one, WARM_UP_MS);
    const args = ['--profile', '--profiler', 'py-spy', '--pid', `${side?.pid}`];
    await testScript(script, args, path.join(kept, name));
  });
}

/** @param {string} folder @param {Case} one @returns {Promise<Truth>} */
async function measureTruth(folder, one) {
  const variants = [false, true].map(isFixed => ({ isFixed, companion: false }));
  return withApps(folder, variants, async sides => {
    for (const { url } of sides) await drive(url, one, WARM_UP_MS);
    /** @type {{cpuMs: number, perSec: number[], times: number[]}[]} */
    const all = sides.map(() => ({ cpuMs: 0, perSec: [], times: [] }));
    for (let slice = 0; slice < SLICES; slice++)
      for (const [index, { url, pid }] of sides.entries()) {
        const startMs = readCpuMs(pid);
        const { times, perSec } = await drive(url, one, SLICE_MS);
        const own = all[index];
        if (!own) continue;
        own.cpuMs += readCpuMs(pid) - startMs;
        own.perSec.push(perSec);
        own.times.push(...times);
      }
    const [before, after] = all.map(({ cpuMs, perSec, times }) => ({
      cpuMs: cpuMs / times.length,
      perSec: mean(perSec),
      p99Ms: quantile(times, 0.99),
    }));
    return /** @type {Truth} */ ({ before, after });
  });
}

/** @param {string} url of the app @param {Case} one @param {number} ms @throws {Error} if a response is not 200 */
async function drive(url, one, ms) {
  const asked = listRequests(one).map(request => ({ ...request, url: `${url}${request.url}` }));
  const result = await runClosedLoop(asked, { users: one.users ?? USERS, ms });
  if (result.failures.length > 0) throw new Error(result.failures.slice(0, 3).join('; '));
  return result;
}

/** @param {Awaited<ReturnType<typeof replay>>} result */
function print({ id, source, gain, predicted, score, truth, first, rank, naming, left }) {
  const percent = (/** @type {number | null | undefined} */ share) =>
    share == null ? '–' : `${(100 * share).toFixed(0)} %`;
  const marks = PARTS.map(part => `${score[part] ? '✓' : '✗'} ${part}`).join('  ');
  console.log(`${marks}  ${id} (${source})`);
  if (values.apart) return;
  console.log(
    `    CPU ${truth.before.cpuMs.toFixed(2)} → ${truth.after.cpuMs.toFixed(2)} ms, ${truth.before.perSec.toFixed(0)} → ${truth.after.perSec.toFixed(0)}/s, p99 ${truth.before.p99Ms.toFixed(0)} → ${truth.after.p99Ms.toFixed(0)} ms; gain ${percent(gain)}, predicted ${percent(predicted?.value)} (${percent(predicted?.low)} to ${percent(predicted?.high)})`,
  );
  for (const text of first) console.log(`    ${text}`);
  if (rank > 2) console.log(`    finding ${rank} is the first that names it: ${naming[0]}`);
  for (const text of left) console.log(`    after the fix: ${text}`);
}
