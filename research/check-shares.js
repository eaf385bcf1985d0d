/**
 * `node scripts/run.js research/check-shares.js`: shares of functions as the report tells them, against the CPU that the functions'
 * threads used by their own clocks. Small apps run under each worker class and are recorded in each way of
 * sampling; half of the apps are held out, so that a rule made on the others can be judged by them.
 * Exit code 1 when the way that loadflame records in is surely further off than it may be.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startChild } from '../lib/base/process/child.js';
import { findPySpy } from '../lib/record/profiler/find-py-spy.js';
import { describeMachine } from './bench/describe-machine.js';
import { parseCount, splitNames } from './bench/options.js';
import { choose } from './choose.js';
import { say } from './run-main.js';
import { APPS, DEFAULT_WAY, WAYS, WORKERS } from './shares/apps.js';
import { startLoad } from './shares/drive.js';
import { createCalm } from './shares/others.js';
import { isCalm, pickCalm, recordApp } from './shares/record.js';
import {
  listBad,
  renderOverheads,
  renderRecording,
  renderSteps,
  renderWorst,
} from './shares/render.js';
import { judgeFolder, readOverheads, writeRecording } from './shares/results.js';
import { Missing, startServer, stopServers } from './shares/start-server.js';
import { openWorkFolder } from './work-folder.js';

/** @import { App, Way, Worker } from './shares/apps.js' */

const HELP = `node scripts/run.js research/check-shares.js [flags]

  --apps <name,…>     ${APPS.map(({ name }) => name).join(', ')}
  --workers <name,…>  ${WORKERS.map(({ name }) => name).join(', ')}
  --ways <name,…>     ${Object.keys(WAYS).join(', ')}
  --seconds <n>       of each recording (10)
  --hz <n>            looks per second (50)
  --patience <n>      seconds to wait for a machine that others leave alone, per app and worker class (60)
  --burner            beside a process that burns a core
  --keep <folder>     keep the recordings there; more may be there already
  --judge <folder>    record nothing, judge what was kept
  --json <file>       all figures
  --help

Told is the share of a part in the samples; true is its CPU by the clocks of its threads, of the CPU of all
the app's processes. The 95 % interval of what is told is Wilson's, widened by the design effect of a block
bootstrap over seconds. Readings: raw (all samples), plain (without waiting), report (as the report counts), parts
(plain, of the app's own parts alone).
With the way remote, loadflame's own recorder, all ways record the app on Python 3.15
(scripts/install-python-3.15.sh).
CPU × is the time that the samples of plain stand for, per CPU time of the part.

  node scripts/run.js research/check-shares.js --workers gthread --ways blocking,nonblocking --seconds 20
  node scripts/run.js research/check-shares.js --ways none,nonblocking --hz 50 --apps loops
  node scripts/run.js research/check-shares.js --apps tls,demo --hz 100 --keep /tmp/shares
  node scripts/run.js research/check-shares.js --judge /tmp/shares --json shares.json
`;

/** Imports, first connections, caches. */
const WARM_UP_MS = 700;
/** The demo's provider has to follow. */
const DEMO_PER_SEC = 20;

