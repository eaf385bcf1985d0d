/**
 * `node scripts/run.js research/bottlenecks/run.js [app …]`: what loadflame says limits small apps with one known limit
 * each, and what it says that the fix brings, against the throughput before and after the fix. Without a profiler each
 * is measured by a client of its own. `--seconds 16`: of each measurement; `--companion`: with it; `--keep FOLDER`: keep
 * the runs there, or, where it has them, judge them again without measuring; `--held-out`: the apps that no rule was
 * tuned on; `--fresh`, `--unseen`: those that were written without knowing the rules; `--truth`: measure the throughput
 * before and after the fix, and run no profiler (with `--keep`: beside runs that were kept); `--times 8`: only say how often each bottleneck was named in so many
 * equal runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePort } from '../bench/servers/find-free-port.js';
import { prepareVenv } from '../prepare-venv.js';
import { startBeside } from '../shares/start-server.js';
import { CASES as KNOWN } from './cases.js';
import { CASES as FRESH } from './fresh/cases.js';
import { CASES as HELD_OUT } from './held-out/cases.js';
import { CASES as UNSEEN } from './unseen/cases.js';

/** @import { Case } from './cases.js' */

const ROOT = path.resolve(import.meta.dirname, '../..');
const TOOL = path.join(ROOT, 'bin/loadflame.js');
const WARM_UP_SEC = 1;
/** Of the throughput after the fix: a prediction may be off by so much. */
const CLOSE = 0.2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '16' },
    companion: { type: 'boolean', default: false },
    keep: { type: 'string' },
    'held-out': { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    unseen: { type: 'boolean', default: false },
    truth: { type: 'boolean', default: false },
    times: { type: 'string' },
  },
});
/** @type {['held-out' | 'fresh' | 'unseen', Case[]][]} */
const SETS = [
  ['held-out', HELD_OUT],
  ['fresh', FRESH],
  ['unseen', UNSEEN],
];
const [SET, CASES] = SETS.find(([name]) => values[name]) ?? ['.', KNOWN];
const FOLDER = path.join(import.meta.dirname, SET);
const APPS = path.join(FOLDER, 'apps');
const SECONDS = Number(values.seconds);
const unknown = positionals.filter(name => !CASES.some(({ app }) => app === name));
if (unknown.length > 0)
  throw new Error(
    `no app ${unknown.join(', ')}; there are ${[...new Set(CASES.map(({ app }) => app))].join(', ')}`,
  );
const PYTHON = prepareVenv(SET === '.' ? 'bottlenecks' : SET, path.join(FOLDER, 'requirements.in'));

const chosen = CASES.filter(({ app }) => positionals.length === 0 || positionals.includes(app));
let right = 0;
let close = 0;
let within = 0;
let fixes = 0;
for (const one of chosen) {
  if (values.truth) {
    const measured = await measureFix(one);
    const kept = values.keep ? filesOf(one, values.keep).truth : '';
    if (existsSync(kept)) writeFileSync(kept, JSON.stringify(measured));
    const change = describeChange(measured).padEnd(14);
    console.log(`${one.what.padEnd(58)}  ${change}  ${one.truth?.fix ?? ''}`);
    continue;
  }
  if (values.times) {
    console.log(`${one.what.padEnd(58)}  ${await countNames(one, Number(values.times))}`);
    continue;
  }
  const { before, after, report } = await recall(one, async folder => ({
    ...(await measureFix(one)),
    report: await withServer(one, false, server => profile(one, server, folder)),
  }));
  const named = report.bottleneck?.id ?? 'unknown';
  const isRight = one.limits.includes(named);
  right += isRight ? 1 : 0;
  const gain = before && after ? after / before - 1 : null;
  const predicted = findGain(report, one);
  const isClose =
    gain !== null && predicted !== null && Math.abs(predicted.value - gain) <= CLOSE * (1 + gain);
  const isWithin =
    gain !== null && predicted !== null && predicted.low <= gain && gain <= predicted.high;
  fixes += gain === null ? 0 : 1;
  close += isClose ? 1 : 0;
  within += isWithin ? 1 : 0;
  console.log(
    [
      isRight ? '✓' : '✗',
      one.what.padEnd(52),
      `limit ${one.limits[0]}, named ${named}${report.bottleneck?.facts.why ? ` (${report.bottleneck.facts.why})` : ''}`.padEnd(
        48,
      ),
      before === null ? '' : describeChange({ before, after }).padEnd(16),
      gain === null
        ? ''
        : `gain ${percent(gain)}, predicted ${predicted === null ? '–' : `${percent(predicted.value)} (${percent(predicted.low)} to ${percent(predicted.high)})`}`,
      describeWaits(report),
    ].join('  '),
  );
}
const isJudged = !values.truth && !values.times;
if (isJudged)
  console.log(
    `\n${right} of ${chosen.length} bottlenecks are right; ${close} of ${fixes} predictions are within ${percent(CLOSE)} of the throughput after the fix, ${within} intervals hold it`,
  );
