/** What a request to an endpoint costs the server, and how requests are distributed over workers and backends. */

import type { Estimate } from '../../base/math/estimate.d.ts';

/**
 * How samples are attributed, the most trustworthy first. `companion`: the route is on the stack. `only`: the load
 * has one endpoint. `source`: the source code of the view states the route; the row covers the view and everything it
 * calls. `view`: the row is a view function whose endpoint is not known.
 */
export type CostBasis = 'companion' | 'only' | 'source' | 'view';

export interface EndpointCosts {
  /** the least trustworthy basis among the rows */
  basis: CostBasis;
  /** how samples were attributed to endpoints */
  tying: {
    /** rows whose thread CPU was measured in the workers */
    measured: number;
    /** share of samples that belong to an endpoint */
    inside: number;
    /** share of samples of the server outside requests, divided evenly among them (companion only) */
    shared: number;
    /** number of rows: attributed by source code, and not attributed */
    views: { bySource: number; untied: number };
    hasLoad: boolean;
    /**
     * share of the samples in views and their responses that renders or streams responses after their views; 0 if
     * too little to matter. Absent in old reports
     */
    later?: number;
  };
  /** the most expensive first; in the order of `SampleTable.endpoints` */
  endpoints: {
    /** `GET /api/v1/services/`, or the view function */
    name: string;
    basis: CostBasis;
    /** name of the endpoint in `load.endpoints`; null if there is none */
    loadEndpoint: string | null;
    /** `inThread`: a plain `def` of an ASGI framework, outside of the event loop */
    views: { function: string; file: string; inThread?: boolean }[];
    samples: number;
    /** responses in the window */
    requests: number | null;
    /**
     * the companion measured `cpuMsPerRequest` in the worker: mean thread CPU; the interval is from its variation
     * over time. Samples only split it into categories.
     */
    isMeasured: boolean;
    /**
     * share of the workers' total CPU time: measured CPU × requests; rows without a measurement divide the remainder
     * by their samples
     */
    shareOfCpu: Estimate;
    /** measured, or CPU time of the workers × share ÷ requests */
    cpuMsPerRequest: Estimate | null;
    /**
     * measured CPU of the request's own thread, if native threads whose requests are not known used much CPU:
     * `cpuMsPerRequest` is then not known
     */
    leastMsPerRequest?: number;
    /**
     * the part of it, if the companion measured both, that the server spends between requests (accepting, reading,
     * writing, logging), after requests of this endpoint
     */
    aroundMsPerRequest?: Estimate | null;
    /** shares of the endpoint's own samples, the largest first; sum to 1; empty without samples */
    byCategory: { category: string; share: number; cpuMsPerRequest: number | null }[];
    /** total time until the response headers, mean, as the companion measured it in the worker */
    serverMsPerRequest: number | null;
  }[];
  /**
   * active samples without an endpoint (background threads, imports); `share`: the CPU share that no row has. Null if
   * only the companion's measurements exist: shares then refer to the measured CPU. `nativeShare`: of all CPU, that of
   * native threads whose requests are not known; `aside`: most of them are below this function, which the framework calls
   * and which is no known view
   */
  unattributed: {
    samples: number;
    share: number;
    nativeShare?: number;
    aside?: { function: string; file: string };
  } | null;
}

export interface BalanceGroup {
  /**
   * `companion`: worker ids in responses; `sticky-cookie`: the cookie of a router; `process-cpu`: CPU time per
   * worker, not requests
   */
  basis: 'companion' | 'sticky-cookie' | 'process-cpu';
  /** members are pods of a cluster, by name; ids that match no pod stay unchanged */
  isPods?: boolean;
  /** actual number of members, if known; members with 0 requests are then listed */
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
