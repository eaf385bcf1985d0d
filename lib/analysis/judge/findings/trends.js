/** What changed during the run: spikes, stalls, memory, and the workers themselves. */

import { mean, sum } from '../../../base/math/summary.js';
import { findTrend } from '../../../base/math/trend.js';
import { isMachineFull, THRESHOLDS } from '../../bottleneck/thresholds.js';
import { nameWorker } from '../../profile/cpu-use.js';
import { totalLengthMs } from '../../read/load/load-totals.js';
import { CHANCE } from '../bottleneck/pressure.js';
import { finding } from '../statements.js';

/** @import { FindingRule } from '../statements.js' */
/** @import { FindingTable } from '../../../run/facts/findings.d.ts' */

/** @typedef {{x: number, y: number}[]} Points */

/** A stall that makes p99 longer by more than this factor is what users noticed most. */
const MUCH_LONGER = 2;

const MOST_VICTIMS = 5;
/** Share of the requests' time: what they mostly do. */
const MOST_OF_TIME = 0.5;

/**
 * Endpoints that were slower while another one came much more often. Nothing is reported where other programs used
 * more CPU at that time, or part of a saturated machine: then both may be the cause. @type {FindingRule}
 */
export function findSpikeVictims({ load, timeline, run, profile }) {
  const spike = timeline?.load?.spike;
  if (!load || !timeline || !spike || spike.victims.length === 0) return [];
  const { windows, outside, victims, startMs, ...facts } = spike;
  // Of processes that were not recorded.
  const background = (timeline.hostCores ?? []).map((cores, at) =>
    cores === null ? null : cores - (timeline.recordedCores[at] ?? 0),
  );
  const meanOf = (/** @type {(number | null)[]} */ cores, /** @type {number[]} */ list) => {
    const known = list.flatMap(at => cores[at] ?? []);
    return known.length > 0 ? mean(known) : 0;
  };
  const during = meanOf(background, windows);
  const hostCores = meanOf(timeline.hostCores ?? [], windows);
  const isFull = isMachineFull({ cores: hostCores, cpus: run.host?.cpus ?? Infinity });
  const most = THRESHOLDS.backgroundCores;
  if (during - meanOf(background, outside) >= most || (isFull && during >= most)) return [];
  const afterMs = Math.max(0, startMs - load.window.startMs);
  const first = victims.slice(0, MOST_VICTIMS);
  const [kind] = profile?.waits?.kinds ?? [];
  const isWaiting = kind && kind.id !== 'cpu' && !kind.isBound && kind.share.value >= MOST_OF_TIME;
  const wait = isWaiting ? { id: kind.id, share: kind.share, where: kind.where[0] ?? null } : null;
  return [finding('spike', 'warn', { ...facts, afterMs, victims: victims.length, first, wait })];
}

/** Seconds without any response. @type {FindingRule} */
export function findStalls({ load }) {
  if (!load?.stall) return [];
  const { stall, window } = load;
  const { all, outside } = stall.p99Ms;
  const isFelt = all > (outside ?? 0) * MUCH_LONGER;
  const afterMs = Math.max(0, stall.startMs - window.startMs);
  return [finding('stall', isFelt ? 'bad' : 'warn', { ...stall, afterMs })];
}

/** At first, caches fill and modules load: that is no growth. */
const WARM_UP = 0.25;
const LEAST_WARM_UP_MS = 30_000;
/**
 * Least time and number of points after the warm-up: anything less is all warm-up for a Python process. `growth` and
 * `bytes`: memory added by the end, as a share and in bytes. Allocators return memory late.
 */
const LONG = { leastMs: 50_000, points: 12, growth: 0.05, bytes: 8_000_000 };
/** In a shorter run: no Python process warms up by this much, at an even pace to the end. */
const SHORT = { leastMs: 8_000, points: 6, growth: 0.5, bytes: 50_000_000 };
/** A filling cache grows ever more slowly: the last third must keep at least this share of the whole pace. */
const STILL = 0.4;
const MOST_WORKERS = 6;

