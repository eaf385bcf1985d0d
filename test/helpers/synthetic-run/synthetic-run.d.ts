/** What a synthetic run is made from, and what is known about it. All rates are per second. */
import type { Manifest } from '../../../lib/run/facts/records.d.ts';
import type { RawRecord } from '../../../lib/run/ndjson.js';

/** Kind of waiting inside a request, which costs time and no CPU. */
export type WaitKind = 'database' | 'external-call' | 'lock' | 'pool';

export interface SyntheticEndpoint {
  /** `GET /api/v1/services/` */
  name: string;
  /** view function and its file; made from the name where absent; endpoints may share one */
  view?: string;
  file?: string;
  /** requests that are wanted; completed ones may be fewer when the run is saturated */
  /** the source of the view states it; else no source was read */
  route?: string;
  ratePerSec: number;
  /** CPU-ms of a request per work (a key of WORKS: `auth:introspect`, `business`, `database:execute` …) */
  cpuMs: Record<string, number>;
  /** sampled CPU against CPU in truth, on top of that of the run */
  samplesPerCpu?: number;
  /** ms of a request that are waited */
  waitMs?: Partial<Record<WaitKind, number>>;
  /**
   * total time of answers: log-normal, by its median. Where absent it follows from CPU, waiting and
   * queueing (`truth.utilization`), with `latencySigma`
   */
  latencyMs?: { median: number; sigma: number };
  /** share of answers that fail, and how */
  errorShare?: number;
  status?: number | string;
}

export interface SyntheticSpec {
  seed?: number;
  id?: string;
  /** a whole second */
  startMs?: number;
  /** one closed loop or open arrivals after the other; `factor` multiplies all rates, from … to */
  phases?: { name: string; durationSec: number; factor?: number; toFactor?: number }[];
  /** of the one phase, where `phases` is absent */
  durationSec?: number;
  model?: 'closed' | 'open';
  /** who are at work at a time; enough for the rates where absent */
  users?: number;
  endpoints?: SyntheticEndpoint[];
  workers?: number;
  threads?: number;
  /** share of requests per worker, in any unit; even where absent */
  workerWeights?: number[];
  /** instances of the API and their share of requests; the profiled one is the first */
  backends?: { id: string; weight: number }[];
  /** how backends are told: by the companion's worker ids, or sticky cookies too */
  stickyCookies?: boolean;
  /** workers' CPU is limited to so many cores each (the GIL) */
  coresPerWorker?: number;
  /** the companion's markers on stacks, and its figures in answers */
  companion?: boolean;
  profile?: boolean;
  /** looks at all threads, as the second, slow profiler takes them; with a profile, unless false */
  waits?: boolean;
  rateHz?: number;
  segmentMs?: number;
  /** sampled CPU against CPU in truth */
  samplesPerCpu?: number;
  /** distinct stacks per endpoint and work */
  variants?: number;
  /** CPU-ms per second and worker of work that no request asked for (`dev:reloader`) */
  background?: Record<string, number>;
  /** standard deviation of one request's CPU over its mean */
  cpuSpread?: number;
  latencySigma?: number;
  /** log-normal factors per run: how runs differ that should be the same */
  betweenRuns?: { cpuSigma?: number; latencySigma?: number };
  /** log-normal factor per work, worker and 5 s: how samples hang together */
  blockSigma?: number;
  /** multiplies CPU, or the CPU of some works; and latency */
  cpuFactor?: number | Record<string, number>;
  latencyFactor?: number;
  memory?: { startBytes?: number; bytesPerSec?: number };
  errorBursts?: {
    fromSec: number;
    lengthSec: number;
    share: number;
    status: number | string;
    endpoint?: string;
    body?: string;
  }[];
  /** a worker (index from 0) ends and another takes its place */
  restarts?: { atSec: number; worker: number }[];
  generator?: {
    workers?: number;
    utilization?: number;
    cores?: number;
    delayP99Ms?: number;
    lagMs?: number;
    skippedPerSec?: number;
  };
  cpus?: number;
  /** of other processes on the machine */
  otherCores?: number;
}

/** The answer that an analysis of the run should find. */
export interface SyntheticTruth {
  startMs: number;
  endMs: number;
  /** mean CPU-ms of a request by endpoint, and by category in it */
  cpuMsPerRequest: Record<string, number>;
  byCategory: Record<string, Record<string, number>>;
  /** shares of all CPU, background work included; sum to 1 */
  categoryShares: Record<string, number>;
  workShares: Record<string, number>;
  /** completed requests, by endpoint, worker (index) and backend */
  requests: Record<string, number>;
  byWorker: number[];
  byBackend: Record<string, number>;
  errors: number;
  /** of the fullest worker at the highest rate: CPU over what it has, busy threads over threads; wanted, so above 1 when saturated */
  utilization: { cpu: number; slots: number };
  /** completed requests at which CPU or threads are used up, whichever is less */
  capacityPerSec: number;
  saturatedBy: 'cpu' | 'slots' | null;
  /** CPU-ms used by workers */
  workersCpuMs: number;
  samples: number;
}

/** The records of a run folder, and the files of its profile. */
export interface SyntheticRun {
  manifest: Manifest;
  events: RawRecord[];
  errors: RawRecord[];
  tokens: RawRecord[];
  segments: RawRecord[];
  processes: RawRecord[];
  /** routes of views that the source was read for */
  calls?: RawRecord[];
  metrics: RawRecord[];
  /** text of the files of `segments`, in their order */
  raw: { file: string; text: string }[];
  truth: SyntheticTruth;
}
