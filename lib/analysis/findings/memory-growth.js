import { formatBytes, formatDuration } from '../../format.js';
import { findTrend } from '../trend.js';

/** Caches fill and modules are loaded at first: that is no growth. */
const WARM_UP = 0.25;
const LEAST_WARM_UP_MS = 30_000;
/** After that, so long and so many points: less is all warm-up to a Python process. */
const LEAST_MS = 50_000;
const LEAST_POINTS = 12;
/** So much more memory at the end, of what it was and in bytes: allocators give back late. */
const GROWTH = 0.05;
const LEAST_BYTES = 8_000_000;
const CHANCE = 0.001;
/** A cache that fills grows ever slower: the last third must still do so much of the whole's pace. */
const STILL = 0.4;

/** @typedef {{x: number, y: number}[]} Points */

/** Workers whose memory goes on growing after the warm-up. @type {import('./index.js').FindingRule} */
export function findMemoryGrowth({ timeline, profile }) {
  if (!timeline) return [];
  const { edgesMs } = timeline;
  const growing = timeline.workers.flatMap(({ pid, rssBytes }) => {
    const points = rssBytes.flatMap((y, index) =>
      y === null ? [] : [{ x: ((edgesMs[index] ?? 0) + (edgesMs[index + 1] ?? 0)) / 2, y }],
    );
    const growth = measureGrowth(points);
    return growth ? [{ pid, ...growth }] : [];
  });
  const worst = growing.toSorted((a, b) => b.bytesPerMs - a.bytesPerMs)[0];
  if (!worst) return [];
  const perMinute = worst.bytesPerMs * 60_000;
  const all = growing.reduce((sum, { bytesPerMs }) => sum + bytesPerMs, 0) * 3_600_000;
  return [
    {
      id: 'memory-growth',
      severity: 'warn',
      title: `Memory of ${growing.length === 1 ? 'a worker grows' : `${growing.length} workers grows`} all the time: ${formatBytes(perMinute)} a minute, from ${formatBytes(worst.start)} to ${formatBytes(worst.end)} in ${formatDuration(worst.lengthMs)}.`,
      detail: `The warm-up is left out, and the last third grows as the rest did. At this pace ${growing.length === 1 ? 'it' : 'they'} would take ${formatBytes(all)} more in an hour under this load.`,
      evidence: growing.slice(0, 6).map(({ pid, bytesPerMs, start, end }) => ({
        label: `worker ${pid}`,
        value: `${formatBytes(start)} → ${formatBytes(end)}, ${formatBytes(bytesPerMs * 60_000)} a minute`,
      })),
      advice:
        `Look for what is kept per request (module-level lists and dictionaries, unbounded caches); \`tracemalloc\` shows where it was made. ${profile?.workerRestarts ? '' : '`--max-requests` with jitter limits the harm until then.'}`.trim(),
      link: 'timeline',
    },
  ];
}

/**
 * @param {Points} points in order of time
 * @returns {{bytesPerMs: number, start: number, end: number, lengthMs: number} | null}
 */
function measureGrowth(points) {
  const [firstMs, lastMs] = [points[0]?.x ?? 0, points.at(-1)?.x ?? 0];
  const fromMs = firstMs + Math.max(LEAST_WARM_UP_MS, (lastMs - firstMs) * WARM_UP);
  const warm = points.filter(({ x }) => x >= fromMs);
  const lengthMs = lastMs - (warm[0]?.x ?? lastMs);
  if (warm.length < LEAST_POINTS || lengthMs < LEAST_MS) return null;
  const trend = findTrend(warm);
  const late = findTrend(warm.filter(({ x }) => x >= lastMs - lengthMs / 3));
  if (!trend || !late || trend.p > CHANCE || late.slope < trend.slope * STILL) return null;
  const { slope, start, end } = trend;
  if (end - start < Math.max(LEAST_BYTES, start * GROWTH)) return null;
  return { bytesPerMs: slope, start, end, lengthMs };
}
