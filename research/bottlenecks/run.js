/**
 * `node scripts/run.js research/bottlenecks/run.js [app …]`: what loadflame says limits small apps with one known limit
 * each, and what it says that the fix brings, against the throughput before and after the fix. Without a profiler each
 * is measured by a client of its own. `--seconds 16`: of each measurement; `--companion`: with it; `--keep FOLDER`: keep
 * the runs there, or, where it has them, judge them again without measuring; `--set held-out`: the apps that no rule was
 * tuned on; `--set fresh`, `unseen`, `later`: those that were written without knowing the rules; `--truth`: measure the
 * throughput before and after the fix, and run no profiler (with `--keep`: beside runs that were kept); `--times 8`: only
 * say how often each bottleneck was named in so many equal runs.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { choose } from '../choose.js';
import { runClosedLoop } from '../closed-loop.js';
import { prepareVenv } from '../prepare-venv.js';
import { judgeAgain, testScript } from '../run-tool.js';
import { nameDatabase, startBeside } from '../shares/start-server.js';
import { serveApp, startOther } from '../start-app.js';
import { readCases } from './cases.js';
import { findBrokenRows } from './laws.js';

/** @import { Case } from './cases.js' */

const WARM_UP_SEC = 1;
/** Of the throughput after the fix: a prediction may be off by so much. */
const CLOSE = 0.2;
/** Of the service that an app calls. */
const ANSWER = { ok: true, status: 'ok', value: 42, values: [3, 1, 4, 1, 5, 9, 2, 6] };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '16' },
    companion: { type: 'boolean', default: false },
    keep: { type: 'string' },
    set: { type: 'string', default: '.' },
    truth: { type: 'boolean', default: false },
    times: { type: 'string' },
  },
});
const { set: SET } = values;
const FOLDER = path.join(import.meta.dirname, SET);
const APPS = path.join(FOLDER, 'apps');
const SECONDS = Number(values.seconds);
const chosen = choose(readCases(SET), positionals, ({ app }) => app);
const PYTHON = prepareVenv(SET === '.' ? 'bottlenecks' : SET, path.join(FOLDER, 'requirements.in'));

/** @type {Record<string, boolean>[]} */
const judged = [];
for (const one of chosen) {
  if (values.truth) {
    const measured = await measureFix(one);
    const kept = values.keep ? filesOf(one, values.keep).truth : '';
    if (existsSync(kept)) writeFileSync(kept, JSON.stringify(measured));
    const change = describeChange(measured).padEnd(14);
    console.log(`${one.what.padEnd(58)}  ${change}  ${one.fix ?? ''}`);
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
  const isUnknown = !isRight && named === 'unknown';
  const rows = findBrokenRows(report.bottleneck?.resources ?? [], report.load.http.meanRatePerSec);
  const gain = before && after ? after / before - 1 : NaN;
  const { value = NaN, low = NaN, high = NaN } = findGain(report, one) ?? {};
  const isClose = Math.abs(value - gain) <= CLOSE * (1 + gain);
  const [isWithin, isFixed, isBroken] = [low <= gain && gain <= high, gain > -1, rows.length > 0];
  judged.push({ isRight, isUnknown, isClose, isWithin, isFixed, isBroken });
  console.log(
    [
      isRight ? '✓' : isUnknown ? '?' : '✗',
      one.what.padEnd(52),
      `limit ${one.limits[0]}, named ${named}${report.bottleneck?.facts.why ? ` (${report.bottleneck.facts.why})` : ''}`.padEnd(
        48,
      ),
      before === null ? '' : describeChange({ before, after }).padEnd(16),
      isFixed
        ? `gain ${percent(gain)}, predicted ${percent(value)} (${percent(low)} to ${percent(high)})`
        : '',
      ...rows,
    ].join('  '),
  );
}
const count = (/** @type {string} */ name) => judged.filter(one => one[name]).length;
const [right = 0, unknown = 0, broken] = ['isRight', 'isUnknown', 'isBroken'].map(count);
if (judged.length > 0)
  console.log(
    `\n${right} of ${judged.length} bottlenecks are right, ${unknown} not known, ${judged.length - right - unknown} wrong; ${broken} runs have impossible rows of resources; ${count('isClose')} of ${count('isFixed')} predictions are within ${percent(CLOSE)} of the throughput after the fix, ${count('isWithin')} intervals hold it`,
  );
process.exitCode = right === judged.length && broken === 0 ? 0 : 1;

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
  return { ...JSON.parse(readFileSync(truth, 'utf8')), report: await judgeAgain(run) };
}

/** @param {Case} one @param {string} kept */
function filesOf({ what }, kept) {
  const folder = path.join(kept, what.replace(/\W+/g, '-'));
  return { folder, run: path.join(folder, 'run'), truth: path.join(folder, 'truth.json') };
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

/** @param {number} share */
function percent(share) {
  return Number.isNaN(share) ? '–' : `${(100 * share).toFixed(0)} %`;
}

/** Successful responses per second. @param {Case} one @param {string} url @returns {Promise<number>} */
async function drive({ users, thinkSec = 0 }, url) {
  const load = { users, thinkMs: 1000 * thinkSec };
  await runClosedLoop([{ url }], { ...load, ms: 1000 * WARM_UP_SEC });
  return (await runClosedLoop([{ url }], { ...load, ms: 1000 * SECONDS })).perSec;
}

/**
 * One run of the tool itself.
 * @param {Case} one @param {{pid: number, url: string}} server
 * @param {string | null} folder keeps the run
 * @returns {Promise<any>} its report
 */
async function profile({ users, rate, thinkSec }, { pid, url }, folder) {
  const load = users ? { users } : { arrivalRate: rate };
  const { origin, pathname, search } = new URL(url);
  const config = { target: origin, phases: [{ duration: SECONDS, ...load }] };
  const flow = [
    { get: { url: `${pathname}${search}` } },
    ...(thinkSec ? [{ think: thinkSec }] : []),
  ];
  const script = { config, scenarios: [{ flow }] };
  return testScript(script, ['--profile', '--pid', `${pid}`], folder);
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
  const answers = { '*': { json: ANSWER, delay: other?.delay } };
  const service = other && (await startOther(PYTHON, { ...other, answers, atOnce }));
  const work = mkdtempSync(path.join(tmpdir(), 'bottlenecks-'));
  const beside = await startBeside({ needs: one.needs ?? null }, PYTHON, work);
  const command = gunicorn ? ['gunicorn', ...gunicorn, `${app}:app`] : server;
  const started = serveApp(PYTHON, command ?? ['uvicorn', `${app}:app`], {
    cwd: APPS,
    companion: values.companion,
    route,
    env: {
      ...(service && { OTHER: `${service.url}/` }),
      ...nameDatabase(beside.env),
      ...(isFixed && { FIXED: '1' }),
    },
  });
  try {
    const { pid, url, stop } = await started;
    return await use({ pid, url: `${url}${route}` }).finally(stop);
  } finally {
    await service?.stop();
    await beside.stop();
    rmSync(work, { recursive: true });
  }
}
