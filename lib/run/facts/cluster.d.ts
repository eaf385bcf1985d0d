/** What a cluster reports about the pods that serve the target. Names and messages are text from outside. */

export interface ClusterReport {
  namespace: string;
  selector: string;
  /** name of the workload; null if only labels were given */
  workload: string | null;
  /** pods with restarts first, then pods that were not ready; at most 1,000 */
  pods: PodReport[];
  /** total number of pods */
  podCount: number;
  /** desired and ready pods at the start of the load, and at each change during it; null: not observed */
  replicas: { afterMs: number; desired: number; ready: number }[] | null;
  /** warnings during the load, the most frequent first, at most 10 */
  events: { object: string; reason: string; message: string; count: number; afterMs: number }[];
  /** parts that could not be observed, or only part of the time */
  unseen: UnseenPart[];
}

export interface UnseenPart {
  part: string;
  /**
   * `failed`: the cluster did not respond; `program`: the images lack the program that reads it; the others are the
   * cluster's own reasons
   */
  why: 'forbidden' | 'missing' | 'program' | 'failed';
  verb: string;
  resource: string;
  namespace: string;
}

export interface PodReport {
  name: string;
  node: string | null;
  /** null: existed before the load */
  cameAfterMs: number | null;
  /** time during the load in which the pod existed and was not ready, rounded up to the polling interval */
  notReadyMs: number;
  /** why one of its containers did not run, most recently */
  waiting: string | null;
  restarts: PodRestart[];
  /** from windows that lie at least half inside the load; null if there is none */
  usage: {
    cpuCores: { mean: number; max: number };
    memoryBytes: { max: number };
    /** the longest window */
    windowMs: number;
  } | null;
  /** of the container that its CPU quota throttled most; null: no quota, or not known */
  throttling: {
    container: string;
    quotaCores: number;
    /** share of the scheduling periods in which the container was runnable */
    share: number;
    periods: number;
    throttledMs: number;
  } | null;
  /** sum over its containers; null if one of them has no limit */
  cpuLimitCores: number | null;
  memoryLimitBytes: number | null;
}

export interface PodRestart {
  container: string;
  /** `probe`: the kubelet ended the container because a probe failed; `unknown`: the cluster does not say */
  reason: 'oom' | 'probe' | 'error' | 'completed' | 'unknown';
  exitCode: number | null;
  /** number of restarts during the load, between two polls */
  count: number;
  /** when its container ended, from the start of the load; if not known, when the restart was observed */
  afterMs: number;
  memoryLimitBytes: number | null;
}
