/**
 * The StudyReport (`study.json`): what analysis makes of a study, and all that its renderers get to see.
 * Plain JSON with the rules of the Report: units in names, shares 0…1, `null` is "not known".
 */
import type { Estimate, Finding, LatencySummary, Severity } from '../analysis/report.d.ts';
import type { StopReason } from './study-records.d.ts';

export interface StudyReport {
  schema: 'loadflame-study/1';
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
    reasons: string[];
    /** times it was taken up again */
    resumed: number;
    host: { platform: string; cpus: number; cpuModel: string; memoryBytes: number } | null;
    versions: Record<string, string>;
  };
  verdict: {
    level: 'good' | 'warn' | 'bad' | 'invalid' | 'unknown';
    /** one sentence that answers the study's question */
    headline: string;
    /** up to six: where it stops scaling, on what, what the factors change, the capacity answer */
    sentences: string[];
  };
  load: {
    model: 'closed' | 'open';
    unit: 'users' | 'per second';
    /** of the first variant's longest block; ascending */
    steps: number[];
    untilSaturated: boolean;
    /** in words */
    stopRule: string | null;
  };
  /** what throughput counts: `requests/s`, `tasks completed/s` */
  throughputLabel: string;
  factors: { name: string; values: string[] }[];
  /** components in the order of the most CPU used, with labels */
  components: { name: string; label: string }[];
  variants: VariantReport[];
  /** over `scaleOver`; one per combination of the other factors */
  scaling: Scaling[];
  /** pairs of variants that differ in one factor only; the biggest first */
  comparisons: VariantComparison[];
  capacity: CapacityAnswer | null;
  findings: Finding[];
  cells: CellRow[];
}

export interface VariantReport {
  id: string;
  label: string;
  factors: Record<string, string>;
  points: Point[];
  saturation: Saturation;
  usl: UslFit;
  /** what each transaction costs of each component: U = X·D at the plateau */
  demands: ServiceDemand[];
  limit: StudyLimit;
  fairness: Fairness[];
  backlog: Backlog | null;
  /** null where nothing was profiled */
  why: Why | null;
  /** Little's law at each point: `N = X·R holds within 3 % at all 6 steps` */
  little: { text: string; worstShare: number | null };
  stop: StopReason | null;
}

