import { formatMs, formatPercent, formatRoughShare } from '../../format.js';
import { findTrend } from '../trend.js';

/** Workers that use less than this of a core each are no reason for a queue. */
const IDLE_CORES = 0.6;
/** A rise that is worth a word: by half, and by more than a machine's noise. */
const GROWTH = 1.5;
const LEAST_MS = 20;
const CHANCE = 0.001;
const LEAST_WINDOWS = 8;

/** Answers that get slower while CPU is idle: a queue that no profile of CPU shows. @type {import('./index.js').FindingRule} */
export function findRisingLatency({ profile, timeline }) {
  const cores = profile?.workers.flatMap(worker => worker.cores ?? []) ?? [];
  const mean = cores.reduce((sum, n) => sum + n, 0) / cores.length;
  if (!timeline?.load || cores.length === 0 || mean >= IDLE_CORES) return [];
  const { edgesMs } = timeline;
  const points = timeline.load.p50Ms.flatMap((y, index) =>
    y === null ? [] : [{ x: edgesMs[index] ?? 0, y }],
  );
  if (points.length < LEAST_WINDOWS) return [];
  const trend = findTrend(points);
  if (!trend || trend.p > CHANCE) return [];
  // A line through a curve can start below what was ever seen.
  const start = Math.max(trend.start, Math.min(...points.map(({ y }) => y)));
  if (trend.end < start * GROWTH || trend.end - start < LEAST_MS) return [];
  const { waits = null } = profile ?? {};
  const kind = waits?.kinds.find(({ id }) => id !== 'cpu');
  const isFull = waits?.slots != null && waits.busySlots >= waits.slots * 0.9;
  return [
    {
      id: 'rising-latency',
      severity: 'warn',
      title: `Answers got slower while CPU was idle: half of them took ${formatMs(start)} at the start and ${formatMs(trend.end)} at the end.`,
      detail: isFull
        ? `All ${waits?.slots} threads of the workers are taken, so requests queue before they are served (in the listen backlog), where nothing but latency shows it.`
        : 'Requests queue where they use no CPU: at the database, at another service, or before a thread is free for them (in the listen backlog).',
      evidence: [
        { label: 'worker CPU', value: `${formatPercent(mean)} of a core each` },
        { label: 'chance of such a rise by accident', value: '< 0.1 %' },
        ...(kind
          ? [{ label: `time of requests: ${kind.label}`, value: formatRoughShare(kind.share) }]
          : []),
        ...(waits?.slots != null
          ? [{ label: 'threads taken', value: `${waits.busySlots.toFixed(1)} of ${waits.slots}` }]
          : []),
      ],
      advice: isFull
        ? 'Add threads or workers, or make what they wait for shorter.'
        : 'Look at the database and at called services over the same time: connections in use, locks, slow queries.',
      link: 'timeline',
    },
  ];
}
