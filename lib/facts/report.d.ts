/**
 * The Report: what analysis makes of a run folder, and all that renderers get to see.
 * Plain JSON. Times are epoch milliseconds (UTC), durations end in Ms, shares are fractions 0…1,
 * `null` means "not known" and never "zero".
 */

import type { Bottleneck, WhatIf } from './bottleneck.d.ts';
import type { ClusterReport } from './cluster.d.ts';
import type { Balance, EndpointCosts } from './costs.d.ts';
import type { Finding } from './findings.d.ts';
import type { ErrorBurst, LogReport } from './logs.d.ts';
import type { PartialReason, QualityItem, Reliability } from './quality.d.ts';
import type { FoundTargets, MergedFrom } from './records.d.ts';
import type { WaitKind } from './rules.d.ts';
import type { SampleTable, WaitTable } from './sample-table.d.ts';
import type { Severity } from './statement.d.ts';
import type { Timeline } from './timeline.d.ts';
import type { Verdict } from './verdict.d.ts';

/** An estimate with its 95 % interval; `low` and `high` are null where none can be given. */
export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
}

export interface TimeRange {
  startMs: number;
  endMs: number;
}

export type RunKind = 'load' | 'profile' | 'load+profile' | 'import';
export type { Severity } from './statement.d.ts';

export interface Report {
  schema: 'loadflame-report/2';
  generator: { name: 'loadflame'; version: string };
  createdAtMs: number;
  run: RunInfo;
  verdict: Verdict;
  findings: Finding[];
  /** what keeps the throughput from being higher; null without a load test */
  bottleneck: Bottleneck | null;
  /** what a fix would buy, the largest share first */
  whatIf: WhatIf[];
  load: LoadReport | null;
  /** null where no server was recorded */
  cpu: CpuUse | null;
  /** null without stacks */
  profile: ProfileReport | null;
  /** null where nothing tells times */
  timeline: Timeline | null;
  /** null where samples show no endpoint and no view */
  costs: EndpointCosts | null;
  balance: Balance | null;
  /** recorded beside the server (`--also`); null where none were */
  taskWorkers?: TaskWorkers | null;
  /** the pods that serve the target (KUBE_WORKLOAD); null where no cluster was looked at */
  cluster?: ClusterReport | null;
  quality: QualityItem[];
  /** is the measurement itself to be believed? */
  reliability: Reliability;
  /** null where no log was recorded */
  logs: LogReport | null;
}

export interface RunInfo {
  id: string;
  kind: RunKind;
  /** `partial`: something ended early; `reasons` says what, and the numbers cover what there is. */
  status: 'complete' | 'partial';
  reasons: PartialReason[];
  startedAtMs: number | null;
  endedAtMs: number | null;
  target: string | null;
  /** found in a cluster, and taken by users in turn; `target` is one of them, or what the checks asked */
  targets?: FoundTargets;
  /** the command as typed, without secrets */
  command: string | null;
  script: { name: string; sha256: string } | null;
  /** versions of what measured: loadflame, node, artillery, py-spy, python, gunicorn … */
  versions: Record<string, string>;
  host: { platform: string; cpus: number; cpuModel: string; memoryBytes: number } | null;
  /** of a run that was recorded on one machine and loaded from another; `host` is the one that was recorded */
  mergedFrom?: MergedFrom;
  /** settings as they were in force, secrets masked */
  settings: { name: string; value: string; source: string }[];
  /** names of the other files of the run folder that a reader may want: relative path and a label */
  files: { path: string; label: string }[];
}

// ---------------------------------------------------------------- load