process.exitCode = !isJudged || right === chosen.length ? 0 : 1;

/** @typedef {{before: number | null, after: number | null}} Throughput successful responses per second */
/** @typedef {Throughput & {report: any}} Measured */

/** Null where there are no users, or nothing to fix. @param {Case} one @returns {Promise<Throughput>} */
async function measureFix(one) {
  const hasFix = one.users && one.limits[0] !== 'none';
  return {
    before: one.users ? await withServer(one, false, ({ url }) => drive(one, url)) : null,
    after: hasFix ? await withServer(one, true, ({ url }) => drive(one, url)) : null,
  };
}

/** @param {Throughput} throughput */
function describeChange({ before, after }) {
  return `${before?.toFixed(0) ?? '–'} → ${after?.toFixed(0) ?? '–'}/s`;
}

/**
 * What was measured before, judged by the code of now, where it was kept.
 * @param {Case} one
 * @param {(folder: string | null) => Promise<Measured>} measure keeps its run in the folder
 * @returns {Promise<Measured>}
 */
async function recall(one, measure) {
  if (!values.keep) return measure(null);
  const { folder, run, truth } = filesOf(one, values.keep);
  if (!existsSync(truth)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const measured = await measure(run);
    const { before, after } = measured;
    writeFileSync(truth, JSON.stringify({ before, after }));
    return measured;
  }
  const child = spawn(process.execPath, [TOOL, 'report', run], { stdio: 'ignore' });
  await once(child, 'exit');
  return { ...JSON.parse(readFileSync(truth, 'utf8')), report: readReport(run) };
}

/** @param {Case} one @param {string} kept */
function filesOf({ what }, kept) {
  const folder = path.join(kept, what.replace(/\W+/g, '-'));
  return { folder, run: path.join(folder, 'run'), truth: path.join(folder, 'truth.json') };
}

/** @param {string} run its folder @returns {any} */
function readReport(run) {
  return JSON.parse(readFileSync(path.join(run, 'report.json'), 'utf8'));
}

/**
 * Of a fix of the bottleneck, or of the shorter path that the fix makes.
 * @param {any} report @param {Case} one @returns {{value: number, low: number, high: number} | null}
 */
function findGain({ bottleneck, whatIf }, { shorter }) {
  if (!shorter) return bottleneck?.fix?.gain ?? whatIf?.[0]?.gain ?? null;
  const path = bottleneck?.paths.find(
    (/** @type {any} */ { function: name, kind }) => name === shorter.function && kind === 'cpu',
  );
  return path?.[shorter.part] ?? null;
}

/** Which bottlenecks equal runs name. @param {Case} one @param {number} times */
async function countNames(one, times) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (let time = 0; time < times; time++) {
    const kept = values.keep ? path.join(filesOf(one, values.keep).folder, `${time + 1}`) : null;
    const report = await withServer(one, false, server => profile(one, server, kept));
    const name = report.bottleneck?.id ?? 'unknown';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

/** What requests do most. @param {any} report */
function describeWaits({ profile }) {
  const kinds = profile?.waits?.kinds ?? [];
  return kinds
    .slice(0, 3)
    .map((/** @type {any} */ { id, share }) => `${id} ${percent(share.value)}`)
    .join(', ');
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}

/** Answers per second of a closed loop. @param {Case} one @param {string} url @returns {Promise<number>} */
async function drive({ users = 1, thinkSec = 0 }, url) {
  const startMs = performance.now() + 1000 * WARM_UP_SEC;
  const endMs = startMs + 1000 * SECONDS;
  let answers = 0;
  // Each keeps its connection, as the users of the tool do.
  const use = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < endMs) {
      const isGood = await ask(url, agent);
      const now = performance.now();
      if (isGood && now >= startMs && now < endMs) answers++;
      if (thinkSec) await sleep(1000 * thinkSec);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: users }, use));
  return answers / SECONDS;
}

/** @param {string} url @param {Agent} agent @returns {Promise<boolean>} */
function ask(url, agent) {
  return new Promise(resolve => {
    get(url, { agent }, response => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    }).once('error', () => resolve(false));
  });
}

