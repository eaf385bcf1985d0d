import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listWorkers } from '../../lib/target/process-family.js';
import { startPostgres } from '../../scripts/shares/start-server.js';
import { startAsgi } from '../helpers/asgi.js';
import { FIXTURES } from '../helpers/gunicorn.js';
import { needs, needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { wordsOf } from '../helpers/words.js';

const MODULES = ['fastapi', 'psycopg'];
const SERVERS = [
  {
    server: 'gunicorn',
    args: ['-k', 'uvicorn_worker.UvicornWorker', '-w', '2'],
    modules: [...MODULES, 'uvicorn_worker'],
  },
  { server: 'uvicorn', args: ['--workers', '2'], modules: MODULES },
];
const PATHS = {
  'GET /items': '/items',
  'GET /report/:id': '/report/7',
  'GET /summary': '/summary',
  'GET /legacy': '/legacy',
};
const TIMES = 40;
/** As under the load: a processor that is asked without a pause needs less for the same. */
const PAUSE_MS = 60;
const IDLE_SECONDS = 4;

/** CPU time of all threads of processes, as the scheduler counts it. @param {number[]} pids @returns {number} ms */
function readCpuMs(pids) {
  const tasks = pids.flatMap(pid =>
    readdirSync(`/proc/${pid}/task`).map(id => `/proc/${pid}/task/${id}/schedstat`),
  );
  return (
    tasks.reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]), 0) / 1e6
  );
}

/**
 * One endpoint at a time, by the scheduler and by what the answers tell.
 * @param {string} url @param {number[]} pids @param {number} idle share of time that timers of the workers take
 * @returns {Promise<{leastMs: number, mostMs: number, toldMs: number}>} per request; the true figure is
 *   between the first two, without all that timers take when nothing is asked, and with it
 */
async function measureCpu(url, pids, idle) {
  const ask = async () => {
    await sleep(PAUSE_MS);
    const response = await fetch(url);
    await response.text();
    return Number(/cpu;dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '')?.[1]);
  };
  for (let warm = 0; warm < 6; warm++) await ask();
  const [startMs, beforeMs] = [performance.now(), readCpuMs(pids)];
  let toldMs = 0;
  for (let times = 0; times < TIMES; times++) toldMs += await ask();
  const cpuMs = readCpuMs(pids) - beforeMs;
  const idleMs = idle * (performance.now() - startMs);
  return {
    leastMs: (cpuMs - idleMs) / TIMES,
    mostMs: cpuMs / TIMES,
    toldMs: toldMs / TIMES,
  };
}

/** @param {string} url @param {number[]} pids */
async function measureAll(url, pids) {
  const all = [];
  // workers that have just begun have more to do than timers: the quietest of some seconds
  let idle = Number.POSITIVE_INFINITY;
  for (let second = 0; second < IDLE_SECONDS; second++) {
    const beforeMs = readCpuMs(pids);
    await sleep(1000);
    idle = Math.min(idle, (readCpuMs(pids) - beforeMs) / 1000);
  }
  for (const [name, at] of Object.entries(PATHS))
    all.push({ name, ...(await measureCpu(url + at, pids, idle)) });
  return all;
}

/** Is it within 15 % of what is true? @param {number} toldMs @param {number} leastMs @param {number} mostMs */
const isClose = (toldMs, leastMs, mostMs) => toldMs >= leastMs * 0.85 && toldMs <= mostMs * 1.15;

for (const { server, args, modules } of SERVERS) {
  const skip = needs('initdb', 'postgres') || needsModules(server, ...modules);
  const command = [server, ...args].join(' ');
  const title = `a load with a profile tells the CPU of a FastAPI app’s endpoints, and the call that blocks, under ${command}`;
  test(title, { skip }, async t => {
    const folder = makeTempFolder(t);
    const postgres = await startPostgres(folder, path.join(folder, 'postgres.log'));
    t.after(() => postgres.stop());
    const { url, pid } = await startAsgi(t, {
      ...{ server, args, modules },
      app: 'fastapi_app:app',
      env: { LOADFLAME: '1', DATABASE_URL: postgres.env.SHARES_POSTGRES },
    });
    const pids = listWorkers(pid);
    const before = await measureAll(url, pids);
    const load = ['test', path.join(FIXTURES, 'fastapi-load.yaml'), '--profile'];
    const env = { TARGET: url, SERVER_PID: String(pid) };
    const { exit, stderr } = await runLoadflame(folder, load, env);
    assert.equal(exit, 0, stderr);
    const [run = ''] = readdirSync(path.join(folder, 'profiles'));
    /** @type {import('../../lib/analysis/report.d.ts').Report} */
    const report = JSON.parse(
      readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8'),
    );
    for (const [index, after] of (await measureAll(url, pids)).entries()) {
      const { name } = after;
      const others = [/** @type {typeof after} */ (before[index]), after];
      const row = report.costs?.endpoints.find(one => one.name === name);
      const toldMs = row?.cpuMsPerRequest?.value ?? Number.NaN;
      t.diagnostic(
        `${name}: told ${toldMs.toFixed(2)} ms, true ${others.map(({ leastMs, mostMs }) => `${leastMs.toFixed(2)} to ${mostMs.toFixed(2)}`).join(' and ')} ms`,
      );
      assert.ok(row?.isMeasured, `${name} was measured`);
      for (const one of others)
        assert.ok(isClose(one.toldMs, one.leastMs, one.mostMs), JSON.stringify(one));
      // a machine that others use is not as fast all the time: the load was between the two
      const leastMs = Math.min(...others.map(one => one.leastMs));
      const mostMs = Math.max(...others.map(one => one.mostMs));
      assert.ok(isClose(toldMs, leastMs, mostMs), `${name}: ${toldMs}, ${leastMs} to ${mostMs}`);
    }
    const finding = report.findings.find(({ id }) => id === 'event-loop-blocked');
    assert.equal(finding?.severity, 'warn');
    const text = JSON.stringify(wordsOf(finding));
    assert.match(text, /load_legacy \(\S*fastapi_app\.py\)","value":"waits for the database/);
    assert.match(text, /GET \/legacy/);
  });
}
