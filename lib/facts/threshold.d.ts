/** Thresholds: what a run has to keep to. */

import type { Estimate } from './estimate.d.ts';
import type { Statement } from './statement.d.ts';

export type ThresholdUnit = 'ms' | 'perSec' | 'share' | 'count' | 'bytes';

/** One line of a thresholds file, checked. */
export interface Threshold {
  /** as written: `http.p95 < 400ms` */
  expression: string;
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

/** Why a run does not have a value. */
export interface MissingTable {
  /** all runs of the side are invalid */
  'no-valid-run': Record<string, never>;
  'no-load': Record<string, never>;
  /** of HTTP; what was used in its place */
  'no-requests': Record<string, never>;
  'no-responses': { requests: number };
  /** the engine knows times to first byte only; `use`: the metric that is known */
  'no-total-time': { use: string };
  /** `isClosed`: users send when they are served; else the engine does not know it */
  'no-schedule': { isClosed: boolean };
  'no-users': Record<string, never>;
  /** `isUsed`: the run used socket.io */
  'no-socketio-time': { isUsed: boolean };
  'no-sse': { isUsed: boolean };
  'no-profile': Record<string, never>;
  'no-samples': Record<string, never>;
  /** of CPU time and memory, while the load ran */
  'no-workers': Record<string, never>;
  /** the companion reports them */
  'no-calls': Record<string, never>;
  'no-endpoint': { endpoint: string };
  /** the engine does not tell endpoints apart */
  'no-endpoints': Record<string, never>;
  'no-baseline': Record<string, never>;
  /** one of the sides of the comparison does not know it */
  'one-side': Record<string, never>;
  /** a run is 0 and another is not, so there is no ratio */
  'zero-run': Record<string, never>;
}
export type Missing = Statement<MissingTable>;

/**
 * `pass`, `fail`: the value and its whole interval say so; `uncertain`: the limit lies inside the
 * interval; `unknown`: the run does not know the value
 */
export type ThresholdStatus = 'pass' | 'fail' | 'uncertain' | 'unknown';

export interface ThresholdResult extends Omit<Threshold, 'operator'> {
  status: ThresholdStatus;
  /** never outside of what is possible: no negative time, no share above 1 */
  value: Estimate | null;
  /** where `value` is null */
  missing: Missing | null;
}
