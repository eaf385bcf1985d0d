/**
 * `node scripts/run.js research/observability/run.js`: is what the report says that Sentry and OpenTelemetry cost on a
 * light endpoint what they cost? The truth is the CPU per request of the same app with and without them, alternately,
 * without profiler and companion. Exit code 1 where the report differs by more than 15 %, or where the packages do not
 * sum to the CPU per request within 2 %. `--rounds 3`; `--keep FOLDER`: keep the run there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sum } from '../../lib/base/math/summary.js';
import { runClosedLoop } from '../closed-loop.js';
import { prepareVenv } from '../prepare-venv.js';
import { readCpuMs } from '../read-cpu.js';
import { testScript } from '../run-tool.js';
import { serveApp, startOther } from '../start-app.js';

const SERVER = ['gunicorn', '-w', '1', '-k', 'gthread', '--threads', '4', 'app:app'];
// Less than it can serve: of more, Sentry drops a part, which differs with what else the machine does.
const [LOAD, RUN_SEC] = [{ users: 4, ms: 4000, thinkMs: 40 }, 40];
const [MOST_OFF, MOST_LEFT] = [0.15, 0.02];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, keep: { type: 'string' } },
});
const python = prepareVenv('observability', path.join(import.meta.dirname, 'requirements.in'));
const work = mkdtempSync(path.join(tmpdir(), 'observability-'));
const other = await startOther(python, { answers: { '*': { json: {} } } });
const serve = (/** @type {string | undefined} */ url, companion = false) =>
  serveApp(python, SERVER, {
    cwd: import.meta.dirname,
    companion,
    env: { OTHER: url },
    log: path.join(work, 'app.log'),
    route: '/items/1',
  });
try {
  const [without = 0, traced = 0] = await measureTruth();
  const report = await record();
  const cost = (/** @type {any[]} */ packages) =>
    sum(packages.map(({ cpuMsPerRequest }) => cpuMsPerRequest?.value ?? 0));
  const { packages } = report.profile;
  const told = cost(packages.filter((/** @type {any} */ { kind }) => kind === 'observability'));
  const [off, left] = [
    told / (traced - without) - 1,
    cost(packages) / report.cpu.perRequest.value - 1,
  ];
  const ms = (/** @type {number} */ value) => `${value.toFixed(3)} ms`;
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
  console.log(`without ${ms(without)}, with ${ms(traced)}: ${ms(traced - without)} per request`);
  console.log(`by package ${ms(told)}, ${percent(off)} off; all packages ${percent(left)} off`);
  for (const { name, kind, cpuMsPerRequest } of packages)
    console.log(`  ${ms(cpuMsPerRequest?.value ?? 0)} ${name} (${kind})`);
  if (Math.abs(off) > MOST_OFF || Math.abs(left) > MOST_LEFT) process.exitCode = 1;
} finally {
  await other.stop();
  rmSync(work, { recursive: true });
}

/** @returns {Promise<number[]>} CPU per request, ms, without and with them */
async function measureTruth() {
  const sides = await Promise.all([serve(undefined), serve(other.url)]);
  const all = sides.map(() => ({ cpuMs: 0, requests: 0 }));
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [index, { url, pid }] of sides.entries()) {
      const startMs = readCpuMs(pid);
      const { times } = await drive(url);
      const own = all[index];
      // The first round warms up.
      if (!own || round === 0) continue;
      own.cpuMs += readCpuMs(pid) - startMs;
      own.requests += times.length;
    }
  for (const { stop } of sides) await stop();
  return all.map(({ cpuMs, requests }) => cpuMs / requests);
}

/** @param {string} url @throws {Error} if a response is not 200 */
async function drive(url) {
  const result = await runClosedLoop([{ url: `${url}/items/1` }], LOAD);
  if (result.failures.length > 0) throw new Error(result.failures.slice(0, 3).join('; '));
  return result;
}

/** @returns {Promise<any>} the report of a run with them */
async function record() {
  const { url, pid, stop } = await serve(other.url, true);
  try {
    await drive(url);
    const phases = [{ duration: RUN_SEC, users: LOAD.users }];
    const flow = [{ get: { url: '/items/1' } }, { think: LOAD.thinkMs / 1000 }];
    const script = { config: { target: url, phases }, scenarios: [{ flow }] };
    const args = ['--profile', '--profiler', 'py-spy', '--pid', `${pid}`];
    return await testScript(script, args, values.keep ?? null);
  } finally {
    await stop();
  }
}
