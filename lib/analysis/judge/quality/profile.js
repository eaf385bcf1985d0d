/** How far to trust a profile and its idle samples. */
import { listPresent } from '../../../base/files/maps.js';
import { THRESHOLDS } from '../../bottleneck/thresholds.js';
import { CROWDED } from '../../profile/analyse-profile.js';
import { qualityItem } from '../statements.js';

/** @import { CpuUse, ProfileReport } from '../../../run/facts/profile-report.d.ts' */
/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { QualityData } from '../statements.js' */
/** @import { Throttled } from '../../profile/throttling.js' */
/** @import { QualityItem } from '../../../run/facts/quality.d.ts' */

/** Below this many active samples, shares are too coarse to rank anything but the largest. */
export const FEW_SAMPLES = 500;
/** Unsampled share of the recording. */
const MUCH_UNSAMPLED = 0.05;
/** Failed samples. The intervals account for them; above this share, an interval can contain almost anything. */
const MANY_ERRORS = 0.05;
/** Share of a worker's time in which py-spy stops it. Above it, latencies show the profiler. */
const LONG_PAUSES = 0.05;
/** If py-spy is further behind its schedule, the machine is overloaded. */
const LATE_MS = 1000;
/** Samples in lines whose source was not found: C code called there has no name. */
const MUCH_UNREAD = 0.2;
/** With fewer idle samples, only what nearly all threads do is known. */
const FEW_IDLE_SAMPLES = 50;

/**
 * @param {ProfileReport} profile
 * @param {Partial<Pick<Report, 'cpu' | 'costs'>>} facts
 * @param {Pick<QualityData, 'waitsLost' | 'throttling'>} data
 * @returns {QualityItem[]}
 */
export function judgeProfile(profile, { cpu = null, costs = null }, { waitsLost, throttling }) {
  const { active, waiting } = profile.samples;
  const leastSamples = active < FEW_SAMPLES ? FEW_SAMPLES : null;
  const level = active === 0 ? 'bad' : leastSamples ? 'warn' : 'ok';
  const share = profile.unreadShare ?? 0;
  return listPresent(
    qualityItem('samples', level, { active, waiting, leastSamples }),
    ...judgeSegments(profile, throttling.generator, cpu),
    judgeCpu(cpu),
    share > MUCH_UNREAD && qualityItem('lines-unread', 'warn', { share }),
    ...judgeWaits(profile, waitsLost, costs?.basis === 'companion'),
  );
}

/** @param {ProfileReport} profile @param {Throttled | null} quota @param {CpuUse | null} cpu */
function judgeSegments({ samples, segments, window, profiler }, quota, cpu) {
  const isHeldBack = quota !== null && quota.share > THRESHOLDS.throttledOften;
  const quotaCores = isHeldBack ? quota.quotaCores : null;
  if (!segments || !window) return window ? [] : [qualityItem('no-times', 'warn', {})];
  const { count, lost, unsampledMs, errors, lateMs } = segments;
  const share = samples.failedShare;
  const unsampledShare = unsampledMs / Math.max(1, window.endMs - window.startMs);
  const isWorse = lost > 0 || unsampledShare > MUCH_UNSAMPLED;
  const isOften = share > MANY_ERRORS;
  const isWhole = profiler?.hasTimes ?? false;
  const ofSegments = { count, lost, unsampledMs, unsampledShare, isWhole };
  return listPresent(
    profiler && qualityItem('profiler', 'ok', profiler),
    qualityItem('segments', isWorse ? 'warn' : 'ok', ofSegments),
    errors > 0 && qualityItem('sampling-errors', isOften ? 'warn' : 'ok', { errors, share }),
    profiler?.pausesTarget && judgePauses(cpu),
    lateMs > LATE_MS && qualityItem('late', 'warn', { lateMs, quotaCores }),
  );
}

/** py-spy stops a worker no longer than it calculates itself. @param {CpuUse | null} cpu */
function judgePauses(cpu) {
  const { pySpyCores = null, processes = null } = cpu ?? {};
  const share = pySpyCores === null || !processes ? null : pySpyCores / processes;
  return qualityItem('pausing', share === null || share > LONG_PAUSES ? 'warn' : 'ok', { share });
}

/** @param {CpuUse | null} cpu */
function judgeCpu(cpu) {
  const { samplesToCpu: ratio = null, basis = 'none' } = cpu ?? {};
  const isCrowded = ratio !== null && ratio > CROWDED;
  if (ratio !== null)
    return qualityItem('samples-to-cpu', isCrowded ? 'warn' : 'ok', { ratio, isCrowded });
  return qualityItem('cpu-unknown', 'warn', { isUpperBound: basis === 'samples-upper-bound' });
}

/** @param {ProfileReport} profile @param {string[]} waitsLost @param {boolean} hasCompanion */
function judgeWaits({ waits }, [reason], hasCompanion) {
  const { looks: samples = 0, rateHz = 0, suspended } = waits ?? {};
  const isFew = samples < FEW_IDLE_SAMPLES;
  return listPresent(
    reason !== undefined && qualityItem('waits-lost', 'warn', { isAll: !waits, reason }),
    waits && qualityItem('idle-samples', isFew ? 'warn' : 'ok', { samples, rateHz, isFew }),
    suspended === null && qualityItem('awaits-unknown', 'warn', { hasCompanion }),
  );
}

/** What could not be read of a profile, or is not what it seems. @param {ProfileReport} profile @returns {QualityItem[]} */
export function judgeReading({ reading }) {
  if (!reading) return [];
  const { entries, skipped, example, isDifference, names } = reading;
  return listPresent(
    skipped > 0 && qualityItem('unread', 'warn', { entries, skipped, example }),
    isDifference && qualityItem('difference', 'warn', {}),
    names !== 'paths' && qualityItem('frame-names', 'warn', { names }),
  );
}
