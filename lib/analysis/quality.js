/** How far the numbers can be trusted: each check says what it measured and what it means. */
import { formatDuration, formatMs, formatPercent } from '../format.js';

/** Below this many active samples shares are too coarse to rank anything but the biggest. */
const FEW_SAMPLES = 500;
/** Unsampled share of the recording. */
const MUCH_UNSAMPLED = 0.05;
/** Samples that py-spy could not take. */
const MANY_ERRORS = 0.02;
/** Active samples ÷ CPU time; above it the workers waited for a core most of the time. */
const CROWDED = 2;
/** Below this, whole milliseconds are a coarse measure. */
const COARSE_MS = 10;
/** Difference between our per-second counts and Artillery's own. */
const COUNT_TOLERANCE = 0.005;

/**
 * @param {Pick<import('./report.d.ts').Report, 'run' | 'load' | 'profile'>} facts
 * @param {{torn: number, artilleryRequests: number | null}} data lines that were cut off; Artillery's
 *   own count of requests, where it gave one
 * @returns {import('./report.d.ts').QualityItem[]}
 */
export function judgeQuality({ run, load, profile }, { torn, artilleryRequests }) {
  /** @type {import('./report.d.ts').QualityItem[]} */
  const items = [];
  /** @param {string} id @param {'ok' | 'warn' | 'bad'} level @param {string} text */
  const add = (id, level, text) => items.push({ id, level, text });

  for (const reason of run.reasons) add('partial', 'warn', `Partial: ${reason}.`);
  if (torn > 0) add('torn', 'warn', `${torn} records were cut off when a recorder was killed.`);
  if (profile) judgeProfile(profile, add);
  if (load) judgeLoad(load, artilleryRequests, add);
  return items;
}

/**
 * @param {import('./report.d.ts').ProfileReport} profile
 * @param {(id: string, level: 'ok' | 'warn' | 'bad', text: string) => void} add
 */
function judgeProfile(profile, add) {
  const { samples, segments, cpu, window } = profile;
  add(
    'samples',
    samples.active === 0 ? 'bad' : samples.active < FEW_SAMPLES ? 'warn' : 'ok',
    `${samples.active} active samples carry the shares; ${samples.waiting} more were recognised as waiting and taken out${samples.active < FEW_SAMPLES ? `: fewer than ${FEW_SAMPLES}, so only the largest shares mean anything. Record longer or send more load` : ''}.`,
  );
  if (segments && window) {
    const lengthMs = Math.max(1, window.endMs - window.startMs);
    const share = segments.unsampledMs / lengthMs;
    const lost = segments.lost > 0 ? `, ${segments.lost} lost` : '';
    add(
      'segments',
      segments.lost > 0 || share > MUCH_UNSAMPLED ? 'warn' : 'ok',
      `${segments.count} profile segments${lost}; at least ${formatMs(segments.unsampledMs)} (${formatPercent(share)}) were not sampled. Gaps inside a hand-over, 20 ms as a rule, are not seen.`,
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

/**
 * @param {import('./report.d.ts').LoadReport} load
 * @param {number | null} artilleryRequests
 * @param {(id: string, level: 'ok' | 'warn' | 'bad', text: string) => void} add
 */
function judgeLoad(load, artilleryRequests, add) {
  const { requests } = load.http;
  if (artilleryRequests !== null) {
    const off = Math.abs(artilleryRequests - requests) / Math.max(1, artilleryRequests);
    add(
      'counts-agree',
      off > COUNT_TOLERANCE ? 'warn' : 'ok',
      `Requests per second add up to ${requests}; Artillery itself counted ${artilleryRequests}.`,
    );
  }
  checkLittlesLaw(load, add);
  const median = load.http.timeToFirstByte?.p50Ms ?? null;
  if (median !== null && median < COARSE_MS) {
    add(
      'coarse-clock',
      'warn',
      `Half of the answers came within ${formatMs(median)}, and Artillery times them in whole milliseconds: differences of a few milliseconds mean nothing.`,
    );
  }
}

/**
 * Little's law N = X·R as a test of the data: users at work can't be fewer than requests in flight.
 * @param {import('./report.d.ts').LoadReport} load
 * @param {(id: string, level: 'ok' | 'warn' | 'bad', text: string) => void} add
 */
function checkLittlesLaw(load, add) {
  const latency = load.http.totalTime ?? load.http.timeToFirstByte;
  const users = load.seconds.flatMap(({ usersActive }) => usersActive ?? []);
  if (!latency || users.length === 0) return;
  const inFlight = (load.http.meanRatePerSec * latency.meanMs) / 1000;
  const meanUsers = users.reduce((sum, n) => sum + n, 0) / users.length;
  if (meanUsers < 1 || users.length < 5) return;
  const holds = inFlight <= meanUsers * 1.2;
  add(
    'littles-law',
    holds ? 'ok' : 'warn',
    `Little's law: ${load.http.meanRatePerSec.toFixed(1)} requests/s × ${(latency.meanMs / 1000).toFixed(3)} s = ${inFlight.toFixed(2)} requests in flight, for ${meanUsers.toFixed(1)} users at work on average${holds ? '' : ': more than there were users, so rate, latency or users are wrong'}.`,
  );
}
