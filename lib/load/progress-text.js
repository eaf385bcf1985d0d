/** Describes the progress in one line. */
import { formatDuration, formatMs, formatNumberOf, formatRate } from '../base/format.js';

/** @typedef {{samples: number, segments: number}} ProfilerStats */

/**
 * @param {import('./messages.js').LoadProgress} progress
 * @param {ProfilerStats | null} [profiler]
 */
export function describeLoad(progress, profiler) {
  const { phaseIndex, phaseName, phases, elapsedMs, usersActive, requestsPerSec, p95Ms, errors } =
    progress;
  const phase =
    phaseIndex < 0 ? 'starting' : `${phaseName || 'phase'} (${phaseIndex + 1}/${phases})`;
  const parts = [
    phase,
    formatDuration(elapsedMs),
    formatNumberOf(usersActive, 'user'),
    formatRate(requestsPerSec),
    p95Ms === null ? null : `p95 ${formatMs(p95Ms)}`,
    formatNumberOf(errors, 'error'),
    profiler ? formatNumberOf(profiler.samples, 'sample') : null,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** @param {number} startedMs @param {ProfilerStats | null} profiler null if no samples are taken */
export function describeRecording(startedMs, profiler) {
  const { samples = 0, segments = 0 } = profiler ?? {};
  const parts = [
    'recording',
    formatDuration(Date.now() - startedMs),
    profiler ? formatNumberOf(samples, 'sample') : 'no stacks',
    profiler && formatNumberOf(segments, 'segment'),
    'Ctrl+C stops and writes the report',
  ];
  return parts.filter(Boolean).join(' · ');
}
