/** Thresholds: what a run has to keep to. */
import type { Estimate } from '../analysis/report.d.ts';

export type ThresholdUnit = 'ms' | 'perSec' | 'share' | 'count' | 'bytes';

/** One line of a thresholds file, checked. */
export interface Threshold {
  /** as written: `http.p95 < 400ms` */
  text: string;
  /** `thresholds.yaml:3` */
  place: string;
  /** name of an endpoint, `*` for each, null for the whole run */
  endpoint: string | null;
  /** of the table of metrics */
  metric: string;
  /** the category that the metric is about */
  category: string | null;
  /** the limit is on how much worse it got since the baseline */
  isRegression: boolean;
  operator: '<' | '<=' | '>' | '>=';
  /** in the metric's own unit; a fraction for shares and regressions */
  limit: number;
  unit: ThresholdUnit;
}

/**
 * `pass`, `fail`: the value and its whole interval say so; `uncertain`: the limit lies inside the
 * interval; `unknown`: the run does not know the value
 */
export type ThresholdStatus = 'pass' | 'fail' | 'uncertain' | 'unknown';

export interface ThresholdResult {
  text: string;
  place: string;
  endpoint: string | null;
  status: ThresholdStatus;
  value: Estimate | null;
  limit: number;
  unit: ThresholdUnit;
  isRegression: boolean;
  /** one sentence: what was measured and what it means */
  message: string;
}
