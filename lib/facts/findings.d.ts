/** Findings of a run: what is worth a reader's attention, as data. */

import type { BottleneckFindingTable, WhatIf } from './bottleneck.d.ts';
import type { Statement as Call } from './calls.d.ts';
import type { ClusterReport, PodRestart } from './cluster.d.ts';
import type { Estimate } from './estimate.d.ts';
import type { Failure, Failures, GeneratorSign, LoadReport, Stall } from './load-report.d.ts';
import type { ErrorBurst } from './logs.d.ts';
import type { BlockedSteps, CauseShare, HotPath, LoopWaits, Waits } from './profile-report.d.ts';
import type { Severity, Statement } from './statement.d.ts';
import type { Spike } from './timeline.d.ts';
import type { InvalidReason } from './validity.d.ts';

export interface Place {
  function: string;
  file: string;
}

/** Of a time series with a trend: the ends of its line. */
export interface Growth {
  start: number;
  end: number;
}

/** A call in the requests to one endpoint. Means are over the requests in which it is executed. */
export interface CallOfEndpoint {
  name: string;
  /** of all its requests, those in which it is executed */
  ofRequests: number;
  perRequest: number;
  msPerRequest: number;
  /** time inside the server per request to this endpoint; null where not known */
  serverMs: number | null;
  /** the function that serves it */
  view: Place | null;
}

/** `msPerRequest`: of waiting for a connection */
export type PoolWait = Pick<CallOfEndpoint, 'name' | 'msPerRequest' | 'serverMs'>;

/** The same call again and again in one request. */
export interface RepeatedCall {
  call: Call;
  /** those where it repeats, the most time first */
  endpoints: CallOfEndpoint[];
  /** what executing it once would save in the first of them, per request */
  savedMs: number;
  /** throughput after ÷ now − 1; null where the model of resources does not say it */
  gain: Estimate | null;
}

