/**
 * `node scripts/run.js research/foreign/run.js [flask fastapi django]`: what loadflame reports of three services
 * that no rule was tuned on, against what they really use. Prints a table, and exits with 1 where fewer than 90 % of
 * the true values lie inside the reported intervals. `--seconds 40`: of the profiled load; `--profiler py-spy`;
 * `--keep <folder>`: keeps the runs.
 *
 * The truth comes from runs of the same mix at the same rate without a profiler, each on a warm server of its own, before
 * and after the profiled run, with the companion where that has it (apps/clocks.py):
 *
 * - CPU per endpoint: the process's CPU clock, all threads, cut where no request is in progress, so that parser, event
 *   loop, response writing and log are in it. Where requests overlapped, least squares over these periods tell
 *   them apart. What the server uses without requests is subtracted. Where one endpoint alone uses native
 *   threads, all that is not of the thread that serves is that endpoint's: OpenBLAS threads spin for some
 *   milliseconds after a call, into other requests.
 * - Without the companion a row is "the view and what it calls": the thread clock around the view.
 * - Path shares: thread clocks around functions, without watched functions of other categories inside, of the CPU
 *   time of the processes.
 *
 * Its error is the 95 % interval (Student's t) of the mean of these runs. In addition, the clocks themselves use 1 to
 * 2 µs per call of a watched function, below 1 % here. On a machine with other work, run it as
 * `chrt -r 1 node scripts/run.js …` (root), which has the cores first.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { mapValues } from '../../lib/base/files/maps.js';
import { studentTwoSidedQuantile } from '../../lib/base/math/distributions.js';
import { solveNonNegative } from '../../lib/base/math/least-squares.js';
import { mean, median, standardError, sum } from '../../lib/base/math/summary.js';
import { choose } from '../choose.js';
import { runClosedLoop } from '../closed-loop.js';
import { prepareVenv } from '../prepare-venv.js';
import { readCpuMs } from '../read-cpu.js';
import { say } from '../run-main.js';
import { testScript } from '../run-tool.js';
import { serveApp } from '../start-app.js';
import { openWorkFolder } from '../work-folder.js';
import { describeLoad, SERVICES } from './services.js';

/** @import { Service } from './services.js' */
/** @typedef {{value: number, low: number | null, high: number | null}} Estimate */
/** @typedef {{what: string, reported: Estimate | null, truth: Truth, unit: string}} Row */
/** @typedef {{value: number, error: number}} Truth `error`: half of the 95 % interval */
/**
 * Of one run without a profiler: CPU-ms per request, as a whole and of the view, and percent of the CPU time.
 * @typedef {{endpoints: Map<string, number>, views: Map<string, number>, paths: Map<string, number>}} Clocked
 */
/** @typedef {[requests: Record<string, number>, processMs: number, threadMs: number, wallMs: number]} Period */
/** @typedef {{paths: Record<string, number>, views: Record<string, [ms: number, calls: number]>, periods: Period[]}} Clocks */

const APPS = path.join(import.meta.dirname, 'apps');
const PYTHON = prepareVenv('research', path.join(import.meta.dirname, 'requirements.in'));
const IDLE_SEC = 3;
/** Runs of the clocks before and after each profiled run, and seconds of their load. */
const CLOCKED_RUNS = 3;
const CLOCKED_SEC = 12;
const WARM_UP_MS = 2000;
const WANTED_INSIDE = 0.9;
const LARGEST = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '40' },
    profiler: { type: 'string', default: 'auto' },
    keep: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const work = openWorkFolder('foreign', values.keep);

let token = '';
/** @type {Row[]} */
const all = [];
for (const [name, service] of choose(Object.entries(SERVICES), positionals, ([name]) => name))
  all.push(...(await judgeService(name, service)));
const known = all.filter(({ reported }) => reported !== null);
const inside = known.filter(row => judge(row) === 'inside').length;
const close = known.filter(row => judge(row) === 'close').length;
console.log(
  `\n${inside} of ${known.length} true values inside the interval, ${close} more within the error of the truth; ${all.length - known.length} not reported`,
);
const widths = all
  .filter(({ unit, reported }) => unit === '%' && reported?.low != null && reported.high != null)
  .sort((a, b) => b.truth.value - a.truth.value)
  .slice(0, LARGEST)
  .map(({ reported }) => Number(reported?.high) - Number(reported?.low));
console.log(
  `median width of the intervals of the ${widths.length} largest paths reported: ${median(widths).toFixed(2)} %`,
);
process.exitCode = inside > 0 && inside >= WANTED_INSIDE * known.length ? 0 : 1;

