/**
 * `npm run test:slow foreign`: an API that nobody tuned this project to, and that it was not tuned to:
 * alerta-server (Flask) on PostgreSQL under gunicorn, from a package registry. What the report says of the CPU
 * of each endpoint is held against the scheduler's account of the workers: of random mixes of the endpoints, and of all
 * of them under the load.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pickVariables } from '../../lib/base/process/bare-environment.js';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { findRunFolders } from '../../lib/run/run-folder.js';
import { findPython, startPostgres } from '../../research/shares/start-server.js';
import { compareWithLoad, measureCpuInMix, readCpuMs } from '../helpers/cpu-truth.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { needs, needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { openRun } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const MODULES = ['alerta', 'psycopg2', 'gunicorn'];
const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');
const LOOKS = ['/alerts', '/alerts/count', '/alerts/top10/count', '/environments', '/heartbeats'];
const ALERT = { environment: 'Production', severity: 'major', service: ['web'] };
const POST = 'POST /alert';
/** Without the companion figures rest on samples: some hundred for each endpoint, or chance is above 20 %. */
const SECONDS = 60;
const USERS_PER_SEC = 44;
const RATE_HZ = 100;
/** Each user sends one request: the first after a pause costs more than those that follow it, whatever it asks for. */
const SCRIPT = {
  config: { phases: [{ duration: SECONDS, arrivalRate: USERS_PER_SEC }] },
  scenarios: [
    ...LOOKS.map(url => ({ weight: 2, flow: [{ get: { url } }] })),
    {
      weight: 1,
      flow: [{ post: { url: '/alert', json: { ...ALERT, event: 'load', resource: 'host' } } }],
    },
  ],
};
/** @type {{title: string, tolerance: number, args: string[], env: Record<string, string>}[]} */
const CASES = [
  {
    title: 'with the companion',
    tolerance: 0.15,
    args: ['-c', COMPANION],
    env: { LOADFLAME: '1' },
  },
  { title: 'without it', tolerance: 0.2, args: [], env: {} },
];

for (const { title, tolerance, args, env } of CASES) {
  const skip = needs('initdb', 'postgres') || needsModules(...MODULES);
  test(`what endpoints of a foreign API cost, ${title}`, { skip }, async t => {
    const folder = makeTempFolder(t);
    const postgres = await startPostgres(folder, path.join(folder, 'postgres.log'));
    t.after(() => postgres.stop());
    const python = findPython(MODULES);
    const settings = {
      ...pickVariables(),
      DATABASE_URL: postgres.env.SHARES_POSTGRES?.replace('postgresql:', 'postgres:') ?? '',
      SECRET_KEY: 'a key of this test alone, and of no other',
      AUTH_REQUIRED: 'False',
    };
    // Workers that begin at the same time would make the same tables.
    const make = ['-c', 'import alerta; alerta.create_app()'];
    execFileSync(python, make, { env: settings, stdio: 'ignore' });
    const { url, masterPid } = await startGunicorn(t, {
      command: [python, '-m', 'gunicorn'],
      app: 'alerta:create_app()',
      args,
      env: { ...settings, ...env },
    });
    const pids = listWorkers(masterPid);
    const send = () =>
      fetch(`${url}/alert`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...ALERT, event: 'load', resource: 'host' }),
      });
    // What is listed is as long before the load as after it.
    await send();
    /** @type {Record<string, () => Promise<Response>>} */
    const requests = { [POST]: send };
    for (const look of LOOKS) requests[`GET ${look}`] = () => fetch(url + look);
    const before = await measureCpuInMix(requests, pids);
    const script = path.join(folder, 'load.yaml');
    writeFileSync(script, JSON.stringify(SCRIPT));
    const beforeMs = readCpuMs(pids);
    const { stderr } = await runLoadflame(folder, ['test', script, '--profile'], {
      TARGET: url,
      SERVER_PID: `${masterPid}`,
      PROFILE_RATE: `${RATE_HZ}`,
    });
    const workersMs = readCpuMs(pids) - beforeMs;
    const after = await measureCpuInMix(requests, pids);
    const [run] = findRunFolders(path.join(folder, 'profiles'));
    assert.ok(run, stderr);
    const { costs, load } = openRun(run).readReport();
    const rows = before.map((one, index) => {
      const row = costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === one.name);
      const asked = load?.endpoints.find(({ name }) => name === one.name);
      assert.ok(asked?.requests && (row || !env.LOADFLAME), one.name);
      const { leastMs = Number.NaN, mostMs = Number.NaN } = after[index] ?? {};
      return {
        name: one.name,
        requests: asked.requests,
        told: row?.cpuMsPerRequest ?? null,
        basis: row?.basis ?? 'no row',
        leastMs: Math.min(one.leastMs, leastMs),
        mostMs: Math.max(one.mostMs, mostMs),
      };
    });
    const speed = compareWithLoad(rows, workersMs);
    t.diagnostic(`under the load a request took ${speed.toFixed(2)} times as long as in the mixes`);
    t.diagnostic(`of no endpoint: ${costs?.unattributed?.share.toFixed(3)} of the CPU`);
    const wrong = rows.filter(({ name, told, basis, leastMs, mostMs }) => {
      const toldMs = told?.value ?? Number.NaN;
      const [least, most] = [leastMs * speed, mostMs * speed];
      t.diagnostic(
        `${name}: told ${toldMs.toFixed(2)} (${told?.low?.toFixed(2)} to ${told?.high?.toFixed(2)}), true ${least.toFixed(2)} to ${most.toFixed(2)} ms, ${basis}`,
      );
      const isTooMuch = toldMs > most * (1 + tolerance);
      // Of a view alone it is less than of its request, and of a view that is not known it is nothing.
      return env.LOADFLAME ? isTooMuch || !(toldMs >= least * (1 - tolerance)) : isTooMuch;
    });
    const found = rows.filter(({ told }) => told !== null).length;
    assert.ok(found >= rows.length / 2, `${found} of ${rows.length} views have their endpoint`);
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
  });
}
