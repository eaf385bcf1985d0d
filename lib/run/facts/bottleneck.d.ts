/**
 * The bottleneck of a run, a cell or a variant: the input of the rules, and their result. A run is treated as a study
 * with one step: fields that a run cannot know are null or empty, and rules that need them do not match.
 */

import type { Estimate } from '../../base/math/estimate.d.ts';
import type { BalanceGroup } from './costs.d.ts';
import type { GeneratorSign, PoolUse } from './load-report.d.ts';
import type { Holders, LoopWaits, RequestState, WaitPlace, Waits } from './profile-report.d.ts';
import type { Saturation } from './saturation.d.ts';
import type { Statement } from './statement.d.ts';

/**
 * What limits the throughput:
 * - `workers`: the CPU of the workers
 * - `gil`: each worker uses one core although it has more threads
 * - `machine`: all cores of the machine
 * - `component`, `stage`: the CPU of a part of the target; a stage of a pipeline
 * - `database`, `external-call`, `child-process`: requests wait for it while CPU is idle
 * - `slots`: all workers × threads are busy while CPU is idle
 * - `pool`: connections to the database or to another service; a semaphore, an executor, a pool of processes
 * - `lock`: a lock that most requests wait for
 * - `loop`, `consumer`: a blocked event loop; the work of another thread or task that requests wait for
 * - `imbalance`: some workers or instances are saturated while others are idle
 * - `quota`: the CPU quota of a container
 * - `wait`: any other wait that takes most of the time of requests, such as a sleep, a pipe or C code
 * - `connections`: the number of connections that are accepted or served at a time
 * - `generator`: the load generator
 * - `none`: not saturated
 * - `unknown`: not enough data
 */
export type BottleneckId =
  | 'workers'
  | 'gil'
  | 'machine'
  | 'component'
  | 'stage'
  | 'database'
  | 'external-call'
  | 'child-process'
  | 'slots'
  | 'pool'
  | 'lock'
  | 'loop'
  | 'consumer'
  | 'wait'
  | 'imbalance'
  | 'quota'
  | 'connections'
  | 'generator'
  | 'none'
  | 'unknown';

/** All ids share the same facts. */
export type BottleneckTable = Record<BottleneckId, BottleneckFacts>;

export interface Bottleneck {
  id: BottleneckId;
  /**
   * name of the component, stage or quota group, kind of a counted pool; `front`: requests wait in front of the server,
   * `partner`: for what another process adds to a database; `pipe`: holders of the lock write to a pipe or a file;
   * `sleep`: of a wait; null for any other bottleneck
   */
  component: string | null;
  /** the bottleneck at one end of the 95 % interval of the largest share of waits, if it differs from `id` */
  orElse?: BottleneckId | null;
  facts: BottleneckFacts;
  /** the capacity and use of each resource, in the order in which a request reaches them */
  resources: Resource[];
  /** predicted throughput of a closed loop without this bottleneck; null if not known */
  fix: Fix | null;
  /**
   * what takes most of the time of a request in a closed loop, the largest first, at most 5; empty if the gain is not
   * known
   */
  paths: PathGain[];
}

/** Work that requests do in a function of the API. */
export interface RequestPath {
  /** `cpu`: `share` is a share of the CPU time of the workers; otherwise of the time of requests */
  kind: RequestState;
  function: string;
  file: string;
  /** what a wait is for, where that is known */
  as?: WaitPlace['as'];
  share: Estimate;
}

export interface PathGain extends RequestPath {
  /** mean per request */
  ms: number;
  /** throughput after ÷ now − 1 if this part takes half as long; null if its effect on the bottleneck is not known */
  half: Estimate | null;
  /** the same if this part is removed */
  without: Estimate | null;
}

/** Something that a request holds for part of its time. Means over the time under load. */
export interface Resource {
  id: BottleneckId;
  /** what the companion counted there; absent: not counted */
  of?: PoolUse['kind'];
  /** number of threads, workers, cores or connections; null: not known */
  capacity: number | null;
  /** how many of them are in use; without a capacity: requests present */
  inUse: number | null;
  /** a fraction, 0 to 1 */
  utilisation: number | null;
  /** requests that wait for it; null: not known */
  queue: number | null;
  /** per completed request */
  demandMs: number | null;
  /** requests per second at full utilisation */
  mostPerSec: number | null;
  /** the requests that hold it, and what they do meanwhile */
  holders: Holders | null;
}

