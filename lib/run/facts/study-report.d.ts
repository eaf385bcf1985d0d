/**
 * The StudyReport: the results of a study's plan and journal, as ids and facts. `lib/text/study.js` adds the English
 * (`study.json`, the only input of renderers). Plain JSON with the conventions of the Report: units in names, shares
 * 0…1, `null` means "not known".
 */

import type { Estimate, LatencySummary } from '../../base/math/estimate.d.ts';
import type { Bottleneck } from './bottleneck.d.ts';
import type { Finding } from './findings.d.ts';
import type { Saturation } from './saturation.d.ts';
import type { Severity, Statement } from './statement.d.ts';
import type { Load, StopRule } from './study-file.d.ts';
import type { ComponentUse, StopReason } from './study-records.d.ts';

/** For statements whose id is sufficient. */
export type NoFacts = Record<string, never>;

/** The processes whose CPU time counts per transaction. */
export type CpuOf = 'workers' | 'target';

export interface StudyReport {
  schema: 'loadflame-study/2';
  generator: { name: 'loadflame'; version: string };
  createdAtMs: number;
  study: {
    name: string;
    title: string;
    question: string | null;
    isQuick: boolean;
    seed: number;
    repeats: number;
    warmUpSec: number;
    durationSec: number;
    settleSec: number;
    startedAtMs: number;
    endedAtMs: number | null;
    /** `partial`: cells are missing; `reasons` says why */
    status: 'complete' | 'partial';
    reasons: StudyReason[];
    host: { platform: string; cpus: number; cpuModel: string; memoryBytes: number } | null;
    versions: Record<string, string>;
  };
  verdict: {
    level: 'good' | 'warn' | 'bad' | 'invalid' | 'unknown';
    /** the answer to the study's question */
    headline: Statement<StudyHeadlineTable>;
    /**
     * at most five, by order of trust: problems of the measurement, latency and errors, the bottleneck, effects of
     * factors
     */
    lines: Statement<StudyLineTable>[];
  };
  load: {
    model: LoadModel;
    /** spike only: its scenario, and the constant load */
    of?: string;
    base?: number;
    unit: 'users' | 'per second' | 'at once';
    /** steps of the first variant's longest block; ascending */
    steps: number[];
    untilSaturated: boolean;
    /** when the steps end; null if all steps run */
    stopRule: StopRule | null;
  };
  /** the unit of throughput: `requests/s`, `tasks completed/s` */
  throughputLabel: string;
  factors: { name: string; values: string[] }[];
  /** the processes whose CPU time counts as the API: gunicorn's workers, or all recorded processes of the target */
  cpuOf: CpuOf;
  /** by CPU use, the highest first */
  components: { name: string }[];
  variants: VariantReport[];
  /** over `scaleOver`; one per combination of the other factors */
  scaling: Scaling[];
  /** pairs of variants that differ in exactly one factor; the largest difference first */
  comparisons: VariantComparison[];
  capacity: CapacityAnswer | null;
  findings: StudyFinding[];
  cells: CellRow[];
}

export type LoadModel = Load['model'];

/** Why a study is incomplete. */
export interface StudyReasonTable {
  'nothing-run': NoFacts;
  /** `reasons`: messages of the first three */
  'cells-failed': { cells: number; reasons: string[] };
  'cells-missing': { cells: number };
  /** the target of a variant could not be started */
  'block-failed': { message: string };
  interrupted: NoFacts;
  failed: { message: string | null };
  'not-ended': NoFacts;
}
export type StudyReason = Statement<StudyReasonTable>;

/** What limits a variant, without its evidence. */
export type NamedBottleneck = Pick<Bottleneck, 'id' | 'component'>;

export interface StudyHeadlineTable extends CapacityTable {
  /** no variant was valid; `error`: the most frequent one, if all requests failed */
  'nothing-measured': { isTried: boolean; error: { name: string; count: number } | null };
  /** the load generator limited every variant: the throughput of the target is at least this */
  'generator-limit': { mostPerSec: number; throughputLabel: string };
  spike: SpikeAnswer;
  /** the variant with the highest throughput; `variant` is null if there is only one */
  most: {
    variant: string | null;
    perSec: number | null;
    throughputLabel: string;
    /** false: a lower bound */
    isReached: boolean;
    step: number | null;
    model: LoadModel;
    bottleneck: NamedBottleneck;
  };
}

/** Short lines of the verdict; details of each are in a section of their own. */
export interface StudyLineTable
  extends Pick<
    StudyFindingTable,
    'generator-limit' | 'cells-lost' | 'background-load' | 'request-errors' | 'dropped-arrivals'
  > {
  /** for one combination of the other factors */
  scaling: Scaling;
  factor: ComparisonFacts;
}

