/** One measurement of the demo as a person makes it, and its report. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { startDemo } from '../../demo/start.js';
import { listProcesses, readCommandLine } from '../../lib/base/process/process-table.js';
import { findRunFolders } from '../../lib/run/run-folder.js';
import { findFreePort, waitUntil } from '../helpers/gunicorn.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { GENERATOR, openRun } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @typedef {import('../../demo/start.js').Demo} Demo */

/**
 * @param {import('node:test').TestContext} t
 * @param {import('../../demo/start.js').DemoOptions} options
 */
export async function startDemoFor(t, options) {
  const demo = await startDemo({ auth: 'cached', ...options });
  t.after(() => demo.stop());
  return demo;
}

/**
 * @param {import('node:test').TestContext} t
 * @param {Demo} demo whose gunicorn is profiled
 * @param {{phase: Record<string, number>, path: string, token?: boolean, env?: Record<string, string>, meanwhile?: (folder: string) => Promise<unknown>}} load
 * @returns {Promise<import('../../lib/run/facts/report.d.ts').Report>}
 */
export async function measure(t, demo, { phase, path: url, token = true, env = {}, meanwhile }) {
  const folder = makeTempFolder(t);
  const script = path.join(folder, 'load.yaml');
  const scenario = { ...(token ? {} : { loadflame: { auth: false } }), flow: [{ get: { url } }] };
  const config = { target: '{{ $env.TARGET }}', phases: [phase] };
  // JSON is YAML.
  writeFileSync(script, JSON.stringify({ config, scenarios: [scenario] }));
  const all = { ...demo.env, ...env };
  const login = Object.entries(all).filter(([name]) => token || !name.startsWith('OIDC_'));
  const [{ stderr }] = await Promise.all([
    runLoadflame(folder, ['test', script, '--profile'], Object.fromEntries(login)),
    meanwhile?.(folder),
  ]);
  const [run] = findRunFolders(path.join(folder, 'profiles'));
  if (!run) throw new Error(`nothing was measured: ${stderr}`);
  return openRun(run).readReport();
}

/** Others took so much of the machine that what the demo is limited by can't be seen. */
const CROWDED_CORES = 0.6;

/** @param {import('../../lib/run/facts/report.d.ts').Report} report */
export function isCrowded({ cpu }) {
  const { hostCores, generatorCores, pySpyCores } = cpu ?? {};
  const workers = cpu?.workers.reduce((sum, { cores }) => sum + (cores ?? 0), 0) ?? 0;
  return (hostCores ?? 0) - workers - (generatorCores ?? 0) - (pySpyCores ?? 0) > CROWDED_CORES;
}

/** Which bottleneck a report names, and by which figures; for messages. @param {import('../../lib/run/facts/report.d.ts').Report} report */
export function describeBottleneck({ bottleneck, findings }) {
  const facts = JSON.stringify(bottleneck?.facts, null, 2);
  return `${bottleneck?.id}: ${facts}\nfindings: ${findings.map(({ id }) => id).join(', ')}`;
}

/**
 * HAProxy before several instances; it sends all that comes from one address to one of them.
 * @param {import('node:test').TestContext} t @param {Demo[]} demos
 * @returns {Promise<string>} its URL
 */
export async function startBalancer(t, demos) {
  const port = await findFreePort();
  const file = path.join(makeTempFolder(t), 'haproxy.cfg');
  const servers = demos.map(
    ({ apiUrl }, index) => `  server api${index + 1} ${new URL(apiUrl).host}`,
  );
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen api
  bind 127.0.0.1:${port}
  balance source
${servers.join('\n')}
`,
  );
  const child = spawn('haproxy', ['-f', file], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => {
    const answer = await fetch(`${url}/api/v1/health`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok;
  }, 'HAProxy to answer');
  return url;
}

/**
 * Puts the load generator of a run that sends onto the first core, on which other processes are at work.
 * Each is a session of its own, as the generator is: Linux divides a core among sessions first (its autogroups).
 * @param {import('node:test').TestContext} t @param {string} folder of the run's loadflame
 */
export async function crowdGenerator(t, folder) {
  const isOurs = (/** @type {number} */ pid) =>
    GENERATOR.test(readCommandLine(pid)?.join(' ') ?? '') &&
    readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${folder}\0`);
  const pid = await waitUntil(
    () => listProcesses().find(one => isOurs(one.pid))?.pid,
    'the load generator',
  );
  // Its start takes longer than the others work, on such a core.
  const run = await waitUntil(
    () => findRunFolders(path.join(folder, 'profiles')).at(0),
    'the folder of the run',
  );
  await openRun(String(run)).waitForLoad();
  for (let burner = 0; burner < BURNERS; burner++) {
    const code = 'for (const end = Date.now() + 20_000; Date.now() < end; );';
    const args = ['-c', '0', process.execPath, '-e', code];
    const child = spawn('taskset', args, { detached: true });
    t.after(() => child.kill('SIGKILL'));
  }
  await execa('taskset', ['-a', '-c', '-p', '0', `${pid}`]);
}

/** The generator is left a ninth of the core, where it needs a third. */
const BURNERS = 8;
