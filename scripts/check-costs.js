/**
 * `npm run check:costs -- --seconds 400 --rate 15`: costs per endpoint of the demo by samples against the
 * thread-CPU time that the companion measures (which is the figure where it is known): of a run
 * without everything that the companion wrote they must agree within 20 %, for every endpoint with 300
 * samples or more. Exit code 1 when one does not. Shorter runs say less: with 250 to 400 requests of an endpoint its
 * cost is 4 to 5 % off by chance alone (root mean square), with 650 about 4.
 * `--profiles <folder>` keeps the run there, `--run <folder>` judges one that was recorded before.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startDemo } from '../demo/start.js';
import { analyseRun } from '../lib/analysis/build-report.js';
import { startChild } from '../lib/child.js';
import { explainTying } from '../lib/text/endpoint-costs.js';
import { parseCount } from './bench/options.js';
import { compareCosts, readThreadCpu, renderCosts } from './check-costs/compare-costs.js';
import { describeCostLoad } from './check-costs/describe-load.js';
import { copyWithoutCompanion } from './check-costs/without-companion.js';

const ROOT = path.resolve(import.meta.dirname, '..');
// each look stops every thread, so idle ones would be a part of the costs; no WebSocket holds any here
const THREADS = 8;
const TOLERANCE = 0.2;

const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

/** @returns {Promise<number>} exit code */
async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string' },
      rate: { type: 'string' },
      hz: { type: 'string' },
      auth: { type: 'string', default: 'introspect' },
      run: { type: 'string' },
      profiles: { type: 'string' },
    },
  });
  const seconds = parseCount('--seconds', values.seconds, 400);
  const rate = parseCount('--rate', values.rate, 15);
  const hz = parseCount('--hz', values.hz, 100);
  const work = mkdtempSync(path.join(tmpdir(), 'loadflame-costs-'));
  try {
    const runs = values.profiles ?? path.join(work, 'runs');
    const folder =
      values.run ?? (await record(work, runs, { seconds, rate, hz, auth: values.auth }));
    return await judge(folder, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} work @param {string} runs @param {{seconds: number, rate: number, hz: number, auth: string}} options @returns {Promise<string>} the run folder */
async function record(work, runs, { seconds, rate, hz, auth }) {
  const demo = await startDemo({
    auth: /** @type {any} */ (auth),
    threads: THREADS,
    companion: true,
  });
  try {
    const script = path.join(work, 'load.json');
    writeFileSync(script, JSON.stringify(describeCostLoad(demo.apiUrl, seconds, rate)));
    say(`${seconds} s of load on the demo with the companion …`);
    const child = startChild(
      process.execPath,
      [path.join(ROOT, 'bin', 'loadflame.js'), 'test', script, '--profile', '--profiles', runs],
      { env: { ...demo.env, PROFILE_RATE: String(hz) }, stdout: 'ignore', stderr: 'inherit' },
    );
    await child.ended;
    const run = readdirSync(runs).sort().at(-1);
    if (!run) throw new Error('the load test left no run folder');
    return path.join(runs, run);
  } finally {
    await demo.stop();
  }
}

/** @param {string} folder @param {string} work @returns {Promise<number>} exit code */
async function judge(folder, work) {
  const { report } = await analyseRun(folder);
  const measured = readThreadCpu(report);
  if (measured.size === 0) say('✖ the answers said nothing of thread CPU');
  const copy = path.join(work, 'without');
  copyWithoutCompanion(folder, copy);
  const { report: without } = await analyseRun(copy);
  say(`samples ÷ CPU time: ${without.cpu?.samplesToCpu?.toFixed(2)}`);
  const rows = compareCosts(without, measured, TOLERANCE);
  const judged = rows.filter(({ isJudged }) => isJudged);
  const bad = judged.filter(({ isGood }) => !isGood);
  say(without.costs ? explainTying(without.costs, without.profile) : 'no costs');
  say(renderCosts(rows));
  say(
    `${judged.length - bad.length} of ${judged.length} endpoints within ${TOLERANCE * 100} %, worst ${(Math.max(0, ...judged.map(({ off }) => Math.abs(off))) * 100).toFixed(1)} %`,
  );
  return bad.length > 0 || judged.length === 0 ? 1 : 0;
}

process.exitCode = await main();
