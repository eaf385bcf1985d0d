/** Thresholds: limits that a run must keep. */

import type { Estimate } from '../../base/math/estimate.d.ts';
import type { ThresholdUnit } from '../../base/units.d.ts';
import type { Statement } from './statement.d.ts';

/** One validated line of a thresholds file. */
export interface Threshold {
  /** as the user wrote it: `http.p95 < 400ms` */
  expression: string;
  /** `thresholds.yaml:3` */
  place: string;
  /** name of an endpoint; `*`: each endpoint; null: the whole run */
  endpoint: string | null;
  /** from the table of metrics */
  metric: string;
  /** the category to which the metric refers */
  category: string | null;
  /** the limit is on the change for the worse since the baseline */
  isRegression: boolean;
  operator: '<' | '<=' | '>' | '>=';
  /** in the metric's unit; a fraction for shares and regressions */
  limit: number;
  unit: ThresholdUnit;
}

/** Why a run does not have a value. */
export interface MissingTable {
  /** all runs of the side are invalid */
  'no-valid-run': Record<string, never>;
  'no-load': Record<string, never>;
  /** no HTTP requests; what the run used instead */
  'no-requests': Record<string, never>;
  'no-responses': { requests: number };
  /** the engine measures time to first byte only; `use`: the available metric */
  'no-total-time': { use: string };
  /** `isClosed`: users send as soon as they are served; otherwise the engine does not know the schedule */
  'no-schedule': { isClosed: boolean };
  'no-users': Record<string, never>;
  /** `isUsed`: the run used socket.io */
  'no-socketio-time': { isUsed: boolean };
  'no-sse': { isUsed: boolean };
  'no-profile': Record<string, never>;
  'no-samples': Record<string, never>;
  /** no CPU time and memory of workers during the load */
  'no-workers': Record<string, never>;
  /** no calls from the companion */
  'no-calls': Record<string, never>;
  'no-endpoint': { endpoint: string };
  /** the engine does not distinguish endpoints */
  'no-endpoints': Record<string, never>;
  'no-baseline': Record<string, never>;
  /** one side of the comparison has no value */
  'one-side': Record<string, never>;
  /** one run is 0 and another is not, so no ratio exists */
  'zero-run': Record<string, never>;
}
export type Missing = Statement<MissingTable>;

/**
 * `pass`, `fail`: value and interval are on one side of the limit; `uncertain`: the limit is inside the interval;
 * `unknown`: the run does not have the value
 */
export type ThresholdStatus = 'pass' | 'fail' | 'uncertain' | 'unknown';

export interface ThresholdResult extends Omit<Threshold, 'operator'> {
  status: ThresholdStatus;
  /** limited to possible values: no negative time, no share above 1 */
  value: Estimate | null;
  /** set if `value` is null */
  missing: Missing | null;
}