/** @returns {Promise<number>} exit code */
async function main() {
  const { values } = parseArgs({
    options: {
      apps: { type: 'string' },
      workers: { type: 'string' },
      ways: { type: 'string' },
      seconds: { type: 'string' },
      hz: { type: 'string' },
      patience: { type: 'string' },
      burner: { type: 'boolean', default: false },
      keep: { type: 'string' },
      judge: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const wayNames = Object.keys(WAYS).map(name => ({ name: /** @type {Way} */ (name) }));
  const plan = {
    apps: pick(APPS, values.apps),
    workers: pick(WORKERS, values.workers),
    ways: pick(wayNames, values.ways).map(({ name }) => name),
    seconds: parseCount('--seconds', values.seconds, 10),
    hz: parseCount('--hz', values.hz, 50),
    burner: values.burner,
    patience: parseCount('--patience', values.patience, 60),
  };
  const folder = openWorkFolder('shares', values.judge ?? values.keep);
  if (!values.judge) await recordAll(plan, folder);
  return judge(folder, values.json);
}

/**
 * @template {{name: string}} T
 * @param {readonly T[]} all @param {string | undefined} names
 */
const pick = (all, names) => choose(all, splitNames(names), ({ name }) => name);

/**
 * @typedef {object} Plan
 * @property {readonly App[]} apps
 * @property {readonly Worker[]} workers
 * @property {readonly Way[]} ways
 * @property {number} seconds
 * @property {number} hz
 * @property {boolean} burner
 * @property {number} patience s
 */

/** @param {Plan} plan @param {string} folder */
async function recordAll(plan, folder) {
  const pySpy = await findPySpy(process.env.PYSPY ?? null);
  say(describeMachine({ 'py-spy': pySpy.version }));
  const pairs = plan.workers.flatMap(worker =>
    plan.apps
      .filter(({ only }) => !only || only.includes(worker.name))
      .map(app => ({ app, worker })),
  );
  const seconds = pairs.length * plan.ways.length * plan.seconds * 1.3;
  say(`${pairs.length * plan.ways.length} recordings, about ${Math.ceil(seconds / 60)} min …`);
  const burner = plan.burner ? startChild('sh', ['-c', 'while :; do :; done']) : null;
  try {
    for (const { app, worker } of pairs)
      try {
        await recordPair(app, worker, plan, { pySpy: pySpy.path, folder });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const verb = error instanceof Missing ? 'skipped' : 'failed';
        say(`${app.name} · ${worker.name}: ${verb}, ${reason}`);
      }
  } finally {
    await burner?.stop({ signal: 'SIGKILL' });
  }
}

/** One start of the app, recorded in each way. @param {App} app @param {Worker} worker @param {Plan} plan @param {{pySpy: string, folder: string}} where */
async function recordPair(app, worker, { ways, seconds, hz, burner, patience }, { pySpy, folder }) {
  const work = mkdtempSync(path.join(os.tmpdir(), 'shares-'));
  const server = await startServer(app, worker, work, ways.includes('remote'));
  const { urls, headers } = server;
  const maxPerSec = app.needs === 'demo' ? DEMO_PER_SEC : Infinity;
  const load = startLoad(urls, { users: worker.users, headers, maxPerSec });
  try {
    await sleep(WARM_UP_MS);
    const recorded = ways.map(way => {
      const name = [app.name, worker.name, way, burner ? 'burner' : 'quiet', Date.now()].join('-');
      return { way, folder: path.join(folder, name) };
    });
    for (const { folder: own } of recorded) mkdirSync(own, { recursive: true });
    const all = await recordApp(recorded, {
      ...{ pySpy, pid: server.pid, hz, seconds, clocks: server.clocks, parts: app.parts.length },
      calm: createCalm(load, patience * 1000),
    });
    if (all.some(segments => segments.every(({ used }) => used.requests === 0)))
      throw new Error('the app gave no good answer');
    recorded.forEach(({ way, folder: own }, index) => {
      const segments = all[index] ?? [];
      writeRecording(own, {
        ...{ app: app.name, heldOut: app.heldOut, worker: worker.name, way, hz, burner },
        masterPid: server.masterPid,
        failures: load.failures(),
        loadAverage: os.loadavg()[0] ?? 0,
        segments: segments.map(segment => ({ ...segment, file: path.basename(segment.file) })),
      });
    });
    say(
      `${app.name} · ${worker.name}: ${all.map(segments => pickCalm(segments).length).join(', ')} segments${all.every(isCalm) ? '' : ', others were busy'}`,
    );
  } finally {
    await load.stop();
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {string | undefined} json @returns {Promise<number>} exit code */
async function judge(folder, json) {
  const results = await judgeFolder(folder);
  if (results.length === 0) throw new Error('nothing was recorded');
  for (const result of results) process.stdout.write(`${renderRecording(result)}\n\n`);
  process.stdout.write(
    `${renderWorst(results)}\n\n${renderSteps(results)}\n\n${renderOverheads(readOverheads(folder))}\n`,
  );
  if (json) writeFileSync(json, `${JSON.stringify(results, null, 1)}\n`);
  const bad = listBad(results.filter(({ way }) => way === DEFAULT_WAY));
  for (const { app, worker } of bad) say(`✖ ${app} · ${worker}: surely too far off`);
  return bad.length > 0 ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await stopServers();
    process.exit(130);
  });
process.exitCode = await main();