export interface Fix {
  nowPerSec: number;
  afterPerSec: Estimate;
  /** after ÷ now − 1 */
  gain: Estimate;
  /** the next bottleneck; `none`: the number of users */
  next: BottleneckId;
  /** from hardly any gain to several times the rate, which says nothing */
  isVague?: boolean;
  /** open loop: `afterPerSec` is an upper bound, for any number of requests in flight */
  isMost: boolean;
  /**
   * the range goes from all kept connections with one worker to as many with each, because a restart spreads them again
   */
  dependsOnSpread: boolean;
}

/** The input of the rules. Figures of a variant are means over the repeats of its best step. */
export interface GatheredFacts {
  /** whether demand exceeds what the target serves; null: not known */
  isSaturated: boolean | null;
  /** why a run counts as saturated or not; null for a variant */
  pressure: Pressure | null;
  /** parts of a closed loop: the later one has many more users, and as many responses; null: not known; runs only */
  flat?: Record<'start' | 'end', { users: number; ratePerSec: number }> | null;
  /** why the load generator is the bottleneck; null if it is not */
  generator: GeneratorLimit | null;
  host: { cores: number; cpus: number } | null;
  /** parts of the target, the largest CPU use first */
  parts: Part[];
  workers: Part | null;
  generatorCores: number | null;
  profilerCores: number | null;
  /** cores used by processes that the workers started */
  childCores?: number | null;
  /** cores used by processes on this machine to which the workers have connected; null: none was seen */
  serviceCores?: number | null;
  /** cores that other guests of the hypervisor took (steal time) */
  stealCores?: number | null;
  /** cores in use on the machine outside all of these */
  restCores: number | null;
  /** share of the time in which at least one process of the machine waited for a CPU (PSI) */
  crowdedShare?: number | null;
  /** workers that ended during the measurement */
  lostWorkers?: number;
  /**
   * requests in progress, mean: as the client counts them, and inside workers, as their threads or the companion show
   */
  inFlight?: { client: number; inside: number } | null;
  /** the program on this machine that has the target's port; empty: the server itself; null: not known; runs only */
  front?: string | null;
  /** the fastest connection: a round trip on the network; runs only */
  connectMs?: number | null;
  /**
   * the kernel's account of a request: CPU time of workers and their child processes, how long their threads waited for a
   * core (null: the kernel does not say), and the mean response time; `isInside`: inside the server. Runs only
   */
  requestCpu?: {
    cpuMs: number;
    queuedMs: number | null;
    responseMs: number;
    isInside: boolean;
  } | null;
  /** a CPU quota that was exhausted */
  quota: { roles: string[]; quotaCores: number; share: number } | null;
  uneven: { of: 'workers' | 'backends'; unit: 'requests' | 'cpuMs'; counts: number[] } | null;
  waits: Waits | null;
  loopWaits: LoopWaits | null;
  /** as the companion counted them; empty for variants */
  pools?: PoolUse[];
  /** the statement that takes most of the time in statements, if it waits for a lock; with the companion only */
  locking?: LockingStatement | null;
  /** calls of other services that got status 429 ÷ all; 0 also without the companion */
  refusedShare?: number;
  /** a request tries to take something of a database again and again, where it sleeps; absent in older reports */
  tries?: boolean;
  /** new connections per call of the service that takes most time, if most calls open one; 0 also without the companion */
  openedPerCall?: number;
  /** the service whose calls wait for each other there; with the companion only */
  turns?: Turns | null;
  /** work that could be made faster; runs only */
  paths: RequestPath[];
  /** share of the workers' CPU time in HTTP clients; runs only */
  httpClientCpu?: number;
  /** users send several requests over a connection, or it is unknown; runs only */
  keepsConnections?: boolean;
  /** most responses take hardly longer than the quickest one: nothing queues; runs only */
  areAlone?: boolean;
  /** completed requests per second */
  throughputPerSec: number | null;
  /** variants only */
  study: StudyFacts | null;
}

