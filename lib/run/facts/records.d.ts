/**
 * The contents of a run folder (`docs/run-folder.md`). Readers validate against these types
 * (`lib/run/folder-shapes.js`), because a folder may come from another person or from a full disk. Only fields that
 * every reader needs are required: older versions wrote fewer.
 */

import type { ActKind, CallKind, DatabaseStats, Plan, StatementName } from './calls.d.ts';
import type { PartialReason } from './validity.d.ts';
import type { SameWork, WholeRequest } from './whole-request.d.ts';

/** @minimum 0 @maximum 8640000000000000 */
export type Time = number;
/** @minimum 0 @maximum 1000000000000 */
export type Count = number;
/** In packed records. @asType integer @minimum 0 @maximum 1000000000000 */
type Whole = number;
/** Milliseconds, bytes. @minimum 0 @maximum 1000000000000000 */
export type Amount = number;
/** @asType integer @minimum 0 @maximum 4294967295 */
export type Pid = number;
/** @asType integer @minimum -35488 @maximum 35488 */
type SketchKey = number;
/** @minimum 0 @maximum 1 */
export type Share = number;
/** @minimum 0.001 @maximum 100000 */
type Rate = number;

/** A DDSketch (`lib/base/math/sketch.js`). */
export interface SketchRecord {
  count: Whole;
  sum: number;
  min: number | null;
  max: number | null;
  zero: Whole;
  bins: [SketchKey, Whole][];
}

export interface HostInfo {
  platform: string;
  cpus: Count;
  cpuModel: string;
  memoryBytes: Amount;
  /** release of its kernel; absent in older runs */
  kernel?: string;
}

export interface Manifest {
  schema: 'loadflame-run/1';
  id: string;
  kind: 'load' | 'profile' | 'load+profile';
  status: 'running' | 'complete' | 'partial';
  /** why the run is partial */
  reasons: PartialReason[];
  /** pid of the loadflame process that owns the run */
  pid: number;
  /** distinguishes that process from a later one with the same pid */
  pidStartTicks: number | null;
  startedAtMs: Time;
  endedAtMs: Time | null;
  /** as typed, without secrets */
  command: string;
  target: string | null;
  script: { name: string; sha256: string } | null;
  versions: Record<string, string>;
  /** installed for the recorded server: name → version; absent if not known */
  packages?: Record<string, string>;
  /** top-level modules of installed packages, but of those that are installed from a folder: those that others need */
  modules?: { needed: string[]; unneeded: string[] };
  /** of the target, if it is recorded; null: another machine, such as the nodes of pods */
  host: HostInfo | null;
  /** boot id of the machine's kernel; a container has that of its host */
  bootId?: string | null;
  /** secrets masked; `about`: description of a variable, from the script */
  settings: { name: string; value: string; source: string; about?: string }[];
  /**
   * First process of the server (absent in old runs), and the same process again if it only waits for its workers;
   * first processes of task workers that were recorded alongside it.
   */
  profile: {
    rootPid?: Pid;
    masterPid: Pid | null;
    /** the program that has the target's port; empty: the server itself; null: not known */
    front?: string | null;
    /** null if no stacks were recorded */
    rateHz: Rate | null;
    taskWorkers?: { name: string; rootPids: Pid[] } | null;
  } | null;
  /** the phase of the load that is analysed; what runs before it warms the target up */
  measuredPhase?: string;
  /** a recording that waits for Ctrl+C: a load test can join it */
  joinable: boolean;
  mergedFrom?: MergedFrom;
}

/** The load was sent from another machine; all times use the clock of the recorded machine. */
export interface MergedFrom {
  /** ids of the two runs */
  load: string;
  recording: string;
  /** the host that sent the load */
  host: HostInfo;
  clock: MergedClock;
}

/** The offset that was added to the times of the load. */
export interface MergedClock {
  /** the source of the offset: the companion, or Date headers; `unknown`: no source, and nothing was added */
  from: 'companion' | 'date' | 'unknown';
  /** at the start and at the end of the load */
  startMs: number;
  endMs: number;
  /** ±; null if it was not measured */
  uncertaintyMs: Amount | null;
  answers: Count;
}

/** Artillery's names, and names that a script adds. Those that we pack or divide by are counts. */
export type Counters = Record<string, number> & {
  'http.requests'?: Whole;
  'http.responses'?: Whole;
};

