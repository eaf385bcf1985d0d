/**
 * The active samples of a run, small enough to travel inside a page and quick enough to be counted
 * anew for any selection. `pack.js` writes it, `unpack.js` reads it (in Node and in a browser),
 * `select.js` counts a selection. The whole run is the selection of everything.
 */

/** Numbers as text: unsigned LEB128 varints, deflated (`deflate-raw`), base64. */
export interface Packed {
  /** length before deflating */
  bytes: number;
  data: string;
}

export interface SampleTable {
  /**
   * n + 1 edges of n windows, ascending, epoch ms (the timeline's); null where the file tells no
   * times: then one window holds everything
   */
  edgesMs: number[] | null;
  /** of the gunicorn workers; -1 where the file does not tell */
  workers: number[];
  /** in the order of `costs.endpoints`; none where samples are not attributed */
  endpoints: string[];
  categories: { id: string; label: string; color: string }[];
  /** where a category is entered: a hot path; `category` is an index into `categories` */
  paths: { category: number; function: string; file: string; line: number | null }[];
  /** ids of known causes with evidence; at most 31 */
  causes: string[];
  /** what the block bootstrap says by how much intervals of shares are wider than of independent samples */
  designEffect: number;
  frames: { function: string; file: string }[];
  nodeCount: number;
  stackCount: number;
  rowCount: number;
  totalSamples: number;
  /**
   * The merged call tree, parents before children, node 0 is the root without a frame. Per node from
   * 1 on: distance to the parent (i − parent), index into `frames`, line that most samples of it took
   * (0 unknown)
   */
  tree: Packed;
  /**
   * What samples have in common: per stack the distance to the node where the one before ends (first:
   * to 0), path, endpoint + 1 (0: none), bits of the causes. Sorted by node.
   */
  stacks: Packed;
  /** Per window, per worker: how many rows, then per row: distance to the stack of the row before, samples */
  rows: Packed;
}

/**
 * Idle samples of request threads: the flamegraph of waiting is drawn from it. Categories are the kinds
 * of wait, the last one `other`: at places that no rule names.
 */
export interface WaitTable extends SampleTable {
  /** per window: how often each worker was looked at. Samples ÷ these: threads at a time, mean */
  rounds: number[];
  /** time that one of those stands for */
  msPerRound: number;
  /** samples of requests lie in the half-second in which these began; else somewhere in a file's time */
  isTimed: boolean;
}

/** What a reader picked; what is absent does not narrow. */
export interface Selection {
  /** indexes of the first window and of the one after the last */
  windows?: { from: number; to: number };
  /** indexes into the table's lists */
  workers?: number[];
  endpoints?: number[];
  categories?: number[];
  /** only stacks with a frame that matches; `without` turns it round: everything but */
  search?: { text: string; without: boolean };
}

/** What `pack.js` makes a table from: everything of a table that is not counted or packed, and plain lists. */
export interface TableInput
  extends Omit<
    SampleTable,
    'tree' | 'stacks' | 'rows' | 'nodeCount' | 'stackCount' | 'rowCount' | 'totalSamples'
  > {
  /** parents before children, node 0 is the root; `parent[0]` and `frame[0]` are not read */
  tree: { parent: ArrayLike<number>; frame: ArrayLike<number>; line: ArrayLike<number> };
  /** in any order; equal ones become one. `endpoint` −1: none */
  stacks: {
    node: ArrayLike<number>;
    path: ArrayLike<number>;
    endpoint: ArrayLike<number>;
    causes: ArrayLike<number>;
  };
  /**
   * in any order; rows of the same window, worker and stack are added up. `window`, `worker` and
   * `stack` are indexes; counts that are not whole are rounded so that their sum stays
   */
  rows: {
    window: ArrayLike<number>;
    worker: ArrayLike<number>;
    stack: ArrayLike<number>;
    count: ArrayLike<number>;
  };
}

/** A table ready to be counted. */
export interface Samples {
  table: SampleTable;
  windowCount: number;
  tree: {
    /** −1 for the root */
    parent: Int32Array;
    /** −1 for the root */
    frame: Int32Array;
    /** 0: unknown */
    line: Int32Array;
  };
  stacks: {
    node: Int32Array;
    path: Int32Array;
    /** index into `categories`, of the path */
    category: Int32Array;
    /** −1: none */
    endpoint: Int32Array;
    causes: Int32Array;
  };
  rows: {
    /** where the rows of a window and worker start: at [window × workers + worker]; one more at the end */
    start: Int32Array;
    stack: Int32Array;
    count: Int32Array;
  };
}

/** Samples of a selection. Indexes are those of the table's lists. */
export interface SampleCounts {
  selection: Selection;
  total: number;
  /** of the selection without its search: `total / base` is the share that the search leaves */
  base: number;
  /** per stack */
  stacks: Float64Array;
  /** per node: samples that end here, and that pass here; `totals[0]` is `total` */
  self: Float64Array;
  totals: Float64Array;
  paths: Float64Array;
  causes: Float64Array;
  endpoints: Float64Array;
  /** of no endpoint */
  unattributed: number;
  categories: Float64Array;
  /** at [category × windows + window]: of all windows, also those that are not selected */
  categoryWindows: Float64Array;
  /** at [endpoint × categories + category] */
  endpointCategories: Float64Array;
}
