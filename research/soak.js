/**
 * `node scripts/run.js research/soak.js --minutes 30 --rate 1000`: a long load at a constant rate on the demo API's echo
 * route. Afterwards nothing may be missing: the report's totals are the server's, every second has
 * its record, and the generator's memory has not grown. Exit code 1 when one of them fails.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDemo } from '../demo/start.js';
import { pickVariables } from '../lib/base/process/bare-environment.js';
import { startChild } from '../lib/base/process/child.js';
import { watchTree } from './bench/measure-tree.js';
import { parseCount } from './bench/options.js';
import { checkMemory, checkSeconds, checkTotals } from './bench/soak/checks.js';
import { countAccessLog } from './bench/soak/count-access-log.js';
import { readSeconds } from './bench/soak/read-seconds.js';
import { runMain, say } from './run-main.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const ROUTE = '/api/v1/echo';
const SAMPLE_INTERVAL_MS = 1000;
const TELL_EVERY_MS = 60_000;
/** gunicorn writes the line of a request after its answer. */
const LOG_SETTLE_MS = 2000;
const CONNECTIONS = 50;

/**
 * No address is known before its user draws the number: one that was, is asked for before the load
 * (experiment/preflight/first-addresses.js), and the server would count that, too.
 * @param {string} target @param {number} minutes @param {number} rate
 */
function describeLoad(target, minutes, rate) {
  const url = `${ROUTE}?text={{ $randomNumber(1, 9) }}`;
  return {
    config: {
      target,
      phases: [{ name: 'constant', duration: minutes * 60, arrivalRate: rate }],
      http: { pool: CONNECTIONS },
    },
    scenarios: [
      { name: 'get', weight: 1, flow: [{ get: { url } }] },
      { name: 'post', weight: 1, flow: [{ post: { url: ROUTE, json: { text: 'hello' } } }] },
    ],
  };
}

/** @returns {Promise<number>} exit code */
async function main() {
  const { values } = parseArgs({
    options: { minutes: { type: 'string' }, rate: { type: 'string' } },
  });
  const minutes = parseCount('--minutes', values.minutes, 30);
  const rate = parseCount('--rate', values.rate, 1000);
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-soak-'));
  say(`starting the demo API; everything is in ${folder}`);
  const demo = await startDemo({ auth: 'cached', dir: folder });
  try {
    const script = path.join(folder, 'soak.json');
    writeFileSync(script, JSON.stringify(describeLoad(demo.apiUrl, minutes, rate)));
    const words = ['bin/loadflame.js', 'test', script, '--profiles', path.join(folder, 'profiles')];
    const child = startChild(process.execPath, words, {
      cwd: ROOT,
      env: pickVariables(),
      extendEnv: false,
      stdout: 'inherit',
      stderr: 'ignore',
    });
    const watch = watchTree(child.pid, SAMPLE_INTERVAL_MS);
    const ticker = setInterval(() => tell(watch), TELL_EVERY_MS);
    const end = await child.ended;
    clearInterval(ticker);
    watch.stop();
    await sleep(LOG_SETTLE_MS);

    const [run = ''] = globSync(path.join(folder, 'profiles', '*'));
    const { load } = JSON.parse(readFileSync(path.join(run, 'report.json'), 'utf8'));
    const seconds = await readSeconds(path.join(run, 'load', 'metrics.ndjson'));
    const checks = [
      {
        name: 'loadflame ended well',
        isGood: end.exitCode === 0,
        detail: `exit code ${end.exitCode}`,
      },
      ...checkTotals(load, seconds, await countAccessLog(demo.logFiles.access, ROUTE)),
      checkSeconds(seconds, minutes * 60),
      checkMemory(watch.samples),
    ];
    for (const { name, isGood, detail } of checks) {
      console.log(`${isGood ? 'good' : 'BAD '}  ${name}: ${detail}`);
    }
    const isGood = checks.every(check => check.isGood);
    console.log(isGood ? 'Passed.' : `Failed; everything is kept in ${folder}`);
    if (isGood) rmSync(folder, { recursive: true, force: true });
    return isGood ? 0 : 1;
  } finally {
    await demo.stop();
  }
}

/** @param {ReturnType<typeof watchTree>} watch */
function tell({ samples }) {
  const { usage, atMs } = samples.at(-1) ?? { usage: { memoryBytes: 0, cpuMs: 0 }, atMs: 0 };
  const minute = Math.round((atMs - (samples[0]?.atMs ?? 0)) / 60_000);
  const memoryMb = (usage.memoryBytes / 2 ** 20).toFixed(0);
  say(
    `minute ${minute}: generator ${memoryMb} MB, ${(usage.cpuMs / 1000).toFixed(0)} CPU-s so far`,
  );
}

await runMain(main);
