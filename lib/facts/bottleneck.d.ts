/**
 * The bottleneck of a run, a cell or a variant: what rules judge by, and what they found. A run is a
 * study with one step: what it can't know is null (or empty), and rules that need it do not hold.
 */

import type { BalanceGroup } from './costs.d.ts';
import type { Estimate } from './estimate.d.ts';
import type { GeneratorSign } from './load-report.d.ts';
import type { Holders, LoopWaits, RequestState, Waits } from './profile-report.d.ts';
import type { Saturation } from './saturation.d.ts';
import type { Statement } from './statement.d.ts';

/**
 * `workers`: their CPU; `gil`: one core per worker though it has more threads; `machine`: all of its
 * cores; `component`: the CPU of a part of the target; `stage`: of a pipeline; `database`,
 * `external-call`: requests wait for it and CPU is idle; `slots`: workers × threads are all taken while
 * CPU is idle; `pool`: of connections to the database or another service; `lock`; `imbalance`: some
 * workers or instances are full, others idle; `quota`: the CPU that a container may use; `connections`:
 * only so many are served or let in; `generator`; `none`: not saturated; `unknown`: not enough data
 */
export type BottleneckId =
  | 'workers'
  | 'gil'
  | 'machine'
  | 'component'
  | 'stage'
  | 'database'
  | 'external-call'
  | 'slots'
  | 'pool'
  | 'lock'
  | 'loop'
  | 'consumer'
  | 'imbalance'
  | 'quota'
  | 'connections'
  | 'generator'
  | 'none'
  | 'unknown';

/** Every id is worded from the same facts. */
export type BottleneckTable = Record<BottleneckId, BottleneckFacts>;

export interface Bottleneck {
  id: BottleneckId;
  /** the component or stage that it names; null where it is none of them */
  component: string | null;
  /** the bottleneck at an end of the interval of the largest share of waits, where it is another one */
  orElse?: BottleneckId | null;
  facts: BottleneckFacts;
  /** what the resources allow, from where a request comes in */
  resources: Resource[];
  /** what the throughput of a closed loop becomes without it; null where that is not known */
  fix: Fix | null;
  /** what takes most of a request in a closed loop, most first, at most 5; empty where the gain is not known */
  paths: PathGain[];
}

/** Something that requests do in a function of the API. */
export interface RequestPath {
  /** `cpu`: `share` is of the workers' CPU time; else of the time of requests */
  kind: RequestState;
  function: string;
  file: string;
  share: Estimate;
}

export interface PathGain extends RequestPath {
  /** of a request, mean */
  ms: number;
  /** throughput after ÷ now − 1, if it takes half as long; null where it is not known whether what limits holds it */
  half: Estimate | null;
  /** and if it is gone */
  without: Estimate | null;
}

/** Something that requests hold for a part of their time. Means over the loaded time. */
export interface Resource {
  id: BottleneckId;
  /** threads, workers, cores, connections; null: not known */
  capacity: number | null;
  /** of these; requests that are there, where there is no capacity */
  inUse: number | null;
  /** 0 to 1 */
  utilisation: number | null;
  /** requests that wait for it; null: not known */
  queue: number | null;
  /** for each completed request */
  demandMs: number | null;
  /** requests per second at full use */
  mostPerSec: number | null;
  /** who holds it, and does what */
  holders: Holders | null;
}

export interface Fix {
  nowPerSec: number;
  afterPerSec: Estimate;
  /** after ÷ now − 1 */
  gain: Estimate;
  /** what limits then; `none`: the number of users */
  next: BottleneckId;
  /** of an open loop: as many requests as there may be */
  isMost: boolean;
}

/** What the rules judge by. Numbers of a variant are means over the repeats of its best step. */
export interface GatheredFacts {
  /** does the load want more than it gets? null: not known */
  isSaturated: boolean | null;
  /** of a run: why it is called saturated or not */
  pressure: Pressure | null;
  /** why the load generator was the bottleneck */
  generator: GeneratorLimit | null;
  host: { cores: number; cpus: number } | null;
  /** parts of the target, the most CPU first */
  parts: Part[];
  workers: Part | null;
  generatorCores: number | null;
  profilerCores: number | null;
  /** of the machine, had by other guests of the hypervisor */
  stealCores?: number | null;
  /** of the machine, in use beside all these */
  restCores: number | null;
  /** share of the time in which a process of the machine waited for a CPU (PSI) */
  crowdedShare?: number | null;
  /** workers that ended while a run was measured */
  lostWorkers?: number;
  /** requests under way, mean: for the clients, and of these inside of workers, by their threads or by the companion */
  inFlight?: { client: number; inside: number } | null;
  /** a CPU quota that ran out */
  quota: { roles: string[]; quotaCores: number; share: number } | null;
  uneven: { of: 'workers' | 'backends'; unit: 'requests' | 'cpuMs'; counts: number[] } | null;
  waits: Waits | null;
  loopWaits: LoopWaits | null;
  /** what may be made shorter; of a run only */
  paths: RequestPath[];
  /** of a run: share of the workers' CPU time in clients of other services */
  httpClientCpu?: number;
  /** completed requests */
  throughputPerSec: number | null;
  /** of a variant only */
  study: StudyFacts | null;
}

