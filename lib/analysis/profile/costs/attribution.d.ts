/** Which endpoint owns a sample, before anything is counted. */
import type { CostBasis, EndpointCosts } from '../../../run/facts/costs.d.ts';

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
  /** whether samples of a merged node are server work around requests, divided evenly among them; `row`: where it counts */
  isShared(node: number, row?: number): boolean;
  /** index into `owners`, -1 for none, -2 where several share the row: `split` then deals its samples out */
  ownerOf(row: number, node: number): number;
  /**
   * Deals out the samples of a row, in whole samples: index into `owners`, -1 for none.
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

/** An endpoint, and its number of samples of a cause. */
export interface CauseAt {
  endpoint: Pick<EndpointCosts['endpoints'][number], 'name' | 'views' | 'requests'>;
  samples: number;
}
