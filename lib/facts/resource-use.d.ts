/** What the system counted inside the windows of the load: of each part of the target, and of the machine. */

export interface ResourceUse {
  /** workers and master first, then the groups that were recorded, in their order, also without any process */
  components: Component[];
  host: { cores: number; cpus: number } | null;
  generatorCores: number | null;
  /** shares of quota periods in which a cgroup was held back */
  throttled: { roles: string[]; quotaCores: number; share: number; throttledMs?: number }[];
}

/** A role of the resource recorder (`workers`, `master`) or a group. */
export interface Component {
  name: string;
  /** mean over the windows */
  cores: number;
  /** the most one of its processes used */
  busiestCores: number;
  processes: { mean: number; max: number };
  rssBytes: number;
  /** proportional set size: shared pages divided; null where it can't be read */
  pssBytes: number | null;
  threads: number;
}
