/** How far to trust the numbers, as statements about what was measured and what went wrong. */

import type { Estimate } from '../../base/math/estimate.d.ts';
import type { GeneratorSign, Steered } from './load-report.d.ts';
import type { ProfileReport } from './profile-report.d.ts';
import type { MergedClock } from './records.d.ts';
import type { Statement } from './statement.d.ts';
import type { InvalidReason } from './validity.d.ts';

export interface QuotaFacts {
  quotaCores: number;
  /** share of the quota's periods in which it was exhausted */
  share: number;
  throttledMs: number;
  /** often enough to matter (for a generator: long enough) */
  isOften: boolean;
}

/** What a warm-up measured on this machine and target. */
export interface WarmUp {
  /** new users per second at saturation */
  takenPerSec: number;
  /** the rate that is sent */
  ratePerSec: number;
  /** a load that the target can easily serve yields too few samples for a profile */
  isSmall: boolean;
  /** the settings of the load that is sent */
  settings: Record<string, string>;
}

export interface QualityTable {
  'warm-up': Omit<WarmUp, 'settings'>;
  invalid: { reason: InvalidReason };
  /** the load was changed on the live page */
  steered: { turns: Steered[] };
  torn: { records: number };
  /** `leastSamples`: the number that shares need; null if there are enough */
  samples: { active: number; waiting: number; leastSamples: number | null };
  segments: {
    count: number;
    lost: number;
    unsampledMs: number;
    /** share of the recording */
    unsampledShare: number;
    /** the recorder runs continuously, without a restart for each segment */
    isWhole: boolean;
  };
  profiler: NonNullable<ProfileReport['profiler']>;
  'sampling-errors': { errors: number; share: number };
  /** py-spy pauses the target for each sample: at most this share of a worker's time; null if unknown */
  pausing: { share: number | null };
  /** `quotaCores`: a CPU quota of the recorder that was exhausted meanwhile */
  late: { lateMs: number; quotaCores: number | null };
  'no-times': Record<string, never>;
  unread: Pick<NonNullable<ProfileReport['reading']>, 'entries' | 'skipped' | 'example'>;
  difference: Record<string, never>;
  'frame-names': { names: 'files' | 'functions' };
  'samples-to-cpu': { ratio: number; isCrowded: boolean };
  'cpu-unknown': { isUpperBound: boolean };
  /** share of the active samples */
  'lines-unread': { share: number };
  /**
   * of `count` responses; `share` of the CPU that first requests use beyond what later ones do; null: too few came later.
   * `perRequestMs`: of all
   */
  'first-requests': { count: number; share: number | null; perRequestMs: number };
  'waits-lost': { isAll: boolean; reason: string };
  'awaits-unknown': { hasCompanion: boolean };
  /**
   * `cores` used without requests; `share` of the CPU time under load; `perRequest`: CPU-ms per request without it,
   * set if the idle share is so large that the figure is doubtful
   */
  'idle-cpu': { cores: Estimate; share: number; perRequest: Estimate | null };
  /** of the companion; `seen`: what stacks show all the same */
  'no-calls': { responses: number; seen: 'database' | 'service' | null };
  'idle-unknown': { cores: number };
  'idle-samples': { samples: number; rateHz: number; isFew: boolean };
  'trusts-anyone': Record<string, never>;
  /** names of counters and histograms */
  'own-metrics': { own: string[] };
  'cluster-trusts-anyone': Record<string, never>;
  'counts-agree': { requests: number; totalRequests: number };
  /** fewer than show how a target responds under load */
  'few-responses': { count: number };
  /** of a load: whether its generator kept up, and whether its machine had idle CPU */
  'not-checked': { unchecked: ('generator' | 'machine')[]; engine: string };
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
  /** `leastAbove`: responses that a percentile needs above it; null if p99 has enough */
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

/** Whether the measurement can be trusted. */
export interface Reliability {
  level: 'valid' | 'doubtful' | 'invalid';
  /** from `quality`, the most serious first; empty if the run is valid */
  reasons: QualityItem[];
}
