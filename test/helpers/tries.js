/** Pairs of synthetic runs as `loadflame try` measures them, and their comparison. */
import path from 'node:path';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { buildComparison } from '../../lib/experiment/compare/build-comparison.js';
import { decide } from '../../lib/experiment/strategies/pairs.js';
import { chooseMeasures, readPair, readSideRun } from '../../lib/experiment/try/figures.js';
import { judgeTry } from '../../lib/experiment/try/judge-try.js';
import { makeRun, writeRun } from './synthetic-run/index.js';
import { makeTempFolder } from './temp-folder.js';

/** @typedef {import('../../lib/experiment/try/figures.js').ReportedPair} ReportedPair */

/** @type {import('./synthetic-run/synthetic-run.d.ts').SyntheticEndpoint[]} */
const ENDPOINTS = [
  { name: 'GET /a', ratePerSec: 20, cpuMs: { business: 2, 'auth:local': 3 } },
  { name: 'GET /b', ratePerSec: 5, cpuMs: { business: 2 } },
];
const PAIRS = 5;

/** @param {{after: (end: () => void) => void}} t @returns {Promise<Record<'same' | 'slow', ReportedPair[]>>} */
export async function makeTries(t) {
  /** @type {Record<'same' | 'slow', ReportedPair[]>} */
  const tries = { same: [], slow: [] };
  const folder = makeTempFolder(t);
  const measure = async (/** @type {number} */ seed, /** @type {object} */ more) => {
    const id = `run-${seed}`;
    const startMs = 1795211098000 + seed * 60_000;
    writeRun(
      path.join(folder, id),
      makeRun({ id, durationSec: 12, seed, startMs, endpoints: ENDPOINTS, ...more }),
    );
    return readSideRun(id, (await analyseRun(path.join(folder, id))).report);
  };
  for (let pair = 0; pair < PAIRS; pair++) {
    const a = await measure(10 * pair, {});
    tries.same.push({ a, b: await measure(10 * pair + 1, {}) });
    tries.slow.push({ a, b: await measure(10 * pair + 2, { cpuFactor: 1.8, latencyFactor: 1.8 }) });
  }
  return tries;
}

/**
 * @param {ReportedPair[]} pairs
 * @param {Partial<import('../../lib/run/facts/compare-report.d.ts').CompareReport>} [replaced]
 * @param {import('../../lib/experiment/try/noise.js').Account[]} [accounts] of earlier tries
 * @param {{isNoise?: boolean, change?: number | null}} [noise] of equal sides, and the change that they show
 */
export async function judge(
  pairs,
  replaced,
  accounts = [],
  { isNoise = false, change = 0.064 } = {},
) {
  const reports = (/** @type {'a' | 'b'} */ side) => pairs.map(pair => pair[side].report);
  const built = await buildComparison(reports('a'), reports('b'), {
    labels: { before: 'main', after: 'branch' },
  });
  const comparison = { ...built, ...replaced };
  const decisions = chooseMeasures('open', pairs).map(measure =>
    decide(
      measure,
      pairs.map(pair => readPair(pair, measure)),
      { measures: 2, smallest: 0.05 },
    ),
  );
  const side = { folder: '/shop', reference: null, env: {}, command: 'serve' };
  const plan = {
    isNoise,
    sides: { a: { ...side, label: 'main' }, b: { ...side, label: 'branch' } },
    load: {
      model: /** @type {const} */ ('open'),
      level: 25,
      most: 20,
      warmUpSec: 3,
      durationSec: 10,
    },
    ...{ script: { name: 'shop.yaml', sha256: 'abc' }, target: 'http://127.0.0.1:8000' },
  };
  const end = /** @type {const} */ ('decided');
  const noiseOf = {
    withinMs: 720_000,
    figures: [{ measure: /** @type {const} */ ('cpuMsPerRequest'), spread: 0.02, change }],
  };
  const result = {
    pairs,
    decisions,
    excluded: 1,
    end,
    elapsedMs: 300_000,
    smallest: 0.05,
    noise: noiseOf,
    accounts,
  };
  return judgeTry(comparison, plan, { ...result, folder: 'try' });
}