/** @param {string} name @param {Service} service @returns {Promise<Row[]>} */
async function judgeService(name, service) {
  /** @type {Row[]} */
  const rows = [];
  for (const companion of [true, false]) {
    /** @type {Record<string, string>} */
    const env = companion ? { LOADFLAME: '1' } : {};
    /** @type {Clocked[]} */
    const clocked = [];
    const measure = async () => {
      for (let run = 0; run < CLOCKED_RUNS; run++) clocked.push(await readClocks(service, env));
    };
    const title = `${name}, ${companion ? 'with' : 'without'} the companion`;
    say(`${title}: clocks`);
    await measure();
    say(`${title}: profile`);
    const report = await withServer(service, env, ({ pid, url }) =>
      load(service, url, SECONDS, { profile: true, pid }),
    );
    writeFileSync(path.join(work, `${name}-${companion}.json`), JSON.stringify(report));
    say(`${title}: clocks`);
    await measure();
    const own = [
      ...service.endpoints.map(({ name }) => {
        const row = findEndpoint(report, name);
        const of = row?.basis === 'source' ? 'views' : 'endpoints';
        return {
          what: of === 'views' ? `${name}, view` : name,
          reported: row?.cpuMsPerRequest ?? null,
          truth: summarize(clocked.map(run => run[of].get(name) ?? Number.NaN)),
          unit: 'ms',
        };
      }),
      ...[...(clocked[0]?.paths.keys() ?? [])].map(path => ({
        what: `path ${path.replace(':', '.')}`,
        reported: findPathShare(report, path),
        truth: summarize(clocked.map(run => run.paths.get(path) ?? Number.NaN)),
        unit: '%',
      })),
    ];
    print(title, own);
    rows.push(...own);
  }
  writeFileSync(path.join(work, `${name}-rows.json`), JSON.stringify(rows));
  return rows;
}

/** @param {Service} service @param {Record<string, string>} env @returns {Promise<Clocked>} */
async function readClocks(service, env) {
  const file = path.join(work, 'clocks');
  for (const one of [file, `${file}.on`]) rmSync(one, { force: true });
  const { idleMsPerSec, usedMs } = await withServer(
    service,
    { ...env, CLOCKS: file },
    async ({ pid, url }) => {
      writeFileSync(`${file}.on`, '');
      const idleMsPerSec = await measureIdle(pid);
      const before = readCpuMs(pid);
      await load(service, url, CLOCKED_SEC);
      return { idleMsPerSec, usedMs: readCpuMs(pid) - before };
    },
  );
  /** @type {Clocks[]} */
  const processes = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  const idleMsPerMs = idleMsPerSec / 1000 / processes.length;
  const views = addUp(processes.map(({ views }) => mapValues(views, ([ms]) => ms)));
  const calls = addUp(processes.map(({ views }) => mapValues(views, ([, calls]) => calls)));
  const paths = addUp(processes.map(({ paths }) => paths));
  return {
    endpoints: separate(
      service,
      processes.flatMap(({ periods }) => periods),
      idleMsPerMs,
    ),
    views: new Map([...views].map(([name, ms]) => [name, ms / (calls.get(name) ?? 0)])),
    paths: new Map([...paths].map(([path, ms]) => [path, (100 * ms) / usedMs])),
  };
}

/** CPU-ms per second of a server without requests: the least of some seconds, for a worker may still start. @param {number} pid */
async function measureIdle(pid) {
  const used = [];
  for (let second = 0; second < IDLE_SEC; second++) {
    const before = readCpuMs(pid);
    await sleep(1000);
    used.push(readCpuMs(pid) - before);
  }
  return Math.min(...used);
}

/**
 * @param {Service} service @param {Period[]} periods @param {number} idleMsPerMs
 * @returns {Map<string, number>} CPU-ms per request of each endpoint
 */
function separate({ endpoints, usesNative }, periods, idleMsPerMs) {
  const names = endpoints.map(({ name }) => name);
  const known = periods.filter(([requests]) =>
    Object.keys(requests).every(name => names.includes(name)),
  );
  const columns = names.map(name => known.map(([requests]) => requests[name] ?? 0));
  const own = known.map(
    ([, processMs, threadMs, wallMs]) => (usesNative ? threadMs : processMs) - idleMsPerMs * wallMs,
  );
  // The more requests in a period, the more its CPU time varies.
  const weights = known.map(([requests]) => 1 / sum(Object.values(requests)));
  const perRequest = solveNonNegative(own, columns, weights);
  const nativeMs = sum(known.map(([, processMs, threadMs]) => processMs - threadMs));
  return new Map(
    names.map((name, index) => {
      const native = name === usesNative ? nativeMs / sum(columns[index] ?? []) : 0;
      return [name, (perRequest[index] ?? 0) + native];
    }),
  );
}

/** @param {number[]} values of each run @returns {Truth} */
function summarize(values) {
  const error = studentTwoSidedQuantile(0.05, values.length - 1) * standardError(values);
  return { value: mean(values), error };
}

/** @param {any} report @param {string} name */
function findEndpoint(report, name) {
  const rows = report.costs?.endpoints ?? [];
  return rows.find((/** @type {any} */ { loadEndpoint }) => loadEndpoint === name);
}

/**
 * The share of a function where the report states it with an interval: as the entry of a path, or in the one path
 * that lists it among its functions.
 * @param {any} report @param {string} path `module:qualname` @returns {Estimate | null} in percent
 */