/**
 * One run of the tool itself.
 * @param {Case} one @param {{pid: number, url: string}} server
 * @param {string | null} folder keeps the run
 * @returns {Promise<any>} its report
 */
async function profile({ users, rate, thinkSec }, { pid, url }, folder) {
  const work = mkdtempSync(path.join(tmpdir(), 'bottlenecks-'));
  try {
    const script = path.join(work, 'load.json');
    const load = users ? { users } : { arrivalRate: rate };
    const { origin, pathname, search } = new URL(url);
    const config = { target: origin, phases: [{ duration: SECONDS, ...load }] };
    const flow = [
      { get: { url: `${pathname}${search}` } },
      ...(thinkSec ? [{ think: thinkSec }] : []),
    ];
    writeFileSync(script, JSON.stringify({ config, scenarios: [{ flow }] }));
    const args = [TOOL, 'test', script, '--profiles', path.join(work, 'runs'), '--profile'];
    const child = spawn(process.execPath, [...args, '--pid', `${pid}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', text => {
      said += text;
    });
    await once(child, 'exit');
    const [run] = existsSync(path.join(work, 'runs')) ? readdirSync(path.join(work, 'runs')) : [];
    if (!run) throw new Error(`no run: ${said}`);
    if (folder) cpSync(path.join(work, 'runs', run), folder, { recursive: true });
    return readReport(path.join(work, 'runs', run));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/**
 * @template T
 * @param {Case} one @param {boolean} isFixed
 * @param {(server: {pid: number, url: string}) => Promise<T>} use
 */
async function withServer(one, isFixed, use) {
  const { app, other, route = '/' } = one;
  const gunicorn = isFixed ? (one.fixedGunicorn ?? one.gunicorn) : one.gunicorn;
  const server = isFixed ? (one.fixedServer ?? one.server) : one.server;
  const atOnce = isFixed ? (one.fixedAtOnce ?? other?.atOnce) : other?.atOnce;
  const otherPort = await findFreePort();
  const service =
    other &&
    spawn(PYTHON, [path.join(APPS, 'other_service.py'), `${otherPort}`], {
      stdio: 'ignore',
      env: { ...process.env, DELAY: `${other.delay}`, AT_ONCE: `${atOnce}` },
    });
  const database = await startDatabase(one);
  const port = await findFreePort();
  const companion = values.companion ? ['-c', 'python:loadflame_companion'] : [];
  const isAsgi = !gunicorn && server?.[0] !== 'waitress';
  const served = values.companion && isAsgi ? 'with_companion:app' : `${app}:app`;
  const args = gunicorn
    ? [
        'gunicorn',
        ...companion,
        ...gunicorn,
        '-b',
        `127.0.0.1:${port}`,
        '--no-control-socket',
        `${app}:app`,
      ]
    : (server?.map(arg => arg.replace('{port}', `${port}`).replace(`${app}:app`, served)) ?? [
        'uvicorn',
        '--port',
        `${port}`,
        '--log-level',
        'warning',
        served,
      ]);
  const child = spawn(PYTHON, ['-m', ...args], {
    cwd: APPS,
    stdio: 'ignore',
    env: {
      ...process.env,
      APP: app,
      PYTHONPATH: [APPS, import.meta.dirname, path.join(ROOT, 'companion')].join(':'),
      OTHER: `http://127.0.0.1:${otherPort}/`,
      ...database.env,
      ...(values.companion && { LOADFLAME: '1' }),
      ...(isFixed && { FIXED: '1' }),
    },
  });
  const url = `http://127.0.0.1:${port}${route}`;
  try {
    for (let tries = 0; !(await fetch(url).catch(() => null))?.ok; tries++) {
      if (tries > 200 || child.exitCode !== null) throw new Error(`${app} did not start`);
      await sleep(100);
    }
    return await use({ pid: child.pid ?? -1, url });
  } finally {
    for (const process of [child, ...(service ? [service] : [])]) {
      process.kill('SIGTERM');
      if (process.exitCode === null) await once(process, 'exit');
    }
    await database.stop();
  }
}

/** A database of its own. @param {Case} one @returns {Promise<{env: Record<string, string>, stop: () => Promise<void>}>} */
async function startDatabase({ needs }) {
  if (!needs) return { env: {}, stop: async () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), 'bottlenecks-'));
  const { env, stop } = await startBeside({ needs }, PYTHON, folder);
  return {
    env: {
      REDIS_URL: `redis://127.0.0.1:${env.SHARES_REDIS_PORT}/0`,
      DATABASE_URL: env.SHARES_POSTGRES ?? '',
    },
    async stop() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}
