/** What a request of an endpoint costs the server, and how the traffic spread. */

import type { Estimate } from './estimate.d.ts';

/**
 * How samples were attributed, in order of trust: `companion`: the route stands on the stack; `only`: the load had
 * one endpoint; `source`: the source of the view states the route, and the row is what the view and all that it
 * calls use; `view`: the row is a view function of no known endpoint
 */
export type CostBasis = 'companion' | 'only' | 'source' | 'view';

export interface EndpointCosts {
  /** the least trusted way among the rows */
  basis: CostBasis;
  /** how samples were tied to endpoints */
  tying: {
    /** rows whose thread CPU was measured in the workers */
    measured: number;
    /** share of samples that are of an endpoint */
    inside: number;
    /** share of samples of the server around requests, divided evenly among them (companion) */
    shared: number;
    /** rows that were tied which way */
    views: { bySource: number; untied: number };
    hasLoad: boolean;
  };
  /** the most expensive first; in the order of `SampleTable.endpoints` */
  endpoints: {
    /** `GET /api/v1/services/`, or the view function */
    name: string;
    basis: CostBasis;
    /** name of the endpoint in `load.endpoints`; null where there is none */
    loadEndpoint: string | null;
    views: { function: string; file: string }[];
    samples: number;
    /** answers in the window */
    requests: number | null;
    /**
     * the companion measured `cpuMsPerRequest` in the worker: mean thread CPU, with the interval of how it
     * varied over time; samples only split it
     */
    isMeasured: boolean;
    /**
     * of all CPU of the workers: what was measured × requests; rows that were not measured share what
     * is left by their samples
     */
    shareOfCpu: Estimate;
    /** measured, or CPU time of the workers × share ÷ requests */
    cpuMsPerRequest: Estimate | null;
    /**
     * of it, where the companion measured both: what the server spends from one request to the next (accepting,
     * reading, writing, the log), after requests of this endpoint
     */
    aroundMsPerRequest?: Estimate | null;
    /** shares of the endpoint's own samples, biggest first; sum to 1; empty without samples */
    byCategory: { category: string; share: number; cpuMsPerRequest: number | null }[];
    /** measured by the companion in the worker: total time until the answer's headers, mean */
    serverMsPerRequest: number | null;
  }[];
  /**
   * active samples of no endpoint: background threads, imports; `share` of CPU: what no row has. Null where
   * only what the companion measured is known: shares are then of that
   */
  unattributed: { samples: number; share: number } | null;
}

export interface BalanceGroup {
  /**
   * `companion`: worker ids in answers; `sticky-cookie`: of a router;
   * `process-cpu`: CPU time per worker, not requests
   */
  basis: 'companion' | 'sticky-cookie' | 'process-cpu';
  /** members are the pods of a cluster, by their names; ids that are of none of them stay as they are */
  isPods?: boolean;
  /** how many there are in truth, where it is known; members with 0 are listed then */
  expected: number | null;
  members: { id: string; requests: number | null; cpuMs: number | null }[];
  min: number;
  mean: number;
  median: number;
  max: number;
}

export interface Balance {
  workers: BalanceGroup | null;
  /** instances of the API: pods, or gunicorn masters */
  backends: BalanceGroup | null;
}
