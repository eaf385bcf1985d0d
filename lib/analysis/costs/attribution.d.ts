/** Whose a sample is, before anything is counted. */
import type { CostBasis, EndpointCosts } from '../../facts/costs.d.ts';
import type { Estimate } from '../../facts/estimate.d.ts';
import type { LoadReport } from '../../facts/load-report.d.ts';
import type { Timeline } from '../../facts/timeline.d.ts';
import type { ServerTimes } from '../load/endpoints.js';

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

export interface Owner {
  name: string;
  basis: CostBasis;
  /** index into the load's endpoints, -1 for none */
  endpoint: number;
  /** indexes into the functions of the profile; with the companion they are found while counting */
  views: number[];
}

export interface Attribution {
  basis: CostBasis;
  owners: Owner[];
  /** whether samples of a merged node are of the server around requests, divided evenly among them; `row`: where it counts */
  isShared(node: number, row?: number): boolean;
  /** index into `owners`, -1 for nobody, -2 where several share them: `split` deals them out then */
  ownerOf(row: number, node: number): number;
  /**
   * Whose the samples of a row are, in whole samples: index into `owners`, -1 for nobody.
   * `row` is of the profile, `node` of the merged tree, `path` a hot path.
   */
  split(
    row: number,
    node: number,
    window: number,
    path: number,
    weight: number,
    visit: (owner: number, weight: number) => void,
  ): void;
}

/** What costs take from the load. */
export interface CostLoad {
  endpoints: LoadReport['endpoints'];
  serverTimes: Map<string, ServerTimes>;
  /** in the order of `endpoints`; empty where nothing is known over time */
  overTime: NonNullable<Timeline['load']>['endpoints'];
  /** CPU of native threads per request, beside that of its own thread */
  nativeMs?: (Estimate | null)[];
}

/** An endpoint, and how many samples of a cause are of it. */
export interface CauseAt {
  endpoint: Pick<EndpointCosts['endpoints'][number], 'name' | 'views' | 'requests'>;
  samples: number;
}
