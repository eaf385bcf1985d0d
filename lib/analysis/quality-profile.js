/** How far a profile can be trusted. */
import { formatDuration, formatMs, formatNumberOf, formatPercent } from '../format.js';

/** Below this many active samples shares are too coarse to rank anything but the biggest. */
const FEW_SAMPLES = 500;
/** Unsampled share of the recording. */
const MUCH_UNSAMPLED = 0.05;
/** Samples that py-spy could not take. */
const MANY_ERRORS = 0.02;
/** Active samples ÷ CPU time; above it the workers waited for a core most of the time. */
const CROWDED = 2;

/**
 * @param {import('./report.d.ts').ProfileReport} profile
 * @param {import('./quality.js').Add} add
 */
export function judgeProfile(profile, add) {
  const { samples, segments, cpu, window, overhead } = profile;
  add(
    'samples',
    samples.active === 0 ? 'bad' : samples.active < FEW_SAMPLES ? 'warn' : 'ok',
    `${samples.active} active samples carry the shares; ${samples.waiting} more were recognised as waiting and taken out${samples.active < FEW_SAMPLES ? `: fewer than ${FEW_SAMPLES}, so only the largest shares mean anything. Record longer or send more load` : ''}.`,
  );
  if (segments && window) {
    const lengthMs = Math.max(1, window.endMs - window.startMs);
    const share = segments.unsampledMs / lengthMs;
    const paused =
      segments.pausedMs > 0
        ? `, paused for ${formatDuration(segments.pausedMs)} to measure what it costs`
        : '';
    const lost = segments.lost > 0 ? `, ${segments.lost} lost` : '';
    add(
      'segments',
      segments.lost > 0 || share > MUCH_UNSAMPLED ? 'warn' : 'ok',
      `${formatNumberOf(segments.count, 'profile segment')}${lost}${paused}; at least ${formatMs(segments.unsampledMs)} (${formatPercent(share)}) were not sampled. Gaps inside a hand-over, 20 ms as a rule, are not seen.`,
    );
    const errorShare = segments.errors / Math.max(1, samples.recorded + segments.errors);
    if (segments.errors > 0) {
      add(
        'sampling-errors',
        errorShare > MANY_ERRORS ? 'warn' : 'ok',
        `py-spy could not take ${segments.errors} samples (${formatPercent(errorShare)}).`,
      );
    }
    if (segments.lateMs > 1000) {
      add(
        'late',
        'warn',
        `py-spy was up to ${formatDuration(segments.lateMs)} behind: this machine is overloaded; lower PROFILE_RATE.`,
      );
    }
  }
  if (overhead) {
    const isKnown = overhead.cpuPerRequest !== null;
    add('overhead', isKnown ? 'ok' : 'warn', overhead.text);
  }
  if (!window) {
    add(
      'no-times',
      'warn',
      'The file tells no times, so how samples hang together can not be seen: intervals take them as independent and are too narrow.',
    );
  }
  if (cpu.samplesToCpu !== null) {
    add(
      'samples-to-cpu',
      cpu.samplesToCpu > CROWDED ? 'warn' : 'ok',
      `Active samples amount to ${cpu.samplesToCpu.toFixed(2)} × the CPU time of the workers (1 is ideal; above it they were runnable but waited for a core or the GIL). Totals come from CPU time, samples only split them.`,
    );
  } else if (cpu.basis === 'samples-upper-bound') {
    add(
      'cpu-unknown',
      'warn',
      'CPU time of the processes is not known: milliseconds per request are upper bounds from samples.',
    );
  } else {
    add(
      'cpu-unknown',
      'warn',
      'CPU time per request is not known for this profile: only shares are given.',
    );
  }
}
