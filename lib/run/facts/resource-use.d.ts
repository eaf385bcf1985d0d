/** What the operating system counted during the load windows, for each part of the target and for the machine. */

export interface ResourceUse {
  /** workers and master first, then the recorded groups in their order, including groups without processes */
  components: Component[];
  host: { cores: number; cpus: number } | null;
  generatorCores: number | null;
  /** shares of quota periods in which a cgroup was throttled */
  throttled: { roles: string[]; quotaCores: number; share: number; throttledMs?: number }[];
}

/** A role of the resource recorder (`workers`, `master`) or a group. */
export interface Component {
  name: string;
  /** mean over the windows */
  cores: number;
  /** of the busiest of its processes */
  busiestCores: number;
  processes: { mean: number; max: number };
  rssBytes: number;
  /** proportional set size: shared pages are divided among processes; null if not readable */
  pssBytes: number | null;
  threads: number;
}
