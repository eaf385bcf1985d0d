import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { startPostgres } from '../../research/shares/start-server.js';
import { startAsgi } from '../helpers/asgi.js';
import { compareWithLoad, measureCpuTruth, readSettledCpuMs } from '../helpers/cpu-truth.js';
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
  'GET /light': '/light',
};

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
    const requests = Object.fromEntries(
      Object.entries(PATHS).map(([name, at]) => [name, () => fetch(url + at)]),
    );
    const before = await measureCpuTruth(requests, pids);
    const load = ['test', path.join(FIXTURES, 'fastapi-load.yaml'), '--profile'];
    const env = { TARGET: url, SERVER_PID: String(pid) };
    const beforeMs = await readSettledCpuMs(pids);
    const { exit, stderr } = await runLoadflame(folder, load, env);
    const workersMs = (await readSettledCpuMs(pids)) - beforeMs;
    assert.equal(exit, 0, stderr);
    const [run = ''] = readdirSync(path.join(folder, 'profiles'));
    /** @type {import('../../lib/run/facts/report.d.ts').Report} */
    const report = JSON.parse(
      readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8'),
    );
    const rows = (await measureCpuTruth(requests, pids)).map((after, index) => {
      const { name } = after;
      const others = [/** @type {typeof after} */ (before[index]), after];
      for (const one of others)
        assert.ok(isClose(one.toldMs, one.leastMs, one.mostMs), JSON.stringify(one));
      const row = report.costs?.endpoints.find(one => one.name === name);
      assert.ok(row?.isMeasured, `${name} was measured`);
      return {
        name,
        requests: report.load?.endpoints.find(one => one.name === name)?.requests ?? 0,
        toldMs: row.cpuMsPerRequest?.value ?? Number.NaN,
        // A machine that others use is not as fast all the time: the load was between the two.
        leastMs: Math.min(...others.map(one => one.leastMs)),
        mostMs: Math.max(...others.map(one => one.mostMs)),
      };
    });
    const speed = compareWithLoad(rows, workersMs);
    t.diagnostic(`under the load a request took ${speed.toFixed(2)} times as long as alone`);
    for (const { name, toldMs, leastMs, mostMs } of rows) {
      const told = `${name}: told ${toldMs.toFixed(2)} ms, true alone ${leastMs.toFixed(2)} to ${mostMs.toFixed(2)}`;
      t.diagnostic(told);
      assert.ok(isClose(toldMs, leastMs * speed, mostMs * speed), told);
    }
    const finding = report.findings.find(({ id }) => id === 'event-loop-blocked');
    assert.equal(finding?.severity, 'warn');
    const text = JSON.stringify(wordsOf(finding));
    assert.match(text, /load_legacy \(\S*fastapi_app\.py:76\)","value":"waits for the database/);
    assert.match(text, /GET \/legacy/);
  });
}