export interface FindingTable {
  bottleneck: BottleneckFindingTable['bottleneck'];
  capacity: BottleneckFindingTable['capacity'];
  imbalance: BottleneckFindingTable['imbalance'];
  'invalid-load': { reason: InvalidReason; failures: Failure[] };
  'token-trouble': {
    /** what the 401s, their time and the token source say together */
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
    /** from the start of the load to the moment when 2xx became 401 */
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
    /** those with failed users, most first */
    scenarios: LoadReport['users']['byScenario'];
    /** how their failures began, most first; where that is not known, what failed most in this run */
    failures: Failure[];
  };
  /** one endpoint came much more often for a while, and others were slower meanwhile; `first`: the slowest five */
  spike: Pick<Spike, 'endpoint' | 'perSec' | 'lengthMs' | 'others'> & {
    afterMs: number;
    victims: number;
    first: Spike['victims'];
    /** what requests waited for most of the time of the whole run; null: nothing, or it is not known */
    wait: (Pick<Waits['kinds'][number], 'id' | 'share'> & { where: Place | null }) | null;
  };
  'idle-scenarios': { scenarios: string[]; created: number };
  'unanswered-emits': {
    /** that did not wait for an event */
    emits: number;
    /** events: broadcasts, where there are any */
    received: number;
    /** acknowledged, and no more than that */
    acknowledged: number;
    /** the error that the log has about once per emit; null where there is none */
    line: { text: string; count: number } | null;
  };
  /** `reason`: what the bodies of these responses say */
  'error-burst': { burst: ErrorBurst; afterMs: number; reason: string | null };
  'lost-connections': {
    connects: number;
    lost: number;
    /** of the connections */
    share: number;
    reconnects: number | null;
    reasons: { reason: string; count: number }[];
  };
  'dropped-arrivals': { dropped: number; arrivals: number; started: number; isClosed: boolean };
  'generator-limit': {
    sign: GeneratorSign;
    lagP99Ms: number | null;
    workers: NonNullable<LoadReport['generator']>['workers'];
    /** another worker would find a core */
    hasRoom: boolean;
  };
  /** `lengthMs`: of the load */
  'full-machine': {
    hostCores: number;
    cpus: number;
    workerCores: number;
    generatorCores: number;
    pySpyCores: number | null;
    /** of task workers that were recorded; null or absent where none were */
    taskCores?: number | null;
    /** used by what is no part of the run */
    backgroundCores: number;
    /** had by other guests of the hypervisor; null or absent where not known */
    stealCores?: number | null;
    /** both together took more than the run */
    isBackground: boolean;
    isClosed: boolean;
  };
  /** `running`: processes that run tasks at a time, mean; `coresEach`: of a core */
  'task-workers-full': { name: string; running: number; coresEach: number };
  'cpu-throttled': {
    quotaCores: number;
    share: number;
    throttledMs: number;
    pods: { of: number; most: { name: string; share: number } } | null;
  };
  cause: {
    cause: CauseShare;
    /** title of the cause of which it is a part */
    partOfTitle: string | null;
    whatIf: WhatIf | null;
  };
  'hot-path': { path: HotPath };
  'event-loop-blocked': {
    /** what the companion measured: requests with a step of more than 100 ms; null where it told none */
    steps: (BlockedSteps & { isComputing: boolean }) | null;
    /** the most blocked time first, at most 3; `view`: the function that serves it */
    endpoints: { name: string; steps: BlockedSteps; view: Place | null }[];
    /** what was seen of the loop's thread; null where it was not seen waiting */
    waits: LoopWaits | null;
  };
  'n-plus-one': RepeatedCall;
  'repeated-call': RepeatedCall;
  'slow-call': {
    call: Call;
    endpoint: CallOfEndpoint;
    /** of the responses of the endpoint, p95 */
    responseMs: number;
    /** the CPU is saturated: calls wait for it, too */
    isCpuBound: boolean;
  };
  /** `others`: less of a wait, at most 2 */
  'pool-wait': { first: PoolWait; others: PoolWait[] };
  /** `openMs`: of it with an open transaction, per request in which it is called */
  'open-transaction': { call: Call; openMs: number };
  /** `rows`: per request */
  'unused-rows': { call: Call; endpoint: string; rows: number; responseBytes: number };
  /** `afterMs`: from the start of the load */
  stall: Stall & { afterMs: number };
  'pod-restarted': {
    /** of all of them */
    restarts: number;
    /** why most of them were */
    reason: PodRestart['reason'];
    /** the first of each container, at most 6 */
    first: (PodRestart & { pod: string })[];
    /** how many restarted, of those that there were */
    pods: number;
    of: number;
    workload: string | null;
  };
  'pod-not-ready': {
    /** the longest first, at most 6; `waiting`: what the cluster says of its container */
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
    /** the fastest first, at most 6 of those that grow */
    workers: { pid: number | string; bytesPerMin: number; rssBytes: Growth }[];
    growing: number;
    lengthMs: number;
    /** of all of them, at this pace */
    bytesPerHour: number;
    /** of all of them; null without a load */
    bytesPerRequest: number | null;
    /** endpoints that were requested */
    requested: number;
    isRecycled: boolean;
  };
  'worker-restarts': {
    /** null where workers were not watched, and the log alone says it */
    restarts: number | null;
    /** workers that ended without a replacement */
    lost: number;
    reason: 'reload' | 'timeout' | 'killed' | 'max-requests' | null;
    /** the line of the log that says so */
    line: string | null;
    workers: { pid: number | string; startedInRun: boolean; endedInRun: boolean }[];
    /** loading the application in new workers, of all CPU; null where no sample shows it */
    startUp: Estimate | null;
  };
}

/** `of`: which one, where a run can have several of an id (the cause, the endpoint …). */
export type Finding = Statement<FindingTable, { of: string | null; severity: Severity }>;
