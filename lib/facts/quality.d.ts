/** How far the numbers can be trusted, as statements: what was measured, and whether it is as it should be. */

import type { Estimate } from './estimate.d.ts';
import type { GeneratorSign } from './load-report.d.ts';
import type { ProfileReport } from './profile-report.d.ts';
import type { MergedClock } from './records.d.ts';
import type { Statement } from './statement.d.ts';
import type { InvalidReason } from './validity.d.ts';

export interface QuotaFacts {
  quotaCores: number;
  /** of the quota's periods, in which it ran out */
  share: number;
  throttledMs: number;
  /** often (a generator: long) enough to matter */
  isOften: boolean;
}

/** What a warm-up found out of machine and target. */
export interface WarmUp {
  /** new users per second at saturation */
  takenPerSec: number;
  /** that are sent */
  ratePerSec: number;
  /** no load that it takes with ease gives a profile enough samples */
  isSmall: boolean;
  /** the load that is sent */
  settings: Record<string, string>;
}

export interface QualityTable {
  'warm-up': Omit<WarmUp, 'settings'>;
  invalid: { reason: InvalidReason };
  torn: { records: number };
  /** `leastSamples`: what shares need; null where there are enough */
  samples: { active: number; waiting: number; leastSamples: number | null };
  segments: {
    count: number;
    lost: number;
    unsampledMs: number;
    /** of the recording */
    unsampledShare: number;
    /** no hand-overs from one segment to the next */
    isWhole: boolean;
  };
  profiler: NonNullable<ProfileReport['profiler']>;
  'sampling-errors': { errors: number; share: number };
  /** py-spy stopped the target for each sample */
  pausing: Record<string, never>;
  /** `quotaCores`: a CPU quota of the recorder that ran out meanwhile */
  late: { lateMs: number; quotaCores: number | null };
  'no-times': Record<string, never>;
  'samples-to-cpu': { ratio: number; isCrowded: boolean };
  'cpu-unknown': { isUpperBound: boolean };
  /** of the active samples */
  'lines-unread': { share: number };
  'waits-lost': { isAll: boolean; reason: string };
  'awaits-unknown': { hasCompanion: boolean };
  /**
   * `cores` without requests; `share` of the CPU time in the load; `perRequest`: what is left, in CPU-ms, where so much
   * is idle that it is doubtful
   */
  'idle-cpu': { cores: Estimate; share: number; perRequest: Estimate | null };
  'idle-unknown': { cores: number };
  'idle-samples': { samples: number; rateHz: number; isFew: boolean };
  'trusts-anyone': Record<string, never>;
  'cluster-trusts-anyone': Record<string, never>;
  'counts-agree': { requests: number; totalRequests: number };
  'generator-unknown': { engine: string };
  'generator-limit': { sign: GeneratorSign };
  'generator-paused': { sign: GeneratorSign };
  generator: { utilizationMax: number; cores: number | null; lagP99Ms: number | null };
  'coordinated-omission': {
    percent: 95 | 99;
    intendedMs: number;
    actualMs: number;
    matters: boolean;
  };
  'littles-law': {
    windows: number;
    windowSec: number;
    inFlight: number;
    users: number;
    holds: boolean;
  };
  'coarse-clock': { medianMs: number };
  'full-machine': { hostCores: number; cpus: number };
  'dropped-arrivals': { dropped: number; arrivals: number };
  /** `leastAbove`: responses that a percentile needs above it; null where p99 has enough */
  responses: { count: number; aboveP99: number; aboveP95: number; leastAbove: number | null };
  'throttled-generator': QuotaFacts;
  'throttled-target': QuotaFacts;
  'merged-clock': MergedClock;
  'log-ended': { message: string };
  'log-clock': { name: string; aheadMs: number };
  'log-left-out': { name: string; records: number; leftOut: number };
}

export type QualityLevel = 'ok' | 'warn' | 'bad';
export type QualityItem = Statement<QualityTable, { level: QualityLevel }>;

/** Is the measurement to be believed? */
export interface Reliability {
  level: 'valid' | 'doubtful' | 'invalid';
  /** of `quality`, the gravest first; none where it is valid */
  reasons: QualityItem[];
}
