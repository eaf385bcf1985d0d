/**
 * The differences between two groups of runs, as facts; `lib/text/comparison.js` words them. Plain JSON with the
 * conventions of the Report: units in names, fractions for shares, `null` means "not known".
 */

import type { Estimate } from '../../base/math/estimate.d.ts';
import type { ThresholdUnit } from '../../base/units.d.ts';
import type { LoadReport } from './load-report.d.ts';
import type { ProfileReport } from './profile-report.d.ts';
import type { QualityItem } from './quality.d.ts';
import type { Severity, Statement } from './statement.d.ts';
import type { Decision, TryReport } from './try.d.ts';

export type MeasureId =
  | 'throughputPerSec'
  | 'errorRate'
  | 'cpuMsPerRequest'
  | 'childCpuMsPerRequest'
  | 'cpuShare'
  | 'total.p50Ms'
  | 'total.p95Ms'
  | 'total.p99Ms'
  | 'timeToFirstByte.p50Ms'
  | 'timeToFirstByte.p95Ms'
  | 'timeToFirstByte.p99Ms'
  | 'db.queriesPerRequest'
  | 'db.msPerRequest'
  | 'sse.firstEvent.p50'
  | 'sse.firstEvent.p95'
  | 'sse.gap.p50'
  | 'sse.gap.p95';

/** `runs`: exact test over runs; `few-runs`: too few runs for it; `within-run`: one run per side */
export type Basis = 'runs' | 'few-runs' | 'within-run';

/**
 * `better`, `worse`: a significant difference; `different`: significant, but neither direction is better; `none`: not
 * significant; `incomparable`: one side has no value
 */
export type Call = 'better' | 'worse' | 'different' | 'none' | 'incomparable';

export interface CompareReport {
  schema: 'loadflame-compare/2';
  generator: { name: 'loadflame'; version: string };
  createdAtMs: number;
  before: Side;
  after: Side;
  basis: Basis;
  alpha: number;
  /**
   * One permutation test over all figures together: how often randomly assigned runs differ as much as the sides do.
   * If it is above alpha, no difference counts as significant. Null unless `basis` is `runs`.
   */
  sameGroupsP: number | null;
  verdict: Verdict;
  /** reasons to distrust the comparison, the worst first */
  warnings: Warning[];
  /** what else differs between the sides, packages first: possibly the change under test */
  differences: Difference[];
  /** Python packages of either side; null: those of a run are not known, and none are compared */
  packages: number | null;
  measures: Measure[];
  /** for the whole run, then per category, package and endpoint; in the order of `measures` */
  changes: Change[];
  categories: { id: string; label: string; color: string }[];
  flame: DifferentialFlame | null;
  /** if `loadflame try` made the runs */
  tried?: TryReport;
}

/** `program`: the version of one that measured, or of the interpreter */
export interface Difference {
  of: 'package' | 'program' | 'machine' | 'setting';
  name: string;
  before: string;
  after: string;
}

/** What a sentence about a change needs. */
export interface NamedChange
  extends Pick<Change, 'scope' | 'measure' | 'shift' | 'relative' | 'beside'> {
  /** label of the category, or name of the package or endpoint; empty for the whole run */
  name: string;
  unit: Measure['unit'];
}

export interface HeadlineTable {
  /** `reason`: of the side's first run */
  'no-valid-run': { side: string; reason: QualityItem | null };
  'nothing-known': Record<string, never>;
  'one-run': Record<string, never>;
  'few-runs': { before: number; after: number };
  'no-difference': { before: number; after: number };
  tried: TryReport;
  /** `before` and `after`: labels; `changes`: latency and errors, then throughput, then cost */
  difference: {
    level: 'better' | 'worse' | 'mixed';
    before: string;
    after: string;
    changes: NamedChange[];
  };
}

/** Problems with the measurement, shown before everything else. */
export interface SpoiledTable {
  /** ids of the warnings that make the runs incomparable */
  'not-comparable': { warnings: (keyof SharedTable)[] };
  /** counts out of `runs`; `partial`: those that are not already doubtful */
  'unreliable-runs': { runs: number; invalid: number; doubtful: number; partial: number };
}

/** Lists contain the largest changes; `more` is the number left out. */
export interface PointTable {
  observed: { changes: NamedChange[] };
  categories: { changes: NamedChange[]; more: number };
  packages: { changes: NamedChange[]; more: number };
  endpoints: { changes: NamedChange[]; more: number };
  /** how many of `figures` would be significant if tested alone */
  'by-chance': { significant: number; figures: number; sameGroupsP: number };
  'least-runs': { runs: number; alpha: number };
  /** a doubt about the figures of a try, in `pairs` of its `all` pairs, and its decisions without those */
  doubt: { reason: QualityItem; pairs: number; all: number; without: Decision[] };
}

