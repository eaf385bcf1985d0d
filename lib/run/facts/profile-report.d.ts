/** What samples and processes show: the parts `cpu`, `profile` and `taskWorkers` of a Report. */

import type { Estimate, TimeRange } from '../../base/math/estimate.d.ts';
import type { ActKind } from './calls.d.ts';
import type { WaitAct, WaitKind } from './rules.d.ts';
import type { SampleTable, WaitTable } from './sample-table.d.ts';
import type { Severity } from './statement.d.ts';
import type { SameWork } from './whole-request.d.ts';

// ---------------------------------------------------------------- CPU

/**
 * CPU time of the server's processes and of the machine, as the operating system reports it, with or without stacks.
 * A profile that was imported alone has samples only.
 */
export interface CpuUse {
  workers: {
    pid: number;
    /** in a pod: the name of the pod, and the pid there */
    name?: string;
    /** null if no stacks were recorded */
    samples: number | null;
    cpuMs: number | null;
    /** cores used, mean over the worker's lifetime */
    cores: number | null;
    /** share of the window in which the worker existed; below 1 if it started or ended during the window */
    livedShare: number | null;
    /**
     * lower bounds, as shares of the worker's lifetime: runnable without a core, and running or runnable. Absent if
     * the kernel does not say.
     */
    queuedShare?: number;
    /** time in which its threads were runnable without a core, sum */
    queuedMs?: number;
    wantedShare?: number;
    /** how long its threads have a core at a time, mean */
    sliceMs?: number;
    rssBytesMax: number | null;
    startedInRun: boolean;
    endedInRun: boolean;
  }[];
  /** concurrent workers, mean, and cores of all workers; null if no CPU time is known */
  processes: number | null;
  cores: number | null;
  /** threads per worker that serve requests; null if not known, or if threads do not serve requests */
  threads: number | null;
  /** workers that ended and were replaced, and workers that ended without a replacement */
  workerRestarts: number;
  workersLost?: number;
  /** CPU time of the workers in the window */
  workersMs: number | null;
  requests: number | null;
  /** cores that the workers use without requests, measured before the load; null if not known */
  idleCores: Estimate | null;
  /** D = (workersMs − use without requests) ÷ requests, or an upper bound from samples */
  perRequest: Estimate | null;
  basis: 'process-cpu' | 'samples-upper-bound' | 'none';
  /** active samples ÷ rate ÷ process CPU: 1 is ideal; above 1, threads waited for a core */
  samplesToCpu: number | null;
  generatorCores: number | null;
  pySpyCores: number | null;
  /** used by processes that the workers started; null or absent if none were seen */
  childCores?: number | null;
  /** of processes on this machine to which the workers have connected, such as a database; null: none was seen */
  serviceCores?: number | null;
  /** CPU time of these processes ÷ requests; 0 if none were seen, null if not known */
  childMsPerRequest?: number | null;
  hostCores: number | null;
  /** cores that other guests of the hypervisor took (steal time) */
  stealCores?: number | null;
  /** share of the time in which at least one process of the machine waited for a CPU (PSI) */
  crowdedShare?: number | null;
}

// ---------------------------------------------------------------- profile

