/** What costs per endpoint take from the load. */
import type { Estimate } from '../../facts/estimate.d.ts';
import type { LoadReport } from '../../facts/load-report.d.ts';
import type { Timeline } from '../../facts/timeline.d.ts';
import type { ServerTimes } from './endpoints.js';

/** What was asked of each endpoint, per window of the grid. */
export interface LoadRates {
  endpoints: {
    name: string;
    requests: number;
    perWindow: ArrayLike<number>;
    /** answers per route, where the name is the script's and the companion told */
    routes?: Record<string, number>;
  }[];
}

/** What requests of each endpoint cost, as far as the load tells. */
export interface CostLoad {
  endpoints: LoadReport['endpoints'];
  serverTimes: Map<string, ServerTimes>;
  /** in the order of `endpoints`; empty where nothing is known over time */
  overTime: NonNullable<Timeline['load']>['endpoints'];
  /** CPU of native threads per request, beside that of its own thread */
  nativeMs?: (Estimate | null)[];
}
