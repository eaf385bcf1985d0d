/**
 * What a running study writes to disk, and the figures of one cell. The study's folder is
 * `profiles/<stamp>-study-<name>/`: `plan.json` (a StudyPlan), `journal.ndjson` (JournalRecords, append-only, each
 * with `t` in epoch ms), `runs/` (one run folder per cell), `cells/` (their scripts), `services/` (logs);
 * at the end `study.json`, `study.html`, `study.csv`, `study.md`.
 */

import type { LatencySummary, TimeRange } from '../../base/math/estimate.d.ts';
import type { GeneratorSign } from './load-report.d.ts';
import type { CategoryShare } from './profile-report.d.ts';
import type { HostInfo } from './records.d.ts';
import type { Report } from './report.d.ts';
import type { Component, ResourceUse } from './resource-use.d.ts';
import type { Statement } from './statement.d.ts';
import type { Study } from './study-file.d.ts';

export interface StudyPlan {
  schema: 'loadflame-study-plan/1';
  study: Study;
  seed: number;
  variants: Variant[];
  /** in execution order: repeats are interleaved over variants, each repeat in random order */
  blocks: Block[];
  /** upper bound */
  estimate: { cells: number; seconds: number };
}

export interface Variant {
  /** `workers=2,cache=redis`; `all` without factors */
  id: string;
  /** `2 workers, cache redis` */
  label: string;
  /** factor → label */
  factors: Record<string, string>;
}

/** One repeat of one variant: its target starts, all steps run, it stops. */
export interface Block {
  variant: string;
  /** from 1 */
  repeat: number;
}

/** Steps ascend inside a block. */
export interface CellKey {
  variant: string;
  repeat: number;
  /** users, or arrivals per second */
  step: number;
  /** `profile`: with py-spy, at the plateau; excluded from throughput and latency */
  purpose: 'measure' | 'profile';
}

export type JournalRecord = {
  t: number;
} & (
  | { kind: 'attempt'; pid: number; pidStartTicks: number | null; version: string }
  | { kind: 'block-start'; variant: string; repeat: number }
  | ({ kind: 'cell-start' } & CellKey)
  | ({ kind: 'cell-end'; folder: string | null } & CellKey & CellOutcome)
  /** why the steps ended; null if all steps ran */
  | {
      kind: 'block-end';
      variant: string;
      repeat: number;
      stop: StopReason | null;
      failure: string | null;
    }
  /** `pid` of the attempt that ended */
  | {
      kind: 'study-end';
      pid: number;
      reason: 'complete' | 'interrupted' | 'failed';
      message: string | null;
    }
);

export type CellOutcome =
  | { outcome: 'measured'; figures: CellFigures }
  | { outcome: 'failed'; reason: string };

/** Why a variant has no further step. */
export interface StopTable {
  generator: Record<string, never>;
  errors: { errorRate: number; most: number };
  skipped: { skippedRate: number; most: number };
  p95: { p95Ms: number; mostMs: number };
  /** over the last steps; `least`: per step if `isPerStep`, else over all these steps */
  gain: { change: number; steps: number; least: number; isPerStep: boolean };
  /** the last step of the study file */
  most: { step: number };
}
export type StopReason = Statement<StopTable>;

/**
 * Figures of the plateau of one cell: its whole seconds, and nothing outside them. Of a burst: its middle part, with
 * the counts of the whole burst. Of a spike: the spike.
 */
export interface CellFigures {
  window: TimeRange;
  seconds: number;
  /** HTTP requests; connections and messages of socket.io and WebSocket */
  requests: number;
  /** successful responses: HTTP below 400 (including redirects), acknowledgements, replies */
  good: number;
  /** failures, counted as in the report of a run */
  errors: number;
  errorNames: { name: string; count: number }[];
  /** good ÷ seconds, or the rate of the study's probe if `throughput` names one */
  throughputPerSec: number;
  /** completed HTTP requests and acknowledgements per second if throughput comes from a probe; otherwise the same */
  dispatchPerSec: number;
  latency: LatencySummary | null;
  /** bursts only */
  burst?: BurstFigures;
  /** spikes only; `latency` is then that of the other endpoints */
  spike?: SpikeFigures;
  users: { created: number; skipped: number };
  /** requests in progress, mean: N in Little's law and in the USL (X·R) */
  inFlightMean: number | null;
  components: ComponentUse[];
  host: ResourceUse['host'];
  throttled: ResourceUse['throttled'];
  generator: { cores: number | null; signs: GeneratorSign[] };
  /**
   * distribution: one count per worker of the API, per backend, or per closed-loop user; CPU time for workers that no
   * response names
   */
  shares: {
    of: 'workers' | 'backends' | 'users';
    unit: 'answers' | 'cpuMs' | 'scenarios';
    counts: number[];
  }[];
  /** name of the probe → field → values over the plateau */
  probes: Record<string, Record<string, { t: number; value: number }[]>>;
}

/** The requests sent at once, and their completion. */
export interface BurstFigures {
  size: number;
  done: number;
  /** from the burst until everything was completed; null: it was not */
  drainSec: number | null;
}

/** Each endpoint before, during and after a spike, over periods of equal length. */
export interface SpikeFigures {
  /** the endpoint of the spike: its requests rose most */
  endpoint: string;
  endpoints: { name: string; before: EndpointTimes; during: EndpointTimes; after: EndpointTimes }[];
}

interface EndpointTimes {
  requests: number;
  errors: number;
  latency: LatencySummary | null;
}

export interface ComponentUse extends Component {
  /** the most that it can use, from the study file; null: all cores of the machine */
  mostCores: number | null;
}

/** The part of a cell's report that a study reads. */
export interface CellReport {
  schema: string;
  run: { host: HostInfo | null; versions: Record<string, string> };
  profile: {
    categories: Pick<CategoryShare, 'id' | 'label' | 'color' | 'share' | 'cpuMsPerRequest'>[];
  } | null;
  findings: Report['findings'];
  bottleneck: Report['bottleneck'];
}

/** The contents of a study's folder: files with a single value, and the records of its journal. */
export interface StudyShapes {
  /** Reports do not read what a study started, and older files have a different shape there. */
  plan: Omit<StudyPlan, 'study'> & {
    study: Omit<Study, 'services' | 'ports' | 'setup' | 'prepare' | 'reset' | 'cleanup' | 'record'>;
  };
  journal: JournalRecord;
  cell: CellReport;
}

/** A summary of a plan. */
export interface PlanOutline {
  /** Steps of load, ascending. */
  steps: number[];
  /** Services per variant. */
  services: string[][];
}
