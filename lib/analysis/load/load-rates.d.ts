/** What costs per endpoint take from the load. */
import type { Estimate } from '../../facts/estimate.d.ts';
import type { Timeline } from '../../facts/timeline.d.ts';

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
  endpoints: (LoadRates['endpoints'][number] & {
    answers: number;
    /** of the server by its own clock, a response on average; null where it told nothing */
    serverMs: number | null;
    measured: NonNullable<Timeline['load']>['endpoints'][number]['measured'];
  })[];
  /** CPU of native threads per request, beside that of its own thread, of each endpoint */
  nativeMs?: (Estimate | null)[];
}
