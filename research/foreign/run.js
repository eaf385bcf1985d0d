/**
 * `node scripts/run.js research/foreign/run.js [flask fastapi django]`: what loadflame reports of three services
 * that no rule was tuned on, against what they really use. CPU per endpoint: the process's clock from the end of
 * a request to the end of the next, or, where requests overlap or leave native threads busy, the scheduler's account
 * of all threads (schedstat) while one endpoint alone is requested, less what the idle server uses. Path shares: thread clocks around the functions. Both in
 * runs of the same load without a profiler. Prints a table, and exits with 1 where fewer
 * than 90 % of the true values lie inside the reported intervals. `--seconds 40`: of each measured load;
 * `--profiler py-spy`; `--keep <folder>`: keeps the runs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeLoad, SERVICES } from './services.js';

/** @import { Service, Asked } from './services.js' */
/** @typedef {{value: number, low: number | null, high: number | null}} Estimate */
/** @typedef {{what: string, reported: Estimate | null, truth: number, unit: string}} Row */

const ROOT = path.resolve(import.meta.dirname, '../..');
const APPS = path.join(import.meta.dirname, 'apps');
const VENV = path.join(ROOT, '.tools/research');
const PYTHON = path.join(VENV, 'bin/python');
const IDLE_SEC = 4;
const ROUNDS = 2;
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
const work = values.keep ? path.resolve(values.keep) : mkdtempSync(path.join(tmpdir(), 'foreign-'));
mkdirSync(work, { recursive: true });

if (!existsSync(path.join(VENV, 'done'))) {
  const requirements = path.join(import.meta.dirname, 'requirements.in');
  runOrThrow('python3', ['-m', 'venv', VENV]);
  runOrThrow(PYTHON, ['-m', 'pip', 'install', '-q', '-r', requirements]);
  writeFileSync(path.join(VENV, 'done'), '');
}
let token = '';
/** @type {Row[]} */
const all = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(SERVICES)) {
  const service = SERVICES[name];
  if (!service)
    throw new Error(`no service ${name}; there are ${Object.keys(SERVICES).join(', ')}`);
  all.push(...(await judgeService(name, service)));
}
const known = all.filter(({ reported }) => reported !== null);
const inside = known.filter(isInside).length;
console.log(
  `\n${inside} of ${known.length} true values inside the interval; ${all.length - known.length} not reported`,
);
if (!values.keep) rmSync(work, { recursive: true });
const widths = all
  .filter(({ unit, reported }) => unit === '%' && reported?.low != null && reported.high != null)
  .sort((a, b) => b.truth - a.truth)
  .slice(0, LARGEST)
  .map(({ reported }) => Number(reported?.high) - Number(reported?.low))
  .sort((a, b) => a - b);
const median = widths[Math.floor(widths.length / 2)];
console.log(
  `median width of the intervals of the ${widths.length} largest paths reported: ${median?.toFixed(2) ?? 'not known'} %`,
);
process.exitCode = inside > 0 && inside >= WANTED_INSIDE * known.length ? 0 : 1;

/** @param {string} name @param {Service} service @returns {Promise<Row[]>} */
async function judgeService(name, service) {
  const clocks = path.join(work, `${name}-clocks`);
  const clocked = await withServer(service, { CLOCKS: clocks }, async server => {
    say(`${name}: clocks`);
    const before = readCpuMs(server.pid);
    const { endpoints, rate } = service;
    await load(service, server.url, endpoints, SECONDS, rate, {});
    return { usedMs: readCpuMs(server.pid) - before };
  });
  const sums = addUp(clocks);
  const paths = [...sums].filter(([path]) => !path.includes(' '));
  const truths = service.isAlone ? await measureAlone(name, service) : perRequest(sums);
  /** @type {Row[]} */
  const rows = [];
  for (const companion of [true, false]) {
    /** @type {Record<string, string>} */
    const env = companion ? { LOADFLAME: '1' } : {};
    const report = await withServer(service, env, server => {
      say(`${name}: profiled ${companion ? 'with' : 'without'} the companion`);
      const { endpoints, rate } = service;
      return load(service, server.url, endpoints, SECONDS, rate, {
        profile: true,
        pid: server.pid,
      });
    });
    writeFileSync(path.join(work, `${name}-${companion}.json`), JSON.stringify(report));
    const own = [
      ...service.endpoints.map(endpoint => ({
        what: endpoint.name,
        reported: findEndpointCpu(report, endpoint),
        truth: truths.get(endpoint.name) ?? Number.NaN,
        unit: 'ms',
      })),
      ...paths.map(([path, usedMs]) => ({
        what: `path ${path}`,
        reported: findPathShare(report, path),
        truth: (100 * usedMs) / clocked.usedMs,
        unit: '%',
      })),
    ];
    print(`${name}, ${companion ? 'with' : 'without'} the companion`, own);
    rows.push(...own);
  }
  return rows;
}

/**
 * @param {string} name @param {Service} service
 * @returns {Promise<Map<string, number>>} ms of CPU per request of each endpoint
 */
function measureAlone(name, service) {
  return withServer(service, {}, async server => {
    await sleep(1000);
    const idleAt = readCpuMs(server.pid);
    await sleep(IDLE_SEC * 1000);
    const idleMsPerSec = (readCpuMs(server.pid) - idleAt) / IDLE_SEC;
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (let round = 0; round < ROUNDS; round++)
      for (const endpoint of service.endpoints) {
        say(`${name}: ${endpoint.name} alone`);
        const before = readCpuMs(server.pid);
        const startedMs = performance.now();
        const report = await load(service, server.url, [endpoint], 6, service.rate / 4, {});
        const idleMs = (idleMsPerSec * (performance.now() - startedMs)) / 1000;
        const usedMs = readCpuMs(server.pid) - before - idleMs;
        const { responses } = report.load.http;
        sums.set(endpoint.name, (sums.get(endpoint.name) ?? 0) + usedMs / responses / ROUNDS);
      }
    return sums;
  });
}

