/**
 * `npm run test:slow endpoints`: five endpoints of different work under gthread with the companion. What the
 * report says of each is held against a clock of the app's own, alone on the machine and beside a process
 * that burns a core; the same code compared with itself must differ in nothing.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../lib/base/process/child.js';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { findRunFolders } from '../../lib/run/run-folder.js';
import { readCpuMs } from '../helpers/cpu-truth.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { openRun } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_gunicorn.py');
const PATHS = ['/json', '/query', '/sleep', '/n-plus-one', '/client'];
const TOLERANCE = 0.15;
/** Of all CPU of the worker: rows, and what is of no endpoint. */
const TOTAL_TOLERANCE = 0.1;
const SLEEP_MS = 300;

/** @param {import('node:test').TestContext} t */
async function startApp(t) {
  const upstream = await serve(t, (_, response) => setTimeout(() => response.end('x'), 5));
  return startGunicorn(t, {
    workers: 1,
    app: 'five_endpoints:app',
    args: ['-k', 'gthread', '--threads', '8', '-c', COMPANION],
    env: { LOADFLAME: '1', UPSTREAM_PORT: new URL(upstream).port },
  });
}

/** @typedef {Record<string, [cpuMs: number, requests: number]>} Clocks */

/** @param {string} url @returns {Promise<Clocks>} */
async function readClocks(url) {
  return /** @type {Clocks} */ (await (await fetch(`${url}/clocks`)).json());
}

/**
 * @param {string} folder @param {string} url @param {number} masterPid @param {number} seconds
 * @returns {Promise<{report: import('../../lib/run/facts/report.d.ts').Report, truth: Map<string, number>, workerMs: number, run: string}>}
 *   `truth`: CPU-ms per request, by the app's own clock, without what the server spends around it; `workerMs`:
 *   all CPU time of the worker meanwhile, as the scheduler counts it
 */
async function measure(folder, url, masterPid, seconds) {
  const script = path.join(folder, 'load.yaml');
  const config = { target: url, phases: [{ duration: seconds, users: 6 }] };
  // JSON is YAML.
  const flow = PATHS.map(own => ({ get: { url: own } }));
  writeFileSync(script, JSON.stringify({ config, scenarios: [{ flow }] }));
  const pids = listWorkers(masterPid);
  const before = await readClocks(url);
  const beforeMs = readCpuMs(pids);
  const known = findRunFolders(path.join(folder, 'profiles'));
  const { stderr } = await runLoadflame(folder, ['test', script, '--profile'], {
    TARGET: url,
    GUNICORN_PID: `${masterPid}`,
  });
  const workerMs = readCpuMs(pids) - beforeMs;
  const after = await readClocks(url);
  const run = findRunFolders(path.join(folder, 'profiles')).find(one => !known.includes(one));
  assert.ok(run, stderr);
  const truth = new Map(
    PATHS.map(own => {
      const [cpuMs, requests] = before[own] ?? [0, 0];
      const [cpuNow = 0, requestsNow = 0] = after[own] ?? [];
      return [own, (cpuNow - cpuMs) / (requestsNow - requests)];
    }),
  );
  return { report: openRun(run).readReport(), truth, workerMs, run };
}

/**
 * @param {import('node:test').TestContext} t
 * @param {Awaited<ReturnType<typeof measure>>} measured
 */
function judge(t, { report, truth, workerMs }) {
  const rows = report.costs?.endpoints ?? [];
  for (const [own, trueMs] of truth) {
    const row = rows.find(({ loadEndpoint }) => loadEndpoint === `GET ${own}`);
    const { cpuMsPerRequest: all, aroundMsPerRequest: around } = row ?? {};
    const toldMs = (all?.value ?? 0) - (around?.value ?? 0);
    t.diagnostic(
      `${own}: told ${toldMs.toFixed(2)} and ${around?.value.toFixed(2)} around it, true ${trueMs.toFixed(2)} ms`,
    );
    assert.ok(Math.abs(toldMs - trueMs) <= TOLERANCE * trueMs, own);
  }
  const toldMs = rows.reduce(
    (sum, row) => sum + (row.cpuMsPerRequest?.value ?? 0) * (row.requests ?? 0),
    0,
  );
  t.diagnostic(`all: told ${toldMs.toFixed(0)}, true ${workerMs.toFixed(0)} ms`);
  assert.ok(Math.abs(toldMs - workerMs) <= TOTAL_TOLERANCE * workerMs, 'all of it');
  const { kinds = [], busyThreads = 0 } = report.profile?.waits ?? {};
  const sleeping = kinds.find(({ id }) => id === 'sleep');
  const { requests = 0 } = report.load?.endpoints.find(({ name }) => name === 'GET /sleep') ?? {};
  const lengthMs = (report.load?.window.endMs ?? 0) - (report.load?.window.startMs ?? 0);
  const slept = (requests * SLEEP_MS) / lengthMs / busyThreads;
  t.diagnostic(`asleep: told ${sleeping?.share.value.toFixed(3)}, true ${slept.toFixed(3)}`);
  const { low = 1, high = 0 } = sleeping?.share ?? {};
  assert.ok(Number(low) - 0.05 <= slept && slept <= Number(high) + 0.05, 'time asleep');
  assert.equal(sleeping?.where[0]?.function, 'sleep');
}

test('what five endpoints cost and wait for, alone and beside a burner', async t => {
  const { url, masterPid } = await startApp(t);
  const folder = makeTempFolder(t);
  await measure(folder, url, masterPid, 2);
  judge(t, await measure(folder, url, masterPid, 15));
  const burner = startChild('sh', ['-c', 'while :; do :; done']);
  t.after(() => burner.stop({ signal: 'SIGKILL' }));
  judge(t, await measure(folder, url, masterPid, 15));
});

/**
 * @param {string} folder @param {string[]} runs
 * @param {number[]} before which of them are one side
 * @returns {Promise<string[]>} figures that are told as better or worse
 */
async function listCalled(folder, runs, before) {
  const after = [...runs.keys()].filter(n => !before.includes(n));
  const side = (/** @type {number[]} */ which) => which.map(n => runs[n] ?? '');
  const args = ['compare', ...side(before), '--', ...side(after)];
  const { stdout, stderr } = await runLoadflame(folder, args);
  assert.ok(stdout, stderr);
  const page = path.resolve(folder, /comparison: (.*)/.exec(stdout)?.[1] ?? '');
  const file = path.join(path.dirname(page), 'compare.json');
  /** @type {{changes: {call: string, scope: string, name: string, measure: string}[]}} */
  const { changes } = JSON.parse(readFileSync(file, 'utf8'));
  return changes
    .filter(({ call }) => ['better', 'worse'].includes(call))
    .map(({ scope, name, measure }) => `${scope} ${name} ${measure}`);
}

test('four runs against four of the same code differ in nothing', async t => {
  const { url, masterPid } = await startApp(t);
  const folder = makeTempFolder(t);
  await measure(folder, url, masterPid, 2);
  /** @type {string[]} */
  const runs = [];
  for (let n = 0; n < 8; n++) {
    runs.push((await measure(folder, url, masterPid, 6)).run);
    await sleep(1100); // a run folder is named by the second
  }
  // Chance alone calls something in 5 of 100 comparisons, but hardly ever the same in two ways to divide them.
  const first = await listCalled(folder, runs, [0, 3, 4, 7]);
  const second = await listCalled(folder, runs, [0, 2, 5, 7]);
  t.diagnostic(`called: ${first.join(', ') || 'nothing'}; ${second.join(', ') || 'nothing'}`);
  assert.deepEqual(
    first.filter(name => second.includes(name)),
    [],
  );
});