export interface Verdict {
  level: 'better' | 'worse' | 'mixed' | 'none' | 'unknown' | 'invalid';
  /** introduces the headline; null if the measurement has no such problem, or no run is valid */
  spoiled: Statement<SpoiledTable> | null;
  headline: Statement<HeadlineTable>;
  points: Statement<PointTable>[];
}

/** What all runs must share; each entry lists the values that differ. */
export interface SharedTable {
  'other-script': { values: { name: string; sha256: string }[] };
  /** phases of each run */
  'other-load': { values: Pick<LoadReport['phases'][number], 'plan' | 'model'>[][] };
  'other-engine': { values: string[] };
  'other-kind': { values: string[] };
  /** Hz */
  'other-rate': { values: number[] };
  /** ways of sampling */
  'other-sampling': {
    values: Pick<NonNullable<ProfileReport['profiler']>, 'name' | 'pausesTarget'>[];
  };
  /** whether C calls have names of their own; if so, their time does not count for the functions that call them */
  'other-names': { values: boolean[] };
  /** whether the companion measured the CPU time of endpoints */
  'other-costs': { values: boolean[] };
  'other-workers': { values: number[] };
  'other-host': { values: { platform: string; cpus: number; cpuModel: string }[] };
}

export interface WarningTable extends SharedTable {
  /** left out: its load was changed on the live page */
  'steered-run': { id: string };
  'partial-runs': { runs: string[] };
  'other-length': { shortestMs: number; longestMs: number };
  'not-alternated': Record<string, never>;
  /** `paths`: rows of one side that are part of `row` of the other; `isAfter`: that is the side after */
  'other-rows': { row: string; paths: string[]; isAfter: boolean };
}
export type Warning = Statement<WarningTable, { severity: Severity }>;

export interface Side {
  /** `before` and `after`, or the user's own labels */
  label: string;
  runs: {
    id: string;
    startedAtMs: number | null;
    requests: number | null;
    /** active samples */
    samples: number | null;
    reliability: 'valid' | 'doubtful' | 'invalid';
    reasons: QualityItem[];
    /** invalid and steered runs are excluded from all figures */
    isUsed: boolean;
    /** path of its folder, relative to where the comparison was made; null if not known */
    folder: string | null;
    /** path of its own page, relative to the folder of the comparison; null if there is none */
    report: string | null;
  }[];
}

export interface Measure {
  id: MeasureId;
  unit: ThresholdUnit;
  better: 'lower' | 'higher' | 'neither';
}

export interface Change {
  scope: 'overall' | 'category' | 'package' | 'endpoint';
  /** id of the category, or name of the package or endpoint; empty for `overall` */
  name: string;
  measure: MeasureId;
  before: SideValue;
  after: SideValue;
  /** after − before, in the unit of the measure */
  shift: Estimate | null;
  /** after ÷ before − 1; null if a value is 0 */
  relative: Estimate | null;
  /**
   * how the interval was computed: `hodges-lehmann` (exact, over runs), `student` (few runs; assumes a normal
   * distribution), `sequence` (exact, over pairs of runs; valid at every interim look), `within-run` (ignores the
   * variation between runs), `none`
   */
  intervalOf: 'hodges-lehmann' | 'student' | 'sequence' | 'within-run' | 'none';
  /** exact Mann–Whitney, two-sided; null unless the basis is `runs` */
  p: number | null;
  /** for an endpoint: adjusted for all endpoints (step-down maxT); otherwise equal to `p` */
  pAdjusted: number | null;
  /**
   * set if the change is visible only relative to the other endpoints: their common relative change, which is not
   * significant. `shift`, `relative` and the tests then exclude it.
   */
  beside: Estimate | null;
  call: Call;
}

export interface SideValue {
  /** one per run that is used and has a value, in the order of the runs */
  values: number[];
  /** median of `values` */
  center: number | null;
}

/** The merged call trees of both sides as parallel arrays, parents before children; node 0 is the root. */
export interface DifferentialFlame {
  /** CPU-ms per request, or shares of the active samples if CPU time is not known */
  unit: 'ms' | 'share';
  frames: { function: string; file: string }[];
  categories: { id: string; label: string; color: string }[];
  /** index into `frames`; -1 for the root */
  frame: number[];
  /** index of the parent node; -1 for the root */
  parent: number[];
  /** index into `categories`; -1: none */
  category: number[];
  /** total weight of the node, mean over the side's runs */
  before: number[];
  after: number[];
  /** 1 if the difference exceeds the noise, else 0 */
  differs: number[];
}
