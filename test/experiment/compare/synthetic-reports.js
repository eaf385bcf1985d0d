import { rmSync } from 'node:fs';
import path from 'node:path';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';

/** @import { Report } from '../../../lib/run/facts/report.d.ts' */
/** @import { SyntheticSpec } from '../../helpers/synthetic-run/synthetic-run.d.ts' */

/** How runs of one program differ from each other: about what a quiet machine shows. */
const SPREAD = { cpuSigma: 0.02, latencySigma: 0.03 };
/** @type {import('../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticEndpoint[]} */
const ENDPOINTS = [
  {
    name: 'GET /api/v1/services/',
    ratePerSec: 20,
    cpuMs: { 'auth:local': 3, business: 2, 'database:execute': 2, serialization: 1 },
  },
  {
    name: 'GET /api/v1/citizens/',
    ratePerSec: 15,
    cpuMs: { 'auth:local': 3, business: 1, 'database:load': 3 },
  },
  {
    name: 'POST /api/v1/citizens/',
    ratePerSec: 5,
    cpuMs: { 'auth:local': 3, 'database:execute': 4 },
  },
];

/**
 * The Report of a synthetic run, through a real run folder and the whole analysis.
 * @param {string} root where the run folder may stand for a moment
 * @param {SyntheticSpec} spec
 * @returns {Promise<Report>}
 */
export async function reportOfSynthetic(root, spec) {
  const folder = path.join(root, `run-${spec.seed}`);
  const run = makeRun({
    id: `run-${spec.seed}`,
    durationSec: 20,
    endpoints: ENDPOINTS,
    betweenRuns: SPREAD,
    ...spec,
  });
  writeRun(folder, run);
  const { report } = await analyseRun(folder);
  rmSync(folder, { recursive: true });
  return report;
}

/**
 * @param {string} root
 * @param {number} runs
 * @param {number} seed of the first
 * @param {SyntheticSpec} [spec]
 */
export async function reportsOfSynthetic(root, runs, seed, spec = {}) {
  /** @type {Report[]} */
  const reports = [];
  for (let run = 0; run < runs; run++)
    reports.push(await reportOfSynthetic(root, { ...spec, seed: seed + run }));
  return reports;
}