type Sketches = Record<string, SketchRecord>;

export interface EndpointRecord {
  requests?: Whole;
  /** responses ≥ 400 and requests without a response */
  errors?: Whole;
  /** responses below 400 that were cut short, or refused by a capture, a match or a hook */
  broken?: Whole;
  statuses?: Record<
    string,
    {
      count: Whole;
      timeToFirstByte?: SketchRecord;
      total?: SketchRecord;
      /**
       * sums over these responses, by id of a measure (`measures.js`); `bodyMs`: from the headers to the last byte,
       * for responses that arrived in parts; `parts`: how many, of responses with 20 or more
       */
      sums?: Record<string, Amount>;
    }
  >;
  server?: {
    count: Count;
    totalMs: Amount;
    cpuMs: Amount | null;
    aroundMs?: Amount;
    ended?: { count: Count; ms: Amount };
    /** CPU time in followed calls, null if not known, and of the companion around these */
    calls?: { cpuMs: Amount | null; ownMs: Amount };
    blocked?: { count: Count; ms: Amount; cpuMs: Amount; longestMs: Amount };
    /** by the route whose steps kept the event loop: requests under way meanwhile, and for how long */
    waited?: Record<string, { count: Count; ms: Amount }>;
    gc?: Collections;
    /** by the id of a measure; absent: 0 */
    sums?: Record<string, Amount>;
  };
  routes?: Record<string, Count>;
  /** its name is a route of the server's framework */
  isRouted?: boolean;
  /** requests by the variable that was empty in them */
  empty?: Record<string, Count>;
  /** by the query of the script's step, of responses while steps differ in it */
  queries?: Record<string, QuerySums>;
}

export interface QuerySums {
  /** of the database, until the headers of the response */
  statements: MeanParts;
  cpuMs: MeanParts;
}

/** Responses that report an amount, its sum, and the sum of its squares. */
type MeanParts = { count: Count; sum: Amount; squares: Amount };

/** Of a call, or of an act of the process in a request. */
export interface CallName extends Omit<StatementName, 'id' | 'kind'> {
  kind: CallKind | ActKind;
}

/** Garbage collections that the workers report. */
export interface Collections {
  /** version of the first worker */
  python: string;
  /** live ones, as a full collection left them; 0 if they were not counted: no full collection took 10 ms */
  objects: Count;
  /** those that ran in a request (`r`) or outside of any (`n`), by generation: `r0`, `n2` */
  sums: Record<string, { count: Count; cpuUs: Count; longestUs: Count }>;
}

/** As in a script: numbers, or texts with variables. */
type Planned = string | number | null;

export interface PhaseSpec {
  duration?: Planned;
  pause?: Planned;
  users?: Planned;
  arrivalRate?: Planned;
  arrivalCount?: Planned;
  rampTo?: Planned;
  maxVusers?: Planned;
}

/** Fields of all records. */
type Stamped = { t: Time };

interface Metrics {
  'load-start': {
    engine?: string;
    scenarios?: string[];
    phases?: object[];
    workers?: Count | null;
    trustsAnyone?: boolean;
  };
  'phase-start': { index: Count; name?: string | null; spec?: PhaseSpec };
  'phase-end': { index: Count };
  /** the phase was changed from outside, at `t`: arrivals per second, or users */
  steered: { phase: string; of: 'arrivalRate' | 'users'; from: Amount; to: Amount };
  second: {
    fromMs: Time;
    counters?: Counters;
    sketches?: Sketches;
    endpoints?: Record<string, EndpointRecord>;
    workers?: Record<string, Count>;
    backends?: Record<string, Count>;
    /** status of 400 or above → instance, as in `backends` or before the dot in `workers` → responses */
    failed?: Record<string, Record<string, Count>>;
    /** endpoints of this and earlier seconds, by path → what they are called from now on, by route */
    renamed?: Record<string, string>;
    usersActive?: Count | null;
    usersMost?: Count | null;
  };
  /** of older versions */
  period: { counters?: Counters; sketches?: Sketches };
  users: { index: Count; name?: string | null; worker: Count; ended: Count[]; failed?: Count[] };
  generator: {
    fromMs: Time;
    /** @exclusiveMinimum 0 @maximum 86400000 */
    lengthMs: number;
    worker: Count;
    cpuMs: Amount | null;
    /** absent in older runs */
    queuedMs?: Amount | null;
    utilization: Share;
    delayMs?: { p50?: Amount; p99: Amount; max?: Amount } | null;
    lagMs?: SketchRecord;
    arrivals: Count;
    skipped?: Count;
    sockets?: Count;
    gcMaxMs?: Amount;
    rssBytes?: Amount;
  };
  /** `from`: the source of the time; absent in older runs: Date headers */
  clock: {
    worker?: Count;
    from?: 'companion' | 'date';
    lowMs: number;
    highMs: number;
    answers: Count;
    backMs?: Amount;
  };
  'load-end': {
    reason?: string;
    exitCode?: number | null;
    signal?: string | null;
    counters?: Counters;
  };
}

