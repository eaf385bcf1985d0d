/**
 * What is different between two groups of runs, as facts; `lib/text/comparison.js` words them.
 * Plain JSON; the rules of the Report hold here too (units in names, fractions for shares, `null` is
 * "not known").
 */

import type { Estimate } from './estimate.d.ts';
import type { LoadReport } from './load-report.d.ts';
import type { ProfileReport } from './profile-report.d.ts';
import type { QualityItem } from './quality.d.ts';
import type { Severity, Statement } from './statement.d.ts';
import type { ThresholdUnit } from './threshold.d.ts';
import type { TryReport } from './try.d.ts';

export type MeasureId =
  | 'throughputPerSec'
  | 'errorRate'
  | 'cpuMsPerRequest'
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

/** `runs`: the exact test over runs; `few-runs`: too few for it; `within-run`: one run a side */
export type Basis = 'runs' | 'few-runs' | 'within-run';

/**
 * `better`, `worse`: a significant difference; `different`: significant, and neither direction is the
 * good one; `none`: not significant; `incomparable`: one side has no value
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
   * One test of all figures together: how often runs that are dealt to the sides at random differ as
   * strikingly. Where it is above alpha, no difference is significant. Null unless `basis` is `runs`.
   */
  sameGroupsP: number | null;
  verdict: Verdict;
  /** what speaks against the comparison, the worst first */
  warnings: Warning[];
  /** settings and versions that differ between the sides: perhaps the change that is being looked at */
  differences: { name: string; before: string; after: string }[];
  measures: Measure[];
  /** of the whole run, then per category, then per endpoint; in the order of `measures` */
  changes: Change[];
  categories: { id: string; label: string; color: string }[];
  flame: DifferentialFlame | null;
  /** where the runs were made for it, by `loadflame try` */
  tried?: TryReport;
}

/** A change as a sentence names it. */
export interface NamedChange
  extends Pick<Change, 'scope' | 'measure' | 'shift' | 'relative' | 'beside'> {
  /** label of the category or name of the endpoint; empty for the whole run */
  name: string;
  unit: Measure['unit'];
}

export interface HeadlineTable {
  /** `reason`: of the first run of the side */
  'no-valid-run': { side: string; reason: QualityItem | null };
  'nothing-known': Record<string, never>;
  'one-run': Record<string, never>;
  'few-runs': { before: number; after: number };
  'no-difference': { before: number; after: number };
  tried: TryReport;
  /** `before` and `after`: labels; `changes`: what users felt, then throughput, then cost */
  difference: {
    level: 'better' | 'worse' | 'mixed';
    before: string;
    after: string;
    changes: NamedChange[];
  };
}

/** What spoils the measurement stands before everything else. */
export interface SpoiledTable {
  /** ids of the warnings that make the runs incomparable */
  'not-comparable': { warnings: (keyof SharedTable)[] };
  /** of `runs` runs; `partial`: of those that are not doubtful anyway */
  'unreliable-runs': { runs: number; invalid: number; doubtful: number; partial: number };
}

/** Lists of changes have the largest; `more` is how many they leave out. */
export interface PointTable {
  observed: { changes: NamedChange[] };
  categories: { changes: NamedChange[]; more: number };
  endpoints: { changes: NamedChange[]; more: number };
  /** so many of `figures` would be significant alone */
  'by-chance': { significant: number; figures: number; sameGroupsP: number };
  'least-runs': { runs: number; alpha: number };
}

export interface Verdict {
  level: 'better' | 'worse' | 'mixed' | 'none' | 'unknown' | 'invalid';
  /** leads the headline; null where nothing spoils the measurement, or no run is valid */
  spoiled: Statement<SpoiledTable> | null;
  headline: Statement<HeadlineTable>;
  points: Statement<PointTable>[];
}

/** What all runs have to share; the different values of it. */
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
  /** whether C code has names, which takes it out of the functions that call it */
  'other-names': { values: boolean[] };
  /** whether the companion measured the CPU time of endpoints */
  'other-costs': { values: boolean[] };
  'other-workers': { values: number[] };
  'other-host': { values: { platform: string; cpus: number; cpuModel: string }[] };
}

export interface WarningTable extends SharedTable {
  'partial-runs': { runs: string[] };
  'other-length': { shortestMs: number; longestMs: number };
  'not-alternated': Record<string, never>;
}
export type Warning = Statement<WarningTable, { severity: Severity }>;

export interface Side {
  /** `before` and `after`, or what the user calls them */
  label: string;
  runs: {
    id: string;
    startedAtMs: number | null;
    requests: number | null;
    /** active samples */
    samples: number | null;
    reliability: 'valid' | 'doubtful' | 'invalid';
    reasons: QualityItem[];
    /** invalid runs are left out of all figures */
    isUsed: boolean;
    /** its folder, as a path from where the comparison was made; null where it is not known */
    folder: string | null;
    /** its own page, seen from the folder of the comparison; null where there is none */
    report: string | null;
  }[];
}

export interface Measure {
  id: MeasureId;
  unit: ThresholdUnit;
  better: 'lower' | 'higher' | 'neither';
}

export interface Change {
  scope: 'overall' | 'category' | 'endpoint';
  /** id of the category or name of the endpoint; empty for `overall` */
  name: string;
  measure: MeasureId;
  before: SideValue;
  after: SideValue;
  /** after − before, in the unit of the measure */
  shift: Estimate | null;
  /** after ÷ before − 1; null where a value is 0 */
  relative: Estimate | null;
  /**
   * where the interval is from: `hodges-lehmann` (exact, over runs), `student` (few runs, assumes that
   * they spread normally), `sequence` (exact, over pairs of runs, valid at every look), `within-run`
   * (says nothing of the difference between runs), `none`
   */
  intervalOf: 'hodges-lehmann' | 'student' | 'sequence' | 'within-run' | 'none';
  /** exact Mann–Whitney, two-sided; null unless the basis is `runs` */
  p: number | null;
  /** of an endpoint: among all endpoints (step-down maxT); `p` itself elsewhere */
  pAdjusted: number | null;
  /**
   * where the change shows only beside the other endpoints: their own relative change, which is not
   * significant. `shift`, `relative` and the tests are then of the endpoint without that.
   */
  beside: Estimate | null;
  call: Call;
}

export interface SideValue {
  /** one per run that was used and knows it, in the order of the runs */
  values: number[];
  /** their median */
  center: number | null;
}

/**
 * The merged call trees of both sides as parallel arrays, parents before children; node 0 is the root.
 */
export interface DifferentialFlame {
  /** CPU-ms per request, or shares of the active samples where CPU time is not known */
  unit: 'ms' | 'share';
  frames: { function: string; file: string }[];
  categories: { id: string; label: string; color: string }[];
  /** index into `frames`; -1 for the root */
  frame: number[];
  /** index of the parent node; -1 for the root */
  parent: number[];
  /** index into `categories`; -1 where there is none */
  category: number[];
  /** all that passes through the node, mean over the runs of the side */
  before: number[];
  after: number[];
  /** 1 where the difference is larger than its noise, else 0 */
  differs: number[];
}