function findPathShare(report, path) {
  const { hotPaths } = report.profile;
  const [module = '', name = ''] = path.split(':');
  const folder = module.replaceAll('.', '/');
  // Before Python 3.11 there are no qualified names; C functions have no file.
  const isIt = (/** @type {any} */ { function: own, file }) =>
    (own === name || own.endsWith(`.${name}`) || name.endsWith(`.${own}`)) &&
    (file.includes(folder) || file.startsWith('<C'));
  const entered = hotPaths.find((/** @type {any} */ { entry }) => isIt(entry));
  const [inside, ...others] = hotPaths.flatMap((/** @type {any} */ { heaviest }) =>
    heaviest.filter(isIt),
  );
  const share = entered?.share ?? (others.length === 0 ? inside?.total : null);
  // A path has what no deeper place has.
  if (!share || hotPaths.some((/** @type {any} */ { caller }) => caller && isIt(caller)))
    return null;
  return { value: 100 * share.value, low: 100 * share.low, high: 100 * share.high };
}

/**
 * A figure without an interval claims nothing that could hold the truth. `close`: outside by no more than the errors of
 * both, which are independent.
 * @param {Row} row
 */
function judge({ reported, truth }) {
  if (reported?.low == null || reported.high == null) return 'OUTSIDE';
  const { value, low, high } = reported;
  if (truth.value >= low && truth.value <= high) return 'inside';
  const half = truth.value > value ? high - value : value - low;
  return Math.abs(truth.value - value) <= Math.hypot(half, truth.error) ? 'close' : 'OUTSIDE';
}

/** @param {string} title @param {Row[]} rows */
function print(title, rows) {
  console.log(`\n${title}`);
  for (const row of rows) {
    const { what, reported, truth, unit } = row;
    const told = reported
      ? `${reported.value.toFixed(2)} (${reported.low?.toFixed(2)} to ${reported.high?.toFixed(2)})`
      : 'not reported';
    const mark = reported ? judge(row) : '';
    const really = `true ${truth.value.toFixed(2)} ± ${truth.error.toFixed(2)} ${unit}`;
    console.log(`  ${what.padEnd(44)} ${told.padEnd(26)} ${really.padEnd(24)} ${mark}`);
  }
}

/**
 * @template T
 * @param {Service} service @param {Record<string, string>} env
 * @param {(server: {pid: number, url: string}) => Promise<T>} use
 */
async function withServer(service, env, use) {
  const { app, isAsgi, env: own } = service;
  const args = isAsgi ? ['uvicorn'] : ['gunicorn', '-w', '2'];
  const { url, pid, stop } = await serveApp(PYTHON, [...args, `${app}:app`], {
    cwd: APPS,
    // the ASGI app wraps itself
    companion: !isAsgi && env.LOADFLAME === '1',
    env: { ...own, ...env },
    log: path.join(work, `${app}.log`),
    // after a SIGTERM uvicorn ends without calling what is registered at exit: the clocks
    signal: 'SIGINT',
  });
  try {
    await warmUp(service, url);
    return await use({ pid, url });
  } finally {
    await stop();
  }
}

/** What a new worker does once (imports, caches) is no cost of a request. @param {Service} service @param {string} url */
async function warmUp({ endpoints, headers }, url) {
  const own = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace('$TOKEN', makeToken()),
  ]);
  const asked = endpoints.map(({ request }) => {
    const [[method = '', one] = []] = Object.entries(request);
    const { url: path, json } = /** @type {{url: string, json?: unknown}} */ (one);
    return { method, url: `${url}${path}`, json, headers: Object.fromEntries(own) };
  });
  const { failures } = await runClosedLoop(asked, { users: endpoints.length, ms: WARM_UP_MS });
  if (failures.length > 0) throw new Error(failures[0]);
}

/**
 * One run of the tool itself.
 * @param {Service} service @param {string} url @param {number} seconds
 * @param {{profile?: boolean, pid?: number}} [options]
 * @returns {Promise<any>} its report
 */
async function load(service, url, seconds, { profile = false, pid } = {}) {
  const text = JSON.stringify(describeLoad(service, url, seconds));
  const script = JSON.parse(text.replace('$TOKEN', makeToken()));
  const profiled = ['--profile', '--pid', `${pid}`, '--profiler', values.profiler];
  return testScript(script, profile ? profiled : [], mkdtempSync(path.join(work, 'run-')));
}

function makeToken() {
  const code = 'import fastapi_shop; print(fastapi_shop.TOKEN)';
  token ||= spawnSync(PYTHON, ['-c', code], { cwd: APPS, encoding: 'utf8' }).stdout.trim();
  return token;
}

/** @param {Record<string, number>[]} all @returns {Map<string, number>} */
function addUp(all) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const [name, ms] of all.flatMap(one => Object.entries(one)))
    sums.set(name, (sums.get(name) ?? 0) + ms);
  return sums;
}
