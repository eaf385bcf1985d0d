/**
 * `node scripts/run.js research/measure-overhead.js <scenario> [flags of loadflame test]`: what the profiler costs. The same load
 * runs in pairs, once with --profile and once without, in an order drawn by lot, so that neither a trend of
 * the machine nor a rhythm of the target favours one of them. `--pairs` (8) is how many there are.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { formatPercent } from '../lib/base/format.js';
import { mapEstimate } from '../lib/base/math/intervals.js';
import { signedRankShift } from '../lib/base/math/signed-rank.js';
import { findServer } from '../lib/record/target/find-server.js';
import { parseCount } from './bench/options.js';
import { readCpuMs } from './read-cpu.js';
import { runTool } from './run-tool.js';
import { openWorkFolder } from './work-folder.js';

/** @import { Report } from '../lib/run/facts/report.d.ts' */

/** @typedef {{perSec: number, cpuMs: number | null, p50Ms: number | null, p95Ms: number | null, isClosed: boolean}} Measured */

/**
 * One run of the load.
 * @param {string[]} args @param {string} folder @param {number} rootPid
 * @returns {Promise<Measured>}
 */
async function measure(args, folder, rootPid) {
  const beforeMs = readCpuMs(rootPid);
  await runTool(['test', ...args, '--profiles', folder]);
  const cpuMs = readCpuMs(rootPid) - beforeMs;
  const run = readdirSync(folder).sort().at(-1) ?? '';
  /** @type {Report} */
  const { load } = JSON.parse(readFileSync(path.join(folder, run, 'report.json'), 'utf8'));
  if (!load || load.http.responses === 0) throw new Error(`nothing was answered in ${run}`);
  const times = load.http.totalTime ?? load.http.timeToFirstByte;
  return {
    perSec: load.http.throughputPerSec,
    cpuMs: cpuMs / load.http.responses,
    p50Ms: times?.p50Ms ?? null,
    p95Ms: times?.p95Ms ?? null,
    // in an open one the schedule decides about the throughput
    isClosed: load.phases.every(({ model }) => model === 'closed'),
  };
}

/** @param {{withIt: Measured, without: Measured}[]} pairs @param {'perSec' | 'cpuMs' | 'p50Ms' | 'p95Ms'} key */
function describe(pairs, key) {
  const logs = pairs.flatMap(({ withIt, without }) => {
    const [a, b] = [withIt[key], without[key]];
    return a && b ? [Math.log(a / b)] : [];
  });
  if (logs.length === 0) return 'not known';
  const { value, low, high } = mapEstimate(signedRankShift(logs, 0.05), Math.expm1);
  const interval =
    low === null || high === null
      ? 'no interval: too few pairs'
      : `95 %: ${formatPercent(low)} to ${formatPercent(high)}`;
  return `${formatPercent(value)} with the profiler (${interval})`;
}

const args = process.argv.slice(2);
const at = args.indexOf('--pairs');
const [, wanted] = at < 0 ? [] : args.splice(at, 2);
const count = parseCount('--pairs', wanted, 8);
const { rootPid } = await findServer({
  pid: Number(process.env.SERVER_PID) || null,
  target: process.env.TARGET ?? null,
});
const folder = openWorkFolder('loadflame-overhead');
/** @type {{withIt: Measured, without: Measured}[]} */
const pairs = [];
for (let pair = 1; pair <= count; pair++) {
  const isFirst = Math.random() < 0.5;
  const [a, b] = [
    await measure([...args, ...(isFirst ? ['--profile'] : [])], folder, rootPid),
    await measure([...args, ...(isFirst ? [] : ['--profile'])], folder, rootPid),
  ];
  pairs.push(isFirst ? { withIt: a, without: b } : { withIt: b, without: a });
  console.error(`pair ${pair} of ${count} is measured`);
}
if (pairs.every(({ withIt }) => withIt.isClosed))
  console.log(`throughput       ${describe(pairs, 'perSec')}`);
console.log(`CPU per response ${describe(pairs, 'cpuMs')}`);
console.log(`latency p50      ${describe(pairs, 'p50Ms')}`);
console.log(`latency p95      ${describe(pairs, 'p95Ms')}`);
