/** Findings of a run, as data: what deserves a reader's attention. */

import type { Estimate } from '../../base/math/estimate.d.ts';
import type { BottleneckFindingTable, GatheredFacts, WhatIf } from './bottleneck.d.ts';
import type { Act, Statement as Call } from './calls.d.ts';
import type { ClusterReport, PodRestart } from './cluster.d.ts';
import type {
  CollectionsReport,
  Failure,
  Failures,
  GeneratorSign,
  LoadReport,
  Stall,
} from './load-report.d.ts';
import type { ErrorBurst, LogReport } from './logs.d.ts';
import type {
  BlockedSteps,
  CauseShare,
  HotPath,
  LoopWaits,
  PackageShare,
  Waits,
} from './profile-report.d.ts';
import type { Severity, Statement } from './statement.d.ts';
import type { Spike } from './timeline.d.ts';
import type { InvalidReason } from './validity.d.ts';

export interface Place {
  function: string;
  file: string;
}

/** Both ends of the trend line of a time series. */
export interface Growth {
  start: number;
  end: number;
}

/** A call within the requests to one endpoint. Means are over all of these requests. */
export interface CallOfEndpoint {
  name: string;
  /** share of the endpoint's requests that execute it */
  ofRequests: number;
  perRequest: number;
  msPerRequest: number;
  /** time inside the server per request to this endpoint; null if not known */
  serverMs: number | null;
  /** `msPerRequest` is an upper bound (`calls.bound`) */
  isBound?: boolean;
  /** the function that serves the endpoint */
  view: Place | null;
}

export interface Write extends CallOfEndpoint {
  /** per request, in commits; 0: none, or not known */
  commitMs: number;
}

/** `msPerRequest`: wait for a connection */
export type PoolWait = Pick<CallOfEndpoint, 'name' | 'msPerRequest' | 'serverMs' | 'isBound'>;

/** The same call, repeated within one request. */
export interface RepeatedCall {
  call: Call;
  /** endpoints in which it repeats, the longest time first */
  endpoints: CallOfEndpoint[];
  /** time per request to the first of them that a single execution would save at most; null: not known */
  savedMs: number | null;
  /** CPU of ORM and driver for as many statements, at most; 0: not known */
  savedCpuMs: number;
  /** throughput after ÷ now − 1; null if the model of resources cannot predict it */
  gain: Estimate | null;
  /** what loads the parents of the relation one by one, too */
  parents: Call | null;
  /** several relations that the same endpoints load of the same rows: the other facts are sums, `call` is the first */
  alike?: { call: Call; perRequest: number }[];
}

