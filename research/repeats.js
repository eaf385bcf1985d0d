/**
 * `node scripts/run.js research/repeats.js [--runs 8] [--seconds 20]`: by how much does the CPU time per request that
 * the companion measures differ between runs of the same load, beyond how it varies within one? Each run is of a
 * demo of its own. `BETWEEN_RUNS` in lib/base/math/intervals.js is the figure of the last line.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startDemo } from '../demo/start.js';
import { BETWEEN_RUNS, Z95 } from '../lib/base/math/intervals.js';
import { mean, standardDeviation } from '../lib/base/math/summary.js';
import { runTest } from './run-tool.js';

const ROOT = path.resolve(import.meta.dirname, '..');
/** An endpoint with fewer requests varies by chance more than by runs. */
const LEAST_REQUESTS = 20;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '20' },
  },
});
/** @type {any[]} */
const rows = [];
for (let run = 0; run < Number(values.runs); run++) rows.push(...(await measure()));
const all = [...Map.groupBy(rows, ({ name }) => name)].flatMap(([name, own]) => {
  if (own.length < Number(values.runs) || own.some(({ requests }) => requests < LEAST_REQUESTS))
    return [];
  const costs = own.map(({ cpuMsPerRequest }) => cpuMsPerRequest.value);
  const whole = standardDeviation(costs) / mean(costs);
  const squares = own.map(({ cpuMsPerRequest: { value, high } }) =>
    Math.max(0, ((high - value) / value / Z95) ** 2 - BETWEEN_RUNS ** 2),
  );
  return [{ name, ms: mean(costs), whole, within: Math.sqrt(mean(squares)) }];
});
for (const { name, ms, whole, within } of all)
  console.log(
    `${name.padEnd(48)} ${ms.toFixed(2).padStart(7)} ms  between and within runs ${percent(whole)}, within ${percent(within)}`,
  );
const between = mean(all.map(({ whole, within }) => whole ** 2 - within ** 2));
console.log(
  `standard deviation between runs, pooled over ${all.length} endpoints: ${percent(Math.sqrt(Math.max(0, between)))}`,
);

/** @returns {Promise<any[]>} endpoints of the report of one run */
async function measure() {
  const demo = await startDemo({ companion: true });
  const profiles = mkdtempSync(path.join(tmpdir(), 'repeats-'));
  try {
    const env = {
      ...demo.env,
      ...{ WARM_UP_DURATION: '2', RAMP_DURATION: '2', DURATION: `${values.seconds}` },
      ARRIVAL_RATE: '3',
    };
    const script = path.join(ROOT, 'scenarios/csr-http.yaml');
    const { report } = await runTest([script], profiles, env);
    return report.costs.endpoints.filter((/** @type {any} */ { isMeasured }) => isMeasured);
  } finally {
    await demo.stop();
    rmSync(profiles, { recursive: true });
  }
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
