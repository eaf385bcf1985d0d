/**
 * The active samples of a run, compact enough to be embedded in a page and fast enough to be recounted for each
 * selection. `pack.js` writes it, `unpack.js` reads it (in Node and in a browser), and `select.js` counts a
 * selection. The whole run is the selection without restrictions.
 */

/** Numbers as text: unsigned LEB128 varints, deflated (`deflate-raw`), base64. */
export interface Packed {
  /** length before compression */
  bytes: number;
  data: string;
}

export interface SampleTable {
  /**
   * n + 1 edges of n windows, ascending, epoch ms (as in the timeline); null if the file has no times: a single
   * window then covers everything
   */
  edgesMs: number[] | null;
  /** pids of the gunicorn workers; -1 if the file does not say */
  workers: number[];
  /** in the order of `costs.endpoints`; empty if samples are not attributed */
  endpoints: string[];
  categories: { id: string; label: string; color: string }[];
  /** where a category is entered (hot paths); `category` is an index into `categories` */
  paths: { category: number; function: string; file: string; line: number | null }[];
  /** whose code the samples are in, and per node of the tree from 1 on an index into it; absent for waits */
  packages?: { names: string[]; ofNode: Packed };
  /** ids of known causes with evidence; at most 31 */
  causes: string[];
  /** how much wider intervals of shares are than for independent samples, by the block bootstrap */
  designEffect: number;
  frames: { function: string; file: string }[];
  nodeCount: number;
  stackCount: number;
  rowCount: number;
  totalSamples: number;
  /**
   * The merged call tree, parents before children; node 0 is the root, without a frame. Per node from 1 on: distance
   * to the parent (i − parent), index into `frames`, line with the most of its samples (0: unknown).
   */
  tree: Packed;
  /**
   * Attributes that samples share. Per stack: distance to the leaf node of the previous stack (first: to 0), path,
   * endpoint + 1 (0: none), bits of the causes. Sorted by node.
   */
  stacks: Packed;
  /** Per window, per worker: number of rows, then per row: distance to the stack of the previous row, samples. */
  rows: Packed;
}

/**
 * Idle samples of request threads, the source of the flamegraph of waiting. Categories are the kinds of wait; the
 * last one, `other`, covers places that no rule names.
 */
export interface WaitTable extends SampleTable {
  /** per window: how often each worker was sampled. Samples ÷ rounds: mean number of threads */
  rounds: number[];
  /** time that one round represents */
  msPerRound: number;
  /**
   * samples of a request are attributed to the half-second in which the request began; otherwise to any time within a
   * file
   */
  isTimed: boolean;
}

/** What a reader selected; absent fields do not restrict. */
export interface Selection {
  /** index of the first window, and index after the last window */
  windows?: { from: number; to: number };
  /** indexes into the lists of the table */
  workers?: number[];
  endpoints?: number[];
  categories?: number[];
  /** only stacks with a matching frame; `without` inverts the match */
  search?: { text: string; without: boolean };
}

/** The input of `pack.js`: the fields of a table that are neither counted nor packed, and plain lists. */
export interface TableInput
  extends Omit<
    SampleTable,
    | 'tree'
    | 'stacks'
    | 'rows'
    | 'packages'
    | 'nodeCount'
    | 'stackCount'
    | 'rowCount'
    | 'totalSamples'
  > {
  packages?: { names: string[]; ofNode: ArrayLike<number> };
  /** parents before children, node 0 is the root; `parent[0]` and `frame[0]` are not read */
  tree: { parent: ArrayLike<number>; frame: ArrayLike<number>; line: ArrayLike<number> };
  /** in any order; equal stacks are merged. `endpoint` −1: none */
  stacks: {
    node: ArrayLike<number>;
    path: ArrayLike<number>;
    endpoint: ArrayLike<number>;
    causes: ArrayLike<number>;
  };
  /**
   * in any order; rows with the same window, worker and stack are added up. `window`, `worker` and `stack` are
   * indexes; fractional counts are rounded so that their sum is preserved
   */
  rows: {
    window: ArrayLike<number>;
    worker: ArrayLike<number>;
    stack: ArrayLike<number>;
    count: ArrayLike<number>;
  };
}

/** An unpacked table, ready for counting. */
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
    /** index into the names of the packages; all 0 in a table without them */
    package: Int32Array;
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
    /** first row of a window and worker, at [window × workers + worker]; with one more entry at the end */
    start: Int32Array;
    stack: Int32Array;
    count: Int32Array;
  };
}

/** The counts of a selection. Indexes are those of the table's lists. */
export interface SampleCounts {
  selection: Selection;
  total: number;
  /** the selection without its search: `total / base` is the share that matches the search */
  base: number;
  /** per stack */
  stacks: Float64Array;
  /** per node: samples that end at it, and samples that pass through it; `totals[0]` is `total` */
  self: Float64Array;
  totals: Float64Array;
  paths: Float64Array;
  packages: Float64Array;
  causes: Float64Array;
  endpoints: Float64Array;
  /** samples without an endpoint */
  unattributed: number;
  categories: Float64Array;
  /** at [category × windows + window], for all windows, including those outside the selection */
  categoryWindows: Float64Array;
  /** at [endpoint × categories + category] */
  endpointCategories: Float64Array;
}
