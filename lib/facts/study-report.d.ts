/**
 * The StudyReport: what a study's plan and journal say, as ids and facts. `lib/text/study.js` puts the
 * English beside them (`study.json`, and all that renderers get to see). Plain JSON with the rules of the
 * Report: units in names, shares 0…1, `null` is "not known".
 */

import type { Bottleneck } from './bottleneck.d.ts';
import type { Estimate, LatencySummary } from './estimate.d.ts';
import type { Finding } from './findings.d.ts';
import type { Saturation } from './saturation.d.ts';
import type { Severity, Statement } from './statement.d.ts';
import type { Load, StopRule } from './study-file.d.ts';
import type { ComponentUse, StopReason } from './study-records.d.ts';

/** Of a statement whose id says all. */
export type NoFacts = Record<string, never>;

/** Whose CPU a transaction costs. */
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
    /** at most five, by the order of trust: what spoils the measurement, what users felt, the bottleneck, what the factors change */
    lines: Statement<StudyLineTable>[];
  };
  load: {
    model: LoadModel;
    /** of a spike: its scenario, and what comes all the time */
    of?: string;
    base?: number;
    unit: 'users' | 'per second' | 'at once';
    /** of the first variant's longest block; ascending */
    steps: number[];
    untilSaturated: boolean;
    /** what ends the steps; null where all are run */
    stopRule: StopRule | null;
  };
  /** what throughput counts: `requests/s`, `tasks completed/s` */
  throughputLabel: string;
  factors: { name: string; values: string[] }[];
  /** whose CPU time counts as the API's: gunicorn's workers, or all that was recorded of the target */
  cpuOf: CpuOf;
  /** components in the order of the most CPU used */
  components: { name: string }[];
  variants: VariantReport[];
  /** over `scaleOver`; one per combination of the other factors */
  scaling: Scaling[];
  /** pairs of variants that differ in one factor only; the biggest first */
  comparisons: VariantComparison[];
  capacity: CapacityAnswer | null;
  findings: StudyFinding[];
  cells: CellRow[];
}

export type LoadModel = Load['model'];

/** Why a study is not complete. */
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

/** What stops a variant, without its evidence. */
export type NamedBottleneck = Pick<Bottleneck, 'id' | 'component'>;

export interface StudyHeadlineTable extends CapacityTable {
  /** no variant was valid; `error`: the most frequent one where all requests failed */
  'nothing-measured': { isTried: boolean; error: { name: string; count: number } | null };
  /** every variant was limited by the load generator: the target takes at least this much */
  'generator-limit': { mostPerSec: number; throughputLabel: string };
  spike: SpikeAnswer;
  /** the variant that gives most; `variant` is null where there is only one */
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

/** Short lines of the verdict; each has its section with the details. */
export interface StudyLineTable
  extends Pick<
    StudyFindingTable,
    'generator-limit' | 'cells-lost' | 'background-load' | 'request-errors' | 'dropped-arrivals'
  > {
  /** of one combination of the other factors */
  scaling: Scaling;
  factor: ComparisonFacts;
}

/** What a comparison's short line needs. */
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
  /** `first`: the first eight */
  'cells-lost': {
    lost: number;
    cells: number;
    reasons: StudyReason[];
    first: Pick<CellRow, 'variant' | 'step' | 'repeat' | 'outcome' | 'reason'>[];
  };
  /** from which step on */
  'generator-limit': { of: number; variants: { label: string; step: number }[] };
  /** the worst step of each variant; the worst variant first */
  'request-errors': { variants: { label: string; step: number; errorRate: number }[] };
  /** the first step of each variant */
  'dropped-arrivals': { variants: { label: string; step: number; droppedRate: number }[] };
  /** cores that neither the target nor the generator used; the most first */
  'background-load': { variants: { label: string; cores: number }[] };
  /** who was slower while one endpoint came more often */
  spike: SpikeAnswer;
}

export interface VariantReport {
  id: string;
  label: string;
  factors: Record<string, string>;
  points: Point[];
  saturation: Saturation;
  /** over the steps at which it gives the most, as the throughput of `saturation` is */
  plateau: Pick<Point, 'perBusyCore' | 'cpuMsPerTransaction'> & { steps: number[] };
  usl: UslFit;
  bottleneck: Bottleneck;
  /** of bursts */
  drain?: Drain | null;
  /** of spikes: each step */
  spikes?: SpikeStep[];
  /** null where nothing was profiled */
  why: Why | null;
  stop: StopReason | null;
}

