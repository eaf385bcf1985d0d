/** What the samples and the processes say: the part `profile` of a Report. */

import type { Estimate, TimeRange } from './estimate.d.ts';
import type { SampleTable, WaitTable } from './sample-table.d.ts';
import type { Severity } from './statement.d.ts';

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
  /** that ended and were replaced, and that ended without a replacement */
  workerRestarts: number;
  workersLost?: number;
  /** CPU time of the workers in the window */
  workersMs: number | null;
  requests: number | null;
  /** that the workers use without requests, from the time before the load; null where that is not known */
  idleCores: Estimate | null;
  /** D = (workersMs − what they use without requests) ÷ requests; or an upper bound from samples */
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
   * what took the samples, as its record says (`Recorder` of records.d.ts); `notRemote`: why it was not our own
   * recorder. null where it is not known
   */
  profiler: {
    name: string;
    version: string | null;
    pausesTarget: boolean;
    hasTimes: boolean;
    sameCore: boolean;
    notRemote: string | null;
  } | null;
  /** what the figures cover: the load window where load was recorded, else the whole recording */
  window: TimeRange | null;
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
    /** failed samples */
    errors: number;
    looks: number | null;
    lateMs: number;
  } | null;
  /** of the samples in the base; shares sum to 1. Categories without samples are left out. */
  categories: CategoryShare[];
  hotPaths: HotPath[];
  causes: CauseShare[];
  /** of those that are no mere remarks, when there are several: one may lie inside another */
  causesTogether: { causes: string[]; share: Estimate } | null;
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
  /** those with most time, most first; absent without source */
  lines?: AnnotatedFunction[];
}

/** A hot function of the app with its lines, secrets taken out. Shares are of the whole run's */
export interface AnnotatedFunction {
  function: string;
  file: string;
  /** its first one */
  line: number;
  /** its file was written to since the server started: its lines are not shown */
  isChanged: boolean;
  /** of all CPU, and of all waiting of requests: where it is the app's innermost function */
  share: number;
  waiting: number;
  /** `share` and `waiting` with what the line calls; `cpuMs` per request, null where that is not known */
  lines: { line: number; text: string; share: number; cpuMs: number | null; waiting: number }[];
  /** of all of it: of a long one, `lines` are those around the most expensive */
  lineCount: number;
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
  /** `cpuMs` ÷ requests of the whole API */
  perRequest: { cpuMs: number; requests: number } | null;
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
    /** where it is entered: the end of the cause's evidence */
    at: string;
  }[];
  /** shares are of all active samples */
  heaviest: {
    function: string;
    file: string;
    line: number | null;
    /** samples that end in it */
    self: number;
    /** with what it calls within this path */
    total: Estimate;
  }[];
}

export interface CauseShare {
  id: string;
  title: string;
  category: string;
  share: Estimate;
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

/**
 * `client`: slow to send or to receive; `socket`: an open WebSocket that waits for a message; `gil`: only
 * where our own recorder took the samples
 */
export type RequestState =
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

/** Requests that hold the lock, or a connection of the pool, for which most others wait. */
export interface Holders {
  of: 'lock' | 'pool';
  function: string;
  file: string;
  /** mean number of them */
  threads: number;
  /** what they do most */
  doing: { id: RequestState; share: number };
}

export interface Waits {
  /** looks at all threads of a worker, summed over workers: what the shares rest on */
  looks: number;
  rateHz: number;
  /** threads that can serve requests: workers × threads, or anyio's beside an event loop; null where it is not known (gevent), or the loop itself serves all */
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
    id: RequestState;
    share: Estimate;
    /** functions of the API that wait there, biggest first, at most 3 */
    where: { function: string; file: string; share: number }[];
  }[];
  /** null where none were seen */
  holders: Holders | null;
  /** of the application's own threads that serve no request the busiest: mean number of them at work */
  background: { function: string; file: string; threads: number } | null;
  /** of the samples at places of a kind, those that ran, by the profile */
  ran: number;
  /** the samples of all threads inside a request, ready to be counted for any selection */
  table: WaitTable;
}