export interface LatencySummary {
  count: number;
  minMs: number;
  meanMs: number;
  p50Ms: number;
  p75Ms: number;
  p90Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface LoadReport {
  /** which engine sent the load: `loadflame` or `artillery` */
  engine: string;
  /** certificates of TLS were not checked (`--insecure`, `rejectUnauthorized: false`); absent where not known */
  trustsAnyone?: boolean;
  /** from the first to the last thing measured; throughput is computed inside it */
  window: TimeRange;
  /** several load tests joined to one recording have several windows */
  windows: TimeRange[];
  phases: {
    name: string;
    startMs: number;
    endMs: number | null;
    /** as the script says, in its own numbers */
    plan: {
      lengthSec: string | null;
      users: string | null;
      arrivalRate: string | null;
      arrivalCount: string | null;
      rampTo: string | null;
      maxVusers: string | null;
    };
    /**
     * `open`: users arrive by a schedule, however slow the target is; `closed`: a number of users, each
     * waits for its answer before it sends again; `none`: a pause
     */
    model: 'open' | 'closed' | 'none';
  }[];
  users: {
    created: number;
    completed: number;
    failed: number;
    /** arrivals that never became users because `maxVusers` was reached */
    skipped: number;
    /** `failed`: of `ended`, those that came to the end of the scenario or failed; null where not known */
    byScenario: { name: string; count: number; ended: number | null; failed: number | null }[];
    /** scenarios of the script that nobody ran */
    neverRun: string[];
    /** what failed first for users; absent where the engine does not count it */
    firstFailures?: { failed: boolean; code: string; endpoint: string; count: number }[];
    sessionMs: LatencySummary | null;
  };
  http: {
    requests: number;
    responses: number;
    /** responses ÷ window */
    meanRatePerSec: number;
    /** responses with 2xx/3xx ÷ window */
    throughputPerSec: number;
    /** the busiest second; null where only ten-second periods are known */
    peakRatePerSec: number | null;
    /** (responses ≥ 400 + requests that failed without one) ÷ requests whose end is known */
    errorRate: number;
    /** under way when the recording ended: neither answered nor failed */
    unknown: number;
    codes: { code: string; count: number }[];
    /** Artillery's `http.response_time`: from request to first byte */
    timeToFirstByte: LatencySummary | null;
    /** from the wish to send to the last byte, connecting included */
    totalTime: LatencySummary | null;
    /** the same from the moment that the schedule meant; null in a closed loop, and where the engine does not know it */
    totalFromIntended: LatencySummary | null;
    /** new connections only; null where none was made or the engine does not measure it */
    connections: {
      dns: LatencySummary | null;
      tcp: LatencySummary | null;
      tls: LatencySummary | null;
    };
    bytesReceived: number | null;
  };
  socketio: {
    /** null in an import: Artillery itself does not count connections */
    connects: number | null;
    connectErrors: number | null;
    /** connections that socket.io made again by itself; null in an import */
    reconnects: number | null;
    /** why connections ended, in socket.io's words: `transport close`, `ping timeout` … */
    disconnects: { reason: string; count: number }[];
    emits: number;
    /** events that arrived, acknowledgements left out; null where they are not counted */
    received: number | null;
    bytesSent: number | null;
    bytesReceived: number | null;
    /** from the wish to connect to the server's welcome */
    connectTime: LatencySummary | null;
    /** from long polling to websocket */
    upgradeTime: LatencySummary | null;
    /** only emits that waited for an acknowledgement */
    acknowledged: LatencySummary | null;
    /** from an emit to the event that the scenario waits for as its response */
    responseWait: LatencySummary | null;
    /** how long a step waited for an event that the server sends of itself; no latency of the server */
    pushWait: LatencySummary | null;
    /** from the time that stands in a push to its arrival, between the clocks of two machines */
    pushLatency: LatencySummary | null;
  } | null;
  /** null where no WebSocket scenario ran; of Artillery's engine only messages are known */
  websocket: {
    connects: number | null;
    connectErrors: number | null;
    sent: number;
    received: number;
    /** messages that a step waited for */
    replies: number | null;
    bytesSent: number | null;
    bytesReceived: number | null;
    /** from the wish to connect to the server's welcome */
    connectTime: LatencySummary | null;
    /** from a message to the reply that its step waits for */
    replyTime: LatencySummary | null;
  } | null;
  /** Artillery's `errors.*`: name → count, without those of responses whose status is a failure already */
  errors: { name: string; count: number }[];
  failures: Failures;
  endpoints: {
    /** method and path with ids folded: `GET /api/v1/services/` */
    name: string;
    requests: number;
    errors: number;
    codes: { code: string; count: number }[];
    timeToFirstByte: LatencySummary | null;
    /** from the wish to send to the last byte, connecting included */
    totalTime: LatencySummary | null;
    /** answers that said that a step of their request kept the event loop for more than 100 ms */
    blocked?: BlockedSteps;
  }[];
  /** length of an entry of `seconds`: 1000, or 10,000 where only Artillery's own periods are known */
  resolutionMs: number;
  /**
   * The load over time, oldest first, one entry per `resolutionMs`; entries without anything are there
   * with zeros. `requests` and `errors` are per second.
   */
  seconds: {
    startMs: number;
    requests: number;
    errors: number;
    /** time to first byte */
    p50Ms: number | null;
    p95Ms: number | null;
    p99Ms: number | null;
    usersActive: number | null;
    /** requests under way on average: times of the answers that came in it ÷ its length */
    inFlight: number | null;
  }[];
  /** hooks of the script that held the generator's event loop for 100 ms or more, the longest in all first */
  heldBy: { hook: string; count: number; ms: number; longestMs: number }[];
  /** null where the engine does not watch itself (Artillery's) */
  generator: GeneratorReport | null;
  /** the server ended under the load; `pid` where its process was watched; absent where it did not */
  serverEnd?: { pid: number | null; afterMs: number } | null;
  /** the longest one; null where there was none */
  stall: Stall | null;
  errorSamples: ErrorSample[];
  /** oldest first; at most 20 */
  errorBursts: ErrorBurst[];
  tokens: {
    flow: string;
    issuer: string;
    obtained: number;
    refreshed: number;
    failed: number;
    /** of the last failed refresh, in the provider's words or the system's */
    reason: string | null;
    /** the longest renewal that took longer than its token lived, and the 401s while such tokens were used; absent where none did */
    late?: { renewalMs: number; refused: number };
    lifetimeSec: number | null;
    /** answers flipped from 2xx to 401 at this moment */
    flippedAtMs: number | null;
  } | null;
  /** every other counter that Artillery or a plugin kept */
  counters: Record<string, number>;
}

/** Failures of one kind. */
export interface Failure {
  /** null where they were of several, or it is not known */
  endpoint: string | null;
  /** a status, or the name of an error */
  code: string;
  isStatus: boolean;
  count: number;
  /** what the body of most samples says; text from outside */
  reason: string | null;
  /** what their `WWW-Authenticate` says */
  challenge: string | null;
  /** users whose first failure it was, and those of them that failed; absent where not known */
  first?: { all: number; failed: number };
}

/** What failed, each failure once. */
export interface Failures {
  failed: number;
  /** requests whose end is known, connections and messages */
  tried: number;
  /** requests under way when the recording ended */
  unknown: number;
  share: number;
  /** `ended`: completed or failed */
  users: { failed: number; ended: number; share: number };
  /** ALLOWED_FAILURES, of either share */
  allowed: number;
  isTooMany: boolean;
  /** the most frequent first */
  kinds: Failure[];
}

/** A time in which workers, or all of the target, did nothing while requests waited. */
export interface Stall {
  startMs: number;
  endMs: number;
  /** workers that used no CPU meanwhile; none where that is not known */
  pids: number[];
  /** all that were there when it began */
  workers: number;
  /** answers that had to wait for its end */
  waited: number;
  /** time to first byte, of all answers and of those before and after it */
  p95Ms: { all: number; outside: number | null };
  p99Ms: { all: number; outside: number | null };
  /** what the log said meanwhile */
  line: string | null;
}

/** How the load generator itself did, inside the load window. */
export interface GeneratorReport {
  workers: {
    /** 1, 2 … */
    worker: number;
    seconds: number;
    /** CPU time ÷ time; null where it is not known */
    cores: number | null;
    /** 0…1, mean, and of the busiest second: event-loop utilisation, or time that it ran or waited for a core */
    utilization: number;
    utilizationMax: number;
    /** how late its event loop was, p99 of the worst second */
    delayP99Ms: number | null;
    gcMaxMs: number | null;
    /** open at the same time */
    socketsMax: number | null;
    arrivals: number;
  }[];
  /** of all workers together */
  cores: number | null;
  rssBytesMax: number | null;
  /** how late users started against the schedule; null without a schedule (closed loop) */
  lag: LatencySummary | null;
  /** what speaks against its figures, the worst first; none where it kept up */
  signs: GeneratorSign[];
}

export interface GeneratorSign {
  /**
   * `busy`: it had no time left; `starved`: it had work and got no CPU; `late`: it fell behind the
   * schedule, with half of its users as a limit, else with a few; `paused`: it stood still now and then
   */
  id: 'busy' | 'starved' | 'late' | 'paused';
  /** the generator, and not the target, was the limit */
  isLimit: boolean;
  worker: number;
  /** seconds with the sign, of those that were judged */
  seconds: number;
  ofSeconds: number;
  /** of the seconds with the sign, mean; as that of the worker */
  utilization: number;
  /** CPU time ÷ time, mean; null where it is not known */
  cores: number | null;
  /** it had work and no CPU for part of the time, because others took it */
  isCrowded: boolean;
  /** p99 of the worst of these seconds: users started late, the event loop stood still */
  lagMaxMs: number;
  pauseMaxMs: number;
}

export interface ErrorSample {
  atMs: number;
  endpoint: string;
  /** a status ("401") or an error code ("ECONNREFUSED") */
  code: string;
  url: string;
  headers: Record<string, string>;
  /** at most 2 KB, redacted */
  body: string;
  requestId: string | null;
  traceparent: string | null;
  /** that answered; absent where it is not known */
  pod?: string;
}

// ---------------------------------------------------------------- CPU

/**
 * CPU time of the server's processes and of the machine, from the operating system; with stacks and without
 * any. Of a profile that was imported alone only samples are known
 */
export interface CpuUse {
  workers: {
    pid: number;
    /** of one in a pod: that of the pod, and the pid there */
    name?: string;
    /** null where no stacks were recorded */
    samples: number | null;
    cpuMs: number | null;
    /** cores used, mean over the time in which it was there */
    cores: number | null;
    /** of the window; less than 1 where it came or went */
    livedShare: number | null;
    /**
     * of the time in which it was there, at least: runnable without a core, and that and on a core. Not there
     * where the kernel does not say
     */
    queuedShare?: number;
    wantedShare?: number;
    rssBytesMax: number | null;
    startedInRun: boolean;
    endedInRun: boolean;
  }[];
  /** workers at a time, mean, and cores of all of them; null where no CPU time is known */
  processes: number | null;
  cores: number | null;
  /** of a worker, that serve requests; null where it is not known, or they are not served by threads */
  threads: number | null;
  workerRestarts: number;
  /** when workers came or went while the recording went on; absent where none did */
  changedMs?: number[];
  /** CPU time of the workers in the window */
  workersMs: number | null;
  requests: number | null;
  /** D = workersMs ÷ requests; or an upper bound from samples */
  perRequest: Estimate | null;
  basis: 'process-cpu' | 'samples-upper-bound' | 'none';
  /** active samples ÷ rate ÷ process CPU: 1 is ideal, above it the rest waited for a core */
  samplesToCpu: number | null;
  generatorCores: number | null;
  pySpyCores: number | null;
  hostCores: number | null;
  /** of these, had by other guests of the hypervisor */
  stealCores?: number | null;
  /** of the time, in which a process of the machine waited for a CPU (PSI) */
  crowdedShare?: number | null;
}

// ---------------------------------------------------------------- profile

export interface ProfileReport {
  source: string;
  /**
   * what took the samples: `remote` is our own recorder, `companion` a signal in the server itself; `version`: of Python for that, else of py-spy;
   * `notRemote`: why it was not ours; `sameCore`: it looked from the core where the target ran;
   * `handedOverMs`: ours took them so long, and then handed over. null where it is not known
   */
  profiler: {
    id: 'remote' | 'py-spy' | 'companion';
    version: string | null;
    notRemote: string | null;
    sameCore: boolean;
    handedOverMs: number | null;
  } | null;
  /** what the figures cover: the load window where load was recorded, else the whole recording */
  window: TimeRange | null;
  unit: 'samples';
  rateHz: number | null;
  samples: {
    /** of all processes, in and out of the window */
    recorded: number;
    inWindow: number;
    /** in window, worker processes, neither waiting nor noise of the recorder: the base of all shares */
    active: number;
    /** in window, worker processes, recognised as waiting and taken out */
    waiting: number;
    /**
     * of `waiting`: runnable in a system call, beyond what the operating system counted as CPU time; the
     * thread waited for a core
     */
    waitingForCore: number;
    /** in window, of a first process that only waits for its workers */
    master: number;
    /** of the looks at the processes */
    failedShare: number;
    /** of those that were due: they failed or were not taken in time; and of samples beyond twice the CPU
     * time. Intervals are wider for it */
    unseenShare: number;
    /**
     * how many times as often, at most, a look saw one function as another one that used as much CPU time.
     * Intervals are wider for it
     */
    skew: number;
  };
  segments: {
    count: number;
    lost: number;
    unsampledMs: number;
    /** samples that could not be taken; where looks are counted, looks at a process */
    errors: number;
    looks: number | null;
    /** the process at which the largest share of the looks failed */
    blindest: { pid: number; share: number } | null;
    lateMs: number;
    /** how the samples were taken; null where the recording does not say */
    mode: 'remote' | 'blocking' | 'nonblocking' | null;
    /**
     * where the processes were paused for each look: the share of a system call in a loop, by samples and by
     * the clock of its thread. Null: they were not paused, or it is not known
     */
    pausing: { told: number; truth: number; isHonest: boolean } | null;
  } | null;
  /** of the samples in the base; shares sum to 1. Categories without samples are left out. */
  categories: CategoryShare[];
  hotPaths: HotPath[];
  causes: CauseShare[];
  /** of those that are no mere remarks, when there are several: one may lie inside another */
  causesTogether: { causes: string[]; share: Estimate } | null;
  /** decorators and middleware that calls pass through: what is their own */
  wrappers: { function: string; file: string; own: Estimate; through: number }[];
  /** the samples of the base, ready to be counted for any selection: the flamegraph is drawn from it */
  table: SampleTable;
  /** by how much intervals of shares are wider than of independent samples: mean over the categories */
  designEffect: number;
  /** samples that end in lines of the application whose source was not found, so that C code in them has no
   * name; null: nobody looked */
  unreadShare?: number | null;
  /** what threads inside requests wait for; null where it was not recorded */
  waits: Waits | null;
  loopWaits: LoopWaits | null;
}

/**
 * Workers of a task queue that were recorded beside the server. Nothing of them is in a figure of the API,
 * and their shares are of their own samples
 */
export interface TaskWorkers {
  /** `celery`, `rq`, `dramatiq`; `python`: none that we know */
  name: string;
  rootPids: number[];
  /** first processes that ended before the recording did */
  ended: number;
  /** in the windows, from the operating system; null where it was not recorded */
  cpu: {
    cpuMs: number;
    cores: number;
    /** processes that run tasks at a time, mean */
    running: number;
    /** first processes only hand tasks out to them */
    areBelow: boolean;
    /** cores of a process that runs tasks */
    coresEach: number;
    /** tasks may wait for them */
    isFull: boolean;
  } | null;
  /** `cpuMs` ÷ requests; of `endpoints` that were seen handing tasks over, or (null) of the whole API */
  perRequest: { cpuMs: number; requests: number; endpoints: string[] | null } | null;
  samples: ProfileReport['samples'] | null;
  /** samples ÷ rate ÷ CPU time: much less than 1 where processes live too short to be seen */
  samplesToCpu: number | null;
  /** `cpuMsPerRequest` as `perRequest` */
  categories: CategoryShare[];
  hotPaths: HotPath[];
  causes: CauseShare[];
}

export interface CategoryShare {
  id: string;
  label: string;
  /** CSS colour */
  color: string;
  samples: number;
  share: Estimate;
  cpuMsPerRequest: Estimate | null;
}

export interface HotPath {
  category: string;
  label: string;
  /** the function where the category is entered, and the line most samples took */
  entry: { function: string; file: string; line: number | null };
  share: Estimate;
  cpuMsPerRequest: Estimate | null;
  /** the label is a plural: "templates take" */
  plural: boolean;
  /** function of the application that most calls come from */
  caller: { function: string; file: string } | null;
  /** CPU of a request in all; null where it is not known */
  ofRequest: { cpuMs: number; isUpperBound: boolean } | null;
  /** worth a developer's attention */
  flagged: boolean;
  /** ids of causes with evidence inside this path, biggest first */
  causes: string[];
  /** its causes in the words of their rules, the one to name first first; `share` of all active samples */
  reasons: {
    share: number;
    phrase: string;
    fix: string;
    /** from a module to a function of another */
    via: { from: string | null; module: string; function: string };
  }[];
  /** shares are of all active samples */
  heaviest: { function: string; file: string; line: number | null; self: number; total: number }[];
  /** in lines that call what was not seen as Python and what no rule knows, so perhaps C code: the calls, those
   * with the most samples first; null where it is little, or where no source was read */
  unnamed?: { share: number; calls: string[] } | null;
}

export interface CauseShare {
  id: string;
  title: string;
  category: string;
  share: Estimate;
  /** of the samples of its category */
  shareOfCategory: number;
  /** id of the smallest other cause inside which nearly all of its samples lie; null: it stands alone */
  partOf: string | null;
  cpuMsPerRequest: Estimate | null;
  /** the frames that are the evidence, outermost first: `function (file)` */
  evidence: string[];
  /** where the application's own code comes to it, most samples first, at most 3 */
  places?: CausePlace[];
  /** whose requests come to it, most samples first, with their shares of its samples; empty where not known */
  endpoints?: { name: string; share: number }[];
  /** of all requests, those to these endpoints; null where not known */
  ofRequests?: number | null;
  /** it lies where it has to be, as password hashing at a log-in */
  isExpected?: boolean;
  explanation: string;
  advice: string;
  severity: Severity;
}

export interface CausePlace {
  function: string;
  file: string;
  line: number | null;
  /** attributes that the line touches; one is the relation. undefined: not known, or it is no relation */
  touches?: string[];
  /** outermost function of the application on these stacks; null where it is that one */
  view: { function: string; file: string } | null;
  /** of the cause's samples */
  share: number;
}

/** Where the time of request threads goes, CPU or not, from slow samples that include waiting threads. */
/** The longest step of each request, of those in which it took more than 100 ms. */
export interface BlockedSteps {
  /** answers that told it, of `answers` that told anything */
  count: number;
  answers: number;
  longestMs: number;
  ms: number;
  /** of `ms`, CPU time; the rest was waiting, also for a core or for the GIL */
  cpuMs: number;
}

/** Where threads of event loops wait inside of requests, in calls that are no `await`. */
export interface LoopWaits {
  /** of the time of these threads */
  share: Estimate;
  /** functions of the API, biggest first, at most 3; `kind`: null where no rule names it (a sleep, C code) */
  where: {
    function: string;
    file: string;
    kind: Waits['kinds'][number]['id'] | null;
    share: number;
  }[];
}

export interface StuckPlace {
  function: string;
  file: string;
  /** null where no rule names it */
  kind: WaitKind | null;
  looks: number;
}

export interface Waits {
  /** looks at all threads of a worker, summed over workers: what the shares rest on */
  looks: number;
  rateHz: number;
  /** workers × threads that can serve a request; null where it is not known (gevent), or an event loop serves them */
  slots: number | null;
  /** of these inside a request, mean */
  busySlots: number;
  /** of the worker with the most: connections stay with the worker that took them */
  busySlotsOfFullest: number;
  /**
   * requests under way, mean: all threads inside one (slots, and threads that handle events of WebSockets),
   * and those that are suspended
   */
  busyThreads: number;
  /**
   * requests in progress as the client counts them (Little's law, rate × time), mean over the load: what threads
   * show leaves out coroutines that are on no stack; null without a load, or where its seconds do not say it
   */
  inFlight?: number | null;
  /**
   * of these on no thread's stack, where the companion shows what they await; null: an event loop serves
   * requests, and nothing shows it, so they are in no figure here
   */
  suspended: number | null;
  /** of busy threads; sum to 1, biggest first; none where no thread was busy */
  kinds: {
    /**
     * `client`: slow to send or to receive; `socket`: an open WebSocket that waits for a message; `gil`: only
     * where our own recorder took the samples
     */
    id:
      | 'cpu'
      | 'database'
      | 'external-call'
      | 'lock'
      | 'pool'
      | 'thread-pool'
      | 'sleep'
      | 'client'
      | 'socket'
      | 'gil'
      | 'other';
    share: Estimate;
    /** functions of the API that wait there, biggest first, at most 3 */
    where: { function: string; file: string; share: number }[];
  }[];
  /**
   * where threads of stalled workers stood in the stall, most looks first; empty where no look tells its time
   * closely enough. Not there without a stall
   */
  inStall?: StuckPlace[];
  /** of the samples at places of a kind, those that ran, by the profile */
  ran: number;
  /** the samples of all threads inside a request, ready to be counted for any selection */
  table: WaitTable;
}
