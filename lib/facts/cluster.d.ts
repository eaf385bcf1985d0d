/** What a cluster said of the pods that serve the target. Names and messages are text from outside. */

export interface ClusterReport {
  namespace: string;
  selector: string;
  /** name of the workload; null where only labels were given */
  workload: string | null;
  /** those with restarts first, then those that were not ready; at most 1,000 */
  pods: PodReport[];
  /** all there were */
  podCount: number;
  /** pods as wanted and as ready at the start of the load, and whenever that changed in it; null: not seen */
  replicas: { afterMs: number; desired: number; ready: number }[] | null;
  /** warnings during the load, the most frequent first, at most 10 */
  events: { object: string; reason: string; message: string; count: number; afterMs: number }[];
  /** parts that were not seen, or not all the time */
  unseen: UnseenPart[];
}

export interface UnseenPart {
  part: string;
  /** `failed`: the cluster did not answer; `program`: images lack what reads it; the others as it said */
  why: 'forbidden' | 'missing' | 'program' | 'failed';
  verb: string;
  resource: string;
  namespace: string;
}

export interface PodReport {
  name: string;
  node: string | null;
  /** null: was there before the load */
  cameAfterMs: number | null;
  /** of the load, in which it was there and not ready; rounded up to how often it was looked at */
  notReadyMs: number;
  /** why one of its containers did not run, the last time */
  waiting: string | null;
  restarts: PodRestart[];
  /** from windows that lie in the load, at least by half; null where there is none */
  usage: {
    cpuCores: { mean: number; max: number };
    memoryBytes: { max: number };
    /** the longest */
    windowMs: number;
  } | null;
  /** of the container that was held back the most by its CPU quota; null: no quota, or it is not known */
  throttling: {
    container: string;
    quotaCores: number;
    /** of the scheduling periods in which it had something to run */
    share: number;
    periods: number;
    throttledMs: number;
  } | null;
  /** of all its containers; null where one has none */
  cpuLimitCores: number | null;
  memoryLimitBytes: number | null;
}

export interface PodRestart {
  container: string;
  /** `probe`: the kubelet ended it because a probe failed; `unknown`: it is not told */
  reason: 'oom' | 'probe' | 'error' | 'completed' | 'unknown';
  exitCode: number | null;
  /** in the load, from one look to the next */
  count: number;
  /** when its container ended, from the start of the load; where that is not told, when it was seen */
  afterMs: number;
  memoryLimitBytes: number | null;
}