/** A service whose calls wait for each other there: it works on one after the other, or as fast as it can. */
export interface Turns {
  /** `host:port` */
  service: string;
  /** calls completed */
  perSec: number;
  /** calls under way, mean */
  atATime: number;
  meanMs: number;
  /** of one without others, at most; at least the time between two that it completes */
  aloneMs: number;
  /** of the time in calls of other services */
  share: number;
}

/** Facts that come from several steps of load, from repeats and from the study file. */
export interface StudyFacts {
  saturation: Saturation;
  /** the step with the highest throughput; null if no request succeeded */
  step: number | null;
  mostStep: number | null;
  throughputPerSec: number | null;
  /** the highest throughput at any step, including steps that the generator limited: a lower bound for the target */
  seenPerSec: number;
  plateauSteps: number;
  errors: { name: string; count: number }[];
  errorRate: number;
  droppedRate: number;
  /** in pipeline order */
  stages: StageFacts[];
  /** the step at which the stages were judged */
  stageStep: number | null;
  /** variants that differ in `scaleOver` only; `isMore`: with a higher value; `isAlike`: with the same throughput */
  siblings: { label: string; isMore: boolean; throughputPerSec: number; isAlike: boolean }[];
  /** N* = X_max·R_min: the number of requests served at a time */
  kneeInFlight: number | null;
  /** requests in progress, if that number stays constant while there are many more users */
  stuckInFlight: number | null;
  /** failed connections at the plateau ÷ requests */
  connectionErrors: { share: number; name: string } | null;
  /** numbers in the study file whose names contain connections, slots or pools */
  named: { name: string; value: number; of: 'slots' | 'connections' }[];
  /** number of components with the same name and a number: `backend-1`, `backend-2` */
  instances: number;
  /** the bottleneck that the profiled cell's own run reports */
  own: Bottleneck | null;
  /** what the study file's `record` would have to include for a more precise result */
  missing: Missing[];
}

/** The facts, and what follows from them. */
export interface BottleneckFacts extends GatheredFacts {
  /** which of the rules with this id matched */
  why: string | null;
  /**
   * variants only: throughput rises up to the highest step, so a resource counts as saturated only at almost full use
   */
  isRising: boolean;
  isMachineFull: boolean;
  /**
   * share of the response time in which a request runs or waits for a core; 1 if workers want one all the time; null:
   * not known
   */
  cpuShare: number | null;
  /** the CPU is saturated, and that share is not small, or not known */
  isCpuDoubt: boolean;
  areWorkersFull: boolean;
  /** threads of a worker that run or wait for a core, mean; null: not known */
  wantingThreads: number | null;
  /** and the CPU use is more than recorders and the kernel explain; target and generator were both recorded */
  hasBackgroundLoad: boolean;
  /** the stage before which the backlog grows */
  choke: StageFacts | null;
  /** a part of the target that uses all the CPU available to it */
  fullPart: Part | null;
  /** the fixed number of requests that are served at a time */
  served: Served | null;
  /** the innermost pool that is full while requests wait for it */
  fullPool: PoolUse | null;
  /** instead of it: a full pool whose calls wait for a resource inside */
  outerPool: PoolUse | null;
  /** the function in which requests wait longest, for anything; null: waits are unknown, or requests only calculate */
  longestWait: LongestWait | null;
  /** requests that stacks show ÷ requests in progress; 1 if not known */
  seenShare: number;
  /** as in `waits`, of the requests that have a thread */
  kindsInside: Waits['kinds'];
}

/**
 * `row-lock`: FOR UPDATE; `row-write`: several write at a time and use hardly any CPU; `advisory-lock`: of PostgreSQL or
 * MySQL; `write-lock`: of SQLite; `connection`: threads share it
 */
export interface LockingStatement {
  by:
    | 'row-lock'
    | 'row-write'
    | 'table-lock'
    | 'advisory-lock'
    | 'write-lock'
    | 'connection'
    | 'message';
  /** of the time in statements */
  share: number;
  meanMs: number;
}

export interface LongestWait {
  kind: RequestState;
  /** of the time of requests, also of those that no stack shows */
  share: Estimate;
  /** null where the kind has no function of the API */
  place: Omit<WaitPlace, 'share'> | null;
  /** the share is an upper bound: waits for a core are part of it */
  isBound?: boolean;
}