/** What the short line of a comparison needs. */
export type ComparisonFacts = Pick<
  VariantComparison,
  | 'factor'
  | 'beforeLevel'
  | 'afterLevel'
  | 'same'
  | 'measure'
  | 'step'
  | 'steps'
  | 'relative'
  | 'call'
  | 'runs'
> & { throughputLabel: string; cpuOf: CpuOf; model: LoadModel };

/** Findings of a study; `of` is always null. */
export type StudyFinding = Statement<StudyFindingTable, { of: string | null; severity: Severity }>;

export interface StudyFindingTable {
  /** `first`: at most eight */
  'cells-lost': {
    lost: number;
    cells: number;
    reasons: StudyReason[];
    first: Pick<CellRow, 'variant' | 'step' | 'repeat' | 'outcome' | 'reason'>[];
  };
  /** the first affected step of each variant */
  'generator-limit': { of: number; variants: { label: string; step: number }[] };
  /** the worst step of each variant; the worst variant first */
  'request-errors': { variants: { label: string; step: number; errorRate: number }[] };
  /** the first step of each variant */
  'dropped-arrivals': { variants: { label: string; step: number; droppedRate: number }[] };
  /** cores that neither the target nor the generator used; the most first */
  'background-load': { variants: { label: string; cores: number }[] };
  /** which endpoints were slower while one endpoint was requested more often */
  spike: SpikeAnswer;
}

export interface VariantReport {
  id: string;
  label: string;
  factors: Record<string, string>;
  points: Point[];
  saturation: Saturation;
  /** over the steps of the plateau, like the throughput of `saturation` */
  plateau: Pick<Point, 'perBusyCore' | 'cpuMsPerTransaction'> & { steps: number[] };
  usl: UslFit;
  bottleneck: Bottleneck;
  /** bursts only */
  drain?: Drain | null;
  /** spikes only, one per step */
  spikes?: SpikeStep[];
  /** null if nothing was profiled */
  why: Why | null;
  stop: StopReason | null;
}

/** One step, over all repeats. Intervals are between repeats (Student), for three or more repeats. */
export interface Point {
  step: number;
  cells: number;
  throughputPerSec: Estimate;
  dispatchPerSec: number;
  /** one per repeat */
  values: number[];
  inFlight: number | null;
  /** of the repeat with the median p95: percentiles cannot be averaged */
  latency: LatencySummary | null;
  errorRate: number;
  skippedRate: number;
  /** burst: until all of it was completed; null: in some repeat it was not */
  drainSec?: Estimate | null;
  components: {
    name: string;
    cores: number;
    busiestCores: number;
    /** the most that it can use; null: all cores of the machine */
    mostCores: number | null;
    processes: number;
    /** all its processes together */
    threads: number;
    rssBytes: number;
    pssBytes: number | null;
  }[];
  hostCores: number | null;
  generatorCores: number | null;
  /** CPU-ms of the API's workers per transaction */
  cpuMsPerTransaction: Estimate | null;
  /** throughput ÷ cores that the API's workers used */
  perBusyCore: Estimate | null;
  isGeneratorLimit: boolean;
}

export interface UslFit {
  state: 'fitted' | 'too-few-points' | 'no-fit';
  /** number of steps in the fit, and the number required */
  points: number;
  leastPoints: number;
  /** the largest N measured */
  largestN: number | null;
  lambda: Estimate | null;
  sigma: Estimate | null;
  kappa: Estimate | null;
  /** N at the peak; null: no peak observed */
  nMax: Estimate | null;
  xMax: Estimate | null;
  /** no prediction beyond this N (twice the largest measured N) */
  validToN: number | null;
}

/** The largest burst that queued: how fast it was accepted and completed, and when it ended. */
export interface Drain {
  step: number;
  dispatchPerSec: number;
  completionPerSec: Estimate;
  drainSec: Estimate | null;
}

/** The effect of one endpoint's spike on the others. */
export interface SpikeStep {
  step: number;
  /** the endpoint of the spike */
  endpoint: string;
  /**
   * true: endpoints that are not victims were not affected. False: the reports of the runs cannot be read or show no
   * such spike, other programs took CPU, there is no other endpoint, or an endpoint had too few responses
   */
  isJudged: boolean;
  endpoints: {
    name: string;
    /** according to the reports of more than half of the repeats */
    isVictim: boolean;
    /** of the median repeat */
    p95Ms: { before: number | null; during: number | null; after: number | null };
    /** during the spike */
    errorRate: number;
  }[];
}

