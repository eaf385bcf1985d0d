import assert from 'node:assert/strict';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { makeRun, writeRun } from './synthetic-run/index.js';
import { makeTempFolder } from './temp-folder.js';

/** @import { SyntheticEndpoint } from './synthetic-run/synthetic-run.d.ts' */

/** @type {SyntheticEndpoint[]} */
export const ENDPOINTS = [
  { name: 'GET /cheap/', ratePerSec: 40, cpuMs: { 'auth:local': 2, business: 2 } },
  { name: 'GET /dear/', ratePerSec: 10, cpuMs: { 'auth:local': 2, 'database:load': 18 } },
];

/** Threads of C code that end before they are read, as those of argon2 do: only the process's clock has their CPU. */
const ENDED_MS_PER_SEC = 600;

/**
 * @param {import('node:test').TestContext} t
 * @param {boolean} isAlone whether the companion knows whose they are: of /dear/, 60 ms for each request
 */
export async function analyseEnded(t, isAlone) {
  const run = makeRun({
    seed: 7,
    durationSec: 40,
    companion: true,
    threads: 1,
    endpoints: ENDPOINTS,
  });
  const samples = run.processes.filter(({ role }) => role === 'worker');
  const firstMs = Math.min(...run.processes.map(({ t: at }) => at));
  const workers = new Set(samples.map(({ pid }) => pid)).size;
  for (const sample of samples) {
    const { t: at, pid, startTicks, cpuMs } = sample;
    const threads = [[pid + 10_000, cpuMs, 0, 1]];
    run.processes.push({ t: at, kind: 'threads', pid, startTicks, threads });
    sample.cpuMs += ((at - firstMs) / 1000) * (ENDED_MS_PER_SEC / workers);
  }
  run.processes.sort((a, b) => a.t - b.t);
  for (const record of run.metrics)
    for (const [name, { server }] of Object.entries(record.endpoints ?? {}))
      if (isAlone && server)
        server.ended = { count: server.count, ms: name === 'GET /dear/' ? 60 * server.count : 0 };
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  const { costs, profile } = report;
  assert.ok(costs && profile);
  const shareOf = (/** @type {string} */ id) =>
    profile.categories.find(one => one.id === id)?.share.value ?? 0;
  const trueMs = (/** @type {string} */ name) => run.truth.cpuMsPerRequest[name] ?? Number.NaN;
  const rowOf = (/** @type {string} */ name) =>
    costs.endpoints.find(row => row.name === name) ?? assert.fail(name);
  return { report, costs, profile, shareOf, trueMs, rowOf };
}