interface Errors {
  error: {
    endpoint: string | null;
    code: string | Count;
    url?: string | null;
    status?: Count | null;
    headers?: Record<string, string | string[]> | null;
    /** request body; absent if there was none, or not text */
    requestBody?: string | null;
    /** of the capture or match that failed */
    expression?: string;
    body?: string | null;
    requestId?: string | null;
    traceparent?: string | null;
    /** the instance of the API that responded, as in `failed` of `second` */
    instance?: string | null;
  };
}

/** @pattern ^[0-9a-f]{8}$ */
type StatementId = string;
/** round(ln(µs) / ln(1.1)). @asType integer @minimum 0 @maximum 400 */
type TimeBin = number;

/** Calls reported by the responses of one second, from one endpoint and worker. */
export interface CallsRecord {
  fromMs: Time;
  endpoint: string;
  /** `<instance>.<pid>` */
  worker: string;
  /** with and without calls */
  responses: Whole;
  /** responses whose header could not be parsed; not in `responses` */
  unreadable?: Whole;
  /** `[database statements of a request, responses]` */
  perRequest: [Whole, Whole][];
  /** time in the database per request */
  databaseMs: SketchRecord;
  /** waits for a pooled connection */
  pool: { count: Whole; us: Whole };
  /** calls of statements that are not in `calls` */
  more: { count: Whole; us: Whole };
  /**
   * `[id, requests, executions, µs, rows, µs in an open transaction, most of one request, [time, executions]]`; of HTTP
   * calls that wait for each other, instead of rows, executions × µs of the quickest one
   */
  calls: [StatementId, Whole, Whole, Whole, Whole | null, Whole, Whole, [TimeBin, Whole][]][];
}

interface LoadCalls {
  'call-named': { id: StatementId; call: CallName };
  calls: CallsRecord;
}

/** One that was among the slowest of its endpoint so far, or the first failure of its kind. */
export interface SlowRecord extends Omit<WholeRequest, 'calls'> {
  /** null: none, or not readable */
  calls: {
    calls: [StatementId, Whole, Whole, CallKind | ActKind][];
    pool: [Whole, Whole];
    more: [Whole, Whole];
  } | null;
  /** status or error; null: it has not failed */
  code: string | null;
  /** `$uuid` of the virtual user */
  user: string;
}

interface Tokens {
  configured: { flow: string; issuer: string; mode?: string; users?: Count };
  obtained: { user?: Count; lifetimeSec?: Amount | null };
  refreshed: { user?: Count; lifetimeSec?: Amount | null };
  failed: { user?: Count; code?: string | null; message?: string };
  late: { user?: Count; renewalMs: Amount; expiredMs: Amount };
  warning: { user?: Count; message?: string };
}

type Event = { message?: string };

interface Events {
  'recorder-died': Event;
  'target-gone': Event & { pid?: Pid };
  'session-failed': Event;
  'log-ended': Event;
  'load-worker-lost': Event;
  'load-lines-lost': Event;
  /** its kubeconfig accepts any certificate */
  'cluster-trusts-anyone': Event;
  /** start time that a worker in a cluster received; `aheadMs`: its clock minus the clock of the run */
  'load-worker': { worker: Count; pod: string; aheadMs: number; uncertaintyMs?: Amount };
  'load-joined': { pid: Pid; pidStartTicks?: Count | null };
  'load-left': { pid: Pid };
  'warm-up': { takenPerSec: Amount; ratePerSec: Amount; isSmall: boolean };
}