/** What several steps of load, repeats and the study file tell. */
export interface StudyFacts {
  saturation: Saturation;
  /** the step with the highest throughput; null where nothing was answered well */
  step: number | null;
  mostStep: number | null;
  throughputPerSec: number | null;
  /** the highest throughput at any step, those of the generator among them: the target takes at least this */
  seenPerSec: number;
  plateauSteps: number;
  errors: { name: string; count: number }[];
  errorRate: number;
  droppedRate: number;
  /** in the order of the pipeline */
  stages: StageFacts[];
  /** step at which the stages were judged */
  stageStep: number | null;
  /** other variants of the same, but for `scaleOver`; `isMore`: with more of it; `isAlike`: with the same throughput */
  siblings: { label: string; isMore: boolean; throughputPerSec: number; isAlike: boolean }[];
  /** N* = X_max·R_min: how many are served at a time */
  kneeInFlight: number | null;
  /** requests in progress, where it stays the same with many more users than that */
  stuckInFlight: number | null;
  /** connections that failed at the plateau, ÷ requests */
  connectionErrors: { share: number; name: string } | null;
  /** numbers of the study file that are called after connections, slots, pools */
  named: { name: string; value: number; of: 'slots' | 'connections' }[];
  /** components of one name and a number each: `backend-1`, `backend-2` */
  instances: number;
  /** what the profiled cell's own run says */
  own: Bottleneck | null;
  /** what would be known with more of the study file's `record` */
  missing: Missing[];
}

/** And what follows from them. */
export interface BottleneckFacts extends GatheredFacts {
  /** which of the rules with this id held */
  why: string | null;
  /** of a variant: throughput rose up to the highest step, so only what has next to nothing left is full */
  isRising: boolean;
  isMachineFull: boolean;
  areWorkersFull: boolean;
  /** and that is more than recorders and the kernel take, with target and generator known */
  hasBackgroundLoad: boolean;
  /** the stage before which work piles up */
  choke: StageFacts | null;
  /** a part of the target that uses all the CPU it can */
  fullPart: Part | null;
  /** a fixed number that is served at a time */
  served: Served | null;
}

export interface PressureTable {
  /** `replies`: to messages of WebSockets and socket.io, where no HTTP request was sent */
  messages: { replies: number };
  short: { responses: number; seconds: number };
  waiting: { users: number; share: number };
  dropped: { share: number };
  /** `tried`: requests, connections and messages */
  timeouts: { count: number; tried: number };
  slower: { startMs: number; endMs: number };
  steady: Record<string, never>;
}
export type Pressure = Statement<PressureTable>;

/** A sign of the generator itself; or, on a full machine, that it took more of it than the target. */
export interface GeneratorLimit {
  step: number | null;
  sign: GeneratorSign | null;
  generatorCores: number | null;
  targetCores: number | null;
}

/** A part of the target: one or more processes of a name. */
export interface Part {
  name: string;
  processes: number;
  /** of all its processes */
  cores: number;
  busiestCores: number;
  leastCores: number | null;
  /** the most it can use; null: what the machine has */
  mostCores: number | null;
  /** of each process; null where it is not known */
  threads: number | null;
  /**
   * of the time of a worker, at least: runnable without a core, on average; on a core or runnable, of the
   * worker with the least. Null where the scheduler does not say
   */
  wanting?: { queuedShare: number; leastWantedShare: number } | null;
}

export interface StageFacts {
  name: string;
  servers: number | null;
  /** of what waits before it; null where it is not known */
  growthPerSec: Estimate | null;
  /** it grows, and by so much that it counts beside what is completed; of a burst: some wait all the time */
  isGrowing: boolean;
  meanBacklog: number;
  isKnown: boolean;
}

/** `count` requests are served at a time (`refused`: the share of connections that failed). */
export interface Served {
  id: 'slots' | 'connections';
  by: 'stuck' | 'refused' | 'named' | 'threads' | 'server';
  count: number;
  /** the number that it is: of the study file, or workers × threads */
  name: string | null;
  value: number | null;
  /** `value` is that of each of so many */
  instances: number;
}

export type Missing =
  | 'components'
  | 'host'
  | 'profile'
  | 'profiled-cell'
  | 'more-steps'
  | 'more-load';

/** What a fix would buy: of one cause, or of all of them together. */
export interface WhatIf {
  /** ids of causes in `profile.causes` */
  causes: string[];
  /** their titles, from the rules */
  titles: string[];
  share: Estimate;
  /** requests/s at CPU saturation, now and without the cause; null where CPU is not the bottleneck */
  capacityPerSec: Estimate | null;
  capacityAfterPerSec: Estimate | null;
  /** capacity after ÷ now − 1 */
  gain: Estimate | null;
  condition: WhatIfCondition;
}

/**
 * When it holds: the workers are `cpu-bound`, or so beside other programs on a `full-machine`. Or why
 * nothing can be said: `no-cpu-time`, or another `bottleneck`.
 */
export interface WhatIfCondition {
  id: 'cpu-bound' | 'full-machine' | 'no-cpu-time' | 'bottleneck';
  bottleneck: BottleneckId;
}

/** Facts of the findings about it; `of` is the bottleneck's id, and whose work it is. */
export interface BottleneckFindingTable {
  bottleneck: Bottleneck;
  capacity: {
    /** at full CPU */
    capacityPerSec: Estimate;
    servedPerSec: number;
    /** without causes, all of them together first */
    without: { titles: string[]; capacityPerSec: Estimate; gain: Estimate }[];
  };
  imbalance: Pick<BalanceGroup, 'basis' | 'members' | 'min' | 'mean' | 'max'> & {
    of: 'workers' | 'backends';
    /** the members are pods */
    isPods: boolean;
  };
}