export interface ProfileReport {
  source: string;
  /**
   * what took the samples, from its record (`Recorder` of records.d.ts); `notRemote`: why our own recorder was not
   * used. Null if not known.
   */
  profiler: {
    name: string;
    version: string | null;
    pausesTarget: boolean;
    hasTimes: boolean;
    sameCore: boolean;
    notRemote: string | null;
  } | null;
  /** the time that the figures cover: the load window, or the whole recording without load */
  window: TimeRange | null;
  rateHz: number | null;
  samples: {
    /** all processes, inside and outside the window */
    recorded: number;
    inWindow: number;
    /** inside the window, worker processes, neither waiting nor recorder noise: the base of all shares */
    active: number;
    /** the part of `active` that stands for the CPU of native threads, which have no samples; absent in old reports */
    native?: number;
    /** inside the window, worker processes, excluded because they were waiting */
    waiting: number;
    /**
     * the part of `waiting` that was runnable in a system call, beyond the CPU time that the operating system
     * counted: the thread waited for a core
     */
    waitingForCore: number;
    /** inside the window, of a first process that only waits for its workers */
    master: number;
    /** share of the attempts to sample */
    failedShare: number;
    /**
     * share of the samples that were due but failed, were taken too late, or exceed twice the CPU time. Widens
     * intervals.
     */
    unseenShare: number;
    /**
     * upper bound of sampling bias: how many times as often as another function with the same CPU time a function may
     * have been sampled. Widens intervals.
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
  /** shares of the active samples; sum to 1. Categories without samples are left out. */
  categories: CategoryShare[];
  /** shares of the active samples by the package whose code runs; sum to 1 */
  packages: PackageShare[];
  /** middleware and hooks around all views, without what they call further in; `file`: '' of a module. Absent in old reports */
  wrappers?: (PackageShare & { file: string })[];
  hotPaths: HotPath[];
  causes: CauseShare[];
  /** with `--same-work` */
  sameWork?: SameWork;
  /**
   * all that were looked for; `isCounted`: only with the companion, as a finding of that id; `seen`: its share of the
   * samples, however small. Absent in old reports
   */
  sought?: { id: string; title: string; isCounted: boolean; seen?: number }[];
  /** all causes except those of severity `info` together, if there are several: they may overlap */
  causesTogether: { causes: string[]; share: Estimate } | null;
  /** the active samples, packed so that any selection can be counted; the source of the flamegraph */
  table: SampleTable;
  /** how much wider intervals of shares are than for independent samples: mean over the categories */
  designEffect: number;
  /**
   * share of samples that end in application lines whose source was not found, so their C calls have no name; null:
   * the recorder did not read source lines
   */
  unreadShare?: number | null;
  /** how a loose file was read, and which part of a recording was not */
  reading?: {
    /** lines, boxes or samples, with `skipped`: those that could not be read */
    entries: number;
    skipped: number;
    /** the first of them */
    example: string;
    /** of two profiles in the file, it is the newer one */
    isDifference: boolean;
    /** what frames name, which places them: files with folders, files alone, or only functions */
    names: 'paths' | 'files' | 'functions';
  };
  /** what threads inside requests wait for; null if it was not recorded */
  waits: Waits | null;
  loopWaits: LoopWaits | null;
  /** the most time first; absent without source */
  lines?: AnnotatedFunction[];
}

/** A hot function of the application with its lines, secrets removed. Shares are of the whole run. */
export interface AnnotatedFunction {
  function: string;
  file: string;
  /** number of its first line */
  line: number;
  /** its file changed after the server started, so its lines are not shown */
  isChanged: boolean;
  /**
   * share of all CPU, and share of the time in which requests wait, where it is the application's innermost function
   */
  share: number;
  waiting: number;
  /** `share` and `waiting` include what the line calls; `cpuMs` is per request, null if not known */
  lines: { line: number; text: string; share: number; cpuMs: number | null; waiting: number }[];
  /** length of the whole function; for a long one, `lines` are those around the most expensive line */
  lineCount: number;
}

/**
 * Workers of a task queue that were recorded alongside the server. No figure of the API includes them, and their
 * shares are of their own samples.
 */
export interface TaskWorkers {
  /** `celery`, `rq`, `dramatiq`; `python`: any other */
  name: string;
  rootPids: number[];
  /** number of first processes that ended before the end of the recording */
  ended: number;
  /** inside the windows, from the operating system; null if it was not recorded */
  cpu: {
    cpuMs: number;
    cores: number;
    /** processes that run tasks at a time, mean */
    running: number;
    /** child processes run the tasks; the first processes only distribute them */
    areBelow: boolean;
    /** cores per process that runs tasks */
    coresEach: number;
    /** each process uses nearly a whole core, so tasks may queue */
    isFull: boolean;
  } | null;
  /** `cpuMs` ÷ requests of the whole API */
  perRequest: { cpuMs: number; requests: number } | null;
  samples: ProfileReport['samples'] | null;
  /** samples ÷ rate ÷ CPU time; far below 1 if processes end before they are sampled */
  samplesToCpu: number | null;
  /** `cpuMsPerRequest` refers to `perRequest` */
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
  /** null also where workers do it once, and not for each request */
  cpuMsPerRequest: Estimate | null;
  mayBeOnce?: boolean;
}

/**
 * `library`: any other installed package; `companion`: loadflame's own; `python`: the interpreter and its standard
 * library, where no package calls them
 */
export type PackageKind = 'application' | 'library' | 'observability' | 'companion' | 'python';

export interface PackageShare {
  /** the name under which it is imported; of a namespace, with the part below it: `google/protobuf` */
  name: string;
  kind: PackageKind;
  samples: number;
  share: Estimate;
  cpuMsPerRequest: Estimate | null;
}

export interface HotPath {
  /** threads and tasks of the application that serve no request */
  isBackground?: true;
  category: string;
  label: string;
  /** the function where the category is entered, and the line with the most samples */
  entry: { function: string; file: string; line: number | null };
  share: Estimate;
  cpuMsPerRequest: Estimate | null;
  /** the label is a plural noun: "templates take" */
  plural: boolean;
  /** the application function that most calls come from, and the line that makes most of them */
  caller: { function: string; file: string; line?: number | null } | null;
  /** total CPU per request; null if not known */
  ofRequest: { cpuMs: number; isUpperBound: boolean } | null;
  /** deserves a developer's attention */
  flagged: boolean;
  /** ids of causes with evidence inside this path, the largest first */
  causes: string[];
  /** its causes, as their rules phrase them, the main one first; `share` of all active samples */
  reasons: {
    share: number;
    phrase: string;
    fix: string;
    /** where the cause is entered: the end of its evidence */
    at: string;
  }[];
  /**
   * the call of another package with most of its samples; `part` of the path's, `file` and `line` make the call. `name`
   * null: the line's own work, with the beginning of the line as `shown`, if it is known
   */
  call?: {
    name: string | null;
    part: number;
    file: string;
    line: number | null;
    shown?: string;
  } | null;
  /** the application's innermost loop with most of its samples; `over`: what it goes through, '' if that is long */
  loop?: { file: string; line: number; over: string; part: number } | null;
  /** shares of all active samples */
  heaviest: {
    function: string;
    file: string;
    line: number | null;
    /** samples that end in the function */
    self: number;
    /** including its callees within this path */
    total: Estimate;
  }[];
}

export interface CauseShare {
  id: string;
  title: string;
  category: string;
  share: Estimate;
  /** id of the smallest other cause that contains nearly all of its samples; null: none */
  partOf: string | null;
  cpuMsPerRequest: Estimate | null;
  /** the frames that are the evidence, outermost first: `function (file)` */
  evidence: string[];
  /** where the application's own code leads to it, the most samples first, at most 3 */
  places?: CausePlace[];
  /**
   * endpoints whose requests lead to it, the most samples first, with their shares of its samples and of all requests;
   * empty if not known
   */
  endpoints?: { name: string; share: number; ofRequests?: number }[];
  /** share of all requests that go to these endpoints; null if not known */
  ofRequests?: number | null;
  /** what the companion counted at the lines of its places, per request to their endpoints */
  acts?: { kind: ActKind; text?: string | null; perRequest: number }[];
  /** it is expected there, such as password hashing at login */
  isExpected?: boolean;
  /** of few requests, in no more stretches of time than first requests may be: whether others do so is not known */
  mayBeOnce?: boolean;
  /** one result could serve all requests, perhaps for some time */
  forAll?: boolean;
  /** its queries were counted: no request sends more than one from any of its places */
  isSingle?: boolean;
  explanation: string;
  advice: string;
  severity: Severity;
}

export interface CausePlace {
  function: string;
  file: string;
  line: number | null;
  /** attributes that the line accesses; one of them is the ORM relation. undefined: not known, or not a relation */
  touches?: string[];
  /** the beginning of the line, of printable characters; absent without source */
  shown?: string;
  /** what the innermost loop around it goes through; absent outside of one, or where that is long */
  over?: string;
  /** outermost application function on these stacks; null if it is this function */
  view: { function: string; file: string; line?: number | null } | null;
  /** share of the cause's samples */
  share: number;
}

/** The longest step of each request that blocked the event loop for more than 100 ms. */
export interface BlockedSteps {
  /** responses that report such a step, out of `answers` with any report */
  count: number;
  answers: number;
  longestMs: number;
  ms: number;
  /** CPU time within `ms`; the rest is waiting, including for a core or for the GIL */
  cpuMs: number;
  /** other requests that were under way meanwhile, and for how long in all: at most as long, they have waited for it */
  victims?: { count: number; ms: number };
}

/** Where event-loop threads wait inside requests, in calls without `await`. */
export interface LoopWaits {
  /** share of these threads' time */
  share: Estimate;
  /** gevent or eventlet runs the loop */
  isGreen?: true;
  /**
   * functions of the API, the largest first, at most 3; `line`: null if there are several; `kind`: null if no rule names
   * it (a sleep, C code)
   */
  where: {
    function: string;
    file: string;
    line?: number | null;
    kind: Waits['kinds'][number]['id'] | null;
    share: number;
  }[];
}

/**
 * `client`: a client that sends or receives slowly; `socket`: an open WebSocket that waits for a message; `queue`: an
 * empty queue that may or may not be a pool; `gil`: only if our own recorder took the samples
 */
export type RequestState = WaitKind | 'other';

/** Requests that hold the lock or the pooled connection that most others wait for. */
export interface Holders {
  of: 'lock' | 'pool';
  function: string;
  file: string;
  /** number of these threads, mean */
  threads: number;
  /** and of those that wait there, mean; absent in old reports */
  waiting?: number;
  /** their most frequent state */
  doing: { id: RequestState; share: number };
}

/** What request threads spend their time on, CPU included; from idle samples, which include waiting threads. */
/** `executor`: of a loop (`to_thread`, `run_in_executor`) or of the application */
export type ThreadPool = 'anyio' | 'executor' | 'waitress' | 'cheroot';

/** `line`, `call`, `as`: null if they are not always the same, or not known */
export interface WaitPlace {
  function: string;
  file: string;
  line?: number | null;
  /** the innermost call of a library, as in stacks: `time.sleep` */
  call?: string | null;
  /** what the call does, by `as` of the rule that names it */
  as?: WaitAct | null;
  share: number;
}

export interface Waits {
  /** samples of all threads of a worker, summed over workers: the basis of the shares */
  looks: number;
  rateHz: number;
  /**
   * threads that can serve requests: workers × threads, or a pool's whose threads are all in use while requests wait
   * for one; null if not known (gevent, a pool that may start more), or if the event loop serves all requests itself
   */
  slots: number | null;
  /** threads of a pool, mean: more may be allowed; null without a pool */
  poolThreads?: number | null;
  /** whose threads these are, where that is known and not a gunicorn worker's; null without a pool */
  poolOf?: ThreadPool | null;
  /** slots inside a request, mean */
  busySlots: number;
  /** of the worker with the most: a connection stays with the worker that accepted it */
  busySlotsOfFullest: number;
  /**
   * requests in progress, mean: all threads inside a request (slots, and threads that handle WebSocket events), and
   * suspended requests
   */
  busyThreads: number;
  /**
   * requests in progress as the client counts them (Little's law), mean over the load. Threads do not
   * show coroutines that are on no stack. Null without a load, or if the seconds do not provide it.
   */
  inFlight?: number | null;
  /**
   * requests that are on no thread's stack, if the companion shows what they await; null: an event loop serves
   * requests and nothing shows its suspended requests, so no figure here includes them
   */
  suspended: number | null;
  /** shares of busy threads; sum to 1, the largest first; empty if no thread was busy */
  kinds: {
    id: RequestState;
    share: Estimate;
    /** an upper bound: without idle CPU, some of it waits for the worker */
    isBound?: boolean;
    /** functions of the API that wait there, the largest first, at most 3 */
    where: WaitPlace[];
  }[];
  /** null if none were observed */
  holders: Holders | null;
  /**
   * the busiest of the application's own threads that serve no request: mean numbers at work, and of these asleep, in
   * `line`; older reports have neither
   */
  background: (Omit<WaitPlace, 'share'> & { threads: number; asleep?: number }) | null;
  /** share of the samples of running threads in the application's own threads and tasks that serve no request */
  taskShare?: number;
  /** share of the samples in such calls that were running, by the profile */
  ran: number;
  /** the samples of all threads inside a request, packed so that any selection can be counted */
  table: WaitTable;
}