export interface PressureTable {
  /** `replies`: to WebSocket and socket.io messages, in runs without HTTP requests */
  messages: { replies: number };
  short: { responses: number; seconds: number };
  waiting: { users: number; share: number };
  dropped: { share: number };
  /** `tried`: requests, connections and messages */
  timeouts: { count: number; tried: number };
  slower: { startMs: number; endMs: number };
  /** parts of the load, the earlier one first: requests in progress (median), and requests sent */
  backlog: Record<'start' | 'end', { inFlight: number; ratePerSec: number }>;
  steady: Record<string, never>;
}
export type Pressure = Statement<PressureTable>;

/** A sign that the generator itself reported, or a saturated machine on which it used more CPU than the target. */
export interface GeneratorLimit {
  step: number | null;
  sign: GeneratorSign | null;
  generatorCores: number | null;
  targetCores: number | null;
}

/** A part of the target: one or more processes with the same name. */
export interface Part {
  name: string;
  processes: number;
  /** all its processes together */
  cores: number;
  busiestCores: number;
  leastCores: number | null;
  /** the most that it can use; null: all cores of the machine */
  mostCores: number | null;
  /** threads of each process; null if not known */
  threads: number | null;
  /**
   * Lower bounds, as shares of a worker's time. `queuedShare`: runnable without a core, mean over the workers;
   * `leastWantedShare`: running or runnable, of the worker with the smallest share. Null if the scheduler does not
   * say.
   */
  wanting?: { queuedShare: number; leastWantedShare: number; sliceMs?: number } | null;
}

export interface StageFacts {
  name: string;
  servers: number | null;
  /** growth of the backlog before it; null if not known */
  growthPerSec: Estimate | null;
  /**
   * the backlog grows, and enough to matter compared with the completion rate; in a burst: some requests always wait
   */
  isGrowing: boolean;
  meanBacklog: number;
  isKnown: boolean;
}

/** `count` requests are served at a time (`refused`: derived from the share of connections that failed). */
export interface Served {
  id: 'slots' | 'connections';
  by: 'stuck' | 'refused' | 'named' | 'threads' | 'server';
  count: number;
  /**
   * `server`: the program that has the target's port, empty where that is the server itself, and the threads that there
   * are; else the setting that it equals: from the study file, or workers × threads
   */
  name: string | null;
  value: number | null;
  /** `value` applies to each of this many instances */
  instances: number;
}

export type Missing =
  | 'components'
  | 'host'
  | 'profile'
  | 'profiled-cell'
  | 'more-steps'
  | 'more-load';

/** What a fix would gain: for one cause, or for all causes together. */
export interface WhatIf {
  /** ids of causes in `profile.causes` */
  causes: string[];
  /** their titles, from the rules */
  titles: string[];
  share: Estimate;
  /** requests/s at CPU saturation, now and without the cause; null if CPU is not the bottleneck */
  capacityPerSec: Estimate | null;
  capacityAfterPerSec: Estimate | null;
  /** capacity after ÷ now − 1 */
  gain: Estimate | null;
  condition: WhatIfCondition;
}

/**
 * When the prediction holds: the workers are `cpu-bound`, or would be without other programs on a `full-machine`.
 * Otherwise why there is no prediction: `no-cpu-time`, `vague` (from hardly any gain to several times as many
 * requests), or another `bottleneck`.
 */
export interface WhatIfCondition {
  id: 'cpu-bound' | 'full-machine' | 'no-cpu-time' | 'vague' | 'bottleneck';
  bottleneck: BottleneckId;
}

/** Facts of the findings about the bottleneck. The finding's `of` is its id, or whose work is uneven. */
export interface BottleneckFindingTable {
  bottleneck: Bottleneck;
  capacity: {
    /** at full CPU use */
    capacityPerSec: Estimate;
    servedPerSec: number;
    /** without causes: first without all of them together */
    without: { titles: string[]; capacityPerSec: Estimate; gain: Estimate }[];
  };
  imbalance: Pick<BalanceGroup, 'basis' | 'members' | 'min' | 'mean' | 'max'> & {
    of: 'workers' | 'backends';
    /** the members are pods */
    isPods: boolean;
  };
}
