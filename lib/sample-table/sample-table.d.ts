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
   * What samples have in common: per stack the node where it ends, path, endpoint + 1 (0: none), bits
   * of the causes. Sorted by node.
   */
  stacks: Packed;
  /** Per window, per worker: how many rows, then per row: distance to the stack of the row before, samples */
  rows: Packed;
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