/** One step, over all repeats. Intervals are between repeats (Student) with three or more, else within the run. */
export interface Point {
  step: number;
  cells: number;
  throughputPerSec: Estimate;
  dispatchPerSec: number;
  intervalOf: 'repeats' | 'within-run' | 'none';
  /** of each repeat */
  values: number[];
  inFlight: number | null;
  /** of the repeat whose p95 is in the middle: percentiles are not averaged */
  latency: LatencySummary | null;
  errorRate: number;
  redirectRate: number;
  skippedRate: number;
  components: {
    name: string;
    cores: number;
    busiestCores: number;
    processes: number;
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

export interface Saturation {
  /** `reached`: more load brings no more; `not-reached`; `unknown`: too few steps or invalid */
  state: 'reached' | 'not-reached' | 'unknown';
  /** the step with which the plateau begins */
  step: number | null;
  /** highest throughput; a lower bound where it was not reached */
  throughputPerSec: Estimate | null;
  /** N* = X_max · R_min: from there on requests queue (asymptotic bounds) */
  kneeInFlight: Estimate | null;
  text: string;
}

export interface UslFit {
  state: 'fitted' | 'too-few-points' | 'no-fit' | 'generator-limited';
  points: number;
  lambda: Estimate | null;
  sigma: Estimate | null;
  kappa: Estimate | null;
  /** N at the peak; null: no peak seen */
  nMax: Estimate | null;
  xMax: Estimate | null;
  /** nothing is said past this N (twice the largest that was measured) */
  validToN: number | null;
  /** the curve to draw, inside what is valid */
  curve: { n: number; x: number; low: number; high: number }[];
  rSquared: number | null;
  text: string;
}

export interface ServiceDemand {
  component: string;
  /** CPU-ms per transaction */
  demandMs: Estimate;
  /** cores that it can use at most */
  mostCores: number;
  /** mostCores ÷ demand: no throughput above this (bottleneck law) */
  boundPerSec: Estimate;
  utilization: number;
}

export interface StudyLimit {
  id:
    | 'workers'
    | 'gil'
    | 'machine'
    | 'component'
    | 'stage'
    | 'database'
    | 'external-call'
    | 'slots'
    | 'pool'
    | 'lock'
    | 'imbalance'
    | 'quota'
    | 'connections'
    | 'generator'
    | 'none'
    | 'unknown';
  /** the component or stage that it names; null where it is none of them */
  component: string | null;
  /** one sentence with its numbers */
  text: string;
  evidence: { label: string; value: string }[];
}

export interface Fairness {
  of: 'workers' | 'backends' | 'users' | 'latency';
  step: number;
  count: number;
  /** Jain's index; null for latency */
  jain: number | null;
  min: number;
  mean: number;
  median: number;
  max: number;
  text: string;
}

export interface Backlog {
  stage: string | null;
  /** growth per second with interval (Theil–Sen); 0 in it: no growth is seen */
  slopePerSec: Estimate;
  dispatchPerSec: number;
  completionPerSec: number;
  text: string;
}

export interface Why {
  /** folder of the profiled cell, relative to the study's */
  folder: string;
  step: number;
  categories: { id: string; label: string; color: string; share: Estimate; cpuMs: number | null }[];
  /** `37 % of worker CPU is the template, …`; and what the run's own limit says */
  sentences: string[];
}

export interface Scaling {
  /** the other factors, `cache redis`; empty without any */
  label: string;
  factors: Record<string, string>;
  over: string;
  points: {
    value: number;
    variant: string;
    throughputPerSec: Estimate;
    /** X(k) ÷ (k ÷ k₀ · X(k₀)), k₀ the smallest */
    efficiency: Estimate;
    /** to the point before; null at the first */
    gain: Estimate | null;
    limit: StudyLimit['id'];
  }[];
  usl: UslFit;
  /** from which value on more brings less than 5 % per doubling; null: not seen */
  worthUpTo: number | null;
  text: string;
}

export interface VariantComparison {
  factor: string;
  before: string;
  after: string;
  measure: 'throughputPerSec' | 'perBusyCore' | 'cpuMsPerTransaction' | 'p95Ms';
  label: string;
  step: number | null;
  beforeValue: number | null;
  afterValue: number | null;
  /** after ÷ before − 1 */
  relative: Estimate | null;
  intervalOf: 'repeats' | 'within-run' | 'none';
  p: number | null;
  call: 'better' | 'worse' | 'none';
  text: string;
}

export interface CapacityAnswer {
  /** `refused`: the generator was the limit, or nothing was valid */
  state: 'answered' | 'refused';
  ratePerSec: number | null;
  p95Ms: number | null;
  headroom: number;
  /** the arithmetic in words: `1,250 clients every 30 min are 0.69/s` */
  demandText: string | null;
  variants: {
    variant: string;
    /** the most within the objective, measured and interpolated between steps; never extrapolated */
    capacityPerSec: Estimate | null;
    /** after head-room */
    usablePerSec: number | null;
    /** usable ÷ rate; null without a rate */
    enough: boolean | null;
    /** machines or pods like this one that the rate needs */
    needed: number | null;
    step: number | null;
    text: string;
  }[];
  /** `for 625 requests/s at p95 < 2 s: 2 workers, with 30 % head-room; the limit is …` */
  text: string;
}

export interface CellRow {
  variant: string;
  repeat: number;
  step: number;
  kind: 'measure' | 'profile';
  /** relative to the study's folder; null where it failed before there was one */
  folder: string | null;
  outcome: 'measured' | 'failed' | 'missing';
  reason: string | null;
  throughputPerSec: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  errorRate: number | null;
  cores: Record<string, number>;
  hostCores: number | null;
  severity: Severity;
}