/** What took the samples, and its capabilities. Analysis and text read these and never compare names. */
export interface Recorder {
  name: string;
  version?: string | null;
  /** pauses the target for each sample */
  pausesTarget?: boolean;
  /** each sample has a time: `samples-<n>.txt` instead of collapsed stacks per segment */
  hasTimes?: boolean;
  /** samples all threads, so what they wait for is included */
  seesWaiting?: boolean;
  /** samples from the core on which the target runs */
  sameCore?: boolean;
}

interface Segments {
  'recording-start': {
    rootPid?: Pid | null;
    masterPid?: Pid | null;
    server?: string | null;
    rateHz?: Rate;
    recorder?: Recorder;
    python?: string | null;
    notRemote?: string | null;
    sudo?: boolean;
    workerClass?: string | null;
    threads?: Count | null;
    /** pods whose servers it records; each numbers its processes from 10,000,000, 20,000,000 … on */
    pods?: string[];
  };
  segment: {
    file: string;
    startMs: Time;
    endMs: Time;
    samples?: Count;
    looks?: Count;
    errors?: Count;
    lateMs?: Amount;
    missedMs?: Amount;
  };
  'segment-lost': { startMs?: Time; endMs?: Time; reason?: string };
  'waits-start': { file: string; startMs: Time; rateHz: Rate };
  waits: { file: string; startMs: Time; endMs: Time; samples?: Count; errors?: Count };
  'waits-lost': { reason: string };
  process: { pid: Pid; command: string };
  /** `name`: of the pod, and the pid there */
  'worker-start': { pid: Pid; name?: string };
  'worker-end': { pid: Pid; name?: string };
  /** `localPeers`: every peer of its workers is on this machine; null if they had no connection */
  'recording-end': { reason?: string; localPeers?: boolean | null };
}

interface Calls {
  line: { function: string; file: string; line: Count; calls: string[]; inLoop?: boolean };
  /** of a line on the way to an ORM relation or query: attributes that it accesses, and methods that it calls for each element of a comprehension; `inLoop`: inside of a `for` */
  touch: {
    function: string;
    file: string;
    line: Count;
    repeats?: boolean;
    inLoop?: boolean;
    each?: string[];
    touches: string[];
  };
  route: { function: string; file: string; path: string; methods: string[] };
  /** a line of a statement that only calls a logger; `from`: its first line */
  'log-call': { function: string; file: string; line: Count; method: string; from: Count };
}

interface Source {
  /** lines of a function with samples, secrets removed; `from`: number of the first line */
  function: {
    function: string;
    file: string;
    from?: Count;
    lines?: string[];
    /** its file changed after the server started, so these are not the lines that ran */
    isChanged?: boolean;
  };
}

interface Processes {
  sample: {
    pid: Pid;
    role: string;
    cpuMs: Amount;
    rssBytes?: Amount | null;
    pssBytes?: Amount | null;
    threads?: Count | null;
    startTicks?: Count | null;
  };
  /** `[tid, runMs, queuedMs, slices]` */
  threads: {
    pid: Pid;
    startTicks?: Count | null;
    threads: [Pid, Amount, Amount, Count][];
    /** loaded libraries that are known to start threads; recorded when the number of threads changes */
    libraries?: string[];
  };
  group: { name: string; processes: Count; unseenCpuMs?: Amount };
  host: {
    busyMs: Amount;
    totalMs: Amount;
    cpus: Count;
    stealMs?: Amount;
    pressureMs?: Amount;
  };
  cgroup: {
    roles: string[];
    path: string;
    quotaCores: Rate;
    periods: Count;
    throttled: Count;
    throttledMs: Amount;
  };
}

interface Probes {
  probe: { name: string; tookMs?: Amount; values: Record<string, number> };
  'probe-failed': { name?: string; message?: string };
}

