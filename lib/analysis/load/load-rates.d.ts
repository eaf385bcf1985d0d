/** What costs per endpoint need from the load. */
import type { Estimate } from '../../base/math/estimate.d.ts';
import type { Timeline } from '../../run/facts/timeline.d.ts';

/** Requests to each endpoint, per window of the grid. */
export interface LoadRates {
  endpoints: {
    name: string;
    requests: number;
    perWindow: ArrayLike<number>;
    /** responses per route, where the name is the script's and the companion reported it */
    routes?: Record<string, number>;
  }[];
}

/** What requests of each endpoint cost, from the load alone. */
export interface CostLoad {
  endpoints: (LoadRates['endpoints'][number] & {
    answers: number;
    /** mean server time per response, by the server's own clock; null where it reported none */
    serverMs: number | null;
    /** CPU of all responses in calls that the companion follows, null if not known, and of itself around these */
    calls?: { cpuMs: number | null; ownMs: number };
    /** bodies arrive in many small parts; absent where parts were not counted */
    inSmallParts?: boolean;
    measured: NonNullable<Timeline['load']>['endpoints'][number]['measured'];
  })[];
  /** CPU of native threads per request of each endpoint, besides the CPU of its own thread */
  nativeMs?: (Estimate | null)[];
  /** CPU of native threads, also of those that follow no endpoint */
  allNativeMs?: number;
}
