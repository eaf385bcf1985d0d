import path from 'node:path';
import { createRandom } from '../../../lib/base/math/random.js';
import { buildHistory } from '../../../lib/experiment/history/build-history.js';
import { readHistory } from '../../../lib/experiment/history/history-file.js';

/** @import { HistoryEntry } from '../../../lib/run/facts/history.d.ts' */

const DAY_MS = 24 * 3600 * 1000;
/** Of a run without a change. @type {Record<string, number>} */
const MEASURES = {
  throughputPerSec: 200,
  cpuMsPerRequest: 8,
  'total.p50Ms': 20,
  'total.p95Ms': 50,
  'total.p99Ms': 80,
  'timeToFirstByte.p50Ms': 18,
  'timeToFirstByte.p95Ms': 46,
  'timeToFirstByte.p99Ms': 75,
};

/** Normal, of mean 0 and standard deviation 1. @param {() => number} random */
export function drawNormal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Entries whose figures go up and down together, and each a little by itself, as those of real runs do.
 * @param {{count: number, seed: number, shifts?: [at: number, factor: number][], spread?: number, memory?: number, of?: Partial<HistoryEntry['of']>}} spec
 *   `memory`: correlation of an entry's common part with that of the one before
 * @returns {HistoryEntry[]}
 */
export function makeEntries({ count, seed, shifts = [], spread = 0.03, memory = 0, of = {} }) {
  const random = createRandom(seed);
  let common = drawNormal(random);
  return Array.from({ length: count }, (_, at) => {
    common = memory * common + Math.sqrt(1 - memory ** 2) * drawNormal(random);
    const factor = shifts.reduce((all, [from, own]) => (at >= from ? all * own : all), 1);
    const figures = Object.entries(MEASURES).map(([id, value]) => {
      const noise = Math.exp(spread * (0.7 * common + 0.7 * drawNormal(random)));
      return [id, id === 'throughputPerSec' ? value / (factor * noise) : value * factor * noise];
    });
    const errorRate = random() < 0.05 ? 0.01 * random() : 0;
    return makeEntry(at, { errorRate, ...Object.fromEntries(figures) }, of);
  });
}

/** @param {number} at its day @param {Record<string, number>} measures @param {Partial<HistoryEntry['of']>} [of] @returns {HistoryEntry} */
export function makeEntry(at, measures, of = {}) {
  return {
    schema: 'loadflame-history/1',
    kind: 'run',
    t: Date.UTC(2026, 0, 1) + at * DAY_MS,
    id: `run-${at}`,
    commit: at.toString(16).padStart(40, '0'),
    branch: 'main',
    isDirty: false,
    reliability: 'valid',
    isPartial: false,
    of: {
      script: { name: 'scenarios/my-api.yaml', sha256: 'a'.repeat(64) },
      engine: 'loadflame',
      phases: [],
      machines: [{ platform: 'linux x64', cpus: 2, cpuModel: 'one' }],
      target: null,
      kind: 'load+profile',
      profiler: 'loadflame 100',
      ...of,
    },
    fingerprint: JSON.stringify(of.machines ?? 'one'),
    settings: [],
    versions: {},
    measures,
  };
}

const REAL = path.resolve(import.meta.dirname, '../../fixtures/history/real.ndjson');
/** Of the synthetic entries in `searchTwoShifts`. */
export const SHIFT = { at: 35, factor: 1.1 };

/** Searches a history of 60 synthetic entries and ten real ones. @param {number} seed */
export async function searchTwoShifts(seed) {
  const { entries } = await readHistory(REAL);
  const shifts = /** @type {[number, number][]} */ ([[SHIFT.at, SHIFT.factor]]);
  const synthetic = makeEntries({ count: 60, seed, shifts });
  const all = [...synthetic, ...entries].sort((a, b) => a.t - b.t);
  const { series } = buildHistory({ entries: all, torn: 0 }, { file: 'history.ndjson' });
  return {
    of: series.find(own => own.entries.length === 60),
    real: series.find(own => own.entries.length === 10),
  };
}

/** Of each measure, in the order of the runs. @param {ReturnType<typeof makeEntries>} entries */
export function toMeasures(entries) {
  const ids = Object.keys(entries[0]?.measures ?? {});
  return ids.map(id => entries.map(({ measures }) => measures[id] ?? null));
}