/** What a cluster reports about the pods of a workload. Times are converted to our clock, accurate to a second. */
interface Cluster {
  'cluster-start': { namespace: string; selector: string; workload?: string | null };
  /** recorded at each change */
  pod: {
    name: string;
    uid?: string;
    /** absent in older runs, as are the ports */
    ip?: string | null;
    node?: string | null;
    phase?: string;
    isReady: boolean;
    isEnding?: boolean;
    containers: {
      name: string;
      isReady?: boolean;
      restarts: Count;
      waiting?: string | null;
      /** how it ended last time */
      last?: { reason: string; exitCode: number; endedAtMs?: Time | null } | null;
      cpuLimitCores?: Amount | null;
      memoryLimitBytes?: Amount | null;
      ports?: { name: string; port: Count }[];
    }[];
  };
  'pod-gone': { name: string };
  /** counters of a container's `cpu.stat` since it started */
  throttling: {
    name: string;
    container: string;
    periods: Count;
    throttled: Count;
    throttledMs: Amount;
  };
  /** means over a window */
  usage: {
    name: string;
    startMs: Time;
    endMs: Time;
    cpuCores: Amount;
    memoryBytes: Amount;
  };
  event: {
    object: string;
    type?: string;
    reason: string;
    message?: string;
    count: Count;
  };
  replicas: { desired: Count; ready: Count };
  'way-in': {
    /** `service`; older versions also wrote routes and ingresses, which nothing reads */
    type: string;
    name: string;
    /** `target`: the pods' port, by number or name */
    ports?: { name: string; target: string }[];
  };
  /** a part that cannot be observed, from now on or until `back` */
  failed: {
    part: string;
    /** `program`: the images of the pods lack the program that reads it */
    why: 'forbidden' | 'missing' | 'program' | 'failed';
    verb: string;
    resource: string;
    message?: string;
  };
  back: { part: string };
}

interface Logs {
  source: { type?: string; name?: string };
  line: {
    atMs?: Time | null;
    level?: 'error' | 'warn' | 'info' | null;
    pid?: Pid | null;
    text: string;
    isTraceback?: boolean;
    status?: Count;
  };
  'left-out': { why?: string; fromMs?: Time; lines?: Count; bytes?: Amount };
}

/**
 * Percentiles of a period. Artillery omits what it did not measure, or writes null (TLS timings without TLS). Version 1
 * has neither means nor all percentiles.
 */
export interface ArtillerySummary {
  count: Count;
  min: number | null;
  max: number | null;
  mean?: number | null;
  p50: number;
  p75?: number;
  p90?: number;
  p95: number;
  p99: number;
}

/** @pattern ^\d{1,15}$ */
type PeriodText = string;

export interface ArtilleryPeriod {
  /** epoch ms; Artillery writes it as text */
  period?: Time | PeriodText;
  counters?: Counters;
  summaries?: Record<string, ArtillerySummary>;
}

/** The JSON that `artillery run --output` writes. */
export interface ArtilleryReport {
  /** in files that our own engine wrote */
  engine?: string;
  aggregate: ArtilleryPeriod & {
    firstCounterAt?: Time;
    lastCounterAt?: Time;
    firstMetricAt?: Time;
    lastMetricAt?: Time;
  };
  intermediate?: ArtilleryPeriod[];
}

type Kinds<T> = { [Kind in keyof T]: Stamped & T[Kind] };

/** Per file: its value, or the kinds of its records. Readers ignore all other kinds. */
export interface RunShapes {
  /** without reasons, which only people read: older versions wrote others */
  manifest: Omit<Manifest, 'reasons'>;
  artillery: ArtilleryReport;
  events: Kinds<Events>;
  metrics: Kinds<Metrics>;
  errors: Kinds<Errors>;
  loadCalls: Kinds<LoadCalls>;
  slowest: Kinds<{ request: SlowRecord }>;
  plans: Kinds<{ plan: Plan; 'database-stats': DatabaseStats; 'same-work': SameWork }>;
  tokens: Kinds<Tokens>;
  segments: Kinds<Segments>;
  calls: Kinds<Calls>;
  source: Kinds<Source>;
  processes: Kinds<Processes>;
  probes: Kinds<Probes>;
  cluster: Kinds<Cluster>;
  logs: Kinds<Logs>;
}

/** Files with a single value instead of records. */
export type ValueFile = 'manifest' | 'artillery';
export type RecordFile = Exclude<keyof RunShapes, ValueFile>;
/** A record of a file, of any kind or of one kind: `RecordOf<'processes', 'sample'>`. */
export type RecordOf<
  File extends RecordFile,
  Kind extends keyof RunShapes[File] = keyof RunShapes[File],
> = { [Own in Kind]: RunShapes[File][Own] & { kind: Own } }[Kind];