export interface FindingTable {
  bottleneck: BottleneckFindingTable['bottleneck'];
  capacity: BottleneckFindingTable['capacity'];
  imbalance: BottleneckFindingTable['imbalance'];
  'invalid-load': { reason: InvalidReason; failures: Failure[] };
  'token-trouble': {
    /** derived from the 401s, their timing and the token source */
    situation:
      | 'no-login'
      | 'refresh-failed'
      | 'refresh-late'
      | 'expired'
      | 'refused-from-start'
      | 'only-refreshes-failed'
      | 'some-refused';
    unauthorized: number;
    responses: number;
    /** from the start of the load to the change from 2xx to 401 */
    flipAfterMs: number | null;
    tokens: Pick<
      NonNullable<LoadReport['tokens']>,
      'obtained' | 'refreshed' | 'failed' | 'late' | 'lifetimeSec' | 'reason'
    > | null;
    /** 401s by endpoint, the most frequent first, at most 3 */
    refusals: Failure[];
  };
  'request-errors': {
    errors: number;
    /** requests, connections and messages */
    tried: number;
    share: number;
    /** the most frequent first */
    failures: Failure[];
  };
  'failed-users': Failures['users'] & {
    /** scenarios with failed users, the most failures first */
    scenarios: LoadReport['users']['byScenario'];
    /** how their failures began, the most frequent first; if not known, the most frequent failures of the run */
    failures: Failure[];
  };
  /**
   * one endpoint was requested much more often for a while, and others were slower meanwhile; `first`: the slowest
   * five
   */
  spike: Pick<Spike, 'endpoint' | 'perSec' | 'lengthMs' | 'others'> & {
    afterMs: number;
    victims: number;
    first: Spike['victims'];
    /** what requests waited for most, over the whole run; null: nothing, or not known */
    wait: (Pick<Waits['kinds'][number], 'id' | 'share'> & { where: Place | null }) | null;
  };
  'idle-scenarios': { scenarios: string[]; created: number };
  /** checks of `expect`, by what they check */
  'failed-checks': { failed: number; of: number; kinds: { name: string; count: number }[] };
  /** variables of the script without a value, the most frequent first */
  'empty-variables': {
    variables: {
      name: string;
      /** or step that sends no request, such as `emit hello` */
      endpoint: string;
      count: number;
      /** null: of a step */
      requests: number | null;
    }[];
  };
  'unanswered-emits': {
    /** emits that did not wait for an event */
    emits: number;
    /** events that arrived: broadcasts, if any */
    received: number;
    /** emits that were acknowledged only */
    acknowledged: number;
    /** an error of an event handler, or one that the log contains about once per emit, and how often; null: none */
    line: { text: string; count: number } | null;
  };
  /** `reason`: from the bodies of these responses */
  /** a service that the API could not reach */
  outage: { outage: LogReport['outages'][number]; afterMs: number };
  'error-burst': { burst: ErrorBurst; afterMs: number; reason: string | null };
  'lost-connections': {
    connects: number;
    lost: number;
    /** share of the connections */
    share: number;
    reconnects: number | null;
    reasons: { reason: string; count: number }[];
  };
  'dropped-arrivals': { dropped: number; arrivals: number; started: number; isClosed: boolean };
  'generator-limit': {
    sign: GeneratorSign;
    lagP99Ms: number | null;
    workers: NonNullable<LoadReport['generator']>['workers'];
    /** a core is free for another worker */
    hasRoom: boolean;
  };
  /** `lengthMs`: of the load */
  'full-machine': {
    /** false: requests spend little of their time on the CPU or waiting for it; absent in older reports */
    isDoubt?: boolean;
    requestCpu?: GatheredFacts['requestCpu'];
    hostCores: number;
    cpus: number;
    workerCores: number;
    generatorCores: number;
    pySpyCores: number | null;
    /** cores of recorded task workers; null or absent if none were recorded */
    taskCores?: number | null;
    /** cores used by processes that the workers started; null or absent if none were seen */
    childCores?: number | null;
    /** cores of services on this machine that the workers call; null or absent if none were seen */
    serviceCores?: number | null;
    /** cores used by processes outside the run */
    backgroundCores: number;
    /** cores taken by other guests of the hypervisor; null or absent if not known */
    stealCores?: number | null;
    /** background and steal together used more than the run */
    isBackground: boolean;
    /** what most of the background may be, working for requests; absent in older reports */
    mayServe?: ('database' | 'service')[];
    isClosed: boolean;
  };
  /** `running`: processes that run tasks at a time, mean; `coresEach`: cores per process */
  /** processes that the workers started use much CPU; `perRequestMs`: null where no requests are known */
  'child-processes': { cores: number; workerCores: number; perRequestMs: number | null };
  'task-workers-full': { name: string; running: number; coresEach: number };
  'cpu-throttled': {
    quotaCores: number;
    share: number;
    throttledMs: number;
    pods: { of: number; most: { name: string; share: number } } | null;
  };
  cause: {
    cause: CauseShare;
    /** title of the cause that contains it */
    partOfTitle: string | null;
    whatIf: WhatIf | null;
    /** enough of the CPU to be worth a change, even if it is only a remark */
    isMuch?: boolean;
    /** of compression: means of the responses that came as gzip, and how many of them have its highest level */
    gzip?: { responses: number; bestShare: number; bytes: number; unpackedBytes: number } | null;
  };
  /** `calls`: with `--same-work`, of functions that each request calls several times; `ms`: CPU of a call, null: not known */
  'hot-path': {
    path: HotPath;
    calls?: {
      function: string;
      caller: { file: string; line: number };
      perRequest: number;
      ms: number | null;
    }[];
  };
  /** functions whose calls repeat arguments and results, the most expensive first (`SameCalls`); `share` of the CPU: at least */
  'same-work': {
    requests: number;
    lines: {
      function: string;
      file: string;
      share: number;
      caller: { file: string; line: number };
      calls: number;
      kinds: number;
      same: number;
      unseen: number;
    }[];
  };
  /** packages that observe the API, the most expensive first; `share` and `cpuMsPerRequest`: all of them */
  observability: { packages: PackageShare[]; share: number; cpuMsPerRequest: number | null };
  'garbage-collection': {
    collections: CollectionsReport;
    /** full collections took most of the time */
    isFull: boolean;
    longestMs: number;
  };
  'incremental-collector': { python: string };
  'event-loop-blocked': {
    /** as the companion measured: requests with a step of more than 100 ms; null if it reported none */
    steps: (BlockedSteps & { isComputing: boolean }) | null;
    /** the most blocked time first, at most 3; `view`: the function that serves the endpoint */
    endpoints: { name: string; steps: BlockedSteps; view: Place | null }[];
    /** the views of all of them run in threads: the framework's work around them blocks the loop */
    isAround?: boolean;
    /** a call that waits is known */
    isCall?: boolean;
    /** samples of the event loop's thread; null if none of them shows it waiting */
    waits: LoopWaits | null;
    /** what looks like waiting may be the queue for a core, so no call is blamed; `queuedMs`: upper bound, null: not known */
    starved?: { queuedMs: number | null } | null;
  };
  'n-plus-one': RepeatedCall;
  'repeated-call': RepeatedCall;
  /** `endpoints`: those where nearly each request does it */
  'act-per-request': {
    act: Act;
    endpoints: Pick<CallOfEndpoint, 'name' | 'ofRequests' | 'perRequest' | 'view'>[];
  };
  /** `call` counts all rows of a table; `page` reads a few of them */
  'counted-page': { call: Call; page: Call; endpoint: CallOfEndpoint };
  /** endpoints whose GET requests nearly all write; their times include `commitMs` */
  'write-per-read': { call: Call; first: Write; others: Write[] };
  'slow-call': {
    call: Call;
    endpoint: CallOfEndpoint;
    /** p95 of the endpoint's responses */
    responseMs: number;
    /** the CPU is saturated, so calls also wait for it */
    isCpuBound: boolean;
    /** it waits for an item that another process adds */
    isOfPartner?: boolean;
    /** of the endpoint's time in the server, or of its CPU: a large part of all requests, however short */
    part?: number;
    /** all calls to services, this one too, that the requests make one after the other; `ms`: per request, together */
    inTurn?: { calls: Call[]; ms: number };
  };
  /** `others`: shorter waits, at most 2 */
  'pool-wait': { first: PoolWait; others: PoolWait[] };
  /** `openMs`: the part of its time with an open transaction, per request that makes the call */
  /** `openMs`: per request to its endpoints; `isBound`: an upper bound */
  'open-transaction': { call: Call; openMs: number; isBound: boolean };
  /**
   * per request to the endpoint `name`: time with an open transaction, the part of it in statements and commits, and the
   * statement that locks rows meanwhile
   */
  'held-transaction': { name: string; heldMs: number; usedMs: number; lock: Call | null };
  /** `rows`: per request */
  /** of a response to `endpoint`, on average; `view`: the function that serves it */
  'small-parts': { endpoint: string; view: Place | null; parts: number; partBytes: number };
  'unused-rows': { call: Call; endpoint: string; rows: number; responseBytes: number };
  /** `afterMs`: from the start of the load */
  stall: Stall & { afterMs: number };
  'pod-restarted': {
    /** of all pods */
    restarts: number;
    /** the most frequent reason */
    reason: PodRestart['reason'];
    /** the first of each container, at most 6 */
    first: (PodRestart & { pod: string })[];
    /** restarted pods, and all pods */
    pods: number;
    of: number;
    workload: string | null;
  };
  'pod-not-ready': {
    /** the longest first, at most 6; `waiting`: the cluster's reason for its container */
    pods: { name: string; notReadyMs: number; cameLater: boolean; waiting: string | null }[];
    unready: number;
    of: number;
    lengthMs: number;
  };
  'replicas-changed': {
    steps: NonNullable<ClusterReport['replicas']>;
    workload: string | null;
  };
  'memory-growth': {
    /** the fastest growth first, at most 6 */
    workers: { pid: number | string; bytesPerMin: number; rssBytes: Growth }[];
    growing: number;
    lengthMs: number;
    /** all workers together, at this pace */
    bytesPerHour: number;
    /** all workers together; null without a load */
    bytesPerRequest: number | null;
    /** number of endpoints that were requested */
    requested: number;
    isRecycled: boolean;
  };
  'worker-restarts': {
    /** null if workers were not watched, and only the log shows restarts */
    restarts: number | null;
    /** workers that ended without a replacement */
    lost: number;
    reason: 'reload' | 'timeout' | 'killed' | 'max-requests' | null;
    /** the log line that says so */
    line: string | null;
    workers: { pid: number | string; startedInRun: boolean; endedInRun: boolean }[];
    /** share of all CPU spent loading the application in new workers; null if no sample shows it */
    startUp: Estimate | null;
  };
}

/** `of`: distinguishes findings with the same id in one run (the cause, the endpoint …). */
export type Finding = Statement<FindingTable, { of: string | null; severity: Severity }>;