/** For each variant: the first step whose spike affected other endpoints, and which; and the highest step. */
export interface SpikeAnswer {
  endpoint: string;
  variants: {
    /** null if nothing is varied */
    label: string | null;
    mostStep: number;
    felt: { step: number; victims: SpikeStep['endpoints'] } | null;
    /** true for all its steps */
    isJudged: boolean;
  }[];
}

export interface Why {
  /** folder of the profiled cell, relative to that of the study */
  folder: string;
  step: number;
  categories: { id: string; label: string; color: string; share: Estimate; cpuMs: number | null }[];
  /** the most important finding about its code */
  cause: Finding | null;
}

export interface Scaling {
  /** the other factors, `cache redis`; empty if there are none */
  label: string;
  factors: Record<string, string>;
  over: string;
  points: {
    value: number;
    variant: string;
    throughputPerSec: Estimate;
    /** X(k) ÷ (k ÷ k₀ · X(k₀)), where k₀ is the smallest value */
    efficiency: Estimate;
    /** relative to the previous point; null for the first */
    gain: Estimate | null;
    bottleneck: NamedBottleneck;
  }[];
  /** the value above which throughput rises by less than `leastGain` per doubling; null: not observed */
  worthUpTo: number | null;
  leastGain: number;
}

export interface VariantComparison {
  factor: string;
  before: string;
  after: string;
  /** values of the factor, and the shared values of the other factors */
  beforeLevel: string;
  afterLevel: string;
  same: Record<string, string>;
  measure: 'throughputPerSec' | 'perBusyCore' | 'cpuMsPerTransaction' | 'p95Ms';
  /** the step of the comparison; null: over `steps` of both plateaus */
  step: number | null;
  /** the steps that each side's value covers: the same steps on both sides, if possible */
  steps: [number[], number[]];
  beforeValue: number | null;
  afterValue: number | null;
  /** after ÷ before − 1 */
  relative: Estimate | null;
  p: number | null;
  /** `none`: no significant difference, or not known */
  call: 'better' | 'worse' | 'none';
  /** number of repeats per side */
  runs: [number, number];
  /** closed-loop users who completed nothing, if so many that latency describes only the others */
  unserved: { users: number; of: number } | null;
}

export interface CapacityAnswer {
  /** `refused`: the generator was the limit, or nothing was valid */
  state: 'answered' | 'refused';
  ratePerSec: number | null;
  p95Ms: number | null;
  headroom: number;
  variants: VariantCapacity[];
  answer: Statement<CapacityTable>;
}

export interface VariantCapacity {
  variant: string;
  /** the highest rate within the objective, measured or interpolated between steps, never extrapolated */
  capacityPerSec: Estimate | null;
  /** after headroom */
  usablePerSec: number | null;
  /** whether `usablePerSec` reaches the rate; null without a rate */
  enough: boolean | null;
  /** number of machines or pods of this size that the rate needs */
  needed: number | null;
  step: number | null;
  /** `at-least`: the highest step is within the objective, and throughput still rises there */
  basis: 'measured' | 'interpolated' | 'at-least' | 'none' | 'generator-limited' | 'unknown';
  /** the first step outside the objective */
  broken: { step: number; p95Ms: number | null; errorRate: number } | null;
}

interface CapacityFacts {
  ratePerSec: number | null;
  p95Ms: number | null;
  errors: number | null;
  headroom: number;
  throughputLabel: string;
  /** null if nothing is varied */
  variant: string | null;
  bottleneck: NamedBottleneck;
  /** the load generator ran on the same machine */
  isShared: boolean;
}

export interface CapacityTable {
  /** the cheapest sufficient variant */
  'capacity-enough': CapacityFacts & { usablePerSec: number };
  /** the variant with the highest capacity; `isAtMost`: its capacity is a lower bound */
  'capacity-not-enough': CapacityFacts & {
    usablePerSec: number;
    needed: number;
    isAtMost: boolean;
  };
  /** the variant with the highest capacity, if the objective has no rate */
  'capacity-most': CapacityFacts & { capacity: VariantCapacity };
  'capacity-unknown': Omit<CapacityFacts, 'variant' | 'bottleneck' | 'isShared'> & {
    variants: VariantCapacity[];
  };
}

export interface CellRow {
  variant: string;
  repeat: number;
  step: number;
  kind: 'measure' | 'profile';
  /** relative to the study's folder; null if the cell failed before it had one */
  folder: string | null;
  outcome: 'measured' | 'failed' | 'missing';
  reason: string | null;
  throughputPerSec: number | null;
  /** successful responses */
  dispatchPerSec: number | null;
  /** of a burst that was completed in time */
  drainSec: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  errorRate: number | null;
  components: ComponentUse[];
  hostCores: number | null;
}