/** Workers whose memory keeps growing after the warm-up. @type {FindingRule} */
export function findMemoryGrowth({ timeline, cpu, load }) {
  if (!timeline) return [];
  const { edgesMs } = timeline;
  const growing = timeline.workers
    .flatMap(({ pid, rssBytes }) => {
      const points = rssBytes.flatMap((y, index) =>
        y === null ? [] : [{ x: ((edgesMs[index] ?? 0) + (edgesMs[index + 1] ?? 0)) / 2, y }],
      );
      const growth = measureGrowth(points);
      return growth ? [{ pid, rssBytes, ...growth }] : [];
    })
    .sort((a, b) => b.bytesPerMs - a.bytesPerMs);
  const [worst] = growing;
  if (!worst) return [];
  const requestsPerMs = load ? load.http.responses / totalLengthMs(load.windows) : 0;
  const bytesPerMs = sum(growing.map(own => own.bytesPerMs));
  const bytesPerRequest = requestsPerMs > 0 ? bytesPerMs / requestsPerMs : null;
  return [
    finding('memory-growth', 'warn', {
      workers: growing.slice(0, MOST_WORKERS).map(({ pid, start, end, ...own }) => {
        const bytesPerMin = own.bytesPerMs * 60_000;
        return { pid: nameWorker(cpu, pid), bytesPerMin, rssBytes: { start, end } };
      }),
      growing: growing.length,
      lengthMs: worst.lengthMs,
      bytesPerHour: bytesPerMs * 3_600_000,
      bytesPerRequest,
      requested: load?.endpoints.filter(({ codes }) => codes.length > 0).length ?? 0,
      isRecycled: (cpu?.workerRestarts ?? 0) > 0,
    }),
  ];
}

/**
 * @param {Points} points in order of time
 * @returns {{bytesPerMs: number, start: number, end: number, lengthMs: number} | null}
 */
function measureGrowth(points) {
  const [firstMs, lastMs] = [points[0]?.x ?? 0, points.at(-1)?.x ?? 0];
  const isShort = lastMs - firstMs < LEAST_WARM_UP_MS + LONG.leastMs;
  const limits = isShort ? SHORT : LONG;
  const fromMs = firstMs + Math.max(LEAST_WARM_UP_MS, (lastMs - firstMs) * WARM_UP);
  // A short run skips only the first requests, which load modules.
  const warm = isShort ? points.slice(2) : points.filter(({ x }) => x >= fromMs);
  const lengthMs = lastMs - (warm[0]?.x ?? lastMs);
  if (warm.length < limits.points || lengthMs < limits.leastMs) return null;
  const trend = findTrend(warm);
  const late = findTrend(warm.slice(-Math.max(4, Math.ceil(warm.length / 3))));
  if (!trend || !late || trend.p > CHANCE || late.slope < trend.slope * STILL) return null;
  const { slope, start, end } = trend;
  // A buffer that each request takes and gives back is no growth, however often it is seen: what is kept in between is.
  const third = Math.ceil(warm.length / 3);
  const leastOf = (/** @type {Points} */ some) => Math.min(...some.map(({ y }) => y));
  const kept = leastOf(warm.slice(-third)) - leastOf(warm.slice(0, third));
  if (kept < (end - start) * STILL) return null;
  if (end - start < Math.max(limits.bytes, start * limits.growth)) return null;
  return { bytesPerMs: slope, start, end, lengthMs };
}

/** How gunicorn's log explains a worker's end. @type {readonly {reason: NonNullable<FindingTable['worker-restarts']['reason']>, says: RegExp}[]} */
const REASONS = [
  { reason: 'reload', says: /Handling signal: hup|Worker reloading|Reloading\.\.\./i },
  { reason: 'timeout', says: /WORKER TIMEOUT/ },
  { reason: 'killed', says: /out of memory|SIGKILL/i },
  { reason: 'max-requests', says: /Maximum request limit|Autorestarting worker/i },
];
const MOST_TEXT = 200;

/**
 * Workers that started or ended during the measurement. Without a measurement, what the log says about them.
 * @type {FindingRule}
 */
export function findWorkerRestarts({ load, cpu, profile, logs }) {
  const { workerRestarts: restarts = null, workersLost: lost = 0 } = cpu ?? {};
  if (restarts === 0 && lost === 0) return [];
  const lines = [
    ...(logs?.workers ?? []).map(({ text }) => text),
    ...(load?.errorBursts?.flatMap(({ log }) => log.lines.map(({ text }) => text)) ?? []),
  ];
  const [found = null] = REASONS.flatMap(({ reason, says }) => {
    const line = lines.find(text => says.test(text));
    return line === undefined ? [] : [{ reason, line: line.slice(0, MOST_TEXT) }];
  });
  if (!cpu && !found) return [];
  const isUnplanned = found !== null && found.reason !== 'max-requests';
  const workers = (cpu?.workers ?? []).flatMap(({ pid, name = pid, startedInRun, endedInRun }) =>
    startedInRun || endedInRun ? [{ pid: name, startedInRun, endedInRun }] : [],
  );
  const startUp = profile?.categories.find(({ id }) => id === 'startup')?.share ?? null;
  const { reason = null, line = null } = found ?? {};
  const facts = { restarts, lost, reason, line, workers, startUp };
  return [finding('worker-restarts', isUnplanned ? 'bad' : 'warn', facts, reason)];
}
