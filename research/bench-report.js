/**
 * `node scripts/run.js research/bench-report.js`: what it costs to build the report of a long run, and to read it.
 * `-- --help` lists the flags. docs/performance.md has a selection.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { median } from '../lib/base/math/summary.js';
import { findRunFolders, runFiles } from '../lib/run/run-folder.js';
import { describeMachine } from './bench/describe-machine.js';
import { buildReport, makeRun, measureFiles, readCounts } from './bench/report/build.js';
import {
  checkDemo,
  checkGrowth,
  checkHour,
  checkPage,
  describeCheck,
  isKept,
} from './bench/report/checks.js';
import { HELP, parseOptions } from './bench/report/options.js';
import { measurePage } from './bench/report/page.js';
import { GROWTH, HOUR } from './bench/report/sizes.js';
import { runMain, say } from './run-main.js';
import { runTool } from './run-tool.js';
import { openWorkFolder } from './work-folder.js';

/** @returns {Promise<number>} exit code */
async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  say(describeMachine({}));
  const root = openWorkFolder('loadflame-bench', options.keep);
  const has = (/** @type {string} */ part) => options.parts.includes(part);
  const checks = has('demo') ? checkDemo(await measureDemo(root)) : [];
  if (has('hour')) checks.push(...(await measureHour(path.join(root, 'hour'), options.rounds)));
  if (has('growth')) {
    const sizes = await measureGrowth(root, options.keep !== null);
    checks.push(...checkGrowth(sizes.map(toGrowth)));
  }
  for (const check of checks) console.log(describeCheck(check));
  return checks.every(isKept) ? 0 : 1;
}

/** @param {string} root */
async function measureDemo(root) {
  say('a run of the demo …');
  const runs = path.join(root, 'demo');
  const said = await runTool(['start', '--profiles', runs]);
  const folder = findRunFolders(runs, 'report.html').at(-1);
  if (!folder) throw new Error(`loadflame start left no report: ${said}`);
  return measureFiles(folder).html;
}

/** @param {string} folder @param {number} rounds */
async function measureHour(folder, rounds) {
  say('making an hour …');
  await makeRun(folder, HOUR);
  const builds = [];
  for (let round = 1; round <= rounds; round++) {
    const build = await buildReport(folder);
    say(tellBuild(`built, ${round} of ${rounds}`, build));
    builds.push(build);
  }
  const wallMs = median(builds.map(build => build.wallMs));
  const peakBytes = Math.max(...builds.map(build => build.peakBytes));
  const { requests, samples, stacks, windows } = readCounts(folder);
  say(`${requests} requests, ${samples} samples, ${stacks} stacks, ${windows} windows`);
  say('reading it in Chromium …');
  const page = await measurePage(runFiles(folder).reportHtml);
  return [...checkHour({ wallMs, peakBytes }, measureFiles(folder).html), ...checkPage(page)];
}

/** @param {string} root @param {boolean} keep */
async function measureGrowth(root, keep) {
  const sizes = [];
  for (const [index, size] of GROWTH.entries()) {
    const folder = path.join(root, `growth-${index}`);
    await makeRun(folder, size);
    const build = await buildReport(folder);
    say(tellBuild(size.name, build));
    sizes.push({ ...size, build });
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
  return sizes;
}

/** @param {Awaited<ReturnType<typeof measureGrowth>>[number]} size */
function toGrowth({ name, changed, build }) {
  return { changed, times: Number.parseInt(name, 10) || 1, cpuMs: build.cpuMs };
}

/** @param {string} name @param {import('./bench/report/build.js').Build} build */
function tellBuild(name, { wallMs, cpuMs, peakBytes, otherCores }) {
  const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`;
  return `${name}: ${seconds(wallMs)}, CPU ${seconds(cpuMs)}, ${Math.round(peakBytes / 1e6)} MB; others used ${otherCores.toFixed(1)} cores`;
}

await runMain(main);
