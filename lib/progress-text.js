/** One line of progress: what a person wants to know while it runs. */
import { formatCount, formatMs, formatRate, formatSeconds } from './format.js';

/** @typedef {{samples: number, segments: number}} ProfilerStats */

/**
 * @param {import('./record/load/plugin/messages.js').LoadProgress} progress
 * @param {ProfilerStats} [profiler]
 */
export function describeLoad(progress, profiler) {
  const { phaseIndex, phaseName, phases, elapsedMs, usersActive, requestsPerSec, p95Ms, errors } =
    progress;
  const phase =
    phaseIndex < 0 ? 'starting' : `${phaseName || 'phase'} (${phaseIndex + 1}/${phases})`;
  const parts = [
    phase,
    formatSeconds(elapsedMs / 1000),
    `${usersActive} users`,
    formatRate(requestsPerSec),
    p95Ms === null ? null : `p95 ${formatMs(p95Ms)}`,
    `${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`,
    profiler ? `${formatCount(profiler.samples)} samples` : null,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** @param {number} startedMs @param {ProfilerStats} profiler */
export function describeRecording(startedMs, { samples, segments }) {
  const elapsed = formatSeconds((Date.now() - startedMs) / 1000);
  return `recording · ${elapsed} · ${formatCount(samples)} samples · ${segments} segments · Ctrl+C stops and writes the report`;
}