/** One step, over all repeats. Intervals are between repeats (Student), of three or more. */
export interface Point {
  step: number;
  cells: number;
  throughputPerSec: Estimate;
  dispatchPerSec: number;
  /** of each repeat */
  values: number[];
  inFlight: number | null;
  /** of the repeat whose p95 is in the middle: percentiles are not averaged */
  latency: LatencySummary | null;
  errorRate: number;
  skippedRate: number;
  /** of a burst, until all of it was done; null: it was not, in some repeat */
  drainSec?: Estimate | null;
  components: {
    name: string;
    cores: number;
    busiestCores: number;
    /** the most it can use; null: what the machine has */
    mostCores: number | null;
    processes: number;
    /** of all its processes */
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
  /** steps that it rests on, and how many it takes */
  points: number;
  leastPoints: number;
  /** the largest N that was measured */
  largestN: number | null;
  lambda: Estimate | null;
  sigma: Estimate | null;
  kappa: Estimate | null;
  /** N at the peak; null: no peak seen */
  nMax: Estimate | null;
  xMax: Estimate | null;
  /** nothing is said past this N (twice the largest that was measured) */
  validToN: number | null;
}

/** The largest burst that had to wait: taken in, done, over. */
export interface Drain {
  step: number;
  dispatchPerSec: number;
  completionPerSec: Estimate;
  drainSec: Estimate | null;
}

/** What a spike of one endpoint did to the others. */
export interface SpikeStep {
  step: number;
  /** that there was a spike of */
  endpoint: string;
  /**
   * who is no victim is none; false: reports of the runs can't be read or saw no such spike, others took CPU, there
   * is no other endpoint, or one had too few answers
   */
  isJudged: boolean;
  endpoints: {
    name: string;
    /** in more than half of the repeats their reports say so */
    isVictim: boolean;
    /** of the repeat in the middle */
    p95Ms: { before: number | null; during: number | null; after: number | null };
    /** in the spike */
    errorRate: number;
  }[];
}

/** Of each variant: the first step whose spike others felt, and who; and the highest step. */
export interface SpikeAnswer {
  endpoint: string;
  variants: {
    /** null where nothing is varied */
    label: string | null;
    mostStep: number;
    felt: { step: number; victims: SpikeStep['endpoints'] } | null;
    /** all of its steps */
    isJudged: boolean;
  }[];
}

export interface Why {
  /** folder of the profiled cell, relative to the study's */
  folder: string;
  step: number;
  categories: { id: string; label: string; color: string; share: Estimate; cpuMs: number | null }[];
  /** the most important finding about its code */
  cause: Finding | null;
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
    bottleneck: NamedBottleneck;
  }[];
  /** from which value on more brings less than `leastGain` per doubling; null: not seen */
  worthUpTo: number | null;
  leastGain: number;
}

export interface VariantComparison {
  factor: string;
  before: string;
  after: string;
  /** values of the factor, and the other factors, which both have */
  beforeLevel: string;
  afterLevel: string;
  same: Record<string, string>;
  measure: 'throughputPerSec' | 'perBusyCore' | 'cpuMsPerTransaction' | 'p95Ms';
  /** at which both were compared; null: over `steps` of their plateaus */
  step: number | null;
  /** whose figures are in the values, of each side: the same ones where they have such */
  steps: [number[], number[]];
  beforeValue: number | null;
  afterValue: number | null;
  /** after ÷ before − 1 */
  relative: Estimate | null;
  p: number | null;
  /** `none`: no significant difference, or it can't be known */
  call: 'better' | 'worse' | 'none';
  /** repeats of each side */
  runs: [number, number];
  /** closed-loop users who completed nothing, where they are so many that latency is that of the others */
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
  /** the most within the objective, measured and interpolated between steps; never extrapolated */
  capacityPerSec: Estimate | null;
  /** after head-room */
  usablePerSec: number | null;
  /** usable ÷ rate; null without a rate */
  enough: boolean | null;
  /** machines or pods like this one that the rate needs */
  needed: number | null;
  step: number | null;
  /** `at-least`: the highest step is within the objective, and throughput still rises there */
  basis: 'measured' | 'interpolated' | 'at-least' | 'none' | 'generator-limited' | 'unknown';
  /** the first step outside of the objective */
  broken: { step: number; p95Ms: number | null; errorRate: number } | null;
}

interface CapacityFacts {
  ratePerSec: number | null;
  p95Ms: number | null;
  errors: number | null;
  headroom: number;
  throughputLabel: string;
  /** null where nothing is varied */
  variant: string | null;
  bottleneck: NamedBottleneck;
  /** the load generator was on the same machine */
  isShared: boolean;
}

export interface CapacityTable {
  /** the cheapest variant that is enough */
  'capacity-enough': CapacityFacts & { usablePerSec: number };
  /** the strongest variant; `isAtMost`: its capacity is a lower bound */
  'capacity-not-enough': CapacityFacts & {
    usablePerSec: number;
    needed: number;
    isAtMost: boolean;
  };
  /** the strongest variant, where no rate was asked for */
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
  /** relative to the study's folder; null where it failed before there was one */
  folder: string | null;
  outcome: 'measured' | 'failed' | 'missing';
  reason: string | null;
  throughputPerSec: number | null;
  /** good answers */
  dispatchPerSec: number | null;
  /** of a burst that was done in its time */
  drainSec: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  errorRate: number | null;
  components: ComponentUse[];
  hostCores: number | null;
}
