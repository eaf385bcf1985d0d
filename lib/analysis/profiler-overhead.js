/** What the profiler cost: windows with and without it (`--measure-overhead`) beside each other. */
import { formatNumberOf } from '../format.js';
import { addToSketch, createSketch } from '../run/sketch.js';
import { measureProcesses } from './cpu.js';
import { estimateChange, LEAST_PAIRS } from './paired-changes.js';

const SECOND_MS = 1000;
/** Whole seconds inside of a window. */
const LEAST_SECONDS = 2;

/** @typedef {import('./report.d.ts').LoadReport} LoadReport */
/** @typedef {import('./report.d.ts').ProfilerOverhead} ProfilerOverhead */

/** @typedef {{perSec: number, cpuMs: number | null, p50Ms: number | null, p95Ms: number | null}} Measured */

/**
 * Only pairs whose windows both lie inside of one phase count; of a window, its whole seconds.
 * @param {import('./read-run.js').RunRecords} records
 * @param {LoadReport | null} load
 * @returns {ProfilerOverhead | null} null where it was not measured
 */
export function measureOverhead({ segments, metrics, processes }, load) {
  const plan = segments.find(({ kind }) => kind === 'recording-start')?.alternate;
  if (!plan) return null;
  const windowSec = plan.windowMs / SECOND_MS;
  const seconds = Map.groupBy(
    metrics.filter(({ kind }) => kind === 'second'),
    ({ fromMs }) => Number(fromMs),
  );
  const byPair = Map.groupBy(
    segments.filter(({ kind, isWhole }) => kind === 'window' && isWhole),
    ({ pair }) => Number(pair),
  );
  const pairs = [...byPair.values()].flatMap(windows => {
    const [withIt, without] = [true, false].map(profiled =>
      windows.find(window => window.profiled === profiled),
    );
    if (!withIt || !without || !load || !isInOnePhase([withIt, without], load)) return [];
    const [a, b] = [withIt, without].map(window => measureWindow(window, seconds, processes));
    return a && b ? { withIt: a, without: b } : [];
  });
  /** @param {(measured: Measured) => number | null} read */
  const change = read => {
    const ratios = pairs.flatMap(({ withIt, without }) => {
      const [a, b] = [read(withIt), read(without)];
      return a && b ? a / b : [];
    });
    return ratios.length === pairs.length ? estimateChange(ratios, { seed: plan.seed }) : null;
  };
  const isClosed = load?.phases.every(({ model }) => model !== 'open') ?? false;
  const found = {
    throughput: isClosed ? change(({ perSec }) => perSec) : null,
    cpuPerRequest: change(({ cpuMs }) => cpuMs),
    latencyP50: change(({ p50Ms }) => p50Ms),
    latencyP95: change(({ p95Ms }) => p95Ms),
  };
  return {
    pairs: pairs.length,
    windowSec,
    ...found,
    text: describe(pairs.length, windowSec, found),
  };
}

/** @param {Record<string, any>[]} windows @param {LoadReport} load */
function isInOnePhase(windows, { phases, windows: loads }) {
  const ranges = phases.length > 0 ? phases : loads;
  return ranges.some(({ startMs, endMs }) =>
    windows.every(window => window.startMs >= startMs && window.endMs <= (endMs ?? Infinity)),
  );
}

/**
 * @param {Record<string, any>} window
 * @param {Map<number, Record<string, any>[]>} seconds
 * @param {Record<string, any>[]} processes
 * @returns {Measured | null} null where it holds too little
 */
function measureWindow(window, seconds, processes) {
  const fromMs = Math.ceil(window.startMs / SECOND_MS) * SECOND_MS;
  const toMs = Math.floor(window.endMs / SECOND_MS) * SECOND_MS;
  const length = (toMs - fromMs) / SECOND_MS;
  if (length < LEAST_SECONDS) return null;
  const records = Array.from(
    { length },
    (_, index) => seconds.get(fromMs + index * SECOND_MS) ?? [],
  ).flat();
  const answers = records.reduce((sum, { counters }) => sum + (counters['http.responses'] ?? 0), 0);
  if (answers === 0) return null;
  const workers = measureProcesses(processes, [{ startMs: fromMs, endMs: toMs }]).filter(
    ({ role }) => role === 'worker',
  );
  const cpuMs = workers.reduce((sum, worker) => sum + worker.cpuMs, 0);
  const hasTotal = records.some(({ sketches }) => sketches['http.total']);
  const sketch = createSketch();
  for (const { sketches } of records) {
    const json = sketches[hasTotal ? 'http.total' : 'http.response_time'];
    if (json) addToSketch(sketch, json);
  }
  const quantile = (/** @type {number} */ q) =>
    sketch.count > 0 ? sketch.getValueAtQuantile(q) : null;
  return {
    perSec: answers / length,
    cpuMs: workers.length > 0 && cpuMs > 0 ? cpuMs / answers : null,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
  };
}

/**
 * @param {number} pairs
 * @param {number} windowSec
 * @param {Pick<ProfilerOverhead, 'throughput' | 'cpuPerRequest' | 'latencyP50' | 'latencyP95'>} found
 */
function describe(pairs, windowSec, found) {
  const basis = `${formatNumberOf(pairs, 'pair')} of ${windowSec} s with and without the profiler`;
  if (pairs < LEAST_PAIRS) {
    return `What profiling costs can not be said: there are ${basis} inside of phases, and ${LEAST_PAIRS} are needed; let the load last longer.`;
  }
  const parts = [
    ['throughput', found.throughput],
    ['CPU per request', found.cpuPerRequest],
    ['median latency', found.latencyP50],
    ['p95 latency', found.latencyP95],
  ].flatMap(([name, change]) =>
    change && typeof change === 'object' ? `${name} ${formatSpan(change)}` : [],
  );
  const open = found.throughput ? '' : '; the throughput is what the schedule says';
  return `What profiling costs, by ${basis}: ${parts.join('; ')}${open}.`;
}

/** @param {import('./report.d.ts').Estimate} change */
function formatSpan({ value, low, high }) {
  const percent = (/** @type {number} */ fraction) =>
    `${fraction < 0 ? '−' : '+'}${Math.abs(fraction * 100).toFixed(1)}`;
  if (low === null || high === null) return `${percent(value)} %`;
  const span = `${percent(value)} % (${percent(low)} to ${percent(high)})`;
  return low <= 0 && high >= 0 ? `${span}: no difference that can be told` : span;
}
