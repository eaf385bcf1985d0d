/**
 * `node scripts/run.js research/bottlenecks/run.js [app …]`: what loadflame says limits small apps with one known limit
 * each, and what it says that the fix brings, against the throughput before and after the fix. Without a profiler each
 * is measured by a client of its own. `--seconds 8`: of each measurement; `--companion`: with it; `--keep FOLDER`: keep
 * the runs there, or, where it has them, judge them again without measuring.
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
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePort } from '../bench/servers/find-free-port.js';
import { prepareVenv } from '../prepare-venv.js';
import { CASES } from './cases.js';

/** @import { Case } from './cases.js' */
/** @typedef {{env: Record<string, string>, gunicorn: string[] | undefined}} Start */

const ROOT = path.resolve(import.meta.dirname, '../..');
const APPS = path.join(import.meta.dirname, 'apps');
const TOOL = path.join(ROOT, 'bin/loadflame.js');
const WARM_UP_SEC = 1;
/** Of the throughput after the fix: a prediction may be off by so much. */
const CLOSE = 0.2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '8' },
    companion: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const unknown = positionals.filter(name => !CASES.some(({ app }) => app === name));
if (unknown.length > 0)
  throw new Error(
    `no app ${unknown.join(', ')}; there are ${[...new Set(CASES.map(({ app }) => app))].join(', ')}`,
  );
const PYTHON = prepareVenv('bottlenecks', path.join(import.meta.dirname, 'requirements.in'));

const chosen = CASES.filter(({ app }) => positionals.length === 0 || positionals.includes(app));
let right = 0;
let close = 0;
let fixes = 0;
for (const one of chosen) {
  const limited = { env: {}, gunicorn: one.gunicorn };
  const fixed = { env: { FIXED: '1' }, gunicorn: one.fixedGunicorn ?? one.gunicorn };
  const { before, after, report } = await recall(one, async folder => ({
    before: one.users ? await withServer(one, limited, ({ url }) => drive(one, url)) : null,
    after: one.users ? await withServer(one, fixed, ({ url }) => drive(one, url)) : null,
    report: await withServer(one, limited, server => profile(one, server, folder)),
  }));
  const told = report.bottleneck?.id ?? 'unknown';
  const isRight = one.limits.includes(told);
  right += isRight ? 1 : 0;
  const gain = before && after ? after / before - 1 : null;
  const toldGain = findGain(report);
  const isClose =
    gain !== null && toldGain !== null && Math.abs(toldGain - gain) <= CLOSE * (1 + gain);
  fixes += gain === null ? 0 : 1;
  close += isClose ? 1 : 0;
  console.log(
    [
      isRight ? '✓' : '✗',
      one.what.padEnd(52),
      `limit ${one.limits[0]}, told ${told}${report.bottleneck?.facts.why ? ` (${report.bottleneck.facts.why})` : ''}`.padEnd(
        48,
      ),
      before === null ? '' : `${before.toFixed(0)} → ${after?.toFixed(0)}/s`.padEnd(16),
      gain === null
        ? ''
        : `gain ${percent(gain)}, told ${toldGain === null ? '–' : percent(toldGain)}`,
      describeWaits(report),
    ].join('  '),
  );
}
console.log(
  `\n${right} of ${chosen.length} bottlenecks are right; ${close} of ${fixes} predictions are within ${percent(CLOSE)} of the throughput after the fix`,
);
process.exitCode = right === chosen.length ? 0 : 1;

/** @typedef {{before: number | null, after: number | null, report: any}} Measured */

/**
 * What was measured before, judged by the code of now, where it was kept.
 * @param {Case} one
 * @param {(folder: string | null) => Promise<Measured>} measure keeps its run in the folder
 * @returns {Promise<Measured>}
 */
async function recall(one, measure) {
  if (!values.keep) return measure(null);
  const folder = path.join(values.keep, one.what.replace(/\W+/g, '-'));
  const [run, truth] = [path.join(folder, 'run'), path.join(folder, 'truth.json')];
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

/** @param {string} run its folder @returns {any} */
function readReport(run) {
  return JSON.parse(readFileSync(path.join(run, 'report.json'), 'utf8'));
}

/** Of a fix of the bottleneck; of all causes of CPU time together, where CPU is the bottleneck. @param {any} report @returns {number | null} */
function findGain({ bottleneck, whatIf }) {
  return bottleneck?.fix?.gain.value ?? whatIf?.[0]?.gain?.value ?? null;
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
async function drive({ users = 1 }, url) {
  const startMs = performance.now() + 1000 * WARM_UP_SEC;
  const endMs = startMs + 1000 * SECONDS;
  let answers = 0;
  const use = async () => {
    while (performance.now() < endMs) {
      const response = await fetch(url);
      await response.arrayBuffer();
      const now = performance.now();
      if (response.ok && now >= startMs && now < endMs) answers++;
    }
  };
  await Promise.all(Array.from({ length: users }, use));
  return answers / SECONDS;
}

/**
 * One run of the tool itself.
 * @param {Case} one @param {{pid: number, url: string}} server
 * @param {string | null} folder keeps the run
 * @returns {Promise<any>} its report
 */
async function profile({ users, rate }, { pid, url }, folder) {
  const work = mkdtempSync(path.join(tmpdir(), 'bottlenecks-'));
  try {
    const script = path.join(work, 'load.json');
    const load = users ? { users } : { arrivalRate: rate };
    const config = { target: url, phases: [{ duration: SECONDS, ...load }] };
    writeFileSync(
      script,
      JSON.stringify({ config, scenarios: [{ flow: [{ get: { url: '/' } }] }] }),
    );
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
 * @param {Case} one @param {Start} start
 * @param {(server: {pid: number, url: string}) => Promise<T>} use
 */
async function withServer({ app, other }, { env, gunicorn }, use) {
  const otherPort = await findFreePort();
  const service =
    other &&
    spawn(PYTHON, [path.join(APPS, 'other_service.py'), `${otherPort}`], {
      stdio: 'ignore',
      env: { ...process.env, DELAY: `${other.delay}`, AT_ONCE: `${other.atOnce}` },
    });
  const port = await findFreePort();
  const companion = values.companion ? ['-c', 'python:loadflame_companion'] : [];
  const args = gunicorn
    ? [
        '-m',
        'gunicorn',
        ...companion,
        ...gunicorn,
        '-b',
        `127.0.0.1:${port}`,
        '--no-control-socket',
        `${app}:app`,
      ]
    : ['-m', 'uvicorn', '--port', `${port}`, '--log-level', 'warning', `${app}:app`];
  const child = spawn(PYTHON, args, {
    cwd: APPS,
    stdio: 'ignore',
    env: {
      ...process.env,
      PYTHONPATH: `${APPS}:${path.join(ROOT, 'companion')}`,
      OTHER: `http://127.0.0.1:${otherPort}/`,
      ...(values.companion && { LOADFLAME: '1' }),
      ...env,
    },
  });
  const url = `http://127.0.0.1:${port}`;
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
  }
}
