/**
 * What a study leaves on disk while it goes on, and what is measured of one cell. The study's folder is
 * `profiles/<stamp>-study-<name>/`: `plan.json` (a StudyPlan), `journal.ndjson` (JournalRecords, append
 * only, each with `t` in epoch ms), `runs/` (one run folder per cell), `cells/` (their scripts),
 * `services/` (logs), `lists/`; then `study.json`, `study.html`, `study.csv`, `study.md`.
 */

import type { LatencySummary, TimeRange } from './estimate.d.ts';
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
  /** in the order in which they are run: repeats interleaved over variants, in random order each */
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

/** One variant, once: its target is started, all steps are run, it is stopped. */
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
  /** `profile`: with py-spy, at the plateau; not part of the figures of throughput and latency */
  purpose: 'measure' | 'profile';
}

export type JournalRecord = {
  t: number;
} & (
  | { kind: 'attempt'; pid: number; pidStartTicks: number | null; version: string }
  | { kind: 'block-start'; variant: string; repeat: number }
  | ({ kind: 'cell-start' } & CellKey)
  | ({ kind: 'cell-end'; folder: string | null } & CellKey & CellOutcome)
  /** why no further step; null when all steps were run */
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

/** Why a variant got no further step. */
export interface StopTable {
  generator: Record<string, never>;
  errors: { errorRate: number; most: number };
  skipped: { skippedRate: number; most: number };
  p95: { p95Ms: number; mostMs: number };
  /** over the last steps; `least`: a step where `isPerStep`, else over all of them */
  gain: { change: number; steps: number; least: number; isPerStep: boolean };
  /** the last step of the study file */
  most: { step: number };
}
export type StopReason = Statement<StopTable>;

/** Of the plateau of one cell: the whole seconds inside it. Everything is of this window only. Of a burst: its middle, and the counts of all of it. Of a spike: the spike. */
export interface CellFigures {
  window: TimeRange;
  seconds: number;
  /** over HTTP; connections and messages of socket.io and WebSocket */
  requests: number;
  /** good answers: HTTP below 400 (redirects among them), acknowledgements, replies */
  good: number;
  /** what failed, as the report of a run counts it */
  errors: number;
  errorNames: { name: string; count: number }[];
  /** good ÷ seconds; of the study's probe where `throughput` names one */
  throughputPerSec: number;
  /** of HTTP and acknowledgements, where throughput is a probe's; else the same */
  dispatchPerSec: number;
  latency: LatencySummary | null;
  /** of a burst */
  burst?: BurstFigures;
  /** of a spike; `latency` is that of the other endpoints then */
  spike?: SpikeFigures;
  users: { created: number; skipped: number };
  /** requests under way, mean: N of Little's law and of the USL (X·R) */
  inFlightMean: number | null;
  components: ComponentUse[];
  host: ResourceUse['host'];
  throttled: ResourceUse['throttled'];
  generator: { cores: number | null; signs: GeneratorSign[] };
  /**
   * how evenly: one count per worker of the API, per backend, per closed-loop user; of workers that no
   * answer names their CPU time
   */
  shares: {
    of: 'workers' | 'backends' | 'users';
    unit: 'answers' | 'cpuMs' | 'scenarios';
    counts: number[];
  }[];
  /** name of the probe → field → its values over the plateau */
  probes: Record<string, Record<string, { t: number; value: number }[]>>;
}

/** What came at once, and how it was done. */
export interface BurstFigures {
  size: number;
  done: number;
  /** from the burst until all was done; null: it was not */
  drainSec: number | null;
}

/** Every endpoint before a spike, in it and after it, as long each. */
export interface SpikeFigures {
  /** that there was a spike of: its requests rose most */
  endpoint: string;
  endpoints: { name: string; before: EndpointTimes; during: EndpointTimes; after: EndpointTimes }[];
}

interface EndpointTimes {
  requests: number;
  errors: number;
  latency: LatencySummary | null;
}

export interface ComponentUse extends Component {
  /** the most it can use, from the study file; null: what the machine has */
  mostCores: number | null;
}

/** What a study takes from the report of a cell's run. */
export interface CellReport {
  schema: string;
  run: { host: HostInfo | null; versions: Record<string, string> };
  profile: {
    categories: Pick<CategoryShare, 'id' | 'label' | 'color' | 'share' | 'cpuMsPerRequest'>[];
  } | null;
  findings: Report['findings'];
  bottleneck: Report['bottleneck'];
}

/** What a study's folder holds: files of one value, and the records of its journal. */
export interface StudyShapes {
  /** What a study started is nothing that a report reads, and older files have it in another shape. */
  plan: Omit<StudyPlan, 'study'> & {
    study: Omit<Study, 'services' | 'ports' | 'setup' | 'prepare' | 'reset' | 'cleanup' | 'record'>;
  };
  journal: JournalRecord;
  cell: CellReport;
}

/** What a plan comes to. */
export interface PlanOutline {
  /** Of load, ascending. */
  steps: number[];
  /** Services of each variant. */
  services: string[][];
}
