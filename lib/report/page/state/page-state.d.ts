/** What a reader picked, by names that a rebuilt report has, too. */
export interface PageState {
  /** indexes of the first window and of the one after the last; null: all of the time */
  windows: { from: number; to: number } | null;
  /** pids */
  workers: number[] | null;
  /** names of endpoints */
  endpoints: string[] | null;
  /** ids of categories */
  categories: string[] | null;
  search: { text: string; without: boolean } | null;
  /** the flamegraph from its leaves */
  inverted: boolean;
}
