/**
 * What is different between two groups of runs: all that renderers of a comparison get to see.
 * Plain JSON; the rules of the Report hold here too (units in names, fractions for shares, `null` is
 * "not known").
 */
import type { Estimate, Severity } from '../analysis/report.d.ts';
import type { ThresholdResult } from '../thresholds/threshold.d.ts';

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
  | 'timeToFirstByte.p99Ms';

/** `runs`: the exact test over runs; `few-runs`: too few for it; `within-run`: one run a side */
export type Basis = 'runs' | 'few-runs' | 'within-run';

/**
 * `better`, `worse`: a difference is called; `different`: called, and neither direction is the good one;
 * `none`: "~", nothing can be said; `incomparable`: one side has no value
 */
export type Call = 'better' | 'worse' | 'different' | 'none' | 'incomparable';

export interface CompareReport {
  schema: 'loadflame-compare/1';
  generator: { name: 'loadflame'; version: string };
  createdAtMs: number;
  before: Side;
  after: Side;
  basis: Basis;
  alpha: number;
  /**
   * One test of all figures together: how often runs that are dealt to the sides at random differ as
   * strikingly. Where it is above alpha, no difference is called. Null unless `basis` is `runs`.
   */
  sameGroupsP: number | null;
  verdict: {
    level: 'better' | 'worse' | 'mixed' | 'none' | 'unknown' | 'invalid';
    headline: string;
    sentences: string[];
  };
  /** what speaks against the comparison, the worst first */
  warnings: { id: string; severity: Severity; text: string }[];
  /** settings and versions that differ between the sides: perhaps the change that is being looked at */
  differences: { name: string; before: string; after: string }[];
  measures: Measure[];
  /** of the whole run, then per category, then per endpoint; in the order of `measures` */
  changes: Change[];
  categories: { id: string; label: string; color: string }[];
  flame: DifferentialFlame | null;
  /** empty where no thresholds were given */
  thresholds: ThresholdResult[];
}

export interface Side {
  /** `before` and `after`, or what the user calls them */
  label: string;
  runs: {
    id: string;
    startedAtMs: number | null;
    requests: number | null;
    /** active samples */
    samples: number | null;
    validity: 'valid' | 'doubtful' | 'invalid';
    reasons: string[];
    /** invalid runs are left out of all figures */
    isUsed: boolean;
  }[];
}

export interface Measure {
  id: MeasureId;
  label: string;
  unit: 'ms' | 'perSec' | 'share';
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
   * they spread normally), `within-run` (says nothing of the difference between runs), `none`
   */
  intervalOf: 'hodges-lehmann' | 'student' | 'within-run' | 'none';
  /** −1 … 1: how far the runs of the sides are apart; ±1: they do not overlap */
  cliffsDelta: number | null;
  /** exact Mann–Whitney, two-sided; null unless the basis is `runs` */
  p: number | null;
  /** adjusted over the endpoints (Benjamini–Hochberg); `p` itself elsewhere */
  pAdjusted: number | null;
  call: Call;
  /** runs a side that would show a change of this size; null: more than 50, or it is shown already */
  runsNeeded: number | null;
  /** the smallest relative change that so many runs find in four of five cases */
  detectable: number | null;
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
