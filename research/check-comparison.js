/**
 * `node research/check-comparison.js --seconds 18 --runs 4`: does a comparison say what a fix brought,
 * and did the first run foresee it? The demo with `DEMO_AUTH=introspect` against `DEMO_AUTH=cached`,
 * alternated, a closed loop that fills its one worker. Exit code 1 unless the CPU time of
 * authentication per request surely fell, and the gain in throughput lies in the interval that the
 * what-if of the first run gave.
 * `--rates` loads nothing: it prints how often comparisons with known truth call what (a minute).
 * `--profiles <folder>` keeps the runs there; `--judge <folder>` judges those of an earlier call.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startDemo } from '../demo/start.js';
import { expandRuns, readReports } from '../lib/cli/read-runs.js';
import { buildComparison } from '../lib/experiment/compare/build-comparison.js';
import { renderCompareHtml } from '../lib/report/compare/render-html.js';
import { printTerminal } from '../lib/report/print/terminal.js';
import { wordComparison } from '../lib/text/comparison.js';
import { describeComparison } from '../lib/text/document/comparison.js';
import { parseCount } from './bench/options.js';
import { countCalls } from './check-comparison/compare-numbers.js';
import { describeFullLoad } from './check-comparison/describe-full-load.js';
import { judgeFix } from './check-comparison/judge-fix.js';
import { say } from './run-main.js';
import { runTool } from './run-tool.js';
import { openWorkFolder } from './work-folder.js';

const LABELS = { before: 'introspect', after: 'cached' };

/** @returns {Promise<number>} exit code */
async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string' },
      runs: { type: 'string' },
      users: { type: 'string' },
      threads: { type: 'string' },
      hz: { type: 'string' },
      profiles: { type: 'string' },
      judge: { type: 'string' },
      rates: { type: 'boolean' },
    },
  });
  if (values.rates) return printRates();
  if (values.judge) return judge(values.judge);
  const seconds = parseCount('--seconds', values.seconds, 18);
  const runs = parseCount('--runs', values.runs, 4);
  const users = parseCount('--users', values.users, 8);
  const threads = parseCount('--threads', values.threads, 8);
  const hz = parseCount('--hz', values.hz, 50);
  const root = openWorkFolder('loadflame-comparison', values.profiles);
  for (let run = 0; run < runs; run++) {
    // A B, B A, …: what drifts with time is on both sides
    const order = /** @type {const} */ (['introspect', 'cached']);
    for (const auth of run % 2 ? order.toReversed() : order)
      await record(path.join(root, auth), { auth, seconds, users, threads, hz });
  }
  return judge(root);
}

/** @returns {number} exit code */
function printRates() {
  const endpoints = [...'abcdefgh'];
  /** @type {({title: string} & Partial<Parameters<typeof countCalls>[0]>)[]} */
  const rows = [
    { title: 'equal programs', together: 0 },
    { title: 'equal programs, drift 8 %' },
    { title: 'one of 8 endpoints 14.8 → 3.8 ms', alone: 0.05, fixes: { a: 3.8 / 14.8 } },
    { title: 'one −16 %, no drift', together: 0, fixes: { a: 0.84 } },
    { title: 'one −16 %, drift 8 %', fixes: { a: 0.84 } },
    { title: 'one −16 %, drift 8 %, 8 against 4', runs: 8, after: 4, fixes: { a: 0.84 } },
    { title: 'two −20 %, drift 8 %', fixes: { a: 0.8, b: 0.8 } },
    { title: 'all but one −10 %, drift 8 %', fixes: { a: 1 }, all: 0.9 },
  ];
  console.table(
    rows.map(({ title, ...spec }) => {
      const facts = { comparisons: 400, runs: 4, endpoints, together: 0.08, alone: 0.02, ...spec };
      const calls = countCalls(facts);
      return { 'of 400 comparisons, in %': title, ...inPercent(calls) };
    }),
  );
  return 0;
}

/** @param {Record<string, number>} parts */
function inPercent(parts) {
  return Object.fromEntries(
    Object.entries(parts).map(([id, part]) => [id, Math.round(100 * part)]),
  );
}

/** @param {string} runs folder @param {{auth: 'introspect' | 'cached', seconds: number, users: number, threads: number, hz: number}} options */
async function record(runs, { auth, seconds, users, threads, hz }) {
  mkdirSync(runs, { recursive: true });
  const demo = await startDemo({ auth, workers: 1, threads, companion: true });
  try {
    const script = path.join(runs, '..', 'load.json');
    // the address differs each time: scripts are the same without it
    const load = describeFullLoad({ seconds, users });
    writeFileSync(script, JSON.stringify(load));
    say(`${seconds} s with DEMO_AUTH=${auth} …`);
    await runTool(['test', script, '--profile', '--profiles', runs], {
      ...demo.env,
      PROFILE_RATE: String(hz),
    });
  } finally {
    await demo.stop();
  }
}

/** @param {string} root @returns {Promise<number>} exit code */
async function judge(root) {
  const read = { rulesFile: null };
  const before = await readReports(expandRuns([path.join(root, 'introspect')]), read);
  const after = await readReports(expandRuns([path.join(root, 'cached')]), read);
  const facts = await buildComparison(before, after, { labels: LABELS });
  const comparison = wordComparison(facts);
  writeFileSync(path.join(root, 'compare.html'), renderCompareHtml(comparison));
  writeFileSync(path.join(root, 'compare.json'), JSON.stringify(comparison));
  say(printTerminal(describeComparison(comparison), { width: 110 }));
  const [first] = before;
  if (!first) return 1;
  const { lines, isGood } = judgeFix(comparison, first);
  say(`\n${lines.join('\n')}`);
  return isGood ? 0 : 1;
}

process.exitCode = await main();