/** @param {Map<string, number>} sums @returns {Map<string, number>} ms of CPU per request of each endpoint */
function perRequest(sums) {
  const requests = [...sums].filter(([name]) => name.startsWith('#'));
  return new Map(
    requests.map(([name, count]) => [name.slice(1), (sums.get(name.slice(1)) ?? 0) / count]),
  );
}

/** @param {any} report @param {Asked} endpoint @returns {Estimate | null} */
function findEndpointCpu(report, { name }) {
  const rows = report.costs?.endpoints ?? [];
  const row = rows.find((/** @type {any} */ { loadEndpoint }) => loadEndpoint === name);
  return row?.cpuMsPerRequest ?? null;
}

/** @param {any} report @param {string} path @returns {Estimate | null} in percent */
function findPathShare(report, path) {
  const name = path.split('.').at(-1);
  const found = report.profile.hotPaths.find((/** @type {any} */ { entry }) =>
    [path, name].includes(entry.function),
  );
  if (!found) return null;
  const { value, low, high } = found.share;
  return { value: 100 * value, low: 100 * low, high: 100 * high };
}

/** A figure without an interval claims nothing that could hold the truth. @param {Row} row */
function isInside({ reported, truth }) {
  if (reported?.low == null || reported.high == null) return false;
  return truth >= reported.low && truth <= reported.high;
}

/** @param {string} title @param {Row[]} rows */
function print(title, rows) {
  console.log(`\n${title}`);
  for (const row of rows) {
    const { what, reported, truth, unit } = row;
    const told = reported
      ? `${reported.value.toFixed(2)} (${reported.low?.toFixed(2)} to ${reported.high?.toFixed(2)})`
      : 'not reported';
    const mark = reported ? (isInside(row) ? 'inside' : 'OUTSIDE') : '';
    console.log(
      `  ${what.padEnd(44)} ${told.padEnd(26)} true ${truth.toFixed(2)} ${unit}  ${mark}`,
    );
  }
}

/**
 * @template T
 * @param {Service} service @param {Record<string, string>} env
 * @param {(server: {pid: number, url: string}) => Promise<T>} use
 */
async function withServer({ app, isAsgi }, env, use) {
  const port = await findFreePort();
  const args = isAsgi
    ? ['-m', 'uvicorn', '--port', `${port}`, '--log-level', 'warning', `${app}:app`]
    : ['-m', 'gunicorn', '-w', '2', '-b', `127.0.0.1:${port}`, '--no-control-socket', `${app}:app`];
  if (!isAsgi && env.LOADFLAME) args.splice(2, 0, '-c', 'python:loadflame_companion');
  const child = spawn(PYTHON, args, {
    cwd: APPS,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PYTHONPATH: `${APPS}:${path.join(ROOT, 'companion')}`, ...env },
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    for (let tries = 0; !(await fetch(url).catch(() => null)); tries++) {
      if (tries > 200 || child.exitCode !== null) throw new Error(`${app} did not start`);
      await sleep(100);
    }
    return await use({ pid: child.pid ?? -1, url });
  } finally {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
}

/**
 * One run of the tool itself.
 * @param {Service} service @param {string} url @param {Asked[]} endpoints @param {number} seconds @param {number} rate
 * @param {{profile?: boolean, pid?: number}} options
 * @returns {Promise<any>} its report
 */
async function load(service, url, endpoints, seconds, rate, { profile = false, pid }) {
  const script = path.join(work, 'load.json');
  const text = JSON.stringify(describeLoad(service, url, endpoints, seconds, rate));
  writeFileSync(script, text.replace('$TOKEN', makeToken()));
  const runs = mkdtempSync(path.join(work, 'runs-'));
  const args = [path.join(ROOT, 'bin/loadflame.js'), 'test', script, '--profiles', runs];
  if (profile) args.push('--profile', '--pid', `${pid}`, '--profiler', values.profiler);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', text => {
    said += text;
  });
  await once(child, 'exit');
  const [run] = readdirSync(runs);
  if (!run) throw new Error(`no run: ${said}`);
  return JSON.parse(readFileSync(path.join(runs, run, 'report.json'), 'utf8'));
}

function makeToken() {
  const code = 'import fastapi_shop; print(fastapi_shop.TOKEN)';
  token ||= spawnSync(PYTHON, ['-c', code], { cwd: APPS, encoding: 'utf8' }).stdout.trim();
  return token;
}

/** CPU time of all threads of a process and of its children, by the scheduler. @param {number} pid @returns {number} */
function readCpuMs(pid) {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    ns += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
    const children = readFileSync(`${folder}/children`, 'utf8').trim();
    for (const child of children ? children.split(' ') : []) ns += 1e6 * readCpuMs(Number(child));
  }
  return ns / 1e6;
}

/** @param {string} file @returns {Map<string, number>} ms of each watched function, of all processes */
function addUp(file) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const line of readFileSync(file, 'utf8').trim().split('\n'))
    for (const [name, ms] of Object.entries(JSON.parse(line)))
      sums.set(name, (sums.get(name) ?? 0) + ms);
  return sums;
}

async function findFreePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  return port;
}

/** @param {string} program @param {string[]} args */
function runOrThrow(program, args) {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}
